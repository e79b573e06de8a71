//! Names that people bring from elsewhere: scikit-learn's classes and the usual words for a machine.
//!
//! A name is compared without case, blanks, hyphens and underscores, and without `Classifier` or `Regressor` behind it.
//! What is asked for often and not built is answered with what is nearest to it.

use crate::{LEARNERS, STEPS, WRAPPERS};

/// Usual words, each with the name here.
const WORDS: &[(&str, &str)] = &[
    ("k-nearest-neighbours", "knn"),
    ("k-nearest-neighbors", "knn"),
    ("nearest-neighbors", "knn"),
    ("nearest-neighbours", "knn"),
    ("random-forest", "forest"),
    ("rf", "forest"),
    ("decision-tree", "tree"),
    ("cart", "tree"),
    ("logistic-regression", "logistic"),
    ("logreg", "logistic"),
    ("logit", "logistic"),
    ("softmax-regression", "logistic"),
    ("ols", "linear-regression"),
    ("least-squares", "linear-regression"),
    ("linear", "linear-regression"),
    ("ridge-regression", "ridge"),
    ("lasso-regression", "lasso"),
    ("svm", "svc"),
    ("linear-svc", "linear-svm"),
    ("crammer-singer", "linear-svm"),
    ("weston-watkins", "linear-svm"),
    ("c-svc", "svc"),
    ("support-vector-machine", "svc"),
    ("support-vector-classifier", "svc"),
    ("support-vector-regression", "svr"),
    ("epsilon-svr", "svr"),
    ("ocsvm", "one-class-svm"),
    ("one-class", "one-class-svm"),
    ("k-means", "kmeans"),
    ("k-medoids", "kmedoids"),
    ("pam", "kmedoids"),
    ("gaussian-mixture", "gmm"),
    ("mixture", "gmm"),
    ("agglomerative", "hierarchical"),
    ("hierarchical-clustering", "hierarchical"),
    ("neural-network", "mlp"),
    ("nn", "mlp"),
    ("multilayer-perceptron", "mlp"),
    ("kernel-density", "kde"),
    ("centroid", "nearest-mean"),
    ("auto-encoder", "autoencoder"),
    ("rbf", "rbf-network"),
    ("extreme-learning-machine", "elm"),
    ("standardise", "scale"),
    ("standardize", "scale"),
    ("one-hot-encoder", "one-hot"),
];

/// Machines that people ask for and that are not here, each with what is nearest.
const ABSENT: &[(&str, &str)] = &[
    ("xgboost", "gradient boosting is not available; the closest is forest"),
    ("lightgbm", "gradient boosting is not available; the closest is forest"),
    ("catboost", "gradient boosting is not available; the closest is forest"),
    ("gradient-boosting", "gradient boosting is not available; the closest is forest"),
    ("gbm", "gradient boosting is not available; the closest is forest"),
    ("hist-gradient-boosting", "gradient boosting is not available; the closest is forest"),
    ("adaboost", "boosting is not available; the closest is forest"),
    ("extra-trees", "extremely randomised trees are not available; the closest is forest"),
    ("naive-bayes", "naive Bayes is not available; nearest-mean and logistic are as fast"),
    ("gaussian-nb", "naive Bayes is not available; nearest-mean and logistic are as fast"),
    ("multinomial-nb", "naive Bayes is not available; logistic also takes sparse text"),
    ("isolation-forest", "isolation forests are not available; one-class-svm and kde detect anomalies"),
    ("lof", "the local outlier factor is not available; one-class-svm and kde detect anomalies"),
    ("local-outlier-factor", "the local outlier factor is not available; one-class-svm and kde detect anomalies"),
    ("dbscan", "DBSCAN is not available; the closest is hierarchical with single linkage"),
    ("lda", "discriminant analysis is not available; the closest is logistic"),
    ("qda", "discriminant analysis is not available; gmm and svc have curved decision boundaries"),
];

/// The name here for a name that people bring, if there is one.
pub(crate) fn alias(name: &str) -> Option<&'static str> {
    let bare = bare(name);
    let known = LEARNERS
        .iter()
        .map(|e| (e.name, e.python))
        .chain(STEPS.iter().map(|e| (e.name, e.python)))
        .chain(WRAPPERS.iter().map(|e| (e.name, e.python)));
    let by_class = || known.clone().find(|(_, python)| python.iter().any(|(_, class)| self::bare(class) == bare));
    let by_name = || known.clone().find(|(name, _)| self::bare(name) == bare);
    let by_word = || WORDS.iter().find(|(word, _)| self::bare(word) == bare).map(|(_, name)| *name);
    by_word().or_else(|| by_name().or_else(by_class).map(|(name, _)| name))
}

/// Why a name that people often ask for is not here.
pub(crate) fn absent(name: &str) -> Option<&'static str> {
    let bare = bare(name);
    ABSENT.iter().find(|(word, _)| self::bare(word) == bare).map(|(_, why)| *why)
}

/// A name without case, blanks, hyphens, underscores and the word for what it gives.
fn bare(name: &str) -> String {
    let letters: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let short = ["classifier", "regressor"].iter().find_map(|end| letters.strip_suffix(end));
    short.filter(|s| s.len() > 1).unwrap_or(&letters).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KNOWN;
    use base::Catalog;

    #[test]
    fn d32_names_of_other_tools_are_understood() {
        for (theirs, ours) in [
            ("random-forest", "forest"),
            ("RandomForestClassifier", "forest"),
            ("logistic regression", "logistic"),
            ("LogisticRegression", "logistic"),
            ("SVM", "svc"),
            ("SVC", "svc"),
            ("KNeighborsRegressor", "knn"),
            ("k_means", "kmeans"),
            ("OneClassSVM", "one-class-svm"),
            ("decision_tree", "tree"),
            ("MLPClassifier", "mlp"),
            ("StandardScaler", "scale"),
        ] {
            assert_eq!(KNOWN.learner(theirs).map(|l| l.name()), Ok(ours), "{theirs}");
        }
        for entry in LEARNERS.iter().chain(STEPS) {
            assert_eq!(KNOWN.learner(entry.name).map(|l| l.name()), Ok(entry.name));
            for (_, class) in entry.python {
                assert_eq!(KNOWN.learner(class).map(|l| l.name()), Ok(entry.name), "{class}");
            }
        }
        let known = |name: &str| LEARNERS.iter().chain(STEPS).any(|e| e.name == name);
        assert!(WORDS.iter().all(|(_, name)| known(name)));
        let says = |name: &str| KNOWN.learner(name).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(says("xgboost").contains("the closest is forest"), "{}", says("xgboost"));
        assert!(!says("nope").contains("noise"), "{}", says("nope"));
        assert!(says("smote").contains("prepare: smote"));
    }

    #[test]
    fn d32_settings_answer_to_their_names_in_python() {
        let set = |machine: &str, name: &str, text: &str, ours: &str| {
            let mut learner = KNOWN.learner(machine).unwrap();
            learner.set_text(name, text).map(|()| learner.get(ours).unwrap().to_string()).map_err(|e| e.to_string())
        };
        assert_eq!(set("svc", "C", "10", "c").as_deref(), Ok("10"));
        assert_eq!(set("logistic", "C", "4", "penalty").as_deref(), Ok("0.25"));
        assert_eq!(set("knn", "n_neighbors", "3", "k").as_deref(), Ok("3"));
        assert!(!set("knn", "C", "10", "k").unwrap_err().contains("did you mean"));
        assert!(set("svc", "c", "1e400", "c").unwrap_err().contains("must be finite"));
        assert!(set("logistic", "C", "0", "penalty").is_err());
    }
}
