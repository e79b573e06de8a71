//! Cuts of label sets as a machine: s_l − t_l, so that labels with a score above their threshold t_l are those above 0.
//!
//! **Cost.** One subtraction a score. **Limits.** With a threshold for each label the order of a row's labels is that of
//! s_l − t_l, no longer that of the scores; one threshold for all leaves it as it is.

use base::{Buffer, Error, Features, Inputs, Machine, Meaning, Outputs, Place, Points, Record, Result, Run, Shared};

/// Moves scores of labels so that their thresholds lie at 0.
pub struct LabelCuts {
    features: Features,
    outputs: Outputs,
    /// One for all, or one for each label.
    cuts: Vec<f64>,
}

impl LabelCuts {
    /// The kind of its record.
    pub const KIND: &'static str = "label-cuts";

    /// After a machine of label sets with these outputs: one threshold, or as many as there are labels.
    pub fn new(labels: &Outputs, cuts: Vec<f64>) -> Result<Self> {
        let main = labels.main();
        if labels.meaning != Meaning::Labels || (cuts.len() != 1 && cuts.len() != main) {
            return Err(Error::size("thresholds of label sets", format!("1 or {main}"), cuts.len()));
        }
        if cuts.iter().any(|t| !t.is_finite()) {
            return Err(Error::data(Place::Whole, "thresholds of label sets must be finite"));
        }
        Ok(LabelCuts { features: Features::named(labels.names.clone()), outputs: labels.clone(), cuts })
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let (_, cuts) = record.array("cuts")?;
        Self::new(&Outputs::read(record.part("outputs")?)?, cuts.get(0..cuts.len()).into_owned())
    }

    /// The thresholds: one for all, or one for each label.
    pub fn cuts(&self) -> &[f64] {
        &self.cuts
    }
}

impl Machine for LabelCuts {
    ends!();

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let points = inputs.points()?;
        let (n, width, main) = (points.len(), self.outputs.names.len(), self.outputs.main());
        let (mut scores, hold) = run.memory.filled(n.saturating_mul(width), 0.0, "scores of labels")?;
        for (i, row) in scores.chunks_exact_mut(width.max(1)).enumerate() {
            points.write_row(i, row);
            let row = &mut row[..main];
            match &self.cuts[..] {
                [all] => row.iter_mut().for_each(|s| *s -= all),
                each => row.iter_mut().zip(each).for_each(|(s, t)| *s -= t),
            }
        }
        Points::dense(Buffer::F64(Shared::counted(scores, hold)), n, width)
    }

    fn record(&self) -> Record {
        Record::new(Self::KIND, 1).with("outputs", self.outputs.record()).with_array(
            "cuts",
            &[self.cuts.len()],
            self.cuts.clone(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Link;

    fn labels() -> Outputs {
        let names = ["a", "b", "c"].map(String::from).to_vec().into();
        Outputs { names, meaning: Meaning::Labels, link: Link::None, extra: 0, shape: None }
    }

    #[test]
    fn scores_move_and_the_machine_survives_its_record() {
        for (cuts, expected) in [(vec![0.5], [0.5, -0.5, 1.5]), (vec![0.5, -1.0, 2.0], [0.5, 1.0, 0.0])] {
            let machine = LabelCuts::new(&labels(), cuts).unwrap();
            let back = LabelCuts::read(&machine.record()).unwrap();
            assert_eq!((back.record(), back.outputs()), (machine.record(), machine.outputs()));
            let points = Points::from_rows(&[[1.0, 0.0, 2.0]]).unwrap();
            let scores = back.compute(&Inputs::Points(points), &Run::quiet(1)).unwrap();
            testkit::assert_close(&scores.to_dense(&base::Memory::unlimited()).unwrap(), &expected, 0.0, "scores");
        }
        assert!(LabelCuts::new(&labels(), vec![1.0, 2.0]).is_err());
        assert!(LabelCuts::new(&labels(), vec![f64::NEG_INFINITY]).is_err());
        assert!(LabelCuts::new(&Outputs::values(labels().names), vec![1.0]).is_err());
    }
}
