//! The measures of models by name: which there are, for which task, and what each number means.

/// A measure of models.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    /// The name in reports, in JSON and after `--measure`.
    pub name: &'static str,
    /// The tasks it is told of.
    pub of: &'static str,
    /// Whether larger values are better.
    pub larger: bool,
    /// What it is.
    pub about: &'static str,
}

const CLASSES: &str = "classification";
const TWO: &str = "two classes, anomaly detection";
const SETS: &str = "label sets";
const BOTH: &str = "classification, label sets";
const VALUES: &str = "regression";

/// All measures of models.
pub const MEASURES: &[Named] = &[
    Named { name: "accuracy", of: CLASSES, larger: true, about: "fraction of rows whose class is predicted correctly" },
    Named { name: "error", of: CLASSES, larger: false, about: "1 - accuracy" },
    Named {
        name: "balanced_accuracy",
        of: CLASSES,
        larger: true,
        about: "balanced accuracy: mean recall over the classes that have rows",
    },
    Named { name: "precision_macro", of: CLASSES, larger: true, about: "unweighted mean of the precision per class" },
    Named { name: "recall_macro", of: CLASSES, larger: true, about: "unweighted mean of the recall per class" },
    Named { name: "f1_macro", of: BOTH, larger: true, about: "unweighted mean of the F1 score per class or label" },
    Named { name: "f1_macro_b", of: CLASSES, larger: true, about: "harmonic mean of precision_macro and recall_macro" },
    Named {
        name: "f1_weighted",
        of: CLASSES,
        larger: true,
        about: "mean F1 score, weighted by the number of rows per class",
    },
    Named {
        name: "auc_one_vs_rest",
        of: CLASSES,
        larger: true,
        about: "mean area under the ROC curve, one class versus the rest",
    },
    Named { name: "log_loss", of: CLASSES, larger: false, about: "mean of -log p of the true class" },
    Named { name: "brier", of: CLASSES, larger: false, about: "mean squared error of the probabilities" },
    Named { name: "precision", of: TWO, larger: true, about: "TP / (TP + FP) of the positive class" },
    Named { name: "recall", of: TWO, larger: true, about: "TP / (TP + FN) of the positive class" },
    Named { name: "specificity", of: TWO, larger: true, about: "TN / (TN + FP)" },
    Named { name: "f1", of: TWO, larger: true, about: "harmonic mean of precision and recall" },
    Named { name: "auc", of: TWO, larger: true, about: "area under the ROC curve" },
    Named {
        name: "average_precision",
        of: TWO,
        larger: true,
        about: "area under the precision-recall curve, as a sum of steps",
    },
    Named { name: "cost_per_row", of: TWO, larger: false, about: "mean cost of misses and false alarms (--costs)" },
    Named {
        name: "precision_at_n",
        of: "anomaly detection",
        larger: true,
        about: "fraction of anomalies among the n highest scores, n being the number of anomalies",
    },
    Named { name: "precision_at_1", of: SETS, larger: true, about: "fraction of rows whose best label is true" },
    Named { name: "precision_at_3", of: SETS, larger: true, about: "mean fraction of true labels among the 3 best" },
    Named { name: "precision_at_5", of: SETS, larger: true, about: "mean fraction of true labels among the 5 best" },
    Named {
        name: "ndcg_at_3",
        of: SETS,
        larger: true,
        about: "normalized discounted cumulative gain of the 3 best labels",
    },
    Named {
        name: "ndcg_at_5",
        of: SETS,
        larger: true,
        about: "normalized discounted cumulative gain of the 5 best labels",
    },
    Named {
        name: "recall_at_5",
        of: SETS,
        larger: true,
        about: "mean fraction of a row's true labels that is among the 5 best",
    },
    Named {
        name: "recall_at_10",
        of: SETS,
        larger: true,
        about: "mean fraction of a row's true labels that is among the 10 best",
    },
    Named {
        name: "psp_at_1",
        of: SETS,
        larger: true,
        about: "propensity-scored precision of the best label, of the best possible",
    },
    Named {
        name: "psp_at_3",
        of: SETS,
        larger: true,
        about: "propensity-scored precision of the 3 best labels, of the best possible",
    },
    Named {
        name: "psp_at_5",
        of: SETS,
        larger: true,
        about: "propensity-scored precision of the 5 best labels, of the best possible",
    },
    Named {
        name: "psndcg_at_3",
        of: SETS,
        larger: true,
        about: "propensity-scored nDCG of the 3 best labels, of the best possible",
    },
    Named {
        name: "psndcg_at_5",
        of: SETS,
        larger: true,
        about: "propensity-scored nDCG of the 5 best labels, of the best possible",
    },
    Named { name: "coverage_error", of: SETS, larger: false, about: "mean number of labels down to the last true one" },
    Named { name: "f1_micro", of: SETS, larger: true, about: "F1 score of all labels taken together" },
    Named {
        name: "subset_accuracy",
        of: SETS,
        larger: true,
        about: "fraction of rows whose label set is exactly right",
    },
    Named { name: "hamming_loss", of: SETS, larger: false, about: "fraction of all labels of all rows that are wrong" },
    Named {
        name: "label_coverage",
        of: SETS,
        larger: true,
        about: "fraction of rows whose true labels are all in the predicted set",
    },
    Named { name: "set_size", of: SETS, larger: false, about: "mean number of labels in the predicted set" },
    Named { name: "mse", of: VALUES, larger: false, about: "mean squared error" },
    Named { name: "rmse", of: VALUES, larger: false, about: "root of the mean squared error" },
    Named { name: "mae", of: VALUES, larger: false, about: "mean absolute error" },
    Named { name: "r2", of: VALUES, larger: true, about: "coefficient of determination" },
];
