//! Every learner and machine there is, a line each.

use crate::aliases::{absent, alias};
use base::{
    Catalog, Cells, Chain, Dataset, Error, Inputs, Learner, Machine, Pipeline, Record, Result, SpecPart, nearest,
};
use prepare::{Wrap, WrapPart};
use std::sync::Arc;

/// A learner in the catalog.
pub type Entry = Listed<dyn Learner>;

/// A line of the catalog.
pub struct Listed<T: ?Sized> {
    /// The name on the command line.
    pub name: &'static str,
    /// The family it is listed under.
    pub family: &'static str,
    /// Its names in Python, each with what it is there.
    pub python: &'static [(Role, &'static str)],
    /// What it is, in a line.
    pub summary: &'static str,
    /// Makes it with its default settings.
    pub make: fn() -> Box<T>,
}

/// What a learner is to people who choose an estimator by what it gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Gives classes.
    Classifier,
    /// Gives values.
    Regressor,
    /// Gives groups that were not known before.
    Clusterer,
    /// Gives groups and how likely a row is.
    Density,
    /// Tells strange rows from others.
    Detector,
    /// Gives other columns.
    Transformer,
    /// Holds another learner.
    Wrapper,
}

impl Role {
    /// The role in a word.
    pub fn word(self) -> &'static str {
        match self {
            Role::Classifier => "classifier",
            Role::Regressor => "regressor",
            Role::Clusterer => "clusterer",
            Role::Density => "density",
            Role::Detector => "detector",
            Role::Transformer => "transformer",
            Role::Wrapper => "wrapper",
        }
    }
}

macro_rules! entries {
    ($($name:literal, $family:literal, [$($role:ident $python:literal),*], $type:ty, $summary:literal;)+) => {
        &[$(Listed {
            name: $name,
            family: $family,
            python: &[$((Role::$role, $python)),*],
            summary: $summary,
            make: || Box::new(<$type>::default()),
        }),+]
    };
}

/// The learners one can choose by name.
pub const LEARNERS: &[Entry] = entries! {
    "knn", "distance", [Classifier "KNeighborsClassifier", Regressor "KNeighborsRegressor"], distance::Knn,
        "k nearest neighbours: classes by vote, values by mean";
    "nearest-mean", "distance", [Classifier "NearestCentroid"], distance::NearestMean,
        "the class whose mean is nearest";
    "kmeans", "distance", [Clusterer "KMeans"], distance::KMeans,
        "k centres with the smallest squared distances to them";
    "kmedoids", "distance", [Clusterer "KMedoids"], distance::KMedoids,
        "k rows that stand for all, in any metric";
    "vq", "distance", [Clusterer "CompetitiveVQ"], distance::Vq,
        "prototypes that move towards the rows they win";
    "hierarchical", "distance", [Clusterer "AgglomerativeClustering"], distance::Hierarchical,
        "a tree of merges by single, average, complete or ward linkage, cut into clusters";
    "gmm", "distance", [Density "GaussianMixture"], distance::GaussianMixture,
        "a density made of Gaussians, by expectation maximisation";
    "elm", "network", [Classifier "ELMClassifier", Regressor "ELMRegressor"], network::Elm,
        "a hidden layer that is drawn and a linear one by least squares";
    "cascade", "network", [Classifier "CascadeClassifier", Regressor "CascadeRegressor"], network::Cascade,
        "hidden units added one by one, each following what is still missed";
    "rbf-network", "network", [Classifier "RBFClassifier", Regressor "RBFRegressor"], network::RbfNetwork,
        "Gaussian units around centres of clusters and a linear layer";
    "linear-regression", "linear", [Regressor "LinearRegression"], linear::LinearRegression,
        "least squares by left, right or unified pseudo-inverse";
    "ridge", "linear", [Regressor "Ridge"], linear::Ridge,
        "least squares with an L2 penalty; predictive variance on request";
    "lasso", "linear", [Regressor "Lasso"], linear::Lasso,
        "least squares with an L1 penalty: few columns are used";
    "elastic-net", "linear", [Regressor "ElasticNet"], linear::ElasticNet,
        "least squares with an L1 and an L2 penalty";
    "logistic", "linear", [Classifier "LogisticRegression"], linear::Logistic,
        "multinomial logistic regression, dense and sparse";
    "mlp", "network", [Classifier "MLPClassifier", Regressor "MLPRegressor"], network::Mlp,
        "multilayer perceptron: dense layers trained by gradients, for classes and values";
    "cnn", "network", [Classifier "ConvolutionalClassifier", Regressor "ConvolutionalRegressor"], network::Cnn,
        "convolutional network for pictures and series, its layers as a short text";
    "autoencoder", "network", [Transformer "Autoencoder"], network::Autoencoder,
        "a network that gives back its input through a narrow code";
    "svc", "kernels", [Classifier "SVC"], kernels::Svc,
        "support vector classification: the widest margin, any kernel, exact";
    "kernel-adatron", "kernels", [Classifier "KernelAdaTron"], kernels::KernelAdaTron,
        "the perceptron of maximal stability in the space of a kernel";
    "nu-svc", "kernels", [Classifier "NuSVC"], kernels::NuSvc,
        "the same with the share of margin errors in place of a price";
    "svr", "kernels", [Regressor "SVR"], kernels::Svr,
        "support vector regression: errors within a tube cost nothing";
    "nu-svr", "kernels", [Regressor "NuSVR"], kernels::NuSvr,
        "the same with the share of rows outside the tube in place of its width";
    "one-class-svm", "kernels", [Detector "OneClassSVM"], kernels::OneClassSvm,
        "what is strange, from rows without targets: a density of few support vectors";
    "svdd", "kernels", [Detector "SVDD"], kernels::Svdd,
        "the smallest sphere around the data, in the space of the kernel";
    "kde", "kernels", [Detector "KernelDensity"], kernels::Kde,
        "what is strange by a kernel density estimate of all rows";
    "tree", "trees", [Classifier "DecisionTreeClassifier", Regressor "DecisionTreeRegressor"], trees::Tree,
        "one decision tree: classes by shares, values by means, gaps admitted";
    "forest", "trees", [Classifier "RandomForestClassifier", Regressor "RandomForestRegressor"], trees::RandomForest,
        "the mean of many trees on drawn rows, with an out-of-bag score";
};

/// Whether data have what a learner sees beyond columns: a convolutional network needs pictures or series.
pub fn suits(learner: &str, data: &Dataset) -> bool {
    let pictures = match &data.inputs {
        Inputs::Points(_) => data.features.shape().is_some(),
        Inputs::Table(table) => table.columns().iter().all(|c| matches!(c.cells, Cells::Image(_))),
    };
    pictures || KNOWN.learner(learner).is_ok_and(|l| !l.traits().needs_shape)
}

/// The steps of preparation one can choose by name.
pub const STEPS: &[Entry] = entries! {
    "one-hot", "prepare", [Transformer "OneHotEncoder"], prepare::OneHot,
        "categories to a column for each level; numbers stay";
    "ordinal", "prepare", [Transformer "OrdinalEncoder"], prepare::Ordinal,
        "categories to the place of the level in an order";
    "frequency", "prepare", [Transformer "CountFrequencyEncoder"], prepare::Frequency,
        "categories to the share of the level in training";
    "bag-of-words", "prepare", [Transformer "CountVectorizer"], prepare::BagOfWords,
        "text to the counts of its words";
    "tf-idf", "prepare", [Transformer "TfidfVectorizer"], prepare::TfIdf,
        "text to its words, weighted by how rare they are";
    "dates", "prepare", [Transformer "DatetimeFeatures"], prepare::DateParts,
        "dates to hour, weekday, month and days since the first row; or seconds; or left out";
    "resize", "prepare", [Transformer "ImageResizer"], prepare::Resize,
        "pictures to one size, as WIDTHxHEIGHT or commonest";
    "patches", "prepare", [Transformer "PatchExtractor"], prepare::Patches,
        "pictures to all their square patches, side by side";
    "impute", "prepare", [Transformer "SimpleImputer"], prepare::Impute,
        "gaps filled with the mean, median or most frequent value of the column, or 0";
    "impute-knn", "prepare", [Transformer "KNNImputer"], prepare::ImputeKnn,
        "gaps filled with the mean of the nearest rows that have a value";
    "impute-hot-deck", "prepare", [Transformer "HotDeckImputer"], prepare::ImputeHotDeck,
        "gaps filled from one of the nearest rows, by chance";
    "impute-regression", "prepare", [Transformer "RegressionImputer"], prepare::ImputeRegression,
        "gaps filled by ridge regression on the other columns";
    "impute-mixture", "prepare", [Transformer "GaussianMixtureImputer"], prepare::ImputeMixture,
        "gaps filled by what a Gaussian mixture expects there";
    "impute-mice", "prepare", [Transformer "IterativeImputer"], prepare::ImputeMice,
        "gaps filled by chained equations: regressions in sweeps until nothing moves";
    "sparse-columns", "prepare", [Transformer "DropSparseColumns"], prepare::SparseColumns,
        "columns with too many gaps dropped";
    "scale", "prepare", [Transformer "StandardScaler"], prepare::Scale,
        "standard scores: mean 0 and deviation 1";
    "center", "prepare", [Transformer "Center"], prepare::Center,
        "the mean taken off";
    "robust", "prepare", [Transformer "RobustScaler"], prepare::Robust,
        "median 0 and distance of the quartiles 1";
    "min-max", "prepare", [Transformer "MinMaxScaler"], prepare::MinMax,
        "each column into [0, 1]";
    "symmetric", "prepare", [Transformer "SymmetricScaler"], prepare::Symmetric,
        "each column into [-1, 1]";
    "log", "prepare", [Transformer "LogTransformer"], prepare::Log,
        "the logarithm of 1 + x";
    "unit", "prepare", [Transformer "Normalizer"], prepare::Unit,
        "each row brought to unit length";
    "pca", "prepare", [Transformer "PCA"], prepare::Pca,
        "principal components: the directions of largest variance";
    "whiten", "prepare", [Transformer "Whitener"], prepare::Whiten,
        "principal components of unit variance";
    "network", "prepare", [Transformer "NetworkActivations"], crate::Activations,
        "activations of a network up to a node, from an ONNX file or a model: network=FILE@node";
    "select", "prepare", [Transformer "SelectKBest"], prepare::Select,
        "the columns that say most of the target, by correlation, mutual information or F value";
};

/// The steps that hold all that comes after them, the machine included: they change the rows it is fitted on, or choose
/// columns by what it does with them. [`prepare::Wrapped`] joins such a step and a learner.
pub const WRAPPERS: &[Listed<dyn Wrap>] = entries! {
    "class-weights", "resample", [Wrapper "ClassWeights"], prepare::ClassWeights,
        "every class counts the same, by weights";
    "undersample", "resample", [Wrapper "RandomUnderSampler"], prepare::Undersample,
        "every class cut down to the smallest";
    "oversample", "resample", [Wrapper "RandomOverSampler"], prepare::Oversample,
        "every class brought up to the largest by copies";
    "noisy-copies", "resample", [Wrapper "NoisyCopies"], prepare::NoisyCopies,
        "every class brought up to the largest by copies with noise";
    "smote", "resample", [Wrapper "SMOTE"], prepare::Smote,
        "every class brought up to the largest by rows between neighbours";
    "noise", "augment", [Wrapper "GaussianNoise"], prepare::Noise,
        "noisy copies of all rows";
    "shift", "augment", [Wrapper "RandomShift"], prepare::Shift,
        "shifted copies of pictures or series";
    "rotate", "augment", [Wrapper "RandomRotation"], prepare::Rotate,
        "turned copies of pictures";
    "flip", "augment", [Wrapper "RandomFlip"], prepare::Flip,
        "mirrored copies of pictures or series";
    "multiple", "impute", [Wrapper "MultipleImputation"], prepare::Multiple,
        "several completions of the gaps, a machine for each, answers pooled";
    "forward", "select", [Wrapper "SequentialFeatureSelector"], prepare::Forward,
        "columns added one by one while the machine does better";
    "backward", "select", [Wrapper "BackwardFeatureSelector"], prepare::Backward,
        "columns taken off one by one while the machine does no worse";
    "calibrate", "scores", [Wrapper "CalibratedClassifierCV"], prepare::Calibrate,
        "probabilities that can be relied on, from scores of rows not seen: platt or isotonic";
    "conformal", "scores", [Wrapper "ConformalDetector"], prepare::Conformal,
        "p-values of a detector by rows held out";
};

/// The names of all steps, wrapping ones last.
pub(crate) fn step_names() -> impl Iterator<Item = &'static str> {
    STEPS.iter().map(|e| e.name).chain(WRAPPERS.iter().map(|e| e.name))
}

type Read = fn(&Record) -> Result<Arc<dyn Machine>>;

/// How each kind of record becomes a machine; chains are made of the others.
const MACHINES: &[(&str, Read)] = &[
    (distance::KnnMachine::KIND, |r| Ok(Arc::new(distance::KnnMachine::read(r)?))),
    (distance::NearestMeanMachine::KIND, |r| Ok(Arc::new(distance::NearestMeanMachine::read(r)?))),
    (distance::Codebook::KIND, |r| Ok(Arc::new(distance::Codebook::read(r)?))),
    (distance::Mixture::KIND, |r| Ok(Arc::new(distance::Mixture::read(r)?))),
    (distance::Hierarchy::KIND, |r| Ok(Arc::new(distance::Hierarchy::read(r)?))),
    (linear::Linear::KIND, |r| Ok(Arc::new(linear::Linear::read(r)?))),
    (network::NetworkMachine::KIND, |r| Ok(Arc::new(network::NetworkMachine::read(r)?))),
    (kernels::Expansion::KIND, |r| Ok(Arc::new(kernels::Expansion::read(r)?))),
    (kernels::Coupled::KIND, |r| Ok(Arc::new(kernels::Coupled::read(r)?))),
    (trees::Forest::KIND, |r| Ok(Arc::new(trees::Forest::read(r)?))),
    (prepare::Affine::KIND, |r| Ok(Arc::new(prepare::Affine::read(r)?))),
    (prepare::Elementwise::KIND, |r| Ok(Arc::new(prepare::Elementwise::read(r)?))),
    (prepare::Principal::KIND, |r| Ok(Arc::new(prepare::Principal::read(r)?))),
    (prepare::Encoder::KIND, |r| Ok(Arc::new(prepare::Encoder::read(r)?))),
    (prepare::Patcher::KIND, |r| Ok(Arc::new(prepare::Patcher::read(r)?))),
    (prepare::Resizer::KIND, |r| Ok(Arc::new(prepare::Resizer::read(r)?))),
    (prepare::Filler::KIND, |r| Ok(Arc::new(prepare::Filler::read(r)?))),
    (prepare::Deck::KIND, |r| Ok(Arc::new(prepare::Deck::read(r)?))),
    (prepare::ChainedFiller::KIND, |r| Ok(Arc::new(prepare::ChainedFiller::read(r)?))),
    (prepare::MixtureFiller::KIND, |r| Ok(Arc::new(prepare::MixtureFiller::read(r)?))),
    (prepare::KeptColumns::KIND, |r| Ok(Arc::new(prepare::KeptColumns::read(r)?))),
    (prepare::Selector::KIND, |r| Ok(Arc::new(prepare::Selector::read(r)?))),
    (prepare::Calibrator::KIND, |r| Ok(Arc::new(prepare::Calibrator::read(r)?))),
    (prepare::Ranks::KIND, |r| Ok(Arc::new(prepare::Ranks::read(r)?))),
];

/// The catalog of all there is.
#[derive(Debug, Clone, Copy)]
pub struct Known;

/// The catalog of all there is, to point a run at.
pub const KNOWN: Known = Known;

impl Catalog for Known {
    fn learner(&self, name: &str) -> Result<Box<dyn Learner>> {
        let all = || LEARNERS.iter().chain(STEPS);
        if let Some(entry) = all().find(|e| e.name == name) {
            return Ok((entry.make)());
        }
        if WRAPPERS.iter().any(|e| e.name == name) {
            return Err(Error::parameter("machine", name, format!("is a step: --prepare {name} before a machine")));
        }
        if let Some(known) = alias(name).filter(|known| *known != name) {
            return self.learner(known);
        }
        if let Some(why) = absent(name) {
            return Err(Error::parameter("machine", name, format!("no such machine: {why}")));
        }
        let must = match nearest(name, all().map(|e| e.name).chain(WRAPPERS.iter().map(|e| e.name))) {
            Some(near) => format!("no such machine; did you mean {near}?"),
            None => {
                let names: Vec<&str> = LEARNERS.iter().map(|e| e.name).collect();
                format!("no such machine; there are {}", names.join(", "))
            }
        };
        Err(Error::parameter("machine", name, must))
    }

    fn part(&self, name: &str) -> Result<SpecPart> {
        if let Some(entry) = WRAPPERS.iter().find(|e| e.name == name) {
            return Ok(SpecPart::Wrapper(Box::new(WrapPart((entry.make)()))));
        }
        let learner = self.learner(name)?;
        Ok(match STEPS.iter().any(|e| e.name == learner.name()) {
            true => SpecPart::Step(learner),
            false => SpecPart::Learner(learner),
        })
    }

    fn names(&self) -> Vec<&'static str> {
        LEARNERS.iter().map(|e| e.name).chain(step_names()).collect()
    }

    fn join(&self, steps: Vec<Box<dyn Learner>>) -> Result<Box<dyn Learner>> {
        let all: Vec<&dyn Learner> = steps.iter().map(|step| &**step).collect();
        Ok(match all.iter().all(|step| prepare::table_step(step.name())) {
            true => Box::new(prepare::join(&all)?),
            false => Box::new(Pipeline { steps }),
        })
    }

    fn machine(&self, record: &Record) -> Result<Arc<dyn Machine>> {
        if record.kind() == Chain::KIND {
            return Ok(Arc::new(Chain::read(record, self)?));
        }
        if record.kind() == prepare::Pooled::KIND {
            return Ok(Arc::new(prepare::Pooled::read(record, self)?));
        }
        match MACHINES.iter().find(|(kind, _)| *kind == record.kind()) {
            Some((_, read)) => read(record),
            None => Err(record.broken("this program does not know that kind of machine; use a newer one")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Run, Settings, Targets, Wanted};
    use testkit::{check_learner, toy_classes, toy_values};

    #[test]
    fn every_learner_keeps_the_promises() {
        for (entry, learner) in on_points() {
            assert_eq!(learner.name(), entry.name);
            let wanted = learner.traits().needs.targets;
            for seed in 0..2 {
                if matches!(wanted, Wanted::Classes(_) | Wanted::Either | Wanted::Nothing) {
                    check_learner(&*learner, &pictured(&*learner, toy_classes(seed)), &KNOWN);
                }
                if matches!(wanted, Wanted::Values | Wanted::Either) {
                    check_learner(&*learner, &pictured(&*learner, toy_values(seed)), &KNOWN);
                }
            }
        }
    }

    /// The four columns are a picture to learners that look at pictures.
    fn pictured(learner: &dyn Learner, mut data: Dataset) -> Dataset {
        if learner.traits().needs_shape {
            let shape = base::Shape::Image { height: 2, width: 2, channels: 1 };
            data.features = data.features.shaped(shape).unwrap();
        }
        data
    }

    /// Data that a learner takes.
    fn toy_for(learner: &dyn Learner, seed: u64) -> Dataset {
        match learner.traits().needs.targets {
            Wanted::Values => pictured(learner, toy_values(seed)),
            _ => pictured(learner, toy_classes(seed)),
        }
    }

    /// Every learner and step that takes points, with settings under which the promises hold on the toys. A network
    /// needs a file; tests/onnx.rs gives it one.
    fn on_points() -> impl Iterator<Item = (&'static Entry, Box<dyn Learner>)> {
        let takes = |e: &&Entry| e.name != "network" && prepare::takes_points(e.name);
        LEARNERS.iter().chain(STEPS).filter(takes).map(|entry| {
            let mut learner = (entry.make)();
            let settings = learner.traits().contract;
            settings.iter().for_each(|(name, text)| learner.set_text(name, text).unwrap());
            (entry, learner)
        })
    }

    #[test]
    fn learners_that_go_on_look_at_where_they_begin_and_others_do_not() {
        let foreign = Record::new("perpetuum mobile", 1);
        for (entry, learner) in on_points() {
            let fitted = learner.fit(&toy_for(&*learner, 1), Some(&foreign), &Run::quiet(1));
            let traits = learner.traits();
            let looks = traits.warm_start || traits.checkpoints;
            assert_eq!(fitted.is_err(), looks, "{}", entry.name);
        }
    }

    #[test]
    fn learners_that_do_not_draw_do_not_depend_on_the_seed() {
        let record = |learner: &dyn Learner, seed: u64| {
            let fitted = learner.fit(&toy_for(learner, 1), None, &Run { catalog: &KNOWN, ..Run::quiet(seed) }).unwrap();
            files::model_bytes(&fitted.machine.record()).unwrap()
        };
        let mut moved = vec![];
        for (entry, learner) in on_points() {
            if record(&*learner, 1) != record(&*learner, 2) {
                assert!(learner.traits().random, "{} depends on the seed", entry.name);
                moved.push(entry.name);
            }
        }
        for name in ["mlp", "cnn", "autoencoder", "elm", "forest", "kmeans", "vq", "gmm", "cascade"] {
            assert!(moved.contains(&name), "{name} does not");
        }
    }

    #[test]
    fn portions_go_on_and_may_lack_classes() {
        let mut found = vec![];
        for (entry, learner) in on_points() {
            let data = toy_for(&*learner, 1);
            let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
            // Rows of the first class alone, then the others.
            let own = |class: u32| match &data.targets {
                Targets::Classes(c) => (0..data.len()).filter(|&i| (c.codes()[i] == 0) == (class == 0)).collect(),
                _ => (0..data.len()).filter(|&i| (i % 2 == 0) == (class == 0)).collect::<Vec<_>>(),
            };
            let (first, rest) = (data.select(&own(0)).unwrap(), data.select(&own(1)).unwrap());
            let begun = base::fit_part(&*learner, &first, None, &run);
            assert_eq!(begun.is_ok(), learner.traits().partial.is_some(), "{}", entry.name);
            let Ok(begun) = begun else { continue };
            let record = begun.machine.record();
            let gone = base::fit_part(&*learner, &rest, Some(&record), &run).unwrap();
            assert_eq!(gone.machine.outputs().names, begun.machine.outputs().names);
            let scores = |m: &dyn Machine| m.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
            assert_ne!(scores(&*gone.machine), scores(&*begun.machine), "{}", entry.name);
            assert!(base::fit_part(&*learner, &rest, Some(&Record::new("perpetuum mobile", 1)), &run).is_err());
            found.push(entry.name);
        }
        assert_eq!(found, ["vq", "mlp", "cnn"]);
    }

    #[test]
    fn chains_keep_the_promises_too() {
        let steps = ["impute", "scale", "knn"].map(|name| KNOWN.learner(name).unwrap()).to_vec();
        let mut chain = base::Pipeline { steps };
        chain.set_text("k", "3").unwrap();
        check_learner(&chain, &toy_classes(5), &KNOWN);
    }

    #[test]
    fn wrapping_steps_keep_the_promises_of_the_learner_they_hold() {
        for entry in WRAPPERS {
            let mut step = (entry.make)();
            assert_eq!(step.name(), entry.name);
            if step.splits_rows() && entry.name != "conformal" {
                step.set_text("folds", "3").unwrap();
            }
            let learner = KNOWN.learner(if entry.name == "conformal" { "kde" } else { "knn" }).unwrap();
            let wrapped = prepare::Wrapped { step, learner };
            check_learner(&wrapped, &pictured(&wrapped, toy_classes(1)), &KNOWN);
            if !["resample", "scores"].contains(&entry.family) {
                check_learner(&wrapped, &pictured(&wrapped, toy_values(1)), &KNOWN);
            }
        }
    }

    #[test]
    fn names_are_unique_and_slips_are_guessed() {
        let mut names: Vec<&str> = LEARNERS.iter().chain(STEPS).map(|e| e.name).collect();
        names.extend(WRAPPERS.iter().map(|e| e.name));
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        let says = |name: &str| KNOWN.learner(name).err().map(|e| e.to_string());
        assert_eq!(says("rigde").as_deref(), Some("machine = rigde: no such machine; did you mean ridge?"));
        assert_eq!(says("smot").as_deref(), Some("machine = smot: no such machine; did you mean smote?"));
        assert!(says("smote").is_some_and(|e| e.contains("--prepare smote")));
        assert!(KNOWN.machine(&Record::new("perpetuum mobile", 1)).is_err());
    }
}
