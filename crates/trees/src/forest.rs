//! Random forests: the mean of many trees, each grown on a bootstrap sample with a few columns tried at each split.
//!
//! Tree t draws n of the n rows with replacement, from a seed that depends on t alone; trees grow side by side and are
//! joined in order, so that the forest has the same bits on any number of threads. A row drawn twice enters with weight
//! 2, and given weights multiply that: weights are exact on average over the draws. Rows that a tree has not drawn are
//! out of its bag; what these trees say of them is an honest prediction, whose score the certificate gives.
//!
//! **Cost.** That of as many trees, tried columns instead of all. An interrupt or deadline keeps the trees so far.
//!
//! - L. Breiman: *Random forests.* Machine Learning 45 (2001) 5–32.

use crate::boxes::boxes;
use crate::columns::Columns;
use crate::criterion::Criterion;
use crate::grow::{Grown, Limits, Task, grow};
use crate::machine::Forest;
use crate::split::{Draws, MaxFeatures};
use crate::tree::{Tree, outputs, task, weights_of};
use base::{
    Certificate, Dataset, Fitted, Hold, Learner, Needs, NumberOr, Plan, Progress, Record, Result, Run, Size, Traits,
    Wanted, Weighting, argmax, settings,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

settings! {
    /// Settings of a random forest.
    pub struct RandomForest {
        /// number of trees
        pub trees: usize = 100, in Range::Between(1.0, 1e6), as "n_estimators";
        /// impurity measure
        pub criterion: Criterion = Criterion::Auto, in Range::Any;
        /// number of features considered at each split: a number, a fraction below 1, or a word; auto: sqrt for classes, all for values
        pub max_features: NumberOr<MaxFeatures> = NumberOr::Word(MaxFeatures::Auto), in Range::Positive, was "features";
        /// fit each tree to a bootstrap sample of the rows
        pub bootstrap: bool = true, in Range::Any;
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
        /// compute out-of-bag predictions
        pub out_of_bag: bool = true, in Range::Any, as "oob_score";
        /// keep the bounding box of the training rows of each node, for the in-bounds score
        pub boxes: bool = false, in Range::Any;
    }
}

/// What one tree brings home.
struct Grew {
    tree: Grown,
    sides: Option<Vec<f64>>,
    /// Rows out of the bag with the leaf they reach.
    out_of_bag: Vec<(u32, u32)>,
    /// For all of that, until the trees are one machine.
    _hold: Hold,
}

impl RandomForest {
    fn limits(&self, d: usize, classes: bool) -> Result<Limits> {
        let max_features = match self.max_features {
            NumberOr::Word(MaxFeatures::Auto) if classes => NumberOr::Word(MaxFeatures::Sqrt),
            chosen => chosen,
        };
        let RandomForest { depth, min_split, min_leaf, min_share, min_decrease, .. } = *self;
        let tree = Tree { max_features, depth, min_split, min_leaf, min_decrease, ..Tree::default() };
        Tree { min_share, ..tree }.limits(d)
    }

    /// The `t`-th tree.
    fn one(
        &self,
        t: usize,
        columns: &Columns,
        task: Task<'_>,
        given: &[f64],
        limits: &Limits,
        run: &Run<'_>,
    ) -> Result<Grew> {
        let n = columns.rows;
        let seed = run.seed.fork("forest").at(t);
        let (mut weights, _hold) = run.memory.filled(n, 1.0, "a bootstrap sample")?;
        if self.bootstrap {
            weights.fill(0.0);
            let mut draws = Draws::new(seed.fork("rows"));
            (0..n).for_each(|_| weights[draws.below(n)] += 1.0);
        }
        let drawn: Vec<u32> = (0..n as u32).filter(|&r| weights[r as usize] > 0.0).collect();
        let missed: Vec<u32> = match self.out_of_bag {
            true => (0..n as u32).filter(|&r| weights[r as usize] == 0.0).collect(),
            false => vec![],
        };
        weights.iter_mut().zip(given).for_each(|(w, g)| *w *= g);
        let mut tree = grow(columns, task, drawn, &weights, limits, seed.fork("columns"), run)?;
        let out_of_bag: Vec<(u32, u32)> = missed.into_iter().map(|r| (r, tree.leaf(columns, r))).collect();
        let sides = match self.boxes {
            true => {
                let room = tree.nodes.len().saturating_mul(columns.columns.len());
                let _hold = run.memory.take_for::<[f64; 2]>(room, "boxes of the nodes")?;
                Some(boxes(&tree, columns))
            }
            false => None,
        };
        (tree.rows, tree.stretches, tree.cuts) = Default::default();
        (tree.weights, tree.impurities) = Default::default();
        let _hold = run.memory.take(tree.bytes() + size_of_val(&*out_of_bag) as u64, "a grown tree")?;
        Ok(Grew { tree, sides, out_of_bag, _hold })
    }
}

impl Learner for RandomForest {
    fn name(&self) -> &'static str {
        "forest"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Either, table: false, missing: true, weights: Weighting::Mean })
            .random()
            .scale_free()
            .effort(48.0, 1.0, 0.0)
    }

    fn learn(&self, data: &Dataset, _start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let (task, outputs, points) = (task(self.criterion, data)?, outputs(data)?, data.points()?);
        let (given, _hold) = weights_of(data, run)?;
        let columns = Columns::new(points, run)?;
        let limits = self.limits(points.columns(), !matches!(task, Task::Squares(..)))?;
        let (enough, done) = (AtomicBool::new(false), AtomicU64::new(0));
        // Whole trees are kept, so that no piece is given up.
        let grown = numeric::each(&run.finishing(), self.trees, |t| {
            let progress = Progress::of("trees", done.load(Relaxed), self.trees as u64);
            if run.step(&progress)? {
                enough.store(true, Relaxed);
            }
            // The first tree is grown in any case: a forest without trees says nothing.
            if enough.load(Relaxed) && t > 0 {
                return Ok(None);
            }
            let grew = self.one(t, &columns, task, &given, &limits, run)?;
            done.fetch_add(1, Relaxed);
            let cut_short = grew.tree.interrupted;
            if cut_short {
                enough.store(true, Relaxed);
            }
            Ok((t == 0 || !cut_short).then_some(grew))
        })?;
        let run = &run.finishing();
        let grown: Vec<Grew> = grown.into_iter().flatten().collect();
        let interrupted = enough.into_inner();
        let mut certificate =
            Certificate { converged: !interrupted, interrupted, steps: grown.len() as u64, ..Default::default() };
        if self.bootstrap && self.out_of_bag {
            judge_out_of_bag(&grown, data, task, &given, &mut certificate, run)?;
        }
        let leaves: usize = grown.iter().map(|g| g.tree.leaves.count()).sum();
        certificate.fact("trees", grown.len() as f64);
        certificate.fact("leaves per tree", leaves as f64 / grown.len() as f64);
        let trees = grown.into_iter().map(|g| (g.tree, g.sides)).collect();
        let machine = Forest::of(data.features.clone(), outputs, trees, run)?;
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let (n, d, trees) = (size.rows as f64, size.columns as f64, self.trees as f64);
        let depth = n.max(2.0).log2() * 1.5;
        let depth = if self.depth > 0 { depth.min(self.depth as f64) } else { depth };
        // Whether these are classes is not known here: more than one output is taken for classes.
        let tried = self.limits(size.columns, size.outputs > 1).map_or(size.columns, |l| l.tried) as f64;
        let sides = if self.boxes { 32.0 * n * d * trees } else { 0.0 };
        Plan {
            fit: 20.0 * n * (trees * depth * tried + n.max(2.0).log2() * d),
            predict: 4.0 * depth * trees,
            bytes: n * (12.0 * d + 160.0 + 40.0 * trees) + sides,
            advice: None,
        }
    }
}

/// Predicts each row by the trees that have not drawn it, and says how well.
fn judge_out_of_bag(
    grown: &[Grew],
    data: &Dataset,
    task: Task<'_>,
    weights: &[f64],
    certificate: &mut Certificate,
    run: &Run<'_>,
) -> Result<()> {
    let n = data.len();
    let k = match task {
        Task::Gini(_, k) | Task::Entropy(_, k) | Task::Squares(_, k) => k,
    };
    let (mut sums, _hold) = run.memory.filled(n.saturating_mul(k), 0.0, "predictions out of the bag")?;
    let (mut votes, _votes) = run.memory.filled(n, 0u32, "votes out of the bag")?;
    for grew in grown {
        for &(row, leaf) in &grew.out_of_bag {
            grew.tree.leaves.add(leaf as usize, 1.0, &mut sums[row as usize * k..(row as usize + 1) * k]);
            votes[row as usize] += 1;
        }
    }
    let rows: Vec<usize> = (0..n).filter(|&r| votes[r] > 0).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let said = |r: usize| &sums[r * k..(r + 1) * k];
    let whole: f64 = rows.iter().map(|&r| weights[r]).sum();
    match task {
        Task::Gini(codes, _) | Task::Entropy(codes, _) => {
            let classes: Vec<u32> = rows.iter().map(|&r| argmax(said(r))).collect();
            let right = rows.iter().zip(&classes).filter(|&(&r, &c)| codes[r] == c);
            certificate.fact("out-of-bag accuracy", right.map(|(&r, _)| weights[r]).sum::<f64>() / whole);
        }
        Task::Squares(values, _) => {
            let mean = |c: usize| rows.iter().map(|&r| weights[r] * values[r * k + c]).sum::<f64>() / whole;
            let (mut left, mut all) = (0.0, 0.0);
            for c in 0..k {
                let centre = mean(c);
                for &r in &rows {
                    let y = values[r * k + c];
                    left += weights[r] * (y - said(r)[c] / f64::from(votes[r])).powi(2);
                    all += weights[r] * (y - centre).powi(2);
                }
            }
            certificate.fact("out-of-bag mse", left / (whole * k as f64));
            if all > 0.0 {
                certificate.fact("out-of-bag r2", 1.0 - left / all);
            }
        }
    }
    Ok(())
}
