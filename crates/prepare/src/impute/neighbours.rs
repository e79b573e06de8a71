//! Gaps filled from the nearest rows: their mean (k nearest neighbours), or one of them by chance (hot deck).
//!
//! Near is measured by the partial distance over the columns both rows have, scaled up to all columns (`partial.rs`).
//! **Neighbours:** a gap becomes the mean of the k nearest rows that have a value there, each alike or with weight
//! 1/distance (rows at distance 0 then count alone). Where no such row shares a column with the query, the column's mean
//! stands in. **Hot deck:** one row drawn from the k nearest that have everything the query lacks gives all its values,
//! so that they belong together; where none shares a column with the query, from all rows, and where no row has
//! everything, each gap is drawn by itself. **Cold deck:** the machine is the deck; fitted on other data it is a cold one.
//!
//! **Weights.** A row of weight w stands for w equal rows: rows are taken in order until their weights add up to k.
//! **Cost.** A fit keeps the rows. A row with g gaps costs 6 n d operations by products and g n looks.
//! **Limits.** The machine carries all training rows; columns of unlike scale should be scaled before.
//!
//! - O. Troyanskaya et al.: *Missing value estimation methods for DNA microarrays.* Bioinformatics 17 (2001) 520–525.
//! - R. R. Andridge, R. J. A. Little: *A review of hot deck imputation.* Int. Stat. Rev. 78 (2010) 40–64.

use super::gaps;
use super::partial::{Found, Partial, Query};
use base::{
    Buffer, Certificate, Dataset, Dense, Facets, Features, Fitted, Inputs, Learner, Machine, Missing, Needs, Outputs,
    Plan, Points, PreparationStep, Progress, Record, Result, Run, Seed, Shared, Size, Support, Supported, Traits,
    Wanted, Weighting,
};
use distance::Voting;
use numeric::Moments;
use std::sync::Arc;

base::settings! {
    /// Settings of filling missing values with the mean of the nearest rows.
    pub struct ImputeKnn {
        /// number of neighbours to average
        pub k: usize = 5, in Range::AtLeast(1.0), as "n_neighbors";
        /// weight of each neighbour
        pub weighting: Voting = Voting::Uniform, in Range::Any, as "weights";
    }
}

base::settings! {
    /// Settings of filling missing values from a random near row.
    pub struct ImputeHotDeck {
        /// number of nearest rows to sample a donor from
        pub k: usize = 5, in Range::AtLeast(1.0), as "n_neighbors";
    }
}

/// What near rows give.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Gift {
    Mean(Voting),
    Draw(Seed),
}

macro_rules! learner {
    ($type:ty, $name:literal, $random:literal, |$me:ident, $run:ident| $gift:expr) => {
        impl Learner for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn traits(&self) -> Traits<'_> {
                let needs = Needs { targets: Wanted::Nothing, table: false, missing: true, weights: Weighting::Exact };
                Traits { random: $random, ..Traits::new(needs) }
            }

            fn learn(&self, data: &Dataset, _: Option<&Record>, $run: &Run<'_>) -> Result<Fitted> {
                let $me = self;
                fit(data, self.k, $gift, $run)
            }

            fn plan(&self, size: &Size) -> Plan {
                let (n, d) = (size.rows as f64, size.columns as f64);
                Plan { fit: 4.0 * n * d, predict: 6.0 * n * d, bytes: 32.0 * n * d + 32e6, advice: None }
            }
        }
    };
}

learner!(ImputeKnn, "impute-knn", false, |me, _run| Gift::Mean(me.weighting));
learner!(ImputeHotDeck, "impute-hot-deck", true, |_me, run| Gift::Draw(run.seed.fork("hot deck")));

fn fit(data: &Dataset, k: usize, gift: Gift, run: &Run<'_>) -> Result<Fitted> {
    let points = data.points()?;
    let (n, d) = (points.len(), points.columns());
    let dense = match points {
        Points::Dense(dense) => dense.clone(),
        Points::Sparse(_) => Dense::new(Buffer::F64(points.to_dense(&run.memory)?), n, d)?,
    };
    let mut certificate = Certificate::direct();
    gaps::certify(&mut certificate, data)?;
    let moments = Moments::of(points, data.weights.as_deref());
    let weight = data.weights.as_ref().map_or(n as f64, |w| w.iter().sum());
    if weight < k as f64 {
        certificate.warn(format!("k = {k} exceeds the total weight of the rows ({weight}); all of them are used"));
    }
    let features = data.features.clone();
    let machine = Deck {
        outputs: Outputs::same(&features),
        features,
        dense,
        weights: data.weights.clone(),
        k,
        gift,
        means: moments.mean,
    };
    Ok(Fitted { machine: Arc::new(machine), certificate })
}

/// Training rows that give their values to the gaps of others.
pub struct Deck {
    features: Features,
    outputs: Outputs,
    dense: Dense,
    weights: Option<Shared<f64>>,
    k: usize,
    gift: Gift,
    means: Vec<f64>,
}

impl Deck {
    /// The kind of its record.
    pub const KIND: &'static str = "deck";

    /// A machine from plain data; everything is checked.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let features = gaps::read_features(record)?;
        let Points::Dense(dense) = Points::read(record.part("points")?, features.count(), true)? else {
            return Err(record.broken("dense points are expected"));
        };
        let (n, d, k) = (dense.len(), dense.columns(), record.count("k")?);
        if n == 0 || k == 0 {
            return Err(record.broken(format!("{n} rows and k = {k}")));
        }
        let gift = match record.text("gift")? {
            "draw" => Gift::Draw(gaps::read_seed(record)?),
            word => Gift::Mean(Voting::from_word(word).ok_or_else(|| {
                record.broken(format!(
                    "unknown donor mode \
                 {word:?}"
                ))
            })?),
        };
        let weights = match record.has("weights") {
            true => Some(gaps::read_finite(record, "weights", &[n])?),
            false => None,
        };
        if weights.iter().flatten().any(|w| *w <= 0.0) {
            return Err(record.broken("rows have positive weights"));
        }
        let means = gaps::read_finite(record, "means", &[d])?;
        Ok(Deck {
            outputs: Outputs::same(&features),
            features,
            dense,
            weights: weights.map(Into::into),
            k,
            gift,
            means,
        })
    }

    fn weight(&self, j: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[j])
    }

    /// The nearest rows that have what is needed and together weigh k, with how much each counts.
    fn near(&self, partial: &Partial<'_>, query: &Query<'_>, columns: &[usize]) -> (Found, Vec<f64>) {
        let need = partial.need(columns);
        let mut asked = self.k.min(self.dense.len());
        loop {
            let found = partial.nearest(query, &need, asked);
            let mut missing = self.k as f64;
            let mut counts = Vec::with_capacity(found.len());
            for &(_, j) in &found {
                if missing <= 0.0 {
                    break;
                }
                counts.push(self.weight(j).min(missing));
                missing -= self.weight(j);
            }
            // Rows that weigh less than 1 ask for more of them.
            if missing <= 0.0 || found.len() < asked || asked >= self.dense.len() {
                return (found, counts);
            }
            asked = asked.saturating_mul(2).min(self.dense.len());
        }
    }

    fn fill(&self, partial: &Partial<'_>, query: &Query<'_>, row: &[f64], values: &[f64], out: &mut [f64]) {
        let d = row.len();
        let holes: Vec<usize> = (0..d).filter(|&c| row[c].is_nan()).collect();
        match self.gift {
            Gift::Mean(voting) => {
                for &c in &holes {
                    let (found, counts) = self.near(partial, query, &[c]);
                    out[c] = mean(voting, &found, &counts, |j| values[j * d + c]).unwrap_or(self.means[c]);
                }
            }
            Gift::Draw(seed) => {
                let seed = gaps::row_seed(seed, row);
                if let Some(j) = self.donor(partial, query, &holes, seed) {
                    holes.iter().for_each(|&c| out[c] = values[j * d + c]);
                    return;
                }
                for &c in &holes {
                    let donor = self.donor(partial, query, &[c], seed.at(c));
                    out[c] = donor.map_or(self.means[c], |j| values[j * d + c]);
                }
            }
        }
    }

    /// A row that has these columns, by chance: one of the nearest, or any if none shares a column with the query.
    fn donor(&self, partial: &Partial<'_>, query: &Query<'_>, columns: &[usize], seed: Seed) -> Option<usize> {
        let (found, counts) = self.near(partial, query, columns);
        let near = found.iter().map(|x| x.1).zip(counts).collect();
        let need = partial.need(columns);
        let anyone = || (0..self.dense.len()).filter(|&j| partial.has(j, &need)).map(|j| (j, self.weight(j))).collect();
        drawn(near, seed).or_else(|| drawn(anyone(), seed))
    }
}

/// The weighted mean of what the rows found give; none if there are none.
fn mean(voting: Voting, found: &Found, counts: &[f64], value: impl Fn(usize) -> f64) -> Option<f64> {
    let nearest = found.first()?.0;
    let strength = |square: f64| match (voting, nearest == 0.0) {
        (Voting::Uniform, _) => 1.0,
        (Voting::Distance, true) => f64::from(u8::from(square == 0.0)),
        // Relative to the nearest, so that nothing overflows; all at infinity are alike.
        (Voting::Distance, false) => Some((nearest / square).sqrt()).filter(|s| !s.is_nan()).unwrap_or(1.0),
    };
    let shares: Vec<f64> = found.iter().zip(counts).map(|(x, count)| count * strength(x.0)).collect();
    let total: f64 = shares.iter().sum();
    Some(found.iter().zip(&shares).map(|(x, share)| share / total * value(x.1)).sum())
}

/// One of the rows, with probability proportional to its weight; none if there are none.
fn drawn(rows: Vec<(usize, f64)>, seed: Seed) -> Option<usize> {
    let mut left = seed.unit() * rows.iter().map(|r| r.1).sum::<f64>();
    let chosen = rows.iter().find(|(_, weight)| {
        left -= weight;
        left < 0.0
    });
    chosen.or(rows.last()).map(|r| r.0)
}

impl Machine for Deck {
    fn inputs(&self) -> &Features {
        &self.features
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        gaps::filled(inputs, run, |out| {
            let d = self.features.count();
            let holed: Vec<usize> =
                (0..out.len() / d).filter(|i| out[i * d..(i + 1) * d].iter().any(|x| x.is_nan())).collect();
            if holed.is_empty() {
                return Ok(());
            }
            let values = self.dense.values().to_f64(&run.memory)?;
            let partial = Partial::new(run, &values, d, self.means.clone())?;
            let n = self.dense.len();
            let block = partial.block();
            let (mut products, _hold) =
                run.memory.filled(block.min(holed.len()).saturating_mul(n), 0.0, "distances")?;
            let _bounds =
                run.memory.take_for::<f64>(n.saturating_mul(2 * numeric::threads(run)), "bounds of distances")?;
            for (b, rows) in holed.chunks(block).enumerate() {
                run.report(&Progress::of("neighbours", (b * block) as u64, holed.len() as u64))?;
                let queries: Vec<&[f64]> = rows.iter().map(|i| &out[i * d..(i + 1) * d]).collect();
                partial.products(run, &queries, &mut products[..rows.len() * n])?;
                let filled = numeric::each(run, rows.len(), |q| {
                    let query = partial.query(queries[q], &products[q * n..(q + 1) * n]);
                    let mut row = queries[q].to_vec();
                    self.fill(&partial, &query, queries[q], &values, &mut row);
                    Ok(row)
                })?;
                rows.iter().zip(filled).for_each(|(i, row)| out[i * d..(i + 1) * d].copy_from_slice(&row));
            }
            Ok(())
        })
    }

    fn record(&self) -> Record {
        let (n, d) = (self.dense.len(), self.features.count());
        let (word, seed) = match self.gift {
            Gift::Mean(voting) => (voting.word(), None),
            Gift::Draw(seed) => ("draw", Some(gaps::seed_field(seed))),
        };
        let record = Record::new(Self::KIND, 2)
            .with("inputs", self.features.record())
            .with("points", Points::Dense(self.dense.clone()).record())
            .with("k", self.k)
            .with("gift", word)
            .with_some("seed", seed)
            .with_array("means", &[d], self.means.clone());
        match &self.weights {
            Some(weights) => record.with_array("weights", &[n], weights.to_vec()),
            None => record,
        }
    }

    fn facets(&self) -> Facets<'_> {
        Facets { missing: Missing::HANDLED, support: Some(self), step: Some(self), ..Facets::default() }
    }
}

impl Supported for Deck {
    fn support(&self) -> Support {
        Support { points: self.dense.len(), rows: None }
    }
}

impl PreparationStep for Deck {
    fn origin(&self) -> Option<base::Origin> {
        Some(base::Origin::same(&self.features))
    }

    fn restore(&self, outputs: &Points, _run: &Run<'_>) -> Result<Option<Inputs>> {
        Ok(Some(Inputs::Points(outputs.clone())))
    }
}
