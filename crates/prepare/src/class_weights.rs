//! The balanced cost by weights: every class counts the same.
//!
//! A row of class j has its weight multiplied by P / (C · P_j), where P_j is the mass of its class, P that of all and C
//! the number of classes that have rows; the sum of all weights stays P. The cost Σ_μ w^μ e^μ then is, up to the factor
//! P/C, the balanced cost Σ_j (1/P_j) Σ_{μ in j} e^μ. O(rows).
//!
//! - M. Biehl: *The Shallow and the Deep.* 2023, (8.46).

use crate::balance::Balance;
use crate::{Change, Resample, Resampled};
use base::{Certificate, Dataset, Result, Run, Size, classes_of};

base::settings! {
    /// Settings of balance by weights.
    pub struct ClassWeights {
        /// how far towards balance: 1 gives all classes the same total weight
        pub ratio: f64 = 1.0, in Range::Share;
    }
}

impl Resample for ClassWeights {
    const NAME: &'static str = "class-weights";
    const CLASSES: bool = true;
    const CHANGE: Change = Change::Weights;

    fn resample(&self, data: &Dataset, _: &Run<'_>) -> Result<Resampled> {
        let balance = Balance::of(data)?;
        let factors = balance.factors(self.ratio);
        let classes = classes_of(data)?;
        let weight = |i: usize| data.weight(i);
        let weights: Vec<f64> =
            (0..data.len()).map(|i| weight(i) * classes.get(i).map_or(1.0, |c| factors[c])).collect();
        let mut notes = Certificate::default();
        for (class, factor) in factors.iter().enumerate().filter(|(c, _)| balance.mass[*c] > 0.0) {
            notes.fact(&format!("weight of {}", balance.name(class)), *factor);
        }
        Ok(Resampled { data: Dataset { weights: Some(weights.into()), ..data.clone() }, notes })
    }

    fn size(&self, size: &Size) -> Size {
        *size
    }
}
