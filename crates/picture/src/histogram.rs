//! How values are spread: counts in bins of equal width, several groups over one another.
//!
//! Bins are 1, 2 or 5 times a power of ten wide and begin at multiples of that. Unless told, their number follows
//! D. Freedman and P. Diaconis (*On the histogram as a density estimator*, 1981): width 2·IQR·n^(−1/3) of all values
//! together, kept between 5 and 60 bins.

use base::{Error, Result};

use crate::axis;
use crate::boxes::quantile;
use crate::canvas::{Canvas, Style, px};
use crate::frame::{self, Frame, Plot, Scale, Side};
use crate::legend::{Entry, Sign};
use crate::number::Decimal;
use crate::picture::Picture;
use crate::rect::Rect;
use crate::text;
use crate::theme::{Paint, dash_of};

/// Named values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Group {
    /// The group's name.
    pub name: String,
    /// Its values; those that are not finite are counted in a note.
    pub values: Vec<f64>,
}

/// Histograms of one or more groups.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Histogram {
    /// Above the picture.
    pub title: String,
    /// Below the horizontal axis.
    pub x_label: String,
    /// What is counted.
    pub groups: Vec<Group>,
    /// About how many bins; none: by the data.
    pub bins: Option<usize>,
    /// Whether each group's counts are divided by its size, so that groups of different size compare.
    pub shares: bool,
}

impl Picture for Histogram {
    fn title(&self) -> &str {
        &self.title
    }

    fn describe(&self) -> String {
        let values: usize = self.groups.iter().map(|g| g.values.len()).sum();
        let groups = text::count(self.groups.len(), "group", "groups");
        format!("Histogram of {} in {groups}.", text::count(values, "value", "values"))
    }

    fn check(&self) -> Result<()> {
        match self.bins {
            Some(n) if !(1..=1000).contains(&n) => Err(Error::parameter("bins", n, "must lie between 1 and 1000")),
            _ => Ok(()),
        }
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect) -> Result<()> {
        let notes = not_shown(&self.groups);
        let Some(bins) = Bins::of(&self.groups, self.bins) else {
            frame::no_data(canvas, area, &self.title, &notes);
            return Ok(());
        };
        let heights: Vec<Vec<f64>> = self.groups.iter().map(|g| bins.count(&g.values, self.shares)).collect();
        let highest = heights.iter().flatten().copied().fold(0.0, f64::max);
        let legend = legend(&self.groups);
        let (low, high) = bins.ends();
        let frame = Frame {
            title: &self.title,
            x: Scale { label: &self.x_label, low, high, log: false, marked: None },
            y: Side::Numbers(Scale {
                label: if self.shares { "share" } else { "count" },
                low: 0.0,
                high: highest * 1.05,
                log: false,
                marked: None,
            }),
            legend: &legend,
            notes: &notes,
            square: false,
        };
        let plot = frame.draw(canvas, area);
        for (i, heights) in heights.iter().enumerate() {
            canvas.path(&outline(heights, &bins, &plot, true), &Style { opacity: 0.3, ..Style::fill(Paint::Class(i)) });
        }
        for (i, heights) in heights.iter().enumerate() {
            let dash = if self.groups.len() > 1 { dash_of(i) } else { &[] };
            let style = Style { dash, ..Style::stroke(Paint::Line(i), plot.em / 8.0) };
            canvas.path(&outline(heights, &bins, &plot, false), &style);
        }
        Ok(())
    }
}

/// Notes on values that cannot be shown.
pub(crate) fn not_shown(groups: &[Group]) -> Vec<String> {
    let hidden = groups.iter().flat_map(|g| &g.values).filter(|v| !v.is_finite()).count();
    (hidden > 0).then(|| text::count(hidden, "value not shown", "values not shown")).into_iter().collect()
}

fn legend(groups: &[Group]) -> Vec<Entry> {
    if groups.len() < 2 {
        return Vec::new();
    }
    groups.iter().enumerate().map(|(i, g)| Entry { name: g.name.clone(), sign: Sign::Area(i) }).collect()
}

/// The staircase of the counts; closed along zero for filling.
fn outline(heights: &[f64], bins: &Bins, plot: &Plot, closed: bool) -> String {
    let zero = plot.y.at(0.0);
    let mut d = format!("M{} {}", px(plot.x.at(bins.edge(0))), px(zero));
    for (i, &h) in heights.iter().enumerate() {
        d.push_str(&format!("V{}H{}", px(plot.y.at(h)), px(plot.x.at(bins.edge(i + 1)))));
    }
    d.push_str(&format!("V{}{}", px(zero), if closed { "Z" } else { "" }));
    d
}

/// Bins from `first`·width on; each holds its left edge, the last also its right one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bins {
    width: Decimal,
    first: i64,
    number: usize,
}

impl Bins {
    fn of(groups: &[Group], wanted: Option<usize>) -> Option<Bins> {
        let mut all: Vec<f64> = groups.iter().flat_map(|g| &g.values).copied().filter(|v| v.is_finite()).collect();
        all.sort_unstable_by(f64::total_cmp);
        let data = (*all.first()?, *all.last()?);
        let flat = data.1 / 2.0 - data.0 / 2.0 <= data.0.abs().max(data.1.abs()) * 1e-10;
        let (low, high) = if flat { axis::widened(data, false, 0.0) } else { data };
        let half = high / 2.0 - low / 2.0;
        let number = wanted.map_or_else(
            || {
                let spread = quantile(&all, 0.75) / 2.0 - quantile(&all, 0.25) / 2.0;
                let width = 2.0 * spread / (all.len() as f64).cbrt();
                if width > 0.0 { (half / width).clamp(5.0, 60.0) } else { 20.0 }
            },
            |n| n as f64,
        );
        let ideal = 2.0 * (half / number.max(1.0));
        let exponent = ideal.log10().floor() as i32;
        let widths = [(1, exponent), (2, exponent), (5, exponent), (1, exponent + 1)];
        let widths = widths.map(|(mantissa, exponent)| Decimal { mantissa, exponent });
        let width = widths.into_iter().min_by(|a, b| {
            let off = |d: &Decimal| (d.value() / ideal).ln().abs();
            off(a).total_cmp(&off(b))
        })?;
        let size = width.value();
        let first = (low / size).floor() as i64;
        let number = usize::try_from(((high / size).ceil() as i64).saturating_sub(first)).ok()?;
        let mut bins = Bins { width, first, number: number.clamp(1, 4000) };
        // Quotients are rounded, edges are exact: these decide.
        bins.first -= i64::from(bins.edge(0) > low);
        bins.number += usize::from(bins.edge(bins.number) < high);
        Some(bins)
    }

    /// The left edge of bin i, rounded once.
    fn edge(&self, i: usize) -> f64 {
        let k = self.first.saturating_add(i as i64).saturating_mul(self.width.mantissa);
        Decimal { mantissa: k, exponent: self.width.exponent }.value().clamp(-f64::MAX, f64::MAX)
    }

    fn ends(&self) -> (f64, f64) {
        (self.edge(0), self.edge(self.number))
    }

    fn count(&self, values: &[f64], shares: bool) -> Vec<f64> {
        let edges: Vec<f64> = (0..=self.number).map(|i| self.edge(i)).collect();
        let mut counts = vec![0.0; self.number];
        let mut n = 0.0f64;
        for v in values.iter().filter(|v| v.is_finite()) {
            let bin = edges.partition_point(|e| e <= v).saturating_sub(1).min(self.number - 1);
            counts[bin] += 1.0;
            n += 1.0;
        }
        if shares {
            counts.iter_mut().for_each(|c| *c /= n.max(1.0));
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_its_bin() {
        let values: Vec<f64> = (0..500).map(|i| f64::from(i * 37 % 101) * 0.01 - 0.3).collect();
        let groups = [Group { name: "a".into(), values: values.clone() }];
        for wanted in [None, Some(1), Some(7), Some(40)] {
            let bins = Bins::of(&groups, wanted).unwrap();
            let counts = bins.count(&values, false);
            // From the definition: left edge included, right edge only in the last bin.
            for (i, &c) in counts.iter().enumerate() {
                let inside = values
                    .iter()
                    .filter(|&&v| {
                        let last = i + 1 == bins.number && v == bins.edge(i + 1);
                        v >= bins.edge(i) && (v < bins.edge(i + 1) || last)
                    })
                    .count();
                assert_eq!(c, inside as f64, "bin {i} of {bins:?}");
            }
            assert_eq!(counts.iter().sum::<f64>(), 500.0);
        }
    }

    #[test]
    fn extreme_values_have_bins() {
        for values in [vec![0.0], vec![3.0; 9], vec![-1.7e308, 1.7e308], vec![1e-300, 2e-300], vec![1e9, 1e9 + 1e-6]] {
            let n = values.len() as f64;
            let groups = [Group { name: String::new(), values: values.clone() }];
            let bins = Bins::of(&groups, None).unwrap();
            assert!(bins.ends().0 < bins.ends().1 && (1..=4000).contains(&bins.number), "{values:?} {bins:?}");
            assert_eq!(bins.count(&values, false).iter().sum::<f64>(), n);
            assert!((bins.count(&values, true).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert_eq!(Bins::of(&[], None), None);
    }
}
