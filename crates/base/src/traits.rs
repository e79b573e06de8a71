//! What a learner declares of itself, as one value.
//!
//! A learner that holds another maps the value of what it holds, so that no declaration can be forgotten on the way: a new
//! field is a compile error in [`Traits::behind`], the one place where holders meet it.

use crate::{Dataset, Fitted, Record, Result, Run, Value};

/// What a learner needs, can do and promises.
#[derive(Clone, Copy)]
pub struct Traits<'l> {
    /// What it asks of the data.
    pub needs: Needs,
    /// Whether the machine may depend on the seed of the run, with these settings or others.
    pub random: bool,
    /// Whether a fit can go on from an earlier machine.
    pub warm_start: bool,
    /// Whether a fit puts its state where the run says ([`crate::Checkpoint`]), so that it can be resumed.
    pub checkpoints: bool,
    /// Whether several processes share a fit, so that rank 0 alone has all of the machine where no other needs it
    /// ([`crate::FirstAlone`]).
    pub shared: bool,
    /// Whether it must know what the columns make together: an image, a series, the input of a given network.
    pub needs_shape: bool,
    /// Whether it makes a difference when all rows of a class weigh more.
    pub class_weight: bool,
    /// Whether the units of the columns make no difference: splits ask for the order of values alone, where distances,
    /// penalties and step sizes depend on them.
    pub scale_free: bool,
    /// Settings under which the learner keeps the contract of learners to its tolerances on small data of any sign: those
    /// of a solver that stops early by default, a size that fits a tiny image.
    pub contract: &'static [(&'static str, &'static str)],
    /// Fits of several settings on several sets of rows that share work.
    pub many: Option<&'l dyn FitMany>,
    /// Rows that come in parts, one after the other.
    pub partial: Option<&'l dyn PartialFit>,
    /// What a fit takes beyond its plan.
    pub effort: Effort,
}

/// What a fit takes beyond its plan ([`crate::Plan`]), as measured on the shapes that `benches/run plan` calls chosen, in
/// their middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// How much longer than its operations would as a matrix product: comparing, sorting and passing through memory are
    /// slower than multiplying.
    pub slower: f64,
    /// How many times the bytes it plans.
    pub larger: f64,
    /// Bytes whatever the size.
    pub extra: f64,
    /// Whether it keeps kernel values of rows that moved until a cache is full: the plan tells the most there can be.
    pub keeps_rows: bool,
}

impl Effort {
    /// What was planned.
    pub const PLANNED: Effort = Effort { slower: 1.0, larger: 1.0, extra: 0.0, keeps_rows: false };
}

/// What a learner asks of the data and how it treats weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Which targets.
    pub targets: Wanted,
    /// Whether typed columns of a table are taken.
    pub table: bool,
    /// Whether dense points may have missing values.
    pub missing: bool,
    /// What a weight means.
    pub weights: Weighting,
}

/// Which targets a learner takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// None; what is there is left alone.
    Nothing,
    /// Classes, at least so many of which have rows.
    Classes(usize),
    /// Numbers.
    Values,
    /// Classes or numbers.
    Either,
    /// Sets of labels: none, one or several for each row.
    Labels,
    /// Classes, at least so many of which have rows, or sets of labels.
    ClassesOrLabels(usize),
}

/// What a weight means to a learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting {
    /// Weight 2 is the same as the row twice.
    Exact,
    /// Weight 2 is the same as the row twice, on average over randomness.
    Mean,
    /// Weights other than 0 and 1 are refused.
    None,
}

/// Fits that share work: a kernel matrix for several penalties, a preparation for all settings of what follows it.
pub trait FitMany {
    /// Fits every setting of `fits` on each of its sets of rows, in any order, and hands each machine on with the number
    /// of its setting and of its rows as soon as it is there. The machines are those of single fits.
    fn fit_many(
        &self,
        fits: &Fits<'_>,
        run: &Run<'_>,
        done: &mut dyn FnMut(usize, usize, Fitted) -> Result<()>,
    ) -> Result<()>;
}

/// Several settings, several sets of rows of the same data: the fits of a search.
#[derive(Debug, Clone, Copy)]
pub struct Fits<'a> {
    /// Changes to the settings of the learner.
    pub settings: &'a [Vec<(String, Value)>],
    /// The rows of each fit; without, one fit of all rows.
    pub rows: Option<&'a [Vec<usize>]>,
    /// The data.
    pub data: &'a Dataset,
}

/// Learns from rows that come in parts.
pub trait PartialFit {
    /// One pass over a part of the rows, from the machine of the parts before; call [`crate::fit_part`], which checks the
    /// data. Classes are all that are named, whether the part has rows of them or not.
    fn learn_part(&self, part: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted>;
}

impl<'l> Traits<'l> {
    /// The traits of a learner that needs this and has no more to declare.
    pub fn new(needs: Needs) -> Self {
        Traits {
            needs,
            random: false,
            warm_start: false,
            checkpoints: false,
            shared: false,
            needs_shape: false,
            class_weight: needs.weights != Weighting::None,
            scale_free: false,
            contract: &[],
            many: None,
            partial: None,
            effort: Effort::PLANNED,
        }
    }

    /// The same, and a fit takes so many times longer than planned, so many times the bytes, and so many beside them.
    pub fn effort(self, slower: f64, larger: f64, extra: f64) -> Self {
        Traits { effort: Effort { slower, larger, extra, ..self.effort }, ..self }
    }

    /// The same, and kernel values of rows are kept until a cache is full.
    pub fn keeps_rows(self) -> Self {
        Traits { effort: Effort { keeps_rows: true, ..self.effort }, ..self }
    }

    /// The same, and the seed may matter.
    pub fn random(self) -> Self {
        Traits { random: true, ..self }
    }

    /// The same, and fits can go on from an earlier machine.
    pub fn warm_start(self) -> Self {
        Traits { warm_start: true, ..self }
    }

    /// The same, and fits keep checkpoints.
    pub fn checkpoints(self) -> Self {
        Traits { checkpoints: true, ..self }
    }

    /// The same, and several processes share a fit.
    pub fn shared(self) -> Self {
        Traits { shared: true, ..self }
    }

    /// The same, and the shape of the columns must be known.
    pub fn needs_shape(self) -> Self {
        Traits { needs_shape: true, ..self }
    }

    /// The same, and weights that are equal within each class change nothing.
    pub fn without_class_weight(self) -> Self {
        Traits { class_weight: false, ..self }
    }

    /// The same, and the units of the columns make no difference.
    pub fn scale_free(self) -> Self {
        Traits { scale_free: true, ..self }
    }

    /// The same, and the contract holds under these settings.
    pub fn contract(self, settings: &'static [(&'static str, &'static str)]) -> Self {
        Traits { contract: settings, ..self }
    }

    /// The same, and several fits share work.
    pub fn many(self, many: &'l dyn FitMany) -> Self {
        Traits { many: Some(many), ..self }
    }

    /// The same, and rows may come in parts.
    pub fn partial(self, partial: &'l dyn PartialFit) -> Self {
        Traits { partial: Some(partial), ..self }
    }

    /// The traits of this learner behind a step that prepares its data. What the two do together (several fits, parts)
    /// is for who holds them to say.
    pub fn behind(self, step: &Traits<'_>) -> Traits<'l> {
        let Traits {
            needs,
            random,
            warm_start,
            checkpoints,
            shared,
            needs_shape,
            class_weight,
            scale_free,
            contract,
            many: _,
            partial: _,
            effort,
        } = self;
        Traits {
            needs: Needs { targets: needs.targets, weights: needs.weights, ..step.needs },
            random: random || step.random,
            warm_start,
            checkpoints,
            shared,
            needs_shape: needs_shape || step.needs_shape,
            class_weight,
            scale_free: scale_free && step.scale_free,
            contract,
            many: None,
            partial: None,
            effort,
        }
    }

    /// The traits of this learner when another one fits it on rows of its own choice, as often as it likes, and may look
    /// at the machines on every rank.
    pub fn held(self) -> Traits<'l> {
        Traits { random: true, shared: false, many: None, partial: None, ..self }
    }
}
