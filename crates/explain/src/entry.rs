//! A method of explanation, described once: its names, what it asks of a machine, which settings it looks at, whether it
//! adds up, and the function that explains.
//!
//! Fitness, choice, settings, accounts and answers all read this description and know no method by name. The table of all
//! methods is in `method.rs`; one that is in no table is asked through [`explain_with_entry`](crate::explain_with_entry).

use crate::class::Class;
use crate::rows::{Case, Rows};
use crate::tuning::Tuning;
use crate::walks::Route;
use crate::{OneClass, Subject};
use base::graph::Op;
use base::{Points, Relevance, Result, Run};

/// A method.
#[derive(Debug)]
pub struct Entry {
    /// The word people write.
    pub name: &'static str,
    /// What it is called elsewhere.
    pub aliases: &'static [&'static str],
    /// What it says, in a line.
    pub about: &'static str,
    /// The settings of [`Tuning`] that it looks at.
    pub settings: &'static [&'static str],
    /// What relevance is told of.
    pub over: Over,
    /// What it asks of a machine.
    pub needs: Needs,
    /// When attributions sum to the score, but for what constants absorb.
    pub adds_up: AddsUp,
    /// What lists say behind `about` where they do not.
    pub if_not: &'static str,
    /// p, where attributions of c·f are c^p times those of f.
    pub degree: fn(&Tuning) -> i32,
    /// Times that a row goes through the machine, about.
    pub passes: fn(&Tuning) -> usize,
    /// Whether it is drawn and looks at nothing: copies are then drawn anew, and rows are numbered all together.
    pub drawn: bool,
    /// Whether it is judged where nobody says which methods are.
    pub usual: Usual,
    /// The method itself.
    pub explain: Explain,
}

impl Entry {
    /// A method over columns that does not add up, looks at no settings and passes a row a few times; entries say what is
    /// different.
    pub const fn new(name: &'static str, about: &'static str, needs: Needs, explain: Explain) -> Self {
        Entry {
            name,
            aliases: &[],
            about,
            settings: &[],
            over: Over::Columns,
            needs,
            adds_up: AddsUp::Never,
            if_not: "; does not add up",
            degree: |_| 1,
            passes: |_| 4,
            drawn: false,
            usual: Usual::No,
            explain,
        }
    }

    /// Whether it tells a detector's outlierness, which is one number, whatever the columns are.
    pub(crate) fn tells_one_number(&self) -> bool {
        match self.explain {
            Explain::Score(_) | Explain::Gradient(_) | Explain::Detector(_) | Explain::Either { .. } => true,
            Explain::Rows(_) | Explain::Walk(_) => false,
        }
    }

    /// The walk through a network, if it is one.
    pub(crate) fn walk(&self) -> Option<&Route> {
        match &self.explain {
            Explain::Walk(walk) => Some(walk),
            Explain::Score(_) | Explain::Gradient(_) | Explain::Detector(_) => None,
            Explain::Either { .. } | Explain::Rows(_) => None,
        }
    }
}

/// What relevance is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The columns that the machine takes.
    Columns,
    /// The training points that it rests on.
    Support,
}

/// What a method asks of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Scores, which every machine has.
    Nothing,
    /// A detector that is a weighted sum of radial kernels.
    Density,
    /// Scores that are sums over training points.
    Support,
    /// A gradient.
    Gradient,
    /// A gradient, and points to look for a root towards.
    Root,
    /// A form as a network; a walk also asks for a rule for each of its operations.
    Network,
    /// The same with a gradient, since steps would stop it.
    SmoothNetwork,
    /// A network with a convolution, for pictures.
    LastConvolution,
    /// A picture.
    Picture,
    /// Few parts, so that all sets of them can be counted.
    FewParts,
}

/// When attributions sum to the score, but for what constants absorb.
#[derive(Debug, Clone, Copy)]
pub enum AddsUp {
    /// Wherever the method fits.
    Always,
    /// Where gradients account for all that the score changes by.
    Smooth,
    /// Where every operation on the way from the score to the inputs keeps what it is given.
    Through(fn(&Op, Class) -> bool),
    /// Not in general.
    Never,
}

/// Whether a method is judged where nobody says which are, and at which place it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usual {
    /// Only where it is asked for.
    No,
    /// For detectors that are explained in closed form.
    Detectors(u8),
    /// For all other machines, as far as it fits.
    Machines(u8),
}

/// Explains one score of some rows.
pub type OfScore = fn(&Case<'_>, &Run<'_>) -> Result<Relevance>;
/// Explains a detector's outlierness.
pub type OfDetector = fn(&OneClass, &Points, &Run<'_>) -> Result<Relevance>;
/// Explains one output of a machine.
pub type OfOutput = fn(&Subject<'_>, &Points, usize, &Run<'_>) -> Result<Relevance>;

/// The method itself, by what it looks at.
#[derive(Debug)]
pub enum Explain {
    /// Scores alone, whatever gives them: one output of a machine, or outlierness.
    Score(OfScore),
    /// The same with gradients.
    Gradient(OfScore),
    /// A detector's outlierness and nothing else.
    Detector(OfDetector),
    /// Outlierness in one way, outputs of other machines in another.
    Either {
        /// Of a detector.
        detector: OfDetector,
        /// Of one output.
        output: OfOutput,
    },
    /// All rows together, each with the output asked for.
    Rows(fn(&Rows<'_>, &[usize], &Run<'_>) -> Result<Relevance>),
    /// A walk back through the machine's network; several share each of its runs.
    Walk(Route),
}
