//! What a checkpoint of a joint problem says: whose it is, and the dual variables.
//!
//! Weights are stored as they are kept, list for list and array for array (`store.rs`): the order in which scores are summed
//! depends on that, and a fit that is resumed must end in the same bytes as one that was not interrupted.
//!
//! **Whose.** The settings that move the weights, the seed, and a checksum over rows, classes and costs. A checkpoint of another
//! fit is refused, and the first thing that differs is named. The number of epochs may differ: a fit that ran out of them goes on.

use super::joint::{Joint, Kept};
use super::samples::SampleRow;
use base::{Checksum, Error, Record, Result, Run, Settings, StateParts};

const KIND: &str = "linear-svm checkpoint";
/// Settings that a fit may go on with changed: they do nothing before its end.
const FREE: [&str; 2] = ["steps", "prune"];

/// What a fit goes on from, and whose its checkpoints are.
pub(super) struct Saved<'a> {
    whose: Option<Whose>,
    start: Option<&'a Record>,
}

impl<'a> Saved<'a> {
    /// A fit that begins at 0 and keeps nothing.
    pub const NOTHING: Saved<'static> = Saved { whose: None, start: None };

    /// A fit that goes on from there, if anywhere.
    pub fn new(whose: Whose, start: Option<&'a Record>) -> Self {
        Saved { whose: Some(whose), start }
    }

    /// The record to go on from, if it is one of this fit by this solver.
    pub fn start(&self, solver: &str) -> Result<Option<&'a Record>> {
        if let (Some(whose), Some(start)) = (&self.whose, self.start) {
            whose.check(start, solver)?;
        }
        Ok(self.start)
    }

    /// The same of a state that several ranks have kept together.
    pub fn parts(&self, solver: &str) -> Result<Option<StateParts>> {
        let Some(start) = self.start else { return Ok(None) };
        if start.kind() == KIND {
            return Err(start.broken("was kept by one process: go on without mpirun"));
        }
        let state = StateParts::read(start)?;
        if let Some(whose) = &self.whose {
            whose.check(&state.common, solver)?;
        }
        Ok(Some(state))
    }

    /// The beginning of a checkpoint by this solver.
    pub fn record(&self, solver: &str) -> Record {
        let record = Record::new(KIND, 1).with("solver", solver);
        match &self.whose {
            Some(whose) => whose.told(record),
            None => record,
        }
    }
}

/// The fit that a checkpoint belongs to.
pub(super) struct Whose {
    settings: Vec<String>,
    seed: String,
    data: String,
}

impl Whose {
    /// The fit of a learner to the samples of a problem.
    pub fn of(learner: &dyn Settings, joint: &Joint<'_>, run: &Run<'_>) -> Self {
        let Joint { rows, samples, sets, costs, .. } = *joint;
        let mut sum = Checksum::default();
        let mut bytes = vec![];
        for i in 0..rows.len() {
            bytes.clear();
            match rows.row(i) {
                SampleRow::Dense(x) => x.iter().for_each(|x| bytes.extend(x.to_le_bytes())),
                SampleRow::Sparse(ids, x) => {
                    ids.iter().for_each(|id| bytes.extend(id.to_le_bytes()));
                    x.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
                }
            }
            sets.iter().for_each(|sets| sets[i].iter().for_each(|label| bytes.extend(label.to_le_bytes())));
            sum.add(&bytes);
        }
        for ((row, class), cost) in samples.iter().zip(costs) {
            sum.add(&(u64::from(*row) << 32 | u64::from(*class)).to_le_bytes());
            sum.add(&cost.to_le_bytes());
        }
        sum.add(&(rows.columns() as u64).to_le_bytes());
        let told = learner.values().into_iter().filter(|(name, _)| !FREE.contains(name));
        Whose {
            settings: told.map(|(name, value)| format!("{name}={value}")).collect(),
            seed: run.seed.0.to_string(),
            data: format!("{:016x}", sum.sum()),
        }
    }

    /// The record, which says whose it is.
    fn told(&self, record: Record) -> Record {
        record.with("settings", self.settings.clone()).with("seed", self.seed.clone()).with("data", self.data.clone())
    }

    /// Refuses the checkpoint of another fit.
    fn check(&self, record: &Record, solver: &str) -> Result<()> {
        if record.kind() != KIND {
            let why = "a linear-svm can be resumed only from its checkpoints, which fit --checkpoint writes";
            return Err(record.broken(why));
        }
        record.expect(KIND, 1)?;
        let differs = |what: &str, theirs: &str, ours: &str| {
            Err(record.broken(format!("is of a fit with {what}{theirs}, and this one has {what}{ours}")))
        };
        let settings = record.texts("settings")?;
        if settings.len() != self.settings.len() {
            return Err(record.broken("is of a program with other settings: fit anew"));
        }
        if let Some((theirs, ours)) = settings.iter().zip(&self.settings).find(|(a, b)| a != b) {
            return differs("", theirs, ours);
        }
        match (record.text("seed")?, record.text("data")?, record.text("solver")?) {
            (seed, _, _) if seed != self.seed => differs("the seed of ", seed, &self.seed),
            (_, data, _) if data != self.data => {
                Err(record.broken("is of other data: rows, columns, classes or weights differ from those of this fit"))
            }
            (_, _, kept) if kept != solver => differs("the solver of ", kept, solver),
            _ => Ok(()),
        }
    }
}

/// Dual variables as a record.
pub(super) fn kept_record(kept: &[Kept]) -> Record {
    let (mut counts, mut classes, mut alpha) = (vec![], Vec::<u32>::new(), Vec::<f64>::new());
    for one in kept {
        counts.push(one.classes.len() as u32);
        classes.extend(&one.classes);
        alpha.extend(&one.alpha);
    }
    let idle: Vec<u32> = kept.iter().map(|one| u32::from(one.idle)).collect();
    let count = alpha.len();
    Record::new("dual variables", 1)
        .with("counts", counts)
        .with("classes", classes)
        .with_array("alpha", &[count], alpha)
        .with("idle", idle)
}

/// Reads the dual variables of `samples` samples in a problem of so many classes.
pub(super) fn read_kept(record: &Record, samples: usize, classes: usize) -> Result<Vec<Kept>> {
    record.expect("dual variables", 1)?;
    let (counts, ids, idle) = (record.ids("counts")?, record.ids("classes")?, record.ids("idle")?);
    let alpha = record.array_of("alpha", &[ids.len()])?;
    let total: u64 = counts.iter().map(|&c| u64::from(c)).sum();
    if counts.len() != samples || idle.len() != samples || total != ids.len() as u64 {
        return Err(Error::size("samples of a checkpoint", samples, counts.len()));
    }
    let (mut ids, mut alpha) = (&ids[..], &alpha[..]);
    let mut all = Vec::with_capacity(samples);
    for (&count, &idle) in counts.iter().zip(idle.iter()) {
        let (own, others) = ids.split_at(count as usize);
        let (values, rest) = alpha.split_at(count as usize);
        (ids, alpha) = (others, rest);
        let ascend = own.windows(2).all(|w| w[0] < w[1]) && own.last().is_none_or(|&c| (c as usize) < classes);
        if !ascend || !values.iter().all(|a| a.is_finite() && *a >= 0.0) {
            return Err(record.broken("classes of a sample must ascend, with dual variables of 0 or more"));
        }
        all.push(Kept { classes: own.to_vec(), alpha: values.to_vec(), idle: idle.min(u32::from(u8::MAX)) as u8 });
    }
    Ok(all)
}
