//! How rows are assigned to classes when one class matters more.

use clap::Args;
use pellucid::Error;
use pellucid::job::Deciding;

/// How rows are assigned to classes when one class matters more.
#[derive(Args)]
#[command(next_help_heading = "Decision threshold")]
pub struct DecisionChoice {
    /// Probability at which a row is assigned the positive class; for a detector, the score above which a row is an anomaly
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "costs")]
    pub threshold: Option<f64>,
    /// Costs of a false negative and a false positive, such as 10:1; sets the threshold that minimises the expected cost
    #[arg(long, value_name = "MISS:ALARM")]
    pub costs: Option<String>,
}

impl DecisionChoice {
    /// The costs of a false negative and of a false positive, if they are given.
    fn costs(&self) -> Result<Option<(f64, f64)>, Error> {
        let Some(text) = &self.costs else { return Ok(None) };
        let parts = text.split_once(':').and_then(|(m, a)| Some((m.trim().parse().ok()?, a.trim().parse().ok()?)));
        parts.map(Some).ok_or_else(|| Error::parameter("costs", text, "must be MISS:ALARM, such as 10:1"))
    }

    /// How classes are decided.
    pub fn deciding(&self) -> Result<Deciding, Error> {
        Ok(Deciding { threshold: self.threshold, costs: self.costs()? })
    }
}
