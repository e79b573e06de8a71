//! Every learner and machine there is, a line each.

use crate::aliases::{absent, alias};
use base::{
    Advice, Catalog, Cells, Chain, Dataset, Error, Inputs, Learner, Machine, Message, Pipeline, Record, Result,
    SpecPart, nearest,
};
use prepare::{Wrap, WrapPart};
use std::sync::Arc;

/// A learner in the catalog.
pub type LearnerEntry = Listed<dyn Learner>;

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
pub const LEARNERS: &[LearnerEntry] = entries! {
    "knn", "distance", [Classifier "KNeighborsClassifier", Regressor "KNeighborsRegressor"], distance::Knn,
        "k-nearest neighbours: majority vote for classes, mean for values";
    "nearest-mean", "distance", [Classifier "NearestCentroid"], distance::NearestMean,
        "nearest class mean (nearest centroid)";
    "kmeans", "distance", [Clusterer "KMeans"], distance::KMeans,
        "k-means clustering";
    "kmedoids", "distance", [Clusterer "KMedoids"], distance::KMedoids,
        "k-medoids clustering: k rows as centres, any metric";
    "vq", "distance", [Clusterer "CompetitiveVQ"], distance::Vq,
        "vector quantisation by competitive learning";
    "hierarchical", "distance", [Clusterer "AgglomerativeClustering"], distance::Hierarchical,
        "agglomerative clustering with single, average, complete or Ward linkage";
    "gmm", "distance", [Density "GaussianMixture"], distance::GaussianMixture,
        "Gaussian mixture model, fitted by expectation maximisation";
    "elm", "network", [Classifier "ELMClassifier", Regressor "ELMRegressor"], network::Elm,
        "extreme learning machine: random hidden layer, linear output layer by least squares";
    "cascade", "network", [Classifier "CascadeClassifier", Regressor "CascadeRegressor"], network::Cascade,
        "cascade correlation: hidden units added one by one, each fitted to the remaining error";
    "rbf-network", "network", [Classifier "RBFClassifier", Regressor "RBFRegressor"], network::RbfNetwork,
        "radial basis function network: Gaussian units at cluster centres, linear output layer";
    "linear-regression", "linear", [Regressor "LinearRegression"], linear::LinearRegression,
        "least squares by left, right or SVD pseudo-inverse";
    "ridge", "linear", [Regressor "Ridge"], linear::Ridge,
        "least squares with an L2 penalty; predictive variance on request";
    "lasso", "linear", [Regressor "Lasso"], linear::Lasso,
        "least squares with an L1 penalty: sparse weights";
    "elastic-net", "linear", [Regressor "ElasticNet"], linear::ElasticNet,
        "least squares with an L1 and an L2 penalty";
    "logistic", "linear", [Classifier "LogisticRegression"], linear::Logistic,
        "multinomial logistic regression, dense and sparse";
    "linear-svm", "linear", [Classifier "LinearSVMClassifier"], linear::LinearSvm,
        "linear support vector machine for two, several or thousands of classes, and for label sets";
    "linear-svr", "linear", [Regressor "LinearSVRegressor"], linear::LinearSvr,
        "linear support vector regression";
    "mlp", "network", [Classifier "MLPClassifier", Regressor "MLPRegressor"], network::Mlp,
        "multilayer perceptron: dense layers trained by gradient descent, for classification and regression";
    "cnn", "network", [Classifier "ConvolutionalClassifier", Regressor "ConvolutionalRegressor"], network::Cnn,
        "convolutional network for images and time series, its layers given as a short text";
    "autoencoder", "network", [Transformer "Autoencoder"], network::Autoencoder,
        "autoencoder: reconstructs its input through a narrow code";
    "svc", "kernels", [Classifier "SVC"], kernels::Svc,
        "support vector classification: maximum margin, any kernel, exact";
    "kernel-adatron", "kernels", [Classifier "KernelAdaTron"], kernels::KernelAdaTron,
        "kernel AdaTron: the perceptron of optimal stability in a kernel's feature space";
    "nu-svc", "kernels", [Classifier "NuSVC"], kernels::NuSvc,
        "ν-SVC: bounds the fraction of margin errors by nu instead of setting C";
    "svr", "kernels", [Regressor "SVR"], kernels::Svr,
        "support vector regression with an epsilon-insensitive loss";
    "nu-svr", "kernels", [Regressor "NuSVR"], kernels::NuSvr,
        "ν-SVR: bounds the fraction of rows outside the tube by nu instead of setting its width";
    "one-class-svm", "kernels", [Detector "OneClassSVM"], kernels::OneClassSvm,
        "one-class SVM: anomaly detection without targets, from few support vectors";
    "svdd", "kernels", [Detector "SVDD"], kernels::Svdd,
        "support vector data description: the smallest sphere around the data in feature space";
    "kde", "kernels", [Detector "KernelDensity"], kernels::Kde,
        "kernel density estimate: anomaly detection from all training rows";
    "tree", "trees", [Classifier "DecisionTreeClassifier", Regressor "DecisionTreeRegressor"], trees::Tree,
        "decision tree for classification and regression; takes missing values";
    "forest", "trees", [Classifier "RandomForestClassifier", Regressor "RandomForestRegressor"], trees::RandomForest,
        "random forest: the mean of many trees on bootstrap samples, with an out-of-bag score";
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
pub const STEPS: &[LearnerEntry] = entries! {
    "one-hot", "prepare", [Transformer "OneHotEncoder"], prepare::OneHot,
        "categories to one column per level; numbers stay";
    "ordinal", "prepare", [Transformer "OrdinalEncoder"], prepare::Ordinal,
        "categories to the rank of the level in an order";
    "frequency", "prepare", [Transformer "CountFrequencyEncoder"], prepare::Frequency,
        "categories to the frequency of the level in training";
    "bag-of-words", "prepare", [Transformer "CountVectorizer"], prepare::BagOfWords,
        "text to word counts";
    "tf-idf", "prepare", [Transformer "TfidfVectorizer"], prepare::TfIdf,
        "text to tf-idf weights of its words";
    "dates", "prepare", [Transformer "DatetimeFeatures"], prepare::DateParts,
        "dates to hour, weekday, month and days since the first row; or seconds; or left out";
    "resize", "prepare", [Transformer "ImageResizer"], prepare::Resize,
        "images to one size, as WIDTHxHEIGHT or most-common";
    "patches", "prepare", [Transformer "PatchExtractor"], prepare::Patches,
        "images to all their square patches, side by side";
    "impute", "prepare", [Transformer "SimpleImputer"], prepare::Impute,
        "fills missing values with the mean, median or most frequent value of the column, or 0";
    "impute-knn", "prepare", [Transformer "KNNImputer"], prepare::ImputeKnn,
        "fills missing values with the mean of the nearest rows that have one";
    "impute-hot-deck", "prepare", [Transformer "HotDeckImputer"], prepare::ImputeHotDeck,
        "fills missing values from one of the nearest rows, chosen at random";
    "impute-regression", "prepare", [Transformer "RegressionImputer"], prepare::ImputeRegression,
        "fills missing values by ridge regression on the other columns";
    "impute-mixture", "prepare", [Transformer "GaussianMixtureImputer"], prepare::ImputeMixture,
        "fills missing values with their expectation under a Gaussian mixture";
    "impute-mice", "prepare", [Transformer "IterativeImputer"], prepare::ImputeMice,
        "fills missing values by chained equations (MICE): regressions in sweeps until convergence";
    "sparse-columns", "prepare", [Transformer "DropSparseColumns"], prepare::SparseColumns,
        "drops columns with too many missing values";
    "scale", "prepare", [Transformer "StandardScaler"], prepare::Scale,
        "standardises: mean 0 and standard deviation 1";
    "center", "prepare", [Transformer "Center"], prepare::Center,
        "subtracts the mean";
    "robust", "prepare", [Transformer "RobustScaler"], prepare::Robust,
        "robust scaling: median 0 and interquartile range 1";
    "min-max", "prepare", [Transformer "MinMaxScaler"], prepare::MinMax,
        "scales each column to [0, 1]";
    "symmetric", "prepare", [Transformer "SymmetricScaler"], prepare::Symmetric,
        "scales each column to [-1, 1]";
    "log", "prepare", [Transformer "LogTransformer"], prepare::Log,
        "the logarithm of 1 + x";
    "unit", "prepare", [Transformer "Normalizer"], prepare::Unit,
        "scales each row to unit norm";
    "pca", "prepare", [Transformer "PCA"], prepare::Pca,
        "principal components: the directions of largest variance";
    "whiten", "prepare", [Transformer "Whitener"], prepare::Whiten,
        "whitening: principal components of unit variance";
    "network", "prepare", [Transformer "NetworkActivations"], crate::Activations,
        "activations of a network up to a node, from an ONNX file or a model: network=FILE@node";
    "select", "prepare", [Transformer "SelectKBest"], prepare::Select,
        "feature selection by correlation, mutual information or F value with the target";
};

/// The steps that hold all that comes after them, the machine included: they change the rows it is fitted on, or choose
/// columns by what it does with them. [`prepare::Wrapped`] joins such a step and a learner.
pub const WRAPPERS: &[Listed<dyn Wrap>] = entries! {
    "class-weights", "resample", [Wrapper "ClassWeights"], prepare::ClassWeights,
        "class weights: every class has the same total weight";
    "undersample", "resample", [Wrapper "RandomUnderSampler"], prepare::Undersample,
        "undersamples every class to the size of the smallest";
    "oversample", "resample", [Wrapper "RandomOverSampler"], prepare::Oversample,
        "oversamples every class to the size of the largest by copies";
    "noisy-copies", "resample", [Wrapper "NoisyCopies"], prepare::NoisyCopies,
        "oversamples every class to the size of the largest by noisy copies";
    "smote", "resample", [Wrapper "SMOTE"], prepare::Smote,
        "SMOTE: oversamples every class to the size of the largest by interpolating between neighbours";
    "noise", "augment", [Wrapper "GaussianNoise"], prepare::Noise,
        "data augmentation: noisy copies of all rows";
    "shift", "augment", [Wrapper "RandomShift"], prepare::Shift,
        "data augmentation: shifted copies of images or time series";
    "rotate", "augment", [Wrapper "RandomRotation"], prepare::Rotate,
        "data augmentation: rotated copies of images";
    "flip", "augment", [Wrapper "RandomFlip"], prepare::Flip,
        "data augmentation: mirrored copies of images or time series";
    "multiple", "impute", [Wrapper "MultipleImputation"], prepare::Multiple,
        "multiple imputation: one machine per completion, predictions pooled";
    "forward", "select", [Wrapper "SequentialFeatureSelector"], prepare::Forward,
        "forward selection: adds columns one by one while the machine improves";
    "backward", "select", [Wrapper "BackwardFeatureSelector"], prepare::Backward,
        "backward elimination: removes columns one by one while the machine gets no worse";
    "calibrate", "scores", [Wrapper "CalibratedClassifierCV"], prepare::Calibrate,
        "calibrated probabilities from cross-validated scores: platt or isotonic";
    "conformal", "scores", [Wrapper "ConformalDetector"], prepare::Conformal,
        "conformal p-values of a detector, or label sets with a stated coverage, from held-out rows";
    "thresholds", "scores", [], prepare::Thresholds,
        "thresholds of label sets by F1 on held-out rows: one for all labels, or one for each";
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
    (prepare::ConformalRanks::KIND, |r| Ok(Arc::new(prepare::ConformalRanks::read(r)?))),
    (prepare::LabelCuts::KIND, |r| Ok(Arc::new(prepare::LabelCuts::read(r)?))),
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
            let must = Message::from("is a preprocessing step, not a machine").with(Advice::prepare(name));
            return Err(Error::parameter("machine", name, must));
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
                format!("no such machine; the machines are {}", names.join(", "))
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
            for seed in testkit::seeds(2) {
                if matches!(wanted, Wanted::Classes(_) | Wanted::ClassesOrLabels(_) | Wanted::Either | Wanted::Nothing)
                {
                    check_learner(&*learner, &pictured(&*learner, toy_classes(seed)), &KNOWN);
                }
                if matches!(wanted, Wanted::Values | Wanted::Either) {
                    check_learner(&*learner, &pictured(&*learner, toy_values(seed)), &KNOWN);
                }
            }
        }
    }

    #[test]
    fn weights_of_learners_that_sample_hold_on_average() {
        let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
        let mut found = vec![];
        for (entry, mut learner) in on_points() {
            // Steps over all rows: over parts of them more rows would be more steps, whatever they weigh.
            for (name, value) in [("batch", "0"), ("epochs", "40")] {
                if learner.params().iter().any(|p| p.name == name) {
                    learner.set_text(name, value).unwrap();
                }
            }
            // Those that split their rows would have copies of a row on both sides.
            if learner.traits().needs.weights == base::Weighting::Mean {
                testkit::check_mean_weights(&*learner, &toy_for(&*learner, 2), &run);
                found.push(entry.name);
            }
        }
        assert!(["forest", "mlp", "kmeans", "gmm"].iter().all(|name| found.contains(name)), "{found:?}");
    }

    /// Whoever has a form as a network is found here, so that no line of the catalog can have a wrong one.
    #[test]
    fn every_form_as_a_network_computes_what_its_machine_computes() {
        let mut found = vec![];
        let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
        for (entry, learner) in on_points() {
            for seed in testkit::seeds(2) {
                let machine = learner.fit(&toy_for(&*learner, seed), None, &run).unwrap().machine;
                let Some(graph) = machine.to_graph(&run).unwrap() else { continue };
                let points = testkit::toy_points(40, 4, seed + 1);
                let ours = machine.compute(&points.clone().into(), &run).unwrap().to_dense(&run.memory).unwrap();
                let rows = points.to_dense(&run.memory).unwrap().to_vec();
                let input = base::graph::Tensor::f64([40, 4], rows).unwrap();
                let theirs = network::Network::new(graph).run(&[input], &run).unwrap().remove(0).to_f64();
                let name = format!("{} with seed {seed}", entry.name);
                // Detectors have a column more, the quantile of the score, which is no part of the form.
                let (own, all) = (theirs.len() / 40, machine.outputs().names.len());
                assert!(own == all || own == machine.outputs().main(), "{name}: {own} of {all} columns");
                let ours: Vec<f64> = ours.chunks(all).flat_map(|row| row[..own].to_vec()).collect();
                testkit::assert_close(&theirs, &ours, 1e-9, &name);
                found.push(entry.name);
            }
        }
        found.dedup();
        for name in
            ["knn", "nearest-mean", "ridge", "logistic", "mlp", "elm", "svc", "one-class-svm", "gmm", "scale", "pca"]
        {
            assert!(found.contains(&name), "{name} has no form as a network any more: {found:?}");
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
    fn on_points() -> impl Iterator<Item = (&'static LearnerEntry, Box<dyn Learner>)> {
        let takes = |e: &&LearnerEntry| e.name != "network" && prepare::takes_points(e.name);
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
            if entry.name == "calibrate" || entry.family == "select" {
                step.set_text("folds", "3").unwrap();
            }
            let learner = match entry.name {
                // It is for label sets, which these data are not: prepare/tests/label_sets.rs has its promises.
                "thresholds" => continue,
                "conformal" => KNOWN.learner("kde").unwrap(),
                _ => KNOWN.learner("knn").unwrap(),
            };
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
        assert!(says("smote").is_some_and(|e| e.contains("prepare: smote")));
        assert!(KNOWN.machine(&Record::new("perpetuum mobile", 1)).is_err());
    }
}
