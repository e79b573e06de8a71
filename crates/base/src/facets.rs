//! What a machine offers beyond its outputs, as one value: each facet is there or not, and nobody asks for a type.
//!
//! A machine that holds others composes their facets; a chain does so once for all of them (`chain.rs`).

use crate::graph::Graph;
use crate::{Error, Explains, Inputs, Origin, Points, Result, Run, Shared};

/// The optional abilities of a machine.
#[derive(Clone, Copy, Default)]
pub struct Facets<'m> {
    /// What becomes of missing values.
    pub missing: Missing,
    /// The gradient with respect to the inputs.
    pub gradient: Option<&'m dyn Gradient>,
    /// The form as a network.
    pub graph: Option<&'m dyn GraphForm>,
    /// The training points it carries within itself.
    pub support: Option<&'m dyn Supported>,
    /// Explanations of its own, in the columns it takes.
    pub explains: Option<&'m dyn Explains>,
    /// A step of preparation that keeps columns apart.
    pub step: Option<&'m dyn PreparationStep>,
}

/// What a machine does with missing values (NaN) of dense inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Missing {
    /// Whether they may go in.
    pub admits: bool,
    /// Whether they may come out again, for the next machine to handle.
    pub passes: bool,
}

impl Missing {
    /// They are refused.
    pub const REFUSED: Missing = Missing { admits: false, passes: false };
    /// They are handled, and none comes out.
    pub const HANDLED: Missing = Missing { admits: true, passes: false };
    /// They go through.
    pub const PASSED: Missing = Missing { admits: true, passes: true };

    /// They go through if so, and are refused if not.
    pub fn passed_if(admits: bool) -> Self {
        Missing { admits, passes: admits }
    }
}

/// Vector-Jacobian products.
pub trait Gradient {
    /// Writes Σ_k direction_k · ∂output_k/∂x of every row x to `out`: rows x outputs in, rows x inputs out.
    fn vjp(&self, points: &Points, direction: &[f64], out: &mut [f64], run: &Run<'_>) -> Result<()>;
}

/// Goes over the rows of a block for gradients that are written down for one row: x, its direction, what comes out.
pub fn vjp_by_row(
    points: &Points,
    direction: &[f64],
    out: &mut [f64],
    run: &Run<'_>,
    mut row: impl FnMut(&[f64], &[f64], &mut [f64]),
) -> Result<()> {
    let (n, d) = (points.len(), points.columns());
    if n == 0 {
        return Ok(());
    }
    if out.len() != n * d || !direction.len().is_multiple_of(n) {
        return Err(Error::size("numbers of a gradient", n * d, out.len()));
    }
    let width = direction.len() / n;
    let mut x = vec![0.0; d];
    for (i, (direction, out)) in direction.chunks_exact(width.max(1)).zip(out.chunks_exact_mut(d.max(1))).enumerate() {
        run.check()?;
        points.write_row(i, &mut x);
        row(&x, direction, out);
    }
    Ok(())
}

/// A machine as a network.
pub trait GraphForm {
    /// An input of (rows, columns) in double precision, and an output of (rows, columns of the outputs), which computes what
    /// the machine computes, up to rounding; none where these settings of the machine have no such form.
    fn graph(&self, run: &Run<'_>) -> Result<Option<Graph>>;
}

/// A machine that carries training points: a matter of privacy as well as of explanation.
pub trait Supported {
    /// Which.
    fn support(&self) -> Support;

    /// How much each of them adds to the scores, where scores are such sums.
    fn sums(&self) -> Option<&dyn BySupport> {
        None
    }
}

/// Which training points a machine carries.
#[derive(Debug, Clone, PartialEq)]
pub struct Support {
    /// How many training rows can be read out of the machine.
    pub points: usize,
    /// Their place in the training data, where known.
    pub rows: Option<Shared<u64>>,
}

/// Tells how much each training point a machine carries adds to a score.
pub trait BySupport: Send + Sync {
    /// The parts of output `output` for each row.
    fn contributions(&self, points: &Points, output: usize, run: &Run<'_>) -> Result<Contributions>;

    /// The training points, in the order of the contributions.
    fn points(&self) -> &Points;
}

/// A score as a sum over training points.
#[derive(Debug, Clone)]
pub struct Contributions {
    /// Rows x training points.
    pub values: Points,
    /// What is added to all rows alike.
    pub offset: f64,
}

/// A step of preparation whose outputs belong to columns.
pub trait PreparationStep {
    /// Which columns the columns that come out belong to.
    fn origin(&self) -> Option<Origin>;

    /// Inputs that give these outputs, as far as that can be told: what a prepared row looked like. What is lost (a word's
    /// place, a missing value that was filled) is left out.
    fn restore(&self, _outputs: &Points, _run: &Run<'_>) -> Result<Option<Inputs>> {
        Ok(None)
    }
}
