//! k nearest neighbours: classes by votes, values by means.
//!
//! The k training rows nearest to a query (Minkowski distance, Euclidean by default; of equal distances the earlier row) vote, each alike or
//! with weight 1/distance; rows at distance 0, if there are any, then vote alone. Scores are shares of the votes and so
//! are probabilities; values are weighted means.
//!
//! **Weights.** A row of weight w stands for w equal rows: neighbours are taken in order until their weights add up to
//! k, the last one with what is missing. Weight 2 is the same as the row twice (one after the other, as equal distances
//! are settled by order), and ½ as half a row.
//! **Cost.** A fit keeps the rows. A prediction compares with every row (`blocks`), or in few columns with some 2ᵈ·log n
//! of them (`tree`); both are exact and agree. **Limits.** The machine carries all training rows; columns of unlike
//! scale should be scaled first.
//!
//! - T. M. Cover, P. E. Hart: *Nearest neighbor pattern classification.* IEEE Trans. Inf. Theory 13 (1967) 21–27.

use crate::neighbours::{EUCLID, Nearest, Neighbours};
use base::graph::{Draft, Graph, Op, Reduction};
use base::{
    Certificate, Classes, Dataset, Error, Facets, Features, Fitted, GraphForm, Inputs, Learner, Link, Machine, Meaning,
    Needs, Outputs, Plan, Points, Progress, Record, Result, Run, Shared, Size, Support, Supported, Targets, Traits,
    Wanted, Weighting, choices, settings,
};
use std::sync::Arc;

choices! {
    /// How much the vote of a neighbour counts.
    pub enum Voting {
        /// All alike.
        Uniform = "uniform",
        /// By 1/distance.
        Distance = "distance",
    }
}

choices! {
    /// How neighbours are searched for; the result is the same.
    pub enum Search {
        /// By a tree for many rows of few columns, else in blocks.
        Auto = "auto",
        /// By distances to all rows.
        Blocks = "blocks" | "brute",
        /// By a k-d tree.
        Tree = "tree" | "kd_tree",
    }
}

settings! {
    /// Settings of the k nearest neighbours.
    pub struct Knn {
        /// number of neighbours
        pub k: usize = 5, in Range::AtLeast(1.0), as "n_neighbors";
        /// weight of each neighbour's vote
        pub weighting: Voting = Voting::Uniform, in Range::Any, as "weights";
        /// order of the Minkowski distance: 1 is Manhattan, 2 Euclidean, inf Chebyshev
        pub p: f64 = 2.0, in Range::UpToInfinity(1.0);
        /// search algorithm; the result is the same
        pub method: Search = Search::Auto, in Range::Any, as "algorithm";
    }
}

impl Learner for Knn {
    fn name(&self) -> &'static str {
        "knn"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Either, table: false, missing: false, weights: Weighting::Exact })
    }

    fn learn(&self, data: &Dataset, _start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let points = data.points()?;
        run.report(&Progress::of("knn", points.len() as u64, points.len() as u64))?;
        let (answers, outputs) = match &data.targets {
            Targets::Classes(classes) => {
                (Answers::Classes(classes.codes().to_vec()), Outputs::classes(classes.names().clone(), Link::Identity))
            }
            Targets::Values(values) => {
                (Answers::Values(values.values().to_vec()), Outputs::values(values.names().clone()))
            }
            other => return Err(Error::size("targets for knn", "classes or values", other.type_name())),
        };
        let machine = KnnMachine {
            settings: self.clone(),
            inputs: data.features.clone(),
            outputs,
            neighbours: Neighbours::new(points.clone(), self.method, self.p)?,
            answers,
            weights: data.weights.clone(),
        };
        let mut certificate = Certificate::direct();
        let all = machine.total_weight();
        if all < self.k as f64 {
            certificate.warn(format!("k = {} exceeds the total weight of the rows ({all}); all of them vote", self.k));
        }
        certificate.fact("rows", points.len() as f64);
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (n, d, entries) = (size.rows as f64, size.columns as f64, size.entries as f64);
        let tree = self.method != Search::Blocks && self.p == EUCLID && size.columns <= 10 && entries == n * d;
        let predict = match tree {
            true => (d.exp2() * 16.0 + n.max(2.0).log2() * 16.0).min(n) * 3.0 * d,
            false if self.p == EUCLID => 2.0 * entries,
            false => 30.0 * n * d,
        };
        // Rows are shared with the data; what searching needs is made by the first prediction.
        let bytes = 8.0 * n;
        let advice = (predict > 1e9).then(|| {
            "each prediction compares with every training row; nearest-mean with one per \
                 class"
                .into()
        });
        Plan { fit: entries, predict, bytes, advice }
    }
}

/// What the training rows answer.
#[derive(Debug, Clone, PartialEq)]
enum Answers {
    Classes(Vec<u32>),
    /// Row after row, as many numbers as there are outputs.
    Values(Vec<f64>),
}

/// Training rows that vote.
pub struct KnnMachine {
    settings: Knn,
    inputs: Features,
    outputs: Outputs,
    neighbours: Neighbours,
    answers: Answers,
    weights: Option<Shared<f64>>,
}

impl KnnMachine {
    /// The kind of its record.
    pub const KIND: &'static str = "knn";

    /// A machine from plain data; everything is checked.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let word = |name: &'static str| Ok::<_, Error>((record.text(name)?, name));
        let unknown = |(text, name): (&str, &str)| record.broken(format!("unknown {name} {text:?}"));
        let (voting, search) = (word("weighting")?, word("method")?);
        let settings = Knn {
            k: record.count("k")?,
            weighting: Voting::from_word(voting.0).ok_or_else(|| unknown(voting))?,
            p: if record.has("p") { record.number("p")? } else { EUCLID },
            method: Search::from_word(search.0).ok_or_else(|| unknown(search))?,
        };
        base::Settings::check_settings(&settings)?;
        let outputs = Outputs::read(record.part("outputs")?)?;
        let inputs = Features::read(record.part("inputs")?)?;
        let points = Points::read(record.part("points")?, inputs.count(), false)?;
        let n = points.len();
        if inputs.table().is_some() {
            return Err(record.broken("points are expected"));
        }
        let answers = match outputs.meaning {
            Meaning::Classes => {
                let codes = record.ids("codes")?.to_vec();
                if codes.len() != n || codes.contains(&base::UNKNOWN) {
                    return Err(record.broken(format!("{} known classes of {n} rows", codes.len())));
                }
                Answers::Classes(Classes::new(codes, outputs.names.clone())?.codes().to_vec())
            }
            Meaning::Values => {
                let values = record.array_of("values", &[n, outputs.names.len()])?;
                if values.iter().any(|v| v.is_nan()) {
                    return Err(record.broken("a value is missing"));
                }
                Answers::Values(values)
            }
            other => return Err(record.broken(format!("outputs of meaning {}", other.word()))),
        };
        let weights = match record.has("weights") {
            true => Some(record.array_of("weights", &[n])?.into()),
            false => None,
        };
        if n == 0
            || weights.iter().flat_map(|w: &Shared<f64>| w.iter()).any(|w| !(w.is_finite() && *w > 0.0))
            || outputs.extra > 0
        {
            return Err(record.broken("rows with positive finite weights are expected, and no extra outputs"));
        }
        let neighbours = Neighbours::new(points, settings.method, settings.p)?;
        Ok(KnnMachine { settings, inputs, outputs, neighbours, answers, weights })
    }

    fn total_weight(&self) -> f64 {
        match &self.weights {
            Some(weights) => weights.iter().sum(),
            None => self.neighbours.points().len() as f64,
        }
    }

    fn weight(&self, row: u32) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[row as usize])
    }

    /// How much each neighbour counts, in order; none if the neighbours do not yet weigh k.
    fn counts(&self, nearest: &Nearest) -> Option<Vec<f64>> {
        let mut missing = self.settings.k as f64;
        let mut counts = Vec::with_capacity(nearest.len());
        for &(_, row) in nearest {
            let count = self.weight(row).min(missing);
            counts.push(count);
            missing -= count;
            if missing <= 0.0 {
                return Some(counts);
            }
        }
        (nearest.len() == self.neighbours.points().len()).then_some(counts)
    }

    /// Enough neighbours of each query to weigh k. Rows that weigh less than 1 ask for more of them.
    fn enough(&self, run: &Run<'_>, queries: &Points) -> Result<Vec<(Nearest, Vec<f64>)>> {
        let n = self.neighbours.points().len();
        let mut asked = self.settings.k.min(n);
        let mut answers: Vec<Option<(Nearest, Vec<f64>)>> = vec![None; queries.len()];
        let mut open: Vec<usize> = (0..queries.len()).collect();
        while !open.is_empty() {
            let part = if open.len() == queries.len() { queries.clone() } else { queries.select(&open)? };
            for (i, nearest) in open.iter().zip(self.neighbours.nearest(run, &part, asked)?) {
                answers[*i] = self.counts(&nearest).map(|counts| (nearest, counts));
            }
            open.retain(|&i| answers[i].is_none());
            asked = asked.saturating_mul(2).min(n);
        }
        Ok(answers.into_iter().flatten().collect())
    }

    /// Adds up the votes of the neighbours of one query.
    fn vote(&self, nearest: &Nearest, counts: &[f64], out: &mut [f64]) {
        let on_top = nearest.first().is_some_and(|x| x.0 == 0.0);
        let strength = |distance: f64| match (self.settings.weighting, on_top) {
            (Voting::Uniform, _) => 1.0,
            (Voting::Distance, true) => f64::from(u8::from(distance == 0.0)),
            // Relative to the nearest, so that nothing overflows; shares are the same.
            (Voting::Distance, false) => (nearest[0].0 / distance).sqrt(),
        };
        let mut sum = 0.0;
        for (&(distance, row), count) in nearest.iter().zip(counts) {
            // All at infinity: none is nearer than another.
            let weight = count * Some(strength(distance)).filter(|s| !s.is_nan()).unwrap_or(1.0);
            sum += weight;
            match &self.answers {
                Answers::Classes(codes) => out[codes[row as usize] as usize] += weight,
                Answers::Values(values) => {
                    let width = out.len();
                    let values = &values[row as usize * width..(row as usize + 1) * width];
                    out.iter_mut().zip(values).for_each(|(out, v)| *out += weight * v);
                }
            }
        }
        out.iter_mut().for_each(|out| *out /= sum);
    }
}

impl Machine for KnnMachine {
    fn inputs(&self) -> &Features {
        &self.inputs
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let Inputs::Points(queries) = inputs else { return Err(Error::size("inputs", "points", "a table")) };
        let width = self.outputs.names.len();
        let count = queries.len().saturating_mul(width);
        let (mut scores, hold) = run.memory.filled(count, 0.0, "scores")?;
        let answers = self.enough(run, queries)?;
        for ((nearest, counts), out) in answers.iter().zip(scores.chunks_exact_mut(width.max(1))) {
            self.vote(nearest, counts, out);
        }
        Points::dense(base::Buffer::F64(Shared::counted(scores, hold)), queries.len(), width)
    }

    fn record(&self) -> Record {
        let n = self.neighbours.points().len();
        let record = Record::new(Self::KIND, 1)
            .with("k", self.settings.k)
            .with("weighting", self.settings.weighting.word())
            .with("p", self.settings.p)
            .with("method", self.settings.method.word())
            .with("inputs", self.inputs.record())
            .with("outputs", self.outputs.record())
            .with("points", self.neighbours.points().record());
        let record = match &self.answers {
            Answers::Classes(codes) => record.with("codes", codes.clone()),
            Answers::Values(values) => record.with_array("values", &[n, self.outputs.names.len()], values.clone()),
        };
        match &self.weights {
            Some(weights) => record.with_array("weights", &[n], weights.to_vec()),
            None => record,
        }
    }

    fn facets(&self) -> Facets<'_> {
        Facets { graph: Some(self), support: Some(self), ..Facets::default() }
    }
}

impl GraphForm for KnnMachine {
    fn graph(&self, run: &Run<'_>) -> Result<Option<Graph>> {
        let alike = self.settings.weighting == Voting::Uniform && self.settings.p == EUCLID && self.weights.is_none();
        let points = self.neighbours.points();
        let (n, d, width) = (points.len(), points.columns(), self.outputs.names.len());
        if !alike || n == 0 {
            return Ok(None);
        }
        let answers = match &self.answers {
            Answers::Values(values) => values.clone(),
            Answers::Classes(codes) => {
                codes.iter().flat_map(|&c| (0..width).map(move |k| f64::from(u8::from(k == c as usize)))).collect()
            }
        };
        let mut draft = Draft::rows(d);
        let rows = draft.weight("rows", &[n, d], points.to_dense(&run.memory)?.to_vec())?;
        let answers = draft.weight("answers", &[n, width], answers)?;
        let k = draft.wholes("k", &[1], vec![self.settings.k.min(n) as i64])?;
        let distances = draft.node("distances", Op::Distance { q: 2.0 }, &[Draft::INPUT, rows]);
        draft.node_with("nearest", Op::TopK { axis: 1, largest: false }, &[distances, k], 2);
        let places = base::graph::Source::Node(1, 1);
        let votes = draft.node("votes", Op::Gather { axis: 0 }, &[answers, places]);
        let mean = Op::Reduce { reduction: Reduction::Mean, axes: vec![1], keep: false };
        let shares = draft.node("shares", mean, &[votes]);
        draft.graph(shares).map(Some)
    }
}

impl Supported for KnnMachine {
    fn support(&self) -> Support {
        Support { points: self.neighbours.points().len(), rows: None }
    }
}
