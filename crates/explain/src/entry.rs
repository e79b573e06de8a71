//! A method of explanation, described once: its names, what it asks of a machine, which settings it looks at, whether it
//! adds up, and the function that explains.
//!
//! Fitness, choice, settings, accounts and answers all read this description and know no method by name. The table of all
//! methods is in `method.rs`; one that is in no table is asked through [`explain_with_entry`](crate::explain_with_entry).

use crate::Subject;
use crate::rows::{Case, Rows};
use crate::tuning::Tuning;
use crate::walks::Route;
use base::graph::{Class, Op};
use base::{Explainer, Over, OwnMethod, Points, Relevance, Result, Run};

/// A method.
#[derive(Debug, Clone, Copy)]
pub struct MethodEntry {
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
    pub needs: MethodNeeds,
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

impl MethodEntry {
    /// A method over columns that does not add up, looks at no settings and passes a row a few times; entries say what is
    /// different.
    pub const fn new(name: &'static str, about: &'static str, needs: MethodNeeds, explain: Explain) -> Self {
        MethodEntry {
            name,
            aliases: &[],
            about,
            settings: &[],
            over: Over::Columns,
            needs,
            adds_up: AddsUp::Never,
            if_not: "; not conservative",
            degree: |_| 1,
            passes: |_| 4,
            drawn: false,
            usual: Usual::No,
            explain,
        }
    }

    /// A machine's own method, which no table names.
    pub(crate) const fn own(method: &OwnMethod) -> Self {
        MethodEntry {
            over: method.over,
            adds_up: if method.adds_up { AddsUp::Always } else { AddsUp::Never },
            ..MethodEntry::new(method.name, method.about, MethodNeeds::Own("suitable machines"), Explain::Own(None))
        }
    }

    /// The walk through a network, if it is one.
    pub(crate) fn walk(&self) -> Option<&Route> {
        match &self.explain {
            Explain::Walk(walk) => Some(walk),
            Explain::Score(_) | Explain::Gradient(_) | Explain::Quantity(_) => None,
            Explain::Either { .. } | Explain::Own(_) | Explain::Rows(_) => None,
        }
    }
}

/// What a method asks of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodNeeds {
    /// Scores, which every machine has.
    Nothing,
    /// A machine that explains itself by the method of this name; with the machines that do.
    Own(&'static str),
    /// A number of the machine's own that is measured from weighted points.
    References,
    /// The machine's own method of this name, or scores that are sums over training points.
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
    /// For machines that explain a number of their own, as detectors do.
    Quantities(u8),
    /// For all other machines, as far as it fits.
    Machines(u8),
}

/// Explains one score of some rows.
pub type OfScore = fn(&Case<'_>, &Run<'_>) -> Result<Relevance>;
/// Explains a number of the machine's own.
pub type OfQuantity = fn(&dyn Explainer, &Points, &Run<'_>) -> Result<Relevance>;
/// Explains one output of a machine.
pub type OfOutput = fn(&Subject<'_>, &Points, usize, &Run<'_>) -> Result<Relevance>;

/// The method itself, by what it looks at.
#[derive(Debug, Clone, Copy)]
pub enum Explain {
    /// Scores alone, whatever gives them: one output of a machine, or a number of its own.
    Score(OfScore),
    /// The same with gradients.
    Gradient(OfScore),
    /// A number of the machine's own and nothing else.
    Quantity(OfQuantity),
    /// A number of the machine's own in one way, outputs of other machines in another.
    Either {
        /// Of that number.
        quantity: OfQuantity,
        /// Of one output.
        output: OfOutput,
    },
    /// The machine's own method of this name; else, where there is one, this way for outputs.
    Own(Option<OfOutput>),
    /// All rows together, each with the output asked for.
    Rows(fn(&Rows<'_>, &[usize], &Run<'_>) -> Result<Relevance>),
    /// A walk back through the machine's network; several share each of its runs.
    Walk(Route),
}
