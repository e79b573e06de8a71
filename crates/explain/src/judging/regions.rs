//! Regions that are taken away together: patches of a picture, stretches of a series, columns of a table with all their
//! parts.
//!
//! The relevance of a region is the sum, the mean or the largest of that of its inputs, or the sum of their sizes.
//! O(columns).

use crate::attribution::Groups;
use crate::chain::Explained;
use crate::windows::sides;
use base::{Error, Result, Shape, choices};

choices! {
    /// What a region's relevance is of that of its inputs.
    pub enum Pool {
        /// The sum.
        Sum = "sum",
        /// The mean.
        Mean = "mean",
        /// The largest.
        Max = "max",
        /// The sum of the sizes: for gradients and signals, whose signs say where the score would go, not where it came from.
        Size = "size",
    }
}

/// Regions along the longer side of a picture or series where nobody says how large they are.
const USUAL: usize = 14;

/// The regions of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowRegions {
    /// Which input belongs to which region.
    pub groups: Groups,
    /// What the inputs make together.
    pub shape: Option<Shape>,
}

impl RowRegions {
    /// Regions of `side` pixels or moments (0: a fourteenth of the longer side); inputs one by one without a shape.
    pub fn new(columns: usize, shape: Option<Shape>, side: usize) -> Result<Self> {
        let shape = shape.filter(|s| s.count() == Some(columns));
        let longer = shape.map_or(1, |s| sides(s).0.max(sides(s).1));
        let side = if side == 0 { longer.div_ceil(USUAL) } else { side };
        if shape.is_some() && side > longer {
            let most =
                format!("at most {longer}, the longer side of {}", shape.map_or(String::new(), |s| s.to_string()));
            return Err(Error::size("side of a region", most, side));
        }
        Self::two(Groups::new(columns, shape, side), shape)
    }

    /// The regions of what a machine takes: by its shape, else by the columns of the table that its inputs come from.
    pub(crate) fn of(parts: &Explained<'_>, side: usize) -> Result<Self> {
        let (columns, shape) = (parts.machine().inputs().count(), parts.shape());
        if shape.is_some() {
            return Self::new(columns, shape, side);
        }
        let (origin, _) = parts.origin()?;
        let mut places: Vec<u32> = origin.of.to_vec();
        places.sort_unstable();
        places.dedup();
        let of = origin.of.iter().map(|c| places.partition_point(|p| p < c)).collect();
        Self::two(Groups { of, count: places.len() }, None)
    }

    fn two(groups: Groups, shape: Option<Shape>) -> Result<Self> {
        match groups.count {
            // With one region there is no order to judge.
            0 | 1 => Err(Error::size("regions of a row", "at least 2: make them smaller", groups.count)),
            _ => Ok(RowRegions { groups, shape }),
        }
    }

    /// The relevance of each region.
    pub fn pooled(&self, relevance: &[f64], pool: Pool) -> Vec<f64> {
        let start = if pool == Pool::Max { f64::NEG_INFINITY } else { 0.0 };
        let (mut all, mut sizes) = (vec![start; self.groups.count], vec![0usize; self.groups.count]);
        for (&g, &r) in self.groups.of.iter().zip(relevance) {
            sizes[g] += 1;
            all[g] = match pool {
                Pool::Max => all[g].max(r),
                Pool::Size => all[g] + r.abs(),
                Pool::Sum | Pool::Mean => all[g] + r,
            };
        }
        if pool == Pool::Mean {
            all.iter_mut().zip(&sizes).for_each(|(a, &n)| *a /= n.max(1) as f64);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_add_up_average_and_find_the_largest() {
        let shape = Some(Shape::Image { height: 3, width: 4, channels: 1 });
        let regions = RowRegions::new(12, shape, 2).unwrap();
        assert_eq!(regions.groups.of, [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3]);
        let relevance: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(regions.pooled(&relevance, Pool::Sum), [10.0, 18.0, 17.0, 21.0]);
        assert_eq!(
            regions.pooled(&relevance.iter().map(|x| x - 5.0).collect::<Vec<_>>(), Pool::Size)[..2],
            [10.0, 8.0]
        );
        assert_eq!(regions.pooled(&relevance, Pool::Mean), [2.5, 4.5, 8.5, 10.5]);
        assert_eq!(
            regions.pooled(&relevance.iter().map(|x| -x).collect::<Vec<_>>(), Pool::Max),
            [0.0, -2.0, -8.0, -10.0]
        );
    }

    #[test]
    fn a_region_larger_than_the_picture_and_a_single_column_are_refused() {
        let shape = Some(Shape::Image { height: 3, width: 4, channels: 1 });
        assert!(RowRegions::new(12, shape, 5).unwrap_err().to_string().contains("at most 4"));
        assert!(RowRegions::new(12, shape, 4).unwrap_err().to_string().contains("at least 2"));
        assert!(RowRegions::new(1, None, 3).is_err());
        assert_eq!(
            RowRegions::new(28 * 28, Some(Shape::Image { height: 28, width: 28, channels: 1 }), 0)
                .unwrap()
                .groups
                .count,
            196
        );
        assert_eq!(
            RowRegions::new(3, None, 9).unwrap().groups.count,
            3,
            "columns of a table are regions by themselves"
        );
    }
}
