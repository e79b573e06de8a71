//! Trees of merges, as hierarchical clustering gives them: leaves at the left, height of the merge to the right.
//!
//! The merges are numbered as in SciPy's linkage: with n leaves, cluster n + i is made by merge i of two clusters with
//! smaller numbers. Clusters that lie wholly below the threshold have a colour each; what lies above it is gray.

use base::{Error, Result};

use crate::axis;
use crate::canvas::{Canvas, Style, px};
use crate::frame::{self, Frame, Scale, Side};
use crate::number::number;
use crate::picture::{Picture, letters};
use crate::rect::Rect;
use crate::text;
use crate::theme::Paint;

/// Two clusters become one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Join {
    /// One cluster: a leaf (below n) or an earlier merge (n + its index).
    pub left: usize,
    /// The other cluster.
    pub right: usize,
    /// The distance at which they merge.
    pub height: f64,
    /// How many leaves the new cluster has.
    pub size: usize,
}

/// A dendrogram.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dendrogram {
    /// Above the picture.
    pub title: String,
    /// Below the axis of heights, such as "distance".
    pub x_label: String,
    /// The leaves' names.
    pub names: Vec<String>,
    /// n − 1 merges of n leaves.
    pub merges: Vec<Join>,
    /// Below which height clusters have colours of their own; none: all gray.
    pub threshold: Option<f64>,
}

impl Picture for Dendrogram {
    fn title(&self) -> &str {
        &self.title
    }

    fn describe(&self) -> String {
        let cut = match self.threshold {
            Some(t) if t.is_finite() && self.check().is_ok() => {
                let clusters = self.colours().iter().flatten().max().map_or(0, |c| c + 1);
                format!(", {} below {}", text::count(clusters, "cluster", "clusters"), number(t, 3))
            }
            _ => String::new(),
        };
        format!("Dendrogram of {}{cut}.", text::count(self.names.len(), "leaf", "leaves"))
    }

    fn height(&self, width: f64) -> f64 {
        let em = letters(width);
        (self.names.len().clamp(3, 80) as f64 * 1.4 * em + 8.0 * em).max(180.0)
    }

    fn check(&self) -> Result<()> {
        let n = self.names.len();
        if self.merges.len() != n.saturating_sub(1) {
            return Err(Error::size("merges of a dendrogram", n.saturating_sub(1), self.merges.len()));
        }
        let mut size = vec![1usize; n];
        let mut used = vec![false; n + self.merges.len()];
        for (i, merge) in self.merges.iter().enumerate() {
            for child in [merge.left, merge.right] {
                if child >= n + i || std::mem::replace(&mut used[child], true) {
                    let must = "must be a leaf or an earlier merge that was not merged before";
                    return Err(Error::parameter(format!("child of merge {i}"), child, must));
                }
            }
            size.push(size[merge.left] + size[merge.right]);
            if merge.size != size[n + i] {
                return Err(Error::size(format!("leaves of merge {i}"), size[n + i], merge.size));
            }
            if !merge.height.is_finite() {
                return Err(Error::parameter(format!("height of merge {i}"), merge.height, "must be finite"));
            }
        }
        Ok(())
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect) -> Result<()> {
        if self.names.is_empty() {
            frame::no_data(canvas, area, &self.title, &[]);
            return Ok(());
        }
        let heights = self.merges.iter().map(|m| m.height);
        let threshold = self.threshold.filter(|t| t.is_finite());
        let (low, high) = axis::range(heights.chain([0.0]).chain(threshold), false).unwrap_or((0.0, 1.0));
        let high = if high > low { axis::widened((low, high), false, 0.03).1 } else { low + 1.0 };
        let low = if low < 0.0 { axis::widened((low, high), false, 0.03).0 } else { low };
        let order = self.order();
        let names: Vec<String> = order.iter().map(|&leaf| self.names[leaf].clone()).collect();
        let frame = Frame {
            title: &self.title,
            x: Scale { label: &self.x_label, low, high, log: false, marked: None },
            y: Side::Names(&names),
            legend: &[],
            notes: &[],
            square: false,
        };
        let plot = frame.draw(canvas, area);
        let n = self.names.len();
        let mut row = vec![0.0; n];
        for (place, &leaf) in order.iter().enumerate() {
            row[leaf] = place as f64 + 0.5;
        }
        let colours = self.colours();
        let mut paths: std::collections::BTreeMap<Option<usize>, String> = std::collections::BTreeMap::new();
        for (i, merge) in self.merges.iter().enumerate() {
            let (a, b) = (row[merge.left], row[merge.right]);
            let foot = |child: usize| child.checked_sub(n).map_or(0.0, |m| self.merges[m].height);
            let bracket = format!(
                "M{} {}H{}V{}H{}",
                px(plot.x.at(foot(merge.left))),
                px(plot.y.at(a)),
                px(plot.x.at(merge.height)),
                px(plot.y.at(b)),
                px(plot.x.at(foot(merge.right)))
            );
            paths.entry(colours[i]).or_default().push_str(&bracket);
            row.push(a / 2.0 + b / 2.0);
        }
        for (colour, d) in &paths {
            let paint = colour.map_or(Paint::Muted, Paint::Line);
            let pitch = plot.area.h / n as f64;
            canvas.path(d, &Style::stroke(paint, (plot.em / 8.0).min(pitch * 0.6).max(0.4)));
        }
        if let Some(t) = threshold {
            let style = Style { dash: &[3.0, 3.0], ..Style::stroke(Paint::Ink, plot.em / 11.0) };
            canvas.line((plot.x.at(t), plot.area.y), (plot.x.at(t), plot.area.bottom()), &style);
        }
        Ok(())
    }
}

impl Dendrogram {
    /// The leaves from the top, so that no lines cross: depth first, left before right.
    fn order(&self) -> Vec<usize> {
        let n = self.names.len();
        let mut order = Vec::with_capacity(n);
        let mut stack = vec![(n + self.merges.len()).saturating_sub(1)];
        while let Some(cluster) = stack.pop() {
            match cluster.checked_sub(n) {
                Some(merge) => stack.extend([self.merges[merge].right, self.merges[merge].left]),
                None => order.push(cluster),
            }
        }
        order
    }

    /// The colour of each merge: that of its cluster if all of it lies below the threshold, counted from the top.
    fn colours(&self) -> Vec<Option<usize>> {
        let n = self.names.len();
        let mut colours = vec![None; self.merges.len()];
        let Some(threshold) = self.threshold.filter(|_| !self.merges.is_empty()) else { return colours };
        // Linkages need not be monotone: a cluster is below if its highest merge is.
        let mut highest = vec![f64::NEG_INFINITY; n];
        for merge in &self.merges {
            highest.push(merge.height.max(highest[merge.left]).max(highest[merge.right]));
        }
        let mut next = 0;
        let mut stack = vec![((n + self.merges.len()).saturating_sub(1), None)];
        while let Some((cluster, above)) = stack.pop() {
            let Some(merge) = cluster.checked_sub(n) else { continue };
            let colour = above.or_else(|| {
                let below = highest[cluster] < threshold;
                next += usize::from(below);
                below.then(|| next - 1)
            });
            colours[merge] = colour;
            stack.extend([(self.merges[merge].right, colour), (self.merges[merge].left, colour)]);
        }
        colours
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Dendrogram {
        // scipy.cluster.hierarchy.linkage([[0], [1], [5], [6.5], [20]], "average"); leaves_list gives 4, 0, 1, 2, 3.
        let merge = |left, right, height, size| Join { left, right, height, size };
        Dendrogram {
            names: ["a", "b", "c", "d", "e"].map(String::from).to_vec(),
            merges: vec![merge(0, 1, 1.0, 2), merge(2, 3, 1.5, 2), merge(5, 6, 5.25, 4), merge(4, 7, 16.875, 5)],
            threshold: Some(3.0),
            ..Dendrogram::default()
        }
    }

    #[test]
    fn order_and_colours_of_scipy() {
        assert_eq!(tree().order(), [4, 0, 1, 2, 3]);
        assert_eq!(tree().colours(), [Some(0), Some(1), None, None]);
        assert_eq!(tree().check(), Ok(()));
        assert!(tree().describe().contains("2 clusters below 3"));
    }

    #[test]
    fn refuses_what_is_no_tree() {
        let broken = |change: &dyn Fn(&mut Dendrogram)| {
            let mut tree = tree();
            change(&mut tree);
            tree.check().is_err()
        };
        assert!(broken(&|t| t.merges[2].left = 0));
        assert!(broken(&|t| t.merges[2].left = 8));
        assert!(broken(&|t| t.merges[3].size = 4));
        assert!(broken(&|t| t.merges[1].height = f64::NAN));
        assert!(broken(&|t| t.merges.truncate(3)));
        assert!(!broken(&|_| {}));
    }

    #[test]
    fn deep_trees_need_no_deep_stack() {
        let n = 50_000;
        let merge =
            |i: usize| Join { left: if i == 0 { 0 } else { n + i - 1 }, right: i + 1, height: i as f64, size: i + 2 };
        let tree = Dendrogram {
            names: (0..n).map(|i| i.to_string()).collect(),
            merges: (0..n - 1).map(merge).collect(),
            threshold: Some(10.0),
            ..Dendrogram::default()
        };
        assert_eq!(tree.check(), Ok(()));
        assert_eq!(tree.order(), (0..n).collect::<Vec<_>>());
    }
}
