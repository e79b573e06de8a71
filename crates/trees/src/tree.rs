//! One decision tree: classification and regression after Breiman and others (CART).
//!
//! From the root on, a node's rows are parted by one question x_j ≤ t, chosen to reduce the impurity most (Gini
//! 1 − Σ p_k², entropy −Σ p_k log₂ p_k, or squared error), until a limit is met, all targets are alike or all rows are.
//! Leaves say the shares of the classes or the mean of the values. Weights are exact: a row of weight 2 is the row twice, also
//! where limits count rows. A gap goes to the side that is better for the rows with gaps at that node; where a node has
//! seen none, to the heavier side.
//!
//! **Cost.** O(rows · columns · depth) after O(rows · log rows) a column. **Memory.** Two to four bytes a cell, sparse
//! inputs included. **Limits.** One tree is easy to read and easily led astray; prune it (`penalty`) or grow a forest.
//!
//! - L. Breiman, J. Friedman, R. Olshen, C. Stone: *Classification and Regression Trees.* 1984.

use crate::boxes::boxes;
use crate::columns::Columns;
use crate::criterion::Criterion;
use crate::grow::{Limits, Task, grow};
use crate::machine::Forest;
use crate::prune::pruned;
use crate::split::{MaxFeatures, tried};
use base::{
    Certificate, Dataset, Error, Fitted, Hold, Learner, Link, Needs, NumberOr, Outputs, Plan, Record, Result, Run,
    Size, Targets, Traits, Wanted, Weighting, settings,
};
use std::sync::Arc;

settings! {
    /// Settings of a decision tree.
    pub struct Tree {
        /// impurity measure
        pub criterion: Criterion = Criterion::Auto, in Range::Any;
        /// maximum depth; 0: no limit
        pub depth: usize = 0, in Range::AtLeast(0.0), as "max_depth";
        /// minimum rows (total weight) of a node to be split
        pub min_split: f64 = 0.0, in Range::AtLeast(0.0), as "min_samples_split";
        /// minimum rows (total weight) in a leaf
        pub min_leaf: f64 = 0.0, in Range::AtLeast(0.0), as "min_samples_leaf";
        /// smallest fraction of the total weight in a leaf
        pub min_share: f64 = 0.0, in Range::Between(0.0, 0.5), as "min_weight_fraction_leaf";
        /// smallest impurity decrease of a split, weighted by the node's fraction of the rows
        pub min_decrease: f64 = 0.0, in Range::AtLeast(0.0), as "min_impurity_decrease";
        /// number of features considered at each split: a number, a fraction below 1, or a word
        pub max_features: NumberOr<MaxFeatures> = NumberOr::Word(MaxFeatures::All), in Range::Positive, was "features";
        /// complexity parameter of cost-complexity pruning: penalty per leaf
        pub penalty: f64 = 0.0, in Range::AtLeast(0.0), as "ccp_alpha", was "alpha";
        /// keep the bounding box of the training rows of each node
        pub boxes: bool = false, in Range::Any;
    }
}

impl Tree {
    /// The limits for `d` columns.
    pub(crate) fn limits(&self, d: usize) -> Result<Limits> {
        Ok(Limits {
            depth: if self.depth == 0 { usize::MAX } else { self.depth },
            min_split: self.min_split,
            min_leaf: self.min_leaf,
            min_share: self.min_share,
            min_decrease: self.min_decrease,
            tried: tried(self.max_features, d)?,
        })
    }

    /// What these data ask to be predicted.
    pub(crate) fn task<'a>(&self, data: &'a Dataset) -> Result<Task<'a>> {
        task(self.criterion, data)
    }
}

/// Targets with their measure; a measure for the other kind of targets is refused.
pub(crate) fn task(criterion: Criterion, data: &Dataset) -> Result<Task<'_>> {
    let wrong = |must: &str| Err(Error::parameter("criterion", criterion.word(), must));
    match (&data.targets, criterion) {
        (Targets::Classes(c), Criterion::Auto | Criterion::Gini) => Ok(Task::Gini(c.codes(), c.names().len())),
        (Targets::Classes(c), Criterion::Entropy) => Ok(Task::Entropy(c.codes(), c.names().len())),
        (Targets::Values(v), Criterion::Auto | Criterion::Squared) => Ok(Task::Squares(v.values(), v.names().len())),
        (Targets::Classes(_), _) => wrong("for classes must be gini or entropy"),
        (Targets::Values(_), _) => wrong("for values must be squared-error"),
        (other, _) => Err(Error::size("targets for a tree", "classes or values", other.type_name())),
    }
}

/// What a machine for these targets says.
pub(crate) fn outputs(data: &Dataset) -> Result<Outputs> {
    match &data.targets {
        Targets::Classes(classes) => Ok(Outputs::classes(classes.names().clone(), Link::Identity)),
        Targets::Values(values) => Ok(Outputs::values(values.names().clone())),
        other => Err(Error::size("targets for a tree", "classes or values", other.type_name())),
    }
}

/// A weight for each row.
pub(crate) fn weights_of(data: &Dataset, run: &Run<'_>) -> Result<(Vec<f64>, Hold)> {
    if u32::try_from(data.len()).is_err() {
        return Err(Error::size("rows for a tree", format!("below {}", u32::MAX), data.len()));
    }
    let (mut weights, hold) = run.memory.filled(data.len(), 1.0, "weights of the rows")?;
    if let Some(given) = &data.weights {
        weights.copy_from_slice(given);
    }
    Ok((weights, hold))
}

impl Learner for Tree {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Either, table: false, missing: true, weights: Weighting::Exact })
            .random()
            .scale_free()
            .effort(48.0, 1.0, 0.0)
    }

    fn learn(&self, data: &Dataset, _start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let (task, outputs, points) = (self.task(data)?, outputs(data)?, data.points()?);
        let (weights, _hold) = weights_of(data, run)?;
        let columns = Columns::new(points, run)?;
        let limits = self.limits(points.columns())?;
        let rows = (0..data.len() as u32).collect();
        let mut tree = grow(&columns, task, rows, &weights, &limits, run.seed.fork("tree"), run)?;
        let run = &run.finishing();
        if self.penalty > 0.0 {
            tree = pruned(tree, self.penalty, outputs.names.len());
        }
        let mut certificate = Certificate {
            converged: !tree.interrupted,
            interrupted: tree.interrupted,
            steps: tree.nodes.len() as u64,
            ..Default::default()
        };
        let leaves = tree.nodes.iter().enumerate().filter(|(_, n)| n.is_leaf());
        let impurity = leaves.map(|(i, _)| tree.weights[i] * tree.impurities[i]).sum::<f64>() / tree.weights[0];
        certificate.objective = Some(impurity);
        certificate.fact("leaves", tree.leaves.count() as f64);
        certificate.fact("depth", tree.depth() as f64);
        let _sides = match self.boxes {
            true => Some(run.memory.take_for::<[f64; 2]>(tree.nodes.len() * points.columns(), "boxes of the nodes")?),
            false => None,
        };
        let sides = self.boxes.then(|| boxes(&tree, &columns));
        let machine = Forest::of(data.features.clone(), outputs, vec![(tree, sides)], run)?;
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (n, d) = (size.rows as f64, size.columns as f64);
        let depth = n.max(2.0).log2() * 1.5;
        let depth = if self.depth > 0 { depth.min(self.depth as f64) } else { depth };
        let tried = self.limits(size.columns).map_or(size.columns, |l| l.tried) as f64;
        let sides = if self.boxes { 32.0 * n * d } else { 0.0 };
        let fit = 20.0 * n * (depth * tried + n.max(2.0).log2() * d);
        Plan { fit, predict: 4.0 * depth, bytes: n * (12.0 * d + 160.0) + sides, advice: None }
    }
}
