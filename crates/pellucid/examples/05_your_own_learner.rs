//! A learner of your own, held to the promises of all learners.
//!
//! The simplest classifier of all: it forgets the inputs and answers with the share of each class. What is needed: the
//! settings, the learner, the machine with its record, and a catalog that reads the record back. Then one call checks
//! what every learner promises: same bits on any number of threads, weights as copies of rows, a record that forgets
//! nothing, cancel, memory, gaps, odd sizes.
#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use pellucid::{
    Buffer, Catalog, Certificate, Dataset, Facets, Features, Fitted, Inputs, KNOWN, Learner, Link, Machine, Missing,
    Needs, Outputs, Plan, Points, Record, Result, Run, Shared, Size, Traits, Wanted, Weighting, classes_of, settings,
};
use std::sync::Arc;

settings! {
    /// Settings of the majority.
    pub struct Majority {
        /// rows that each class is thought to have before the first was seen
        pub prior: f64 = 0.0, in Range::AtLeast(0.0);
    }
}

impl Learner for Majority {
    fn name(&self) -> &'static str {
        "majority"
    }

    fn traits(&self) -> Traits<'_> {
        // What is declared here is looked at before `learn` is called.
        Traits::new(Needs { targets: Wanted::Classes(1), table: false, missing: true, weights: Weighting::Exact })
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, _: &Run<'_>) -> Result<Fitted> {
        let classes = classes_of(data)?;
        let mut shares = vec![self.prior; classes.names().len()];
        for (i, class) in (0..data.len()).filter_map(|i| Some((i, classes.get(i)?))) {
            shares[class] += data.weight(i);
        }
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|s| *s /= sum);
        let outputs = Outputs::classes(classes.names().clone(), Link::Identity);
        let machine = Shares { inputs: data.features.clone(), outputs, shares };
        Ok(Fitted { machine: Arc::new(machine), certificate: Certificate::direct() })
    }

    fn plan(&self, size: &Size) -> Plan {
        Plan { fit: size.rows as f64, predict: size.outputs as f64, bytes: 8.0 * size.outputs as f64, advice: None }
    }
}

/// The share of each class, whatever comes in.
struct Shares {
    inputs: Features,
    outputs: Outputs,
    shares: Vec<f64>,
}

impl Shares {
    const KIND: &'static str = "majority";

    fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let inputs = Features::read(record.part("inputs")?)?;
        let outputs = Outputs::read(record.part("outputs")?)?;
        let shares = record.array_of("shares", &[outputs.names.len()])?;
        Ok(Shares { inputs, outputs, shares })
    }
}

impl Machine for Shares {
    fn inputs(&self) -> &Features {
        &self.inputs
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn facets(&self) -> Facets<'_> {
        Facets { missing: Missing::HANDLED, ..Facets::default() }
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        // Large buffers are asked for; the hold goes along with the numbers and gives the memory back when they go.
        let (rows, width) = (inputs.len(), self.shares.len());
        let (mut scores, hold) = run.memory.filled(rows.saturating_mul(width), 0.0, "scores")?;
        scores.chunks_exact_mut(width.max(1)).for_each(|row| row.copy_from_slice(&self.shares));
        Points::dense(Buffer::F64(Shared::counted(scores, hold)), rows, width)
    }

    fn record(&self) -> Record {
        Record::new(Self::KIND, 1)
            .with("inputs", self.inputs.record())
            .with("outputs", self.outputs.record())
            .with_array("shares", &[self.shares.len()], self.shares.clone())
    }
}

/// All that Pellucid knows, and the majority.
struct Mine;

impl Catalog for Mine {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        if name == "majority" { Ok(Box::new(Majority::default())) } else { KNOWN.learner(name) }
    }

    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        if record.kind() == Shares::KIND { Ok(Arc::new(Shares::read(record)?)) } else { KNOWN.machine(record) }
    }
}

fn main() -> Result<()> {
    testkit::check_learner(&Majority::default(), &testkit::toy_classes(1), &Mine);
    println!("majority keeps the promises");

    // Settings can be set by name, and a slip is answered.
    let mut learner = Mine.learner("majority")?;
    learner.set_text("prior", "2.5")?;
    let error = learner.set_text("prio", "1").expect_err("there is no such setting");
    println!("{error}");
    assert!(error.to_string().contains("did you mean prior?"));
    Ok(())
}
