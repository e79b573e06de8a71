//! What holds for every picture, on drawn and on nasty inputs.

use std::collections::HashSet;

use base::{Seed, normal};

use crate::png::tests::{outside, text_boxes};
use crate::*;

const NASTY: [&str; 6] = [
    "<script>alert('x')</script> & \"quotes\" ]]> -->",
    "an extraordinarily long name that no axis, legend, title or caption could ever show in full, however wide it is",
    "\u{202E}\u{0}\u{1F}tab\tand\nnewline",
    "漢字かな 😀 emoji",
    "",
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
];

fn numbers(seed: Seed, n: usize) -> Vec<f64> {
    let mut stream = seed.stream();
    (0..n).map(|_| normal(&mut stream)).collect()
}

/// Ordinary and extreme values, chosen by the number of the draw.
fn values(draw: usize, n: usize) -> Vec<f64> {
    let plain = numbers(Seed(5).at(draw), n);
    match draw % 9 {
        0 => plain,
        1 => plain.iter().map(|v| v * 6e307).collect(),
        2 => plain.iter().map(|v| v * 1e-300).collect(),
        3 => vec![3.25; n],
        4 => plain.iter().enumerate().map(|(i, v)| [f64::NAN, f64::INFINITY, *v, f64::NEG_INFINITY][i % 4]).collect(),
        5 => plain.iter().map(|v| 10f64.powf(v * 100.0)).collect(),
        6 => plain.iter().map(|v| 1e9 + v * 1e-4).collect(),
        7 => vec![f64::NAN; n],
        _ => plain.iter().map(|v| (v * 50_000.0).round()).collect(),
    }
}

fn name(draw: usize, i: usize) -> String {
    if draw.is_multiple_of(2) { format!("name {i}") } else { format!("{}{}", NASTY[(draw / 2 + i) % NASTY.len()], i) }
}

/// One picture of each kind, from the number of the draw.
fn pictures(draw: usize) -> Vec<Box<dyn Picture>> {
    let n = [40, 0, 1, 2, 7, 300, 15, 3, 60][draw / 2 % 9];
    let classes = [3, 30, 1, 9, 2][draw % 5];
    let names = |k: usize| (0..k).map(|i| name(draw, i)).collect::<Vec<_>>();
    let (x, y, z) = (values(draw, n), values(draw + 1, n), values(draw + 2, n));
    let title = || NASTY[draw % NASTY.len()].to_string();
    let group = |i: usize| Group { name: name(draw, i), values: values(draw + i, n) };
    let side = n.min(30);
    let merges =
        (1..n).map(|i| Join { left: if i == 1 { 0 } else { n + i - 2 }, right: i, height: y[i].abs(), size: i + 1 });
    let image = |pixels: Pixels| ImagePlot { title: title(), columns: n, rows: 3, pixels };
    let repeated = |v: &[f64]| v.repeat(3);
    let all: Vec<Box<dyn Picture>> = vec![
        Box::new(ScatterPlot {
            title: title(),
            x_label: title(),
            y_label: title(),
            points: x.iter().zip(&y).map(|(&a, &b)| [a, b]).collect(),
            classes: (0..n).map(|i| i % classes).collect(),
            names: names(classes),
            regions: (draw.is_multiple_of(3)).then(|| PlaneRegions {
                columns: 4,
                rows: 2,
                x: (-1.0, 1.0),
                y: (-2.0, 3.0),
                cells: if draw.is_multiple_of(2) {
                    RegionCells::Classes(vec![0, 1, 2, 0, 1, 2, 0, 1])
                } else {
                    RegionCells::Scores(values(draw, 8))
                },
            }),
            lines: vec![x.iter().zip(&z).map(|(&a, &b)| [a, b]).collect()],
            labels: (0..n.min(5)).map(|i| (i, name(draw, i))).collect(),
            square: draw.is_multiple_of(4),
        }),
        Box::new(LinePlot {
            title: title(),
            x_label: title(),
            y_label: title(),
            series: (0..classes)
                .map(|i| Series {
                    name: name(draw, i),
                    x: x.clone(),
                    y: values(draw + i, n),
                    band: if i.is_multiple_of(2) { y.iter().zip(&z).map(|(&a, &b)| (a, b)).collect() } else { vec![] },
                    steps: i.is_multiple_of(3),
                })
                .collect(),
            x_log: draw % 3 == 1,
            y_log: draw % 3 == 2,
            reference: [
                Reference::None,
                Reference::Diagonal(title()),
                Reference::Level(title(), 0.5),
                Reference::Upright(title(), 2.0),
            ][draw % 4]
                .clone(),
            square: draw.is_multiple_of(5),
            marks: draw.is_multiple_of(2),
            ..LinePlot::default()
        }),
        Box::new(Bars {
            title: title(),
            x_label: title(),
            names: names(n),
            values: y.clone(),
            intervals: if draw.is_multiple_of(2) { x.iter().zip(&z).map(|(&a, &b)| (a, b)).collect() } else { vec![] },
            range: (draw % 4 == 1).then_some((0.0, 1.0)),
            signed: false,
        }),
        Box::new(Histogram {
            title: title(),
            x_label: title(),
            groups: (0..classes).map(group).collect(),
            shares: draw.is_multiple_of(2),
            ..Histogram::default()
        }),
        Box::new(Boxes { title: title(), x_label: title(), groups: (0..classes).map(group).collect() }),
        Box::new(Matrix {
            title: title(),
            row_label: title(),
            column_label: title(),
            rows: names(side),
            columns: names(classes),
            values: values(draw, side * classes),
            reading: if draw.is_multiple_of(2) { MatrixReading::Counts } else { MatrixReading::Signed(0.0) },
        }),
        Box::new(image(Pixels::Signed { values: repeated(&x), limit: 0.0 })),
        Box::new(ImageGrid {
            title: title(),
            images: vec![
                image(Pixels::Gray { values: repeated(&y), range: None }),
                image(Pixels::Rgb(vec![[9, 120, 200]; 3 * n])),
                image(Pixels::Signed { values: repeated(&z), limit: 0.0 }),
            ],
            columns: draw % 4,
            shared: draw.is_multiple_of(2),
        }),
        Box::new(Tiles {
            title: title(),
            columns: names(classes.min(6)),
            rows: (0..n.min(4))
                .map(|i| TileRow {
                    lines: (0..i).map(|k| name(draw, k)).collect(),
                    images: (0..classes.min(6))
                        .map(|c| (c != i).then(|| image(Pixels::Rgb(vec![[9, 120, 200]; 3 * n]))))
                        .collect(),
                })
                .collect(),
        }),
        Box::new(Strips { title: title(), x_label: title(), series: vec![x.clone(), y.clone()], relevance: z.clone() }),
        Box::new(Dendrogram {
            title: title(),
            x_label: title(),
            names: names(n),
            merges: if y.iter().all(|v| v.is_finite()) {
                merges.collect()
            } else {
                merges.map(|m| Join { height: 1.0, ..m }).collect()
            },
            threshold: (draw.is_multiple_of(2)).then_some(0.7),
        }),
    ];
    all
}

fn look(width: f64, theme: Theme) -> Look {
    Look { size: PictureSize { width, height: 0.0 }, theme, prefix: "t".into() }
}

/// All shapes and texts lie inside the page, none is smaller than 11 pixels, and no two meet.
fn check_layout(picture: &dyn Picture, look: &Look, what: &str) {
    let svg = picture.to_svg(look).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(outside(&svg), Vec::<[f64; 4]>::new(), "{what}");
    let (boxes, page) = text_boxes(&svg);
    for (text, [left, top, right, bottom]) in &boxes {
        let inside = *left >= -0.5 && *top >= -0.5 && *right <= page[0] + 0.5 && *bottom <= page[1] + 0.5;
        // Characters outside the font are drawn by another one, here by none.
        assert!(inside, "{what}: {text:?} at {left} {top} {right} {bottom} leaves {page:?}");
        let (w, h) = (right - left, bottom - top);
        assert!(w.min(h) >= 11.0 * 0.3 && w.max(h) >= 11.0 * 1.16 - 0.1, "{what}: {text:?} is {w} × {h}");
    }
    // Boxes reach from ascent to descent; letters use the middle two thirds of that. Turned texts are higher than wide.
    let core = |(text, r): &(String, [f64; 4])| match text.chars().count() > 2 && r[3] - r[1] > r[2] - r[0] {
        true => [r[0] + 2.5, r[1] + 0.5, r[2] - 2.5, r[3] - 0.5],
        false => [r[0] + 0.5, r[1] + 2.5, r[2] - 0.5, r[3] - 2.5],
    };
    for (i, a) in boxes.iter().enumerate() {
        for b in &boxes[..i] {
            let (p, q) = (core(a), core(b));
            let apart = p[0] >= q[2] || q[0] >= p[2] || p[1] >= q[3] || q[1] >= p[3];
            assert!(apart, "{what}: {a:?} and {b:?} overlap");
        }
    }
    for size in svg.split("font-size=\"").skip(1) {
        let size: f64 = size.split('"').next().unwrap().parse().unwrap();
        assert!(size >= 11.0, "{what}: letters of {size}");
    }
}

#[test]
fn everything_stays_inside_and_texts_apart() {
    for draw in 0..54 {
        for picture in pictures(draw) {
            for width in [400.0, 1200.0] {
                let kind = format!("{picture:?}");
                let kind = kind.split(' ').next().unwrap();
                check_layout(picture.as_ref(), &look(width, Theme::Light), &format!("draw {draw}, {kind}, {width}"));
            }
        }
    }
}

#[test]
fn small_and_odd_sizes_are_drawn() {
    for draw in 0..18 {
        for picture in pictures(draw) {
            for (width, height) in [(160.0, 120.0), (200.0, 600.0), (900.0, 120.0), (2000.0, 1500.0)] {
                let look = Look { size: PictureSize { width, height }, ..Look::default() };
                let svg = picture.to_svg(&look).unwrap();
                assert_eq!(outside(&svg), Vec::<[f64; 4]>::new(), "draw {draw}, {width}×{height}: {picture:?}");
                let (boxes, page) = text_boxes(&svg);
                for (text, [left, top, right, bottom]) in boxes {
                    let inside = left >= -0.5 && top >= -0.5 && right <= page[0] + 0.5 && bottom <= page[1] + 0.5;
                    assert!(inside, "draw {draw}, {width}×{height}: {text:?} {left} {top} {right} {bottom}");
                }
            }
        }
    }
}

#[test]
fn the_same_input_gives_the_same_bytes_and_shows_in_every_theme() {
    for draw in 0..9 {
        for (a, b) in pictures(draw).iter().zip(pictures(draw)) {
            for theme in [Theme::Light, Theme::Dark, Theme::Auto] {
                let svg = a.to_svg(&look(640.0, theme)).unwrap();
                assert_eq!(svg, b.to_svg(&look(640.0, theme)).unwrap());
                let bytes = png(&svg, 0.5).unwrap();
                assert_eq!(bytes, png(&svg, 0.5).unwrap());
            }
        }
    }
}

#[test]
fn one_file_serves_light_and_dark() {
    let draw = |picture: &dyn Picture, theme| picture.to_svg(&look(500.0, theme)).unwrap();
    for number in [0, 4, 6, 10] {
        let all = pictures(number);
        for picture in &all {
            let auto = draw(picture.as_ref(), Theme::Auto);
            assert_eq!(png(&auto, 1.0).unwrap(), png(&draw(picture.as_ref(), Theme::Light), 1.0).unwrap());
            // Matrix and images keep their light maps; all others must look as the dark theme does.
            let maps = ["Matrix", "Image"].iter().any(|kind| format!("{picture:?}").starts_with(kind));
            if !maps {
                let rules = auto.replace("@media (prefers-color-scheme:dark){", "").replace("}}</style>", "}</style>");
                assert_eq!(png(&rules, 1.0).unwrap(), png(&draw(picture.as_ref(), Theme::Dark), 1.0).unwrap());
            }
        }
    }
}

#[test]
fn nothing_foreign_gets_into_the_file() {
    for draw in 0..30 {
        for picture in pictures(draw) {
            let svg = picture.to_svg(&look(500.0, Theme::Auto)).unwrap();
            assert!(!svg.contains("<script") && !svg.contains("alert('"), "{svg}");
            // Addresses: the name space, ids of this file and data.
            for address in svg.split("href=\"").skip(1).chain(svg.split("url(").skip(1)) {
                assert!(
                    address.starts_with("#t-") || address.starts_with("data:image/png;base64,"),
                    "{}",
                    &address[..40]
                );
            }
            assert_eq!(svg.matches("http").count(), 1);
            let mut ids = HashSet::new();
            for id in svg.split(" id=\"").skip(1) {
                let id = id.split('"').next().unwrap();
                assert!(id.starts_with("t-") && ids.insert(id), "{id}");
            }
            for class in svg.split(" class=\"").skip(1) {
                assert!(class.split('"').next().unwrap().split(' ').all(|c| c.starts_with("t-")));
            }
            assert!(!svg.contains("NaN,") && !svg.contains("=\"NaN\"") && !svg.contains("=\"inf\""));
            assert!(
                svg.contains("role=\"img\"")
                    && svg.contains("<title id=\"t-title\">")
                    && svg.contains("<desc id=\"t-desc\">")
            );
        }
    }
}

#[test]
fn what_cannot_be_shown_is_said() {
    let points = vec![[1.0, 2.0], [f64::NAN, 1.0], [0.0, f64::INFINITY], [2.0, f64::NEG_INFINITY]];
    let svg = ScatterPlot { points, ..ScatterPlot::default() }.to_svg(&Look::default()).unwrap();
    assert!(svg.contains(">3 points not shown<"));
    assert_eq!(svg.matches("<use ").count(), 1);
    let none =
        ScatterPlot { points: vec![[f64::NAN, 0.0]], ..ScatterPlot::default() }.to_svg(&Look::default()).unwrap();
    assert!(none.contains(">no data<") && none.contains(">1 point not shown<"));
    let bars = Bars { names: vec!["a".into(), "b".into()], values: vec![1.0, f64::NAN], ..Bars::default() };
    assert!(bars.to_svg(&Look::default()).unwrap().contains(">1 value not shown<"));
    let log = LinePlot {
        series: vec![Series { x: vec![-1.0, 0.0, 1.0, 10.0], y: vec![1.0; 4], ..Series::default() }],
        x_log: true,
        ..LinePlot::default()
    };
    assert!(log.to_svg(&Look::default()).unwrap().contains(">2 points not shown<"));
}

#[test]
fn a_million_points_make_a_bounded_file() {
    let xs = numbers(Seed(1), 1_000_000);
    let points: Vec<[f64; 2]> = xs.windows(2).map(|w| [w[0], w[1]]).collect();
    let svg = ScatterPlot { points, ..ScatterPlot::default() }.to_svg(&Look::default()).unwrap();
    assert!(svg.len() < 8_000_000, "{}", svg.len());
    let x: Vec<f64> = (0..1_000_000).map(f64::from).collect();
    let svg = LinePlot { series: vec![Series { x, y: xs, ..Series::default() }], ..LinePlot::default() }
        .to_svg(&Look::default())
        .unwrap();
    assert!(svg.len() < 100_000, "{}", svg.len());
}

#[test]
fn wrong_settings_are_refused() {
    let scatter = ScatterPlot { points: vec![[0.0, 0.0]], ..ScatterPlot::default() };
    let refused = |look: Look| scatter.to_svg(&look).is_err();
    assert!(refused(Look { prefix: "1".into(), ..Look::default() }));
    assert!(refused(Look { prefix: "a\" onload=\"x".into(), ..Look::default() }));
    assert!(
        refused(look(f64::NAN, Theme::Light)) && refused(look(1e9, Theme::Light)) && refused(look(10.0, Theme::Light))
    );
    assert!(
        ScatterPlot { classes: vec![1], names: vec!["a".into()], ..scatter.clone() }.to_svg(&Look::default()).is_err()
    );
    assert!(Bars { values: vec![1.0], ..Bars::default() }.to_svg(&Look::default()).is_err());
    assert!(Matrix { values: vec![1.0], ..Matrix::default() }.to_svg(&Look::default()).is_err());
    let tight = Panels {
        pictures: vec![Box::new(scatter.clone()), Box::new(scatter.clone())],
        columns: 2,
        ..Panels::default()
    };
    assert!(tight.to_svg(&look(300.0, Theme::Light)).is_err());
}

#[test]
fn what_does_not_fit_together_is_described_without_panic() {
    let one = || vec!["a".to_string()];
    let merge = Join { left: 7, right: 9, height: 1.0, size: 0 };
    let broken: Vec<Box<dyn Picture>> = vec![
        Box::new(Bars { values: vec![1.0, 2.0], names: one(), ..Bars::default() }),
        Box::new(Matrix { rows: one(), columns: one(), ..Matrix::default() }),
        Box::new(Dendrogram { merges: vec![merge], threshold: Some(1.0), ..Dendrogram::default() }),
        Box::new(LinePlot { series: vec![Series { x: vec![1.0], ..Series::default() }], ..LinePlot::default() }),
        Box::new(ScatterPlot { points: vec![[0.0; 2]], classes: vec![5], ..ScatterPlot::default() }),
        Box::new(ImagePlot { title: String::new(), columns: 9, rows: usize::MAX, pixels: Pixels::Rgb(vec![]) }),
    ];
    for picture in &broken {
        assert!(picture.to_svg(&Look::default()).is_err());
        assert!(picture.describe().ends_with('.'));
    }
    for picture in broken.iter().chain(&pictures(0)) {
        for width in [0.0, -3.0, 30.0, 1e300, f64::NAN, f64::INFINITY] {
            let _ = picture.height(width);
        }
    }
    let panels = Panels { pictures: pictures(0), columns: 9, ..Panels::default() };
    assert!(panels.to_svg(&look(400.0, Theme::Light)).is_err());
}

#[test]
fn panels_hold_every_kind_and_share_no_ids() {
    for draw in 0..6 {
        for (width, columns) in [(400.0, 0), (1200.0, 0), (1200.0, 4)] {
            let panels = Panels { title: "All kinds".into(), pictures: pictures(draw), columns };
            let svg = panels.to_svg(&look(width, Theme::Auto)).unwrap();
            let ids: Vec<&str> = svg.split(" id=\"").skip(1).filter_map(|s| s.split('"').next()).collect();
            assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
            let (boxes, page) = text_boxes(&svg);
            assert!(
                boxes
                    .iter()
                    .all(|(_, b)| b[0] >= -0.5 && b[1] >= -0.5 && b[2] <= page[0] + 0.5 && b[3] <= page[1] + 0.5)
            );
        }
    }
}
