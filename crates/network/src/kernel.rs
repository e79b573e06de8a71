//! What an operation must be able to do.

use crate::number::Number;
use crate::pool::{Fresh, Pool};
use base::graph::{Element, Tensor};
use base::{Error, Result, Run, Seed};

/// Type and shape of a tensor before it exists.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorForm {
    /// The type of its numbers.
    pub element: Element,
    /// Its sizes.
    pub shape: Vec<usize>,
}

impl TensorForm {
    /// That type and shape.
    pub fn new(element: Element, shape: impl Into<Vec<usize>>) -> Self {
        TensorForm { element, shape: shape.into() }
    }

    /// How many numbers; an error if there are so many that no buffer could hold them.
    pub fn count(&self) -> Result<usize> {
        let product = self.shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
        let most = isize::MAX as u64 / self.element.bytes();
        product.filter(|&n| n as u64 <= most).ok_or_else(|| {
            Error::size("numbers of a tensor", "a number this machine can count to", format!("{:?}", self.shape))
        })
    }
}

/// What is known of an input before anything runs: its form, and its numbers if they do not depend on what goes in.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub form: TensorForm,
    pub value: Option<Tensor>,
}

impl Known {
    /// The whole numbers of an input that must be known, such as a shape.
    pub fn wholes(&self, what: &str) -> Result<&[i64]> {
        self.value.as_ref().and_then(Tensor::wholes).ok_or_else(|| {
            Error::unsupported(format!("{what} that depends on the data"), "this network", "it must be a constant")
        })
    }
}

/// What an operation may use while it runs.
pub(crate) struct Context<'a> {
    /// Threads, memory, cancel.
    pub run: &'a Run<'a>,
    /// Buffers to use again.
    pub pool: &'a Pool,
    /// The source of what is drawn while training (dropout); none while predicting.
    pub training: Option<Seed>,
}

impl Context<'_> {
    /// A buffer to fill; what it holds at first is not said.
    pub fn take<T: Number>(&self, length: usize) -> Result<Fresh<T>> {
        self.pool.take(length, &self.run.memory)
    }

    /// A buffer of zeros.
    pub fn zeros<T: Number>(&self, length: usize) -> Result<Fresh<T>> {
        let mut fresh = self.take(length)?;
        fresh.values.fill(T::default());
        Ok(fresh)
    }
}

/// The inputs of a node; none for an optional one that is not there.
pub(crate) type Inputs<'a> = [Option<&'a Tensor>];

/// An operation: shapes, run, pull back. Inputs have been checked against the operation's arity.
pub(crate) trait Kernel {
    /// The forms of what comes out, or why this cannot be.
    fn forms(&self, inputs: &[Option<&Known>], outputs: usize) -> Result<Vec<TensorForm>>;

    /// What comes out where only forms are known, as of an operation that looks at shapes alone; none as a rule.
    fn known(&self, _inputs: &[Option<&Known>]) -> Result<Option<Vec<Tensor>>> {
        Ok(None)
    }

    /// Whether the same inputs always give the same outputs, in training too.
    fn is_steady(&self) -> bool {
        true
    }

    /// What comes out, in the forms that were said.
    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>>;

    /// Pulls gradients of the outputs back to those inputs that are `wanted`; an output without a gradient has none.
    ///
    /// An input without a slope (whole numbers, a rounding) answers with none, which is a slope of zero.
    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>>;
}

/// A run of an operation that gradients are pulled back through.
pub(crate) struct Call<'a> {
    /// What went in.
    pub inputs: &'a Inputs<'a>,
    /// What came out.
    pub outputs: &'a [Tensor],
    /// The gradient of each output, if there is one.
    pub gradients: &'a [Option<Tensor>],
    /// Which inputs' gradients are asked for.
    pub wanted: &'a [bool],
}

impl Call<'_> {
    /// The gradient of the only output.
    pub fn gradient(&self) -> Option<&Tensor> {
        self.gradients.first().and_then(Option::as_ref)
    }

    /// Whether the gradient of that input is asked for.
    pub fn wants(&self, input: usize) -> bool {
        self.wanted.get(input).copied().unwrap_or(false)
    }
}

/// An input that the arity says is there.
pub(crate) fn needed<T>(inputs: &[Option<T>], i: usize) -> Result<&T> {
    inputs.get(i).and_then(Option::as_ref).ok_or_else(|| Error::size("inputs of a node", i + 1, inputs.len()))
}

/// An axis counted from the first, of that many.
pub(crate) fn axis(axis: i64, rank: usize) -> Result<usize> {
    let place = if axis < 0 { axis + rank as i64 } else { axis };
    match usize::try_from(place) {
        Ok(place) if place < rank => Ok(place),
        _ => Err(Error::parameter("axis", axis, format!("must be one of the {rank} axes"))),
    }
}
