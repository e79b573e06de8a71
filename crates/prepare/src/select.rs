//! Filters: the columns that by themselves say most of the target.
//!
//! Each column is scored alone: by correlation, mutual information or the F value. The best stay, of equals the first,
//! in their order and with their names. Columns that matter only together are missed, and two that say the same are
//! both kept: `forward` and `backward` look at sets of columns.
//!
//! Selection looks at the target, so it belongs inside the folds: in a pipeline it is fitted on the training rows only.
//! Chosen on all rows, columns of pure noise look good on rows held out later.

use crate::{Selector, mutual, relevance};
use base::{
    Certificate, Dataset, Error, Fact, Fitted, Learner, Needs, Plan, Record, Result, Run, Size, Traits, Wanted,
    Weighting,
};
use std::sync::Arc;

base::choices! {
    /// What a column is judged by.
    pub enum By {
        /// |r|; for classes the largest against the rest.
        Correlation = "correlation",
        /// Mutual information by bins of equal count.
        MutualInformation = "mutual-information",
        /// The F value of the analysis of variance; for values that of the regression.
        FValue = "f-value",
    }
}

base::settings! {
    /// Settings of a filter.
    pub struct Select {
        /// number of columns to keep; 0: the fraction `share`
        pub keep: usize = 0, in Range::AtLeast(0.0), as "k";
        /// score of a column
        pub by: By = By::Correlation, in Range::Any, as "score_func";
        /// fraction of the columns to keep, if `keep` is 0
        pub share: f64 = 0.5, in Range::Share;
        /// bins for the mutual information
        pub bins: usize = 10, in Range::Between(2.0, 1000.0);
    }
}

impl Learner for Select {
    fn name(&self) -> &'static str {
        "select"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Either, table: false, missing: false, weights: Weighting::Exact })
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let columns = data.points()?.columns();
        let kept = match self.keep {
            0 => ((self.share * columns as f64).round() as usize).max(1),
            keep if keep > columns => {
                return Err(Error::parameter("keep", keep, format!("must be at most the {columns} columns")));
            }
            keep => keep,
        };
        let scores = match self.by {
            By::Correlation => relevance::scores(data, false, run)?,
            By::FValue => relevance::scores(data, true, run)?,
            By::MutualInformation => mutual::scores(data, self.bins, run)?,
        };
        let mut order: Vec<usize> = (0..columns).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        order.truncate(kept);
        order.sort_unstable();
        let mut certificate = Certificate::direct();
        certificate.fact("columns kept", kept as f64);
        certificate.facts.insert("scores of the columns".into(), Fact::Curve(scores));
        Ok(Fitted { machine: Arc::new(Selector::new(data.features.clone(), order, false)?), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let entries = size.entries as f64;
        let each = if self.by == By::MutualInformation { 4.0 * (size.rows.max(2) as f64).log2() } else { 8.0 };
        Plan { fit: each * entries, predict: size.columns as f64, bytes: 16.0 * entries, advice: None }
    }
}
