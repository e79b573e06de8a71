//! How good a split is: what every criterion answers.

base::choices! {
    /// What a split should reduce.
    pub enum Criterion {
        /// Gini impurity for classes, squared error for values.
        Auto = "auto",
        /// Classes: 1 − Σ p_k².
        Gini = "gini",
        /// Classes: −Σ p_k log₂ p_k.
        Entropy = "entropy",
        /// Values: mean of the squared deviations from the mean, summed over the values.
        Squared = "squared-error",
    }
}

/// The targets of one node, while its rows move from the right side of a split to the left one by one.
pub trait Judge {
    /// Takes the rows of a node; `weights` has one for each row of the data.
    fn load(&mut self, rows: &[u32], weights: &[f64]);

    /// The weight of the node's rows.
    fn weight(&self) -> f64;

    /// Whether all rows have the same target.
    fn pure(&self) -> bool;

    /// The impurity of the node.
    fn impurity(&self) -> f64;

    /// What a leaf here says, as outputs and their values; outputs of value 0 are left out.
    fn leaf(&self, out: &mut Vec<(u32, f64)>);

    /// Puts all rows on the right.
    fn reset(&mut self);

    /// Moves the row at `place` of the node to the left.
    fn add(&mut self, place: usize);

    /// The weight of the left side.
    fn left(&self) -> f64;

    /// Weight times decrease of impurity, up to a number that is the same for all splits of the node.
    fn score(&self) -> f64;

    /// Scores that differ by less are equal up to rounding.
    fn tolerance(&self) -> f64;

    /// Weight times decrease of impurity of a split with that score.
    fn gain(&self, score: f64) -> f64;
}
