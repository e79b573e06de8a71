//! `linear-svm`: support vector machines without kernels, for two, several or thousands of classes, and for label sets.
//!
//! Scores f_c(x) = w_c·x + b_c. What is minimised for several classes is in `scheme.rs`; two classes, one-vs-rest and the
//! logistic loss are problems of two sides (`binary.rs`), one for each class, spread over threads. All other ways are one
//! problem (`joint.rs`; `few.rs` for up to 64 classes), which for two classes has two sides, too. Intercepts are weights of a
//! constant feature and penalised, as in LIBLINEAR.
//!
//! **Label sets.** One-vs-rest as for classes; Weston-Watkins with every pair of a label that a row has and one that it lacks.
//! The scores of Weston-Watkins order the labels; their common offset is chosen after the fit so that those above 0 agree
//! best with the rows learned from (micro-averaged F1).
//!
//! **Cost.** One-vs-rest: epochs · entries for each class. Joint: see `joint.rs`. **Memory.** Weights that are not 0, and the
//! dual variables.

use super::binary::{Binary, Solved};
use super::checkpoint::{Saved, Whose};
use super::columns::by_feature;
use super::eight::Eight;
use super::joint::Joint;
use super::labels::{Labelled, offset_by_f1, right};
use super::rare::{MANY, Members, Rare, SAMPLE, SINGLE};
use super::samples::{Rows, Samples};
use super::spread::Spread;
use super::{Loss, Multiclass, Stop, few};
use crate::{Linear, Weights};
use base::{
    Certificate, ClassWeight, Dataset, Error, Fitted, Gap, Learner, Link, Meaning, Needs, Outputs, Plan, Record,
    Result, Run, Shared, Size, Sparse, StateParts, Targets, Traits, Wanted, Weighting,
};
use numeric::EIGHT;
use std::sync::Arc;

base::settings! {
    /// Settings of linear support vector machines.
    pub struct LinearSvm {
        /// regularisation parameter C, the cost of margin violations: large fits the training rows, small keeps the margin wide
        pub c: f64 = 1.0, in Range::Positive, as "C";
        /// how several classes are learned: auto is weston-watkins, but one-vs-rest for two classes, label sets and the logistic loss
        pub multiclass: Multiclass = Multiclass::Auto, in Range::Any, as "multi_class";
        /// loss of a margin violation; the logistic loss needs one-vs-rest, the squared hinge a sum of violations
        pub loss: Loss = Loss::Hinge, in Range::Any;
        /// margin between the scores of two classes (weston-watkins, crammer-singer): 1, or 2 in the unified view
        pub margin: f64 = 1.0, in Range::Positive;
        /// fit an intercept per class: the weight of a constant feature, penalised like the others
        pub intercept: bool = true, in Range::Any, as "fit_intercept";
        /// value of the constant feature behind the intercepts; a large one makes their penalty weak
        pub intercept_scaling: f64 = 1.0, in Range::Positive;
        /// largest violation of the optimality conditions at which to stop
        pub tolerance: f64 = 0.01, in Range::Between(1e-14, 1e3), as "tol";
        /// relative duality gap to reach, whatever the tolerance; 0 leaves it to the tolerance
        pub gap: f64 = 0.0, in Range::Between(0.0, 1.0);
        /// maximum number of epochs
        pub steps: usize = 1000, in Range::AtLeast(1.0), as "max_iter";
        /// bundles of classes when processes share the fit, an even number: half as many processes have work
        pub bundles: usize = 8, in Range::Between(2.0, 4096.0);
        /// class weights: none, balanced, or name=number, ...
        pub class_weight: ClassWeight = ClassWeight::None, in Range::Any;
        /// weights of smaller absolute value are removed after the fit; the certificate says what that costs
        pub prune: f64 = 0.0, in Range::AtLeast(0.0);
    }
}

/// Classes up to which problems are solved one by one and not eight at a time.
const ALONE: usize = 4;

/// What the solvers end with, for all classes.
pub(super) struct Ended {
    /// features x classes.
    pub weights: Sparse,
    pub offsets: Vec<f64>,
    pub primal: f64,
    pub dual: f64,
    pub epochs: usize,
    pub converged: bool,
    pub interrupted: bool,
    /// Further numbers for the certificate.
    pub facts: Vec<(&'static str, f64)>,
}

impl Ended {
    /// Notes that weights were left out, and the fractions of the training rows that were right before and after.
    fn pruned(&mut self, gone: usize, before: f64, after: f64) {
        self.facts.push(("pruned weights", gone as f64));
        self.facts.push(("training rows right before pruning", before));
        self.facts.push(("training rows right after pruning", after));
    }
}

impl Learner for LinearSvm {
    fn name(&self) -> &'static str {
        "linear-svm"
    }

    fn traits(&self) -> Traits<'_> {
        let targets = Wanted::ClassesOrLabels(2);
        Traits::new(Needs { targets, table: false, missing: false, weights: Weighting::Exact })
            .random()
            .checkpoints()
            .shared()
            .contract(&[("tolerance", "1e-11"), ("steps", "100000")])
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let labelled = Labelled::new(data, &self.class_weight)?;
        let multiclass = self.multiclass_for(&labelled)?;
        let bias = if self.intercept { self.intercept_scaling } else { 0.0 };
        let stored = Rows::new(data.points()?, bias, run)?;
        let rows = stored.samples();
        let mut certificate = Certificate::default();
        match &labelled.absent[..] {
            [] => {}
            [name] => certificate.warn(format!("{name:?} has no rows and cannot be predicted")),
            [name, rest @ ..] => {
                certificate.warn(format!("{name:?} and {} others have no rows and cannot be predicted", rest.len()));
            }
        }
        if !self.keeps_checkpoints(&labelled, multiclass, start, run) {
            if start.is_some() {
                let instead =
                    "only fits of more than 64 classes in one problem, or by several processes, have checkpoints";
                return Err(Error::unsupported("resuming", "this fit of linear-svm", instead));
            }
            if run.checkpoint.is_some() {
                certificate
                    .warn("no checkpoints were written: only fits of more than 64 classes in one problem have them");
            }
        }
        let mut ended = match multiclass {
            _ if labelled.names.len() == 2 && labelled.sets.is_none() => {
                self.two_classes(&rows, &labelled, multiclass, run)?
            }
            Multiclass::OneVsRest if self.is_rare(&rows, &labelled) => {
                return self.rarely(data, &stored, &labelled, certificate, run);
            }
            Multiclass::OneVsRest => self.one_vs_rest(&rows, &labelled, run)?,
            _ => self.jointly(&rows, &labelled, multiclass, start, run)?,
        };
        if labelled.sets.is_some() && multiclass != Multiclass::OneVsRest {
            offset_by_f1(&mut ended, data.points()?, &labelled, run)?;
        }
        if self.prune > 0.0 {
            let (kept, gone) = pruned(&ended.weights, self.prune)?;
            let before = std::mem::replace(&mut ended.weights, kept);
            let of = |weights: &Sparse| right(data.points()?, weights, &ended.offsets, &labelled, &run.finishing());
            let (with, without) = (of(&before)?, of(&ended.weights)?);
            ended.pruned(gone, with, without);
        }
        let machine = self.machine(data, &labelled, &mut ended, run)?;
        self.certify(&ended, &mut certificate);
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (entries, k, n) = (size.entries as f64, size.outputs.max(2) as f64, size.rows as f64);
        let problems = if size.outputs == 2 { 1.0 } else { k };
        // Some thirty passes, those after the first few over a part of the classes.
        let fit = 2.0 * 10.0 * entries * problems;
        let sparse = 2 * size.entries < size.rows.saturating_mul(size.columns);
        let bytes = match sparse && self.intercept && self.is_rare_at(size.outputs) {
            true => self.rare_bytes(size),
            false => 8.0 * problems * size.columns as f64 + 64.0 * n + 12.0 * entries,
        };
        Plan { fit, predict: 2.0 * entries / n.max(1.0) * k, bytes, advice: None }
    }
}

impl LinearSvm {
    /// How the classes of these data are learned.
    fn multiclass_for(&self, labelled: &Labelled) -> Result<Multiclass> {
        let simple = labelled.names.len() == 2 || labelled.sets.is_some() || self.loss == Loss::Logistic;
        let chosen = match self.multiclass {
            Multiclass::Auto if simple => Multiclass::OneVsRest,
            Multiclass::Auto => Multiclass::WestonWatkins,
            chosen => chosen,
        };
        if self.loss == Loss::Logistic && chosen != Multiclass::OneVsRest {
            let instead = "use multiclass=one-vs-rest, or the learner logistic for all classes at once";
            return Err(Error::unsupported("the logistic loss", format!("multiclass={}", chosen.word()), instead));
        }
        if self.loss == Loss::SquaredHinge && !chosen.sums() {
            let instead = "use loss=hinge, or a way that sums violations such as weston-watkins";
            return Err(Error::unsupported("the squared hinge", format!("multiclass={}", chosen.word()), instead));
        }
        if labelled.sets.is_some() && !matches!(chosen, Multiclass::OneVsRest | Multiclass::WestonWatkins) {
            let instead = "use multiclass=one-vs-rest or weston-watkins";
            return Err(Error::unsupported("sets of labels", format!("multiclass={}", chosen.word()), instead));
        }
        Ok(chosen)
    }

    fn stop(&self) -> Stop {
        Stop { tolerance: self.tolerance, gap: self.gap, epochs: self.steps }
    }

    /// Whether the solver of this fit keeps checkpoints.
    fn keeps_checkpoints(
        &self,
        labelled: &Labelled,
        multiclass: Multiclass,
        start: Option<&Record>,
        run: &Run<'_>,
    ) -> bool {
        let classes = labelled.names.len();
        let joint = multiclass != Multiclass::OneVsRest && (classes > 2 || labelled.sets.is_some());
        joint && (classes > few::FEW || (labelled.sets.is_none() && is_shared(multiclass, start, run)))
    }

    /// Whether there are many classes that few rows have each, and single precision will do.
    fn is_rare(&self, rows: &Samples<'_>, labelled: &Labelled) -> bool {
        let k = labelled.names.len();
        let have: usize = labelled.members.iter().map(Vec::len).sum();
        // Without an intercept every row must be pushed below −1 by its own features.
        let few = have.saturating_mul(16) <= rows.len().saturating_mul(k) && rows.bias() != 0.0;
        few && rows.is_sparse() && self.is_rare_at(k)
    }

    /// Whether single precision and the common problem will do for so many classes, if few rows have each.
    fn is_rare_at(&self, k: usize) -> bool {
        let ways = matches!(self.multiclass, Multiclass::Auto | Multiclass::OneVsRest);
        ways && k > MANY && self.loss != Loss::Logistic && self.tolerance >= SINGLE && self.gap == 0.0
    }

    /// Bytes for many classes that few rows have each. A class has a weight for nearly every feature of the sample, or where
    /// they are pruned for those of its own rows and half as many more, at two labels a row; they are held twice, by class and
    /// by feature.
    fn rare_bytes(&self, size: &Size) -> f64 {
        let (n, d, k, entries) =
            (size.rows as f64, size.columns as f64, size.outputs.max(1) as f64, size.entries as f64);
        let (length, sample) = (entries / n.max(1.0), n.min(SAMPLE as f64));
        // Features met by so many draws; some are drawn far more often than others, which leaves about a seventh out.
        let met = |draws: f64| 0.85 * d * (1.0 - (-draws / d.max(1.0)).exp());
        let weights = match self.prune > 0.0 {
            true => k * met(1.7 * length * 2.0 * n / k).min(met(length * sample)),
            false => k * met(length * (sample + 4.0 * n / k)),
        };
        let working = 2.0 * (64.0 * d + 2.0 * (n + d) + 128.0 * d) + 16.0 * (40.0 * 2.0 * sample + 8.0 * d);
        let judged = if self.prune > 0.0 { 16.0 * n } else { 0.0 };
        4.0 * entries + 36.0 * n + 12.0 * d + working + judged + 28.0 * weights
    }

    /// One-vs-rest for many classes that few rows have each: weights are pruned class by class.
    fn rarely(
        &self,
        data: &Dataset,
        stored: &Rows,
        labelled: &Labelled,
        mut certificate: Certificate,
        run: &Run<'_>,
    ) -> Result<Fitted> {
        let rows = &stored.samples();
        let Some(sparse) = stored.sparse() else {
            return Err(Error::size("rows of many classes", "sparse rows", "dense rows"));
        };
        let costs = labelled.costs(self.c);
        let members = Members { rows: &labelled.members, factors: &labelled.factors };
        let problem = Rare::new((rows, sparse), &costs, members, (self.loss, self.prune), &self.stop(), run)?;
        let solved = problem.solve(&self.stop(), run)?;
        let before = solved.best.iter().enumerate().filter(|(i, class)| labelled.has(*i, **class)).count();
        let gone: usize = solved.classes.iter().map(|c| c.pruned).sum();
        let (mut ended, _hold) = by_feature(solved, rows, run)?;
        drop(problem);
        if self.prune > 0.0 {
            let after = right(data.points()?, &ended.weights, &ended.offsets, labelled, &run.finishing())?;
            ended.pruned(gone, before as f64 / rows.len().max(1) as f64, after);
        }
        let machine = self.machine(data, labelled, &mut ended, run)?;
        self.certify(&ended, &mut certificate);
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    /// One problem for each class, eight at a time.
    fn one_vs_rest(&self, rows: &Samples<'_>, labelled: &Labelled, run: &Run<'_>) -> Result<Ended> {
        let k = labelled.names.len();
        let stop = self.stop();
        let solved: Vec<Solved> = if k <= ALONE || self.loss == Loss::Logistic {
            numeric::each(run, k, |class| {
                let (signs, costs) = labelled.sides(class, self.c, false);
                let problem = Binary { samples: rows, signs: &signs, costs: &costs, loss: self.loss };
                problem.solve(&stop, &Run { seed: run.seed.at(class), ..run.clone() })
            })?
        } else {
            let costs = labelled.costs(self.c);
            let groups = numeric::each(run, k.div_ceil(EIGHT), |group| {
                let classes = group * EIGHT..k.min((group + 1) * EIGHT);
                let (positive, factors) = labelled.positive(classes.clone());
                let count = classes.len();
                let problems =
                    Eight { samples: rows, positive: &positive, costs: &costs, factors, count, loss: self.loss };
                problems.solve(&stop, &Run { seed: run.seed.at(group), ..run.clone() })
            })?;
            groups.into_iter().flatten().collect()
        };
        let mut ended = ended(rows, k, |each| {
            for j in 0..rows.width() {
                solved.iter().zip(0..).for_each(|(one, class)| each(j, class, one.weights[j]));
            }
        })?;
        ended.primal = solved.iter().map(|s| s.primal).sum();
        ended.dual = solved.iter().map(|s| s.dual).sum();
        ended.epochs = solved.iter().map(|s| s.epochs).max().unwrap_or(0);
        ended.converged = solved.iter().all(|s| s.converged);
        ended.interrupted = solved.iter().any(|s| s.interrupted);
        let support: usize = solved.iter().map(|s| s.support).sum();
        ended.facts = vec![("dual variables above 0", support as f64)];
        Ok(ended)
    }

    /// Two classes, however they are learned: one problem of two sides.
    fn two_classes(
        &self,
        rows: &Samples<'_>,
        labelled: &Labelled,
        multiclass: Multiclass,
        run: &Run<'_>,
    ) -> Result<Ended> {
        let two = multiclass.of_two(self.margin);
        let (signs, costs) = labelled.sides(1, self.c * two.cost, true);
        let problem = Binary { samples: rows, signs: &signs, costs: &costs, loss: self.loss };
        let solved = problem.solve(&self.stop(), &Run { seed: run.seed.at(1), ..run.clone() })?;
        let mut ended = ended(rows, 2, |each| {
            for (j, w) in solved.weights.iter().enumerate() {
                [-two.weight, two.weight].iter().zip(0..).for_each(|(sign, class)| each(j, class, sign * w));
            }
        })?;
        (ended.primal, ended.dual) = (two.objective * solved.primal, two.objective * solved.dual);
        (ended.epochs, ended.converged, ended.interrupted) = (solved.epochs, solved.converged, solved.interrupted);
        ended.facts = vec![("dual variables above 0", solved.support as f64)];
        Ok(ended)
    }

    /// All classes in one problem.
    fn jointly(
        &self,
        rows: &Samples<'_>,
        labelled: &Labelled,
        multiclass: Multiclass,
        start: Option<&Record>,
        run: &Run<'_>,
    ) -> Result<Ended> {
        let (k, sets) = (labelled.names.len(), labelled.sets.as_deref());
        let scheme = multiclass.scheme(self.margin, self.loss);
        let (samples, costs) = labelled.samples(self.c);
        let joint = Joint { rows, samples: &samples, sets, costs: &costs, classes: k, scheme, across: None };
        let saved = match start.is_some() || run.checkpoint.is_some() {
            true => Saved::new(Whose::of(self, &joint, run), start),
            false => Saved::NOTHING,
        };
        let shared = is_shared(multiclass, start, run);
        let solved = match sets {
            None if shared => {
                let bundles = self.bundles;
                if !bundles.is_multiple_of(2) {
                    return Err(Error::parameter("bundles", bundles, "must be even: they meet in pairs"));
                }
                if run.ranks.count() > bundles / 2 {
                    let (count, busy) = (run.ranks.count(), bundles / 2);
                    run.watch.note(&format!("{bundles} bundles keep {busy} of {count} processes busy: raise bundles"));
                }
                let problem = Spread { rows, samples: &samples, costs: &costs, classes: k, scheme, bundles };
                problem.solve(&self.stop(), &saved, run)?
            }
            // Every rank does what one alone would.
            _ => joint.solve(&self.stop(), &saved, run)?,
        };
        // Where the weights must sum to 0 the solver leaves out the part that is common to all classes.
        let mean = |j: usize| {
            let mut sum = 0.0;
            solved.store.each(j, |_, w| sum += w);
            if scheme.tied { sum / k as f64 } else { 0.0 }
        };
        let mut ended = ended(rows, k, |each| {
            for j in 0..solved.store.width() {
                match mean(j) {
                    0.0 => solved.store.each(j, |class, w| each(j, class, w)),
                    mean => {
                        let mut next = 0;
                        solved.store.each(j, |class, w| {
                            (next..class).for_each(|c| each(j, c, -mean));
                            each(j, class, w - mean);
                            next = class + 1;
                        });
                        (next..k as u32).for_each(|c| each(j, c, -mean));
                    }
                }
            }
        })?;
        (ended.primal, ended.dual, ended.epochs) = (solved.primal, solved.dual, solved.epochs);
        (ended.converged, ended.interrupted) = (solved.converged, solved.interrupted);
        ended.facts = vec![
            ("dual variables above 0", solved.variables as f64),
            ("support vectors", solved.support as f64),
            ("full epochs", solved.full as f64),
        ];
        Ok(ended)
    }

    /// The machine with the weights found.
    fn machine(&self, data: &Dataset, labelled: &Labelled, ended: &mut Ended, run: &Run<'_>) -> Result<Linear> {
        let k = labelled.names.len();
        let cells = (ended.weights.len() as f64 * k as f64).max(1.0);
        ended.facts.push(("fraction of weights that are not 0", ended.weights.entries() as f64 / cells));
        let outputs = match &data.targets {
            Targets::Sets(_) => {
                Outputs { meaning: Meaning::Labels, ..Outputs::classes(labelled.names.clone(), Link::None) }
            }
            _ => Outputs::classes(labelled.names.clone(), Link::None),
        };
        // Where a third is there the products of dense weights are faster, and no larger.
        let weights = match 3 * ended.weights.entries() > ended.weights.len() * k {
            true => dense(&ended.weights, run)?,
            false => Weights::Sparse(ended.weights.clone()),
        };
        Linear::new(data.features.clone(), outputs, weights, ended.offsets.clone(), None)
    }

    fn certify(&self, ended: &Ended, certificate: &mut Certificate) {
        let gap = (ended.primal - ended.dual).max(0.0);
        let relative = gap / ended.primal.abs().max(f64::MIN_POSITIVE);
        certificate.converged = ended.converged;
        certificate.interrupted = ended.interrupted;
        certificate.steps = ended.epochs as u64;
        certificate.objective = Some(ended.primal);
        certificate.gap = Gap::Duality(gap);
        certificate.fact("primal objective", ended.primal);
        certificate.fact("dual objective", ended.dual);
        certificate.fact("relative duality gap", relative);
        ended.facts.iter().for_each(|(name, value)| certificate.fact(name, *value));
        if !ended.converged && !ended.interrupted {
            certificate.warn(format!(
                "stopped after {} epochs at a relative duality gap of {relative:.1e}; scale the columns, lower c or raise steps",
                ended.epochs
            ));
        }
    }
}

/// Whether several ranks share the fit, or shared what it goes on from.
fn is_shared(multiclass: Multiclass, start: Option<&Record>, run: &Run<'_>) -> bool {
    multiclass == Multiclass::WestonWatkins && (run.ranks.count() > 1 || start.is_some_and(StateParts::is_head))
}

/// The weights that `list` calls with, feature by feature and class by class; those of the constant feature become offsets.
fn ended(rows: &Samples<'_>, k: usize, list: impl Fn(&mut dyn FnMut(usize, u32, f64))) -> Result<Ended> {
    let d = rows.columns();
    let mut count = 0usize;
    list(&mut |j, _, w| count += usize::from(j < d && w != 0.0));
    let (mut starts, mut ids, mut values) =
        (Vec::with_capacity(d + 1), Vec::with_capacity(count), Vec::with_capacity(count));
    let mut offsets = vec![0.0; k];
    starts.push(0);
    list(&mut |j, class, w| {
        if j == d {
            offsets[class as usize] = w * rows.bias();
            return;
        }
        while starts.len() <= j {
            starts.push(ids.len());
        }
        if w != 0.0 {
            ids.push(class);
            values.push(w);
        }
    });
    starts.resize(d + 1, ids.len());
    Ok(Ended {
        weights: Sparse::new(starts, ids, values, k)?,
        offsets,
        primal: 0.0,
        dual: 0.0,
        epochs: 0,
        converged: false,
        interrupted: false,
        facts: vec![],
    })
}

/// Weights of at least this absolute value, and how many are left out.
fn pruned(weights: &Sparse, least: f64) -> Result<(Sparse, usize)> {
    let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
    for j in 0..weights.len() {
        let (classes, w) = weights.row(j);
        for (&class, &w) in classes.iter().zip(w).filter(|(_, w)| w.abs() >= least) {
            ids.push(class);
            values.push(w);
        }
        starts.push(ids.len());
    }
    let gone = weights.entries() - ids.len();
    Ok((Sparse::new(starts, ids, values, weights.columns())?, gone))
}

/// Weights written out, classes x features.
fn dense(weights: &Sparse, run: &Run<'_>) -> Result<Weights> {
    let (d, k) = (weights.len(), weights.columns());
    let (mut all, hold) = run.memory.filled(d * k, 0.0, "weights")?;
    for j in 0..d {
        let (classes, w) = weights.row(j);
        classes.iter().zip(w).for_each(|(&class, w)| all[class as usize * d + j] = *w);
    }
    Ok(Weights::Dense(Shared::counted(all, hold)))
}
