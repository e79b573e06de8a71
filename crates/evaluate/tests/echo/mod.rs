//! A machine of label sets whose scores are its inputs.

use base::{Features, Inputs, Link, Machine, Meaning, Outputs, Points, Record, Result, Run};

/// Gives its inputs back as scores of labels.
pub struct Echo {
    features: Features,
    outputs: Outputs,
}

impl Echo {
    /// For labels of these names.
    pub fn new(names: &[String]) -> Self {
        let outputs =
            Outputs { names: names.into(), meaning: Meaning::Labels, link: Link::None, extra: 0, shape: None };
        Echo { features: Features::unnamed(names.len()), outputs }
    }
}

impl Machine for Echo {
    fn inputs(&self) -> &Features {
        &self.features
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, _: &Run<'_>) -> Result<Points> {
        inputs.points().cloned()
    }

    fn record(&self) -> Record {
        Record::new("echo", 1)
    }
}
