//! The kernel expansion: decisions f_k(x) = Σ_j c_jk k(x, u_j) + b_k, and how they are read as scores.
//!
//! Every machine of this crate is one. Centres are support vectors, or all rows of a density estimate; what the
//! decisions mean is the [`Decisions`]. Prediction takes blocks of rows: one matrix product for the kernel, one for the
//! coefficients.
//!
//! **Pairs.** With classes one against one, the centres lie class after class, and a centre of class a has a
//! coefficient for each other class (that of a pair it does not belong to is not stored): m · (classes − 1) numbers.
//!
//! **Cost.** 2·m·d + 2·m·width operations a row; m · (d + width) numbers. With very many classes see `voting.rs`.

use crate::block::Against;
use crate::kernel::Kernel;
use crate::outlierness::log_density;
use base::{
    Buffer, Error, Facets, Features, Field, Gradient, GraphForm, Hold, Inputs, Link, Machine, Meaning, Outputs, Points,
    Record, Result, Run, Shared, Support, Supported, choices, vjp_by_row,
};
use numeric::{Mat, MatMut, each_chunk_mut, product};
use std::ops::Range;
use std::sync::Arc;

choices! {
    /// How decisions are read.
    pub enum Decisions {
        /// One decision for each pair of classes a < b, above 0 for a. Two classes score (f, −f); more score their
        /// votes plus a third of their squashed sum of margins, so that margins break ties of votes.
        Pairs = "pairs",
        /// One decision for each class; the largest wins.
        Rest = "rest",
        /// Numbers.
        Values = "values",
        /// One decision g(x) − ρ, below 0 for strange rows. The score is log ρ − log g for radial kernels, so that it
        /// tells apart what is far away, and ρ − g for others; beside it the share of training rows less strange.
        Outlier = "outlier",
        /// One decision, the squared distance to a centre in feature space less that of its sphere:
        /// k(x, x) − 2 g(x) + b. The score is that.
        Sphere = "sphere",
    }
}

/// Rows whose kernel values are held at once, at most; fewer with many centres.
pub(crate) const ROWS: usize = 512;
/// Kernel values held at once, about.
pub(crate) const VALUES: usize = 1 << 19;
/// Decisions of a row from which on votes are counted as they fall: some hundreds of classes in pairs.
const MANY: usize = 1 << 16;

/// A kernel expansion.
#[derive(Clone)]
pub struct Expansion {
    kernel: Kernel,
    reading: Decisions,
    inputs: Features,
    outputs: Outputs,
    centres: Points,
    /// centres x width, row after row.
    coefficients: Vec<f64>,
    /// b_k, one for each decision.
    offsets: Vec<f64>,
    /// Where the centres of each class begin, and the end; only for pairs.
    starts: Vec<usize>,
    /// Where the centres stood in the training data, if known.
    rows: Option<Shared<u64>>,
    /// Scores of training rows in order, thinned out; only for outliers.
    seen: Vec<f64>,
    /// Whether it is a weighted sum of radial kernels, which explains itself.
    is_density: bool,
}

/// The parts of an expansion, to be put together.
pub struct ExpansionParts {
    /// The kernel.
    pub kernel: Kernel,
    /// How decisions are read.
    pub reading: Decisions,
    /// What goes in.
    pub inputs: Features,
    /// Names of classes or values; none for outliers.
    pub names: Arc<[String]>,
    /// The centres, for pairs class after class.
    pub centres: Points,
    /// centres x width, row after row: classes − 1 for pairs, else the number of decisions.
    pub coefficients: Vec<f64>,
    /// One for each decision.
    pub offsets: Vec<f64>,
    /// How many centres each class has; only for pairs.
    pub counts: Vec<usize>,
    /// Where the centres stood in the training data, if known.
    pub rows: Option<Vec<u64>>,
    /// Scores of training rows, only for outliers; may be empty.
    pub seen: Vec<f64>,
}

impl Expansion {
    /// The kind of its record.
    pub const KIND: &'static str = "expansion";

    /// Puts parts together; everything is checked.
    pub fn new(parts: ExpansionParts) -> Result<Self> {
        let ExpansionParts { kernel, reading, inputs, names, centres, coefficients, offsets, counts, rows, mut seen } =
            parts;
        kernel.check()?;
        let (m, k) = (centres.len(), names.len());
        let (width, decisions) = match reading {
            Decisions::Pairs => (k.saturating_sub(1), k * k.saturating_sub(1) / 2),
            Decisions::Rest | Decisions::Values => (k, k),
            Decisions::Outlier | Decisions::Sphere => (1, 1),
        };
        let fits = decisions > 0
            && centres.columns() == inputs.count()
            && Some(coefficients.len()) == m.checked_mul(width)
            && offsets.len() == decisions
            && rows.as_ref().is_none_or(|r| r.len() == m)
            && match reading {
                Decisions::Pairs => {
                    counts.len() == k && counts.iter().try_fold(0usize, |s, &c| s.checked_add(c)) == Some(m)
                }
                _ => counts.is_empty(),
            };
        if !fits {
            let found = format!("{} coefficients and {} offsets for {m} centres", coefficients.len(), offsets.len());
            return Err(Error::size("parts of a kernel expansion", format!("{decisions} decisions"), found));
        }
        if coefficients.iter().chain(&offsets).chain(&seen).any(|x| !x.is_finite()) {
            return Err(Error::data(base::Place::Whole, "the expansion is not finite; rescale the data"));
        }
        centres.check(false, |c| inputs.name(c))?;
        if !(reading == Decisions::Outlier || seen.is_empty()) {
            return Err(Error::size("scores of training rows", 0, seen.len()));
        }
        if !seen.is_sorted() {
            seen.sort_unstable_by(f64::total_cmp);
        }
        let outputs = match reading {
            Decisions::Pairs | Decisions::Rest => Outputs::classes(names, Link::None),
            Decisions::Values => Outputs::values(names),
            Decisions::Outlier | Decisions::Sphere => {
                let quantile = (!seen.is_empty()).then(|| "quantile".to_string());
                let names: Vec<String> = std::iter::once("outlier_score".to_string()).chain(quantile).collect();
                let extra = names.len() - 1;
                Outputs { names: names.into(), meaning: Meaning::Outlier, link: Link::None, extra, shape: None }
            }
        };
        let mut starts = vec![];
        if reading == Decisions::Pairs {
            starts = std::iter::once(0)
                .chain(counts.iter().scan(0, |s, c| {
                    *s += c;
                    Some(*s)
                }))
                .collect();
        }
        let rows = rows.map(Shared::from);
        let is_density = crate::contributions::is_density(&kernel, reading, &coefficients);
        Ok(Expansion {
            kernel,
            reading,
            inputs,
            outputs,
            centres,
            coefficients,
            offsets,
            starts,
            rows,
            seen,
            is_density,
        })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// How decisions are read.
    pub fn reading(&self) -> Decisions {
        self.reading
    }

    /// The centres.
    pub fn centres(&self) -> &Points {
        &self.centres
    }

    /// The coefficients, centres x width, row after row.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// b_k, one for each decision.
    pub fn offsets(&self) -> &[f64] {
        &self.offsets
    }

    /// Numbers a centre has among the coefficients.
    pub fn width(&self) -> usize {
        self.coefficients.len() / self.centres.len().max(1)
    }

    /// The centres of a class, for pairs.
    pub fn centres_of(&self, class: usize) -> Range<usize> {
        match (self.starts.get(class), self.starts.get(class + 1)) {
            (Some(&from), Some(&to)) => from..to,
            _ => 0..0,
        }
    }

    /// Where the centres of each class begin, and the end; only for pairs.
    pub(crate) fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Where the centres stood in the training data, if known.
    pub fn rows(&self) -> Option<&Shared<u64>> {
        self.rows.as_ref()
    }

    /// A detector that also tells which fraction of these scores of training rows is lower; the centres are not copied.
    pub(crate) fn with_seen(self, seen: Vec<f64>) -> Result<Self> {
        let Expansion { kernel, reading, inputs, centres, coefficients, offsets, rows, .. } = self;
        let (names, rows) = ([].into(), rows.map(|rows| rows.to_vec()));
        let counts = vec![];
        Expansion::new(ExpansionParts {
            kernel,
            reading,
            inputs,
            names,
            centres,
            coefficients,
            offsets,
            counts,
            rows,
            seen,
        })
    }

    /// Scores of training rows in order, thinned out; for outliers.
    pub fn seen(&self) -> &[f64] {
        &self.seen
    }

    /// Whether the score of strangeness is in logarithms: log ρ − log g.
    pub fn in_logarithms(&self) -> bool {
        self.reading == Decisions::Outlier
            && self.kernel.radial().is_some()
            && self.offsets[0] < 0.0
            && !self.coefficients.is_empty()
            && self.coefficients.iter().all(|&c| c > 0.0)
    }

    /// The centres made ready for queries.
    pub fn against(&self, run: &Run<'_>) -> Result<Against> {
        Against::new(&self.kernel, &self.centres, run)
    }

    /// The decisions of each row, in the order of [`Expansion::offsets`].
    pub fn decisions(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        let mut all = Vec::with_capacity(points.len() * self.offsets.len());
        self.in_blocks(points, run, |_, raw, _| {
            all.extend_from_slice(raw);
            Ok(())
        })?;
        Ok(all)
    }

    /// Calls `f(first row, decisions, kernel values)` for blocks of rows.
    fn in_blocks(
        &self,
        points: &Points,
        run: &Run<'_>,
        mut f: impl FnMut(usize, &[f64], &[f64]) -> Result<()>,
    ) -> Result<()> {
        let (n, m, count) = (points.len(), self.centres.len(), self.offsets.len());
        let against = self.against(run)?;
        let rows = match count > MANY {
            true => (8 * VALUES / count).max(1),
            false => (VALUES / m.max(1)).clamp(16, ROWS),
        };
        let (mut values, _hold) = run.memory.filled(rows.min(n).saturating_mul(m), 0.0, "kernel values")?;
        let (mut raw, _held) = run.memory.filled(rows.min(n).saturating_mul(count), 0.0, "decisions")?;
        for start in (0..n).step_by(rows) {
            let block = points.slice(start..n.min(start + rows));
            let (values, raw) = (&mut values[..block.len() * m], &mut raw[..block.len() * count]);
            against.block(&block, values, run)?;
            self.combine(values, raw, run)?;
            f(start, raw, values)?;
        }
        Ok(())
    }

    /// Kernel values become decisions.
    fn combine(&self, values: &[f64], raw: &mut [f64], run: &Run<'_>) -> Result<()> {
        let (m, count, width) = (self.centres.len(), self.offsets.len(), self.width());
        let rows = raw.len() / count;
        for line in raw.chunks_exact_mut(count) {
            line.copy_from_slice(&self.offsets);
        }
        if m == 0 {
            return Ok(());
        }
        if self.reading != Decisions::Pairs {
            let coefficients = Mat::new(&self.coefficients, m, width)?;
            return product(run, Mat::new(values, rows, m)?, coefficients, MatMut::new(raw, rows, count)?, 1.0, true);
        }
        if count > MANY {
            return each_chunk_mut(run, raw, count, |row, line| {
                self.add_pairs(&values[row * m..(row + 1) * m], line, run)
            });
        }
        let classes = self.outputs.names.len();
        let mut part = vec![0.0; rows * width];
        for class in 0..classes {
            let own = self.centres_of(class);
            if own.is_empty() {
                continue;
            }
            let left = Mat::strided(&values[own.start..], rows, own.len(), m)?;
            let right = Mat::new(&self.coefficients[own.start * width..own.end * width], own.len(), width)?;
            product(run, left, right, MatMut::new(&mut part, rows, width)?, 1.0, false)?;
            for (line, part) in raw.chunks_exact_mut(count).zip(part.chunks_exact(width)) {
                for (slot, &x) in part.iter().enumerate() {
                    // A centre's coefficients are those for the other classes in order.
                    let other = slot + usize::from(slot >= class);
                    line[pair(class.min(other), class.max(other), classes)] += x;
                }
            }
        }
        Ok(())
    }

    /// Adds the kernel values of one row to its decisions, where pairs are so many that rows are what work is cut by.
    fn add_pairs(&self, values: &[f64], line: &mut [f64], run: &Run<'_>) -> Result<()> {
        let (classes, width) = (self.outputs.names.len(), self.width());
        let mut part = vec![0.0; width];
        for class in 0..classes {
            if class % 256 == 0 {
                run.check()?;
            }
            let own = self.centres_of(class);
            if own.is_empty() {
                continue;
            }
            part.fill(0.0);
            for j in own {
                numeric::add_scaled(&mut part, values[j], &self.coefficients[j * width..(j + 1) * width]);
            }
            let (before, after) = part.split_at(class);
            for (other, &x) in before.iter().enumerate() {
                line[pair(other, class, classes)] += x;
            }
            // Pairs with later classes stand side by side.
            if !after.is_empty() {
                let first = pair(class, class + 1, classes);
                line[first..first + after.len()].iter_mut().zip(after).for_each(|(f, x)| *f += x);
            }
        }
        Ok(())
    }

    /// Decisions of one row become scores.
    pub fn read_decisions(&self, raw: &[f64], out: &mut [f64]) {
        match self.reading {
            Decisions::Pairs => pair_scores(raw, out),
            Decisions::Rest | Decisions::Values => out.copy_from_slice(raw),
            Decisions::Outlier | Decisions::Sphere => out[0] = -raw[0],
        }
    }

    fn strangeness(&self, points: &Points, run: &Run<'_>, scores: &mut [f64]) -> Result<()> {
        let width = self.outputs.names.len();
        if self.in_logarithms() {
            let log_rho = (-self.offsets[0]).ln();
            let logs = log_density(self, points, run)?;
            scores.chunks_exact_mut(width).zip(logs).for_each(|(out, log)| out[0] = log_rho - log);
        } else {
            self.in_blocks(points, run, |first, raw, _| {
                for (i, raw) in raw.iter().enumerate() {
                    let out = &mut scores[(first + i) * width];
                    *out = match self.reading {
                        // k(x, x) joins below.
                        Decisions::Sphere => *raw,
                        _ => -raw,
                    };
                }
                Ok(())
            })?;
            if self.reading == Decisions::Sphere {
                let mut x = vec![0.0; points.columns()];
                for (i, out) in scores.chunks_exact_mut(width).enumerate() {
                    points.write_row(i, &mut x);
                    out[0] += self.kernel.value(&x, &x);
                }
            }
        }
        if !self.seen.is_empty() {
            for out in scores.chunks_exact_mut(width) {
                // Many support vectors lie on the border, up to the solver's rounding: they are not beyond each other.
                let below = out[0] - 1e-7 * (1.0 + out[0].abs());
                out[1] = self.seen.partition_point(|&s| s < below) as f64 / self.seen.len() as f64;
            }
        }
        Ok(())
    }

    /// A machine from plain data; everything is checked.
    pub fn read(record: &Record) -> Result<Self> {
        Self::read_with(record, None)
    }

    /// The same, with the kernel in code it may need.
    pub fn read_with(record: &Record, own: Option<&Kernel>) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let kernel = Kernel::read(record.part("kernel")?, own)?;
        let word = record.text("reading")?;
        let reading = Decisions::from_word(word).ok_or_else(|| record.broken(format!("unknown reading {word:?}")))?;
        let inputs = Features::read(record.part("inputs")?)?;
        if inputs.table().is_some() {
            return Err(record.broken("a kernel machine takes points"));
        }
        let centres = Points::read(record.part("centres")?, inputs.count(), false)?;
        let (_, coefficients) = record.array("coefficients")?;
        let (_, offsets) = record.array("offsets")?;
        let numbers = |b: &Buffer| b.get(0..b.len()).into_owned();
        let counts = record.wholes("counts")?.iter().map(|&c| usize::try_from(c).unwrap_or(usize::MAX)).collect();
        let rows = record.has("rows").then(|| record.wholes("rows").map(|r| r.to_vec())).transpose()?;
        let (_, seen) = record.array("seen")?;
        Self::new(ExpansionParts {
            kernel,
            reading,
            inputs,
            names: record.texts("names")?.into(),
            centres,
            coefficients: numbers(coefficients),
            offsets: numbers(offsets),
            counts,
            rows,
            seen: numbers(seen),
        })
    }
}

/// The place of a pair a < b among all pairs of `classes` classes.
pub fn pair(a: usize, b: usize, classes: usize) -> usize {
    a * classes - a * (a + 1) / 2 + (b - a - 1)
}

/// Decisions of pairs become scores of classes.
fn pair_scores(raw: &[f64], out: &mut [f64]) {
    let classes = out.len();
    if let ([f], [first, second]) = (raw, &mut *out) {
        (*first, *second) = (*f, -*f);
        return;
    }
    let mut sums = vec![0.0; classes];
    out.fill(0.0);
    for a in 0..classes {
        for b in a + 1..classes {
            let f = raw[pair(a, b, classes)];
            sums[a] += f;
            sums[b] -= f;
            out[if f > 0.0 { a } else { b }] += 1.0;
        }
    }
    out.iter_mut().zip(sums).for_each(|(votes, s)| *votes += squashed(s));
}

/// A sum of margins between −⅓ and ⅓, so that it breaks ties of votes and no more.
pub(crate) fn squashed(sum: f64) -> f64 {
    sum / (3.0 * (sum.abs() + 1.0))
}

impl Machine for Expansion {
    fn inputs(&self) -> &Features {
        &self.inputs
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let points = inputs.points()?;
        let (n, width) = (points.len(), self.outputs.names.len());
        let (mut scores, hold): (Vec<f64>, Hold) = run.memory.filled(n.saturating_mul(width), 0.0, "scores")?;
        match self.reading {
            Decisions::Outlier | Decisions::Sphere => self.strangeness(points, run, &mut scores)?,
            Decisions::Pairs if self.offsets.len() > MANY => self.vote(points, run, &mut scores)?,
            _ => self.in_blocks(points, run, |first, raw, _| {
                let lines = raw.chunks_exact(self.offsets.len()).zip(scores[first * width..].chunks_exact_mut(width));
                lines.for_each(|(raw, out)| self.read_decisions(raw, out));
                Ok(())
            })?,
        }
        Points::dense(Buffer::F64(Shared::counted(scores, hold)), n, width)
    }

    fn record(&self) -> Record {
        let names = match self.reading {
            Decisions::Outlier | Decisions::Sphere => vec![],
            _ => self.outputs.names.to_vec(),
        };
        let counts: Vec<u64> = self.starts.windows(2).map(|w| (w[1] - w[0]) as u64).collect();
        Record::new(Self::KIND, 2)
            .with("kernel", self.kernel.record())
            .with("reading", self.reading.word())
            .with("inputs", self.inputs.record())
            .with("names", names)
            .with_array("coefficients", &[self.centres.len(), self.width()], self.coefficients.clone())
            .with_array("offsets", &[self.offsets.len()], self.offsets.clone())
            .with("counts", Field::Wholes(counts.into()))
            .with_array("seen", &[self.seen.len()], self.seen.clone())
            .with("centres", self.centres.record())
            .with_some("rows", self.rows.clone().map(Field::Wholes))
    }

    fn facets(&self) -> Facets<'_> {
        Facets {
            gradient: self.kernel.gradient().is_some().then_some(self),
            graph: Some(self),
            support: Some(self),
            explains: self.is_density.then_some(self),
            ..Facets::default()
        }
    }
}

impl GraphForm for Expansion {
    fn graph(&self, run: &Run<'_>) -> Result<Option<base::graph::Graph>> {
        crate::graph::graph(self, run)
    }
}

impl Supported for Expansion {
    fn support(&self) -> Support {
        Support { points: self.centres.len(), rows: self.rows.clone() }
    }

    fn sums(&self) -> Option<&dyn base::BySupport> {
        // The score of a sphere has k(x, x) beside the sum; where that is not the same for all x the sum is not the score.
        let rest = self.reading == Decisions::Sphere && self.kernel.diagonal().is_none();
        (!rest).then_some(self as &dyn base::BySupport)
    }
}

impl Gradient for Expansion {
    fn vjp(&self, points: &Points, direction: &[f64], out: &mut [f64], run: &Run<'_>) -> Result<()> {
        vjp_by_row(points, direction, out, run, |x, direction, out| {
            crate::slope::pull(self, x, direction, out);
        })
    }
}
