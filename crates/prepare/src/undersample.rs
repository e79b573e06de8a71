//! Every class cut down to the smallest: rows are left out at random, without replacement, and keep their order.
//!
//! Quick and unbiased, but what is left out is lost. O(rows).
//!
//! - M. Biehl: *The Shallow and the Deep.* 2023, section 8.5.2.

use crate::balance::Balance;
use crate::resample::room_for;
use crate::{Change, Resample, Resampled};
use base::{Certificate, Dataset, Result, Run, Size};

base::settings! {
    /// Settings of undersampling.
    pub struct Undersample {
        /// how far towards balance: 1 keeps as many rows of each class as the smallest has
        pub ratio: f64 = 1.0, in Range::Share, as "sampling_strategy";
    }
}

impl Resample for Undersample {
    const NAME: &'static str = "undersample";
    const CLASSES: bool = true;
    const CHANGE: Change = Change::Fewer;

    fn resample(&self, data: &Dataset, run: &Run<'_>) -> Result<Resampled> {
        let balance = Balance::of(data)?;
        let kept = balance.to_keep(self.ratio);
        let mut keep = vec![];
        for (class, rows) in balance.rows.iter().enumerate() {
            let order = run.seed.at(class).permutation(rows.len());
            keep.extend(order.iter().take(kept[class]).map(|&i| rows[i]));
        }
        keep.sort_unstable();
        let left: Vec<usize> = balance.rows.iter().zip(&kept).map(|(rows, k)| rows.len() - k).collect();
        let mut notes = Certificate::default();
        balance.note("undersample: rows left out of", &left, &mut notes);
        room_for(keep.len(), data, run)?;
        Ok(Resampled { data: data.select(&keep)?, notes })
    }

    fn size(&self, size: &Size) -> Size {
        *size
    }
}
