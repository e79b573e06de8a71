//! Shapes of points: eight that stay apart at small sizes, all of about the same area.

use crate::canvas::{Canvas, Style, px};
use crate::theme::{Paint, shape_of};

/// The outline of class i's shape about the origin, as SVG path commands; r is the radius of the circle of its area.
pub(crate) fn outline(class: usize, r: f64) -> String {
    let polygon = |points: &[(f64, f64)], scale: f64| -> String {
        let corner = |(i, &(x, y)): (usize, &(f64, f64))| {
            format!("{}{} {}", if i == 0 { 'M' } else { 'L' }, px(x * r * scale), px(y * r * scale))
        };
        points.iter().enumerate().map(corner).collect::<String>() + "Z"
    };
    let wing = 0.36;
    let plus: [(f64, f64); 12] = [
        (-wing, -1.2),
        (wing, -1.2),
        (wing, -wing),
        (1.2, -wing),
        (1.2, wing),
        (wing, wing),
        (wing, 1.2),
        (-wing, 1.2),
        (-wing, wing),
        (-1.2, wing),
        (-1.2, -wing),
        (-wing, -wing),
    ];
    match shape_of(class) {
        0 => format!("M{0} 0A{1} {1} 0 1 0 {1} 0A{1} {1} 0 1 0 {0} 0Z", px(-r), px(r)),
        1 => polygon(&[(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)], 0.886),
        2 => polygon(&[(0.0, -1.35), (1.17, 0.68), (-1.17, 0.68)], 1.05),
        3 => polygon(&[(0.0, -1.0), (0.85, 0.0), (0.0, 1.0), (-0.85, 0.0)], 1.4),
        4 => polygon(&[(0.0, 1.35), (1.17, -0.68), (-1.17, -0.68)], 1.05),
        5 => polygon(&plus, 1.08),
        6 => {
            let turned = plus.map(|(x, y)| ((x - y) * 0.707, (x + y) * 0.707));
            polygon(&turned, 1.08)
        }
        _ => {
            let corner = |i: usize| {
                let (radius, angle) =
                    (if i.is_multiple_of(2) { 1.5 } else { 0.68 }, i as f64 * std::f64::consts::PI / 5.0);
                (radius * angle.sin(), -radius * angle.cos())
            };
            polygon(&std::array::from_fn::<_, 10, _>(corner), 1.0)
        }
    }
}

/// Makes class i's mark ready for stamping.
pub(crate) fn define(canvas: &mut Canvas, class: usize, r: f64) -> String {
    let style = Style {
        fill: Some(Paint::Class(class)),
        stroke: Some(Paint::Line(class)),
        width: (r * 0.2).max(0.4),
        dash: &[],
        opacity: if r < 3.0 { 1.0 } else { 0.85 },
    };
    canvas.define(&outline(class, r), &style)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Area by the shoelace formula, from the path's own numbers.
    fn area(d: &str) -> f64 {
        let numbers: Vec<f64> =
            d.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).filter_map(|s| s.parse().ok()).collect();
        let points: Vec<(f64, f64)> = numbers.chunks(2).map(|c| (c[0], c[1])).collect();
        let next = points.iter().cycle().skip(1);
        (points.iter().zip(next).map(|(p, q)| p.0 * q.1 - q.0 * p.1).sum::<f64>() / 2.0).abs()
    }

    #[test]
    fn shapes_weigh_about_the_same() {
        let circle = std::f64::consts::PI * 100.0;
        for class in 1..8 {
            let share = area(&outline(class, 10.0)) / circle;
            assert!((0.75..1.25).contains(&share), "shape {class}: {share}");
        }
    }
}
