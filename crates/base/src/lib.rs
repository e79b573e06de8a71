//! The words Pellucid speaks.
//!
//! Data come as [`Table`]s of typed columns or as [`Points`] (numbers, dense or sparse) and are carried, with their
//! [`Targets`] and weights, in a [`Dataset`]. A [`Learner`] makes a [`Machine`] of them: a fitted, immutable, storable
//! function from rows to named columns. Machines one after the other are a [`Chain`], which is a machine too. Each fit
//! ends with a [`Certificate`], each explanation ([`Relevance`]) with its [`Balance`]. A machine says what it is as a [`Record`], which file formats store. All that a
//! computation may use besides its arguments is in its [`Run`].
//!
//! There is no input or output here and there are no threads.

mod admit;
mod advice;
mod buffer;
mod certificate;
mod chain;
mod checkpoint;
mod checksum;
mod choice;
mod class_weight;
mod dataset;
mod error;
mod explains;
mod facets;
mod features;
pub mod graph;
mod learner;
mod machine;
mod memory;
mod number_or;
mod origin;
mod pipeline;
mod planning;
mod points;
mod ranks;
mod record;
mod relevance;
mod run;
mod seed;
mod settings;
mod spec;
mod stopping;
mod table;
mod targets;
mod top;
mod traits;
mod watch;
mod wording;

pub use admit::{classes_of, too_few_classes, values_of};
pub use advice::{Advice, Message, Wording};
pub use buffer::{Buffer, Shared};
pub use certificate::{Certificate, Fact, Gap};
pub use chain::Chain;
pub use checkpoint::{Checkpoint, StateParts};
pub use checksum::Checksum;
pub use choice::{Choice, Tried};
pub use class_weight::ClassWeight;
pub use dataset::{Dataset, Inputs};
pub use error::{Bytes, Error, Place, Result, nearest};
pub use explains::{Explainer, Explains, Over, OwnMethod, Quantity, References, Scored};
pub use facets::{
    BySupport, Contributions, Facets, Gradient, GraphForm, Missing, PreparationStep, Support, Supported, vjp_by_row,
};
pub use features::{Feature, FeatureKind, Features, Shape};
pub use learner::{CloneLearner, EachRows, Learner, fit_all, fit_many, fit_many_behind, fit_part};
pub use machine::{Fitted, Link, Machine, Meaning, Outputs, Prediction, argmax, check_inputs};
pub use memory::{Hold, Memory};
pub use number_or::NumberOr;
pub use origin::Origin;
pub use pipeline::Pipeline;
pub use planning::{Plan, Size};
pub use points::{Dense, Points, Sparse};
pub use ranks::{Alone, FirstAlone, Ranks, Traffic};
pub use record::{Field, Record};
pub use relevance::{Balance, Relevance};
pub use run::{Catalog, EmptyCatalog, Run};
pub use seed::{Seed, normal};
pub use settings::{
    Kind, Param, Range, Setting, Settings, Value, find as find_setting, meant as meant_setting, python_name,
    renamed as renamed_setting, with_group,
};
pub use spec::{Spec, SpecPart, Wrapping, folded, items as spec_items};
pub use stopping::Stopping;
pub use table::{Cells, Column, Image, Table, Texts, UNKNOWN};
pub use targets::{Classes, LabelSets, Targets, Values};
pub use top::{Top, best_scores};
pub use traits::{Effort, FitMany, Fits, Needs, PartialFit, Traits, Wanted, Weighting};
pub use watch::{Progress, Silent, Verdict, Watch};
pub use wording::{agree, cell_number, number_text, percent, plural, short_number};
