//! The options of `linear-train` and `linear-predict`, as LIBLINEAR 2 has them for `train` and `predict`.

use crate::programs::{file_name, number, split, switch, whole};
use base::{Error, Result};
use files::LinearSolver;
use std::path::{Path, PathBuf};

/// What `linear-train` is told.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearTrain {
    /// `-s`: what to minimise.
    pub solver: LinearSolver,
    /// `-c`; 1 if not given.
    pub c: Option<f64>,
    /// `-p`: half width of the tube.
    pub epsilon: f64,
    /// `-e`: tolerance; by the solver if not given.
    pub tolerance: Option<f64>,
    /// `-B`: the value of a constant feature, if it is to be there.
    pub bias: Option<f64>,
    /// `-wi`: factors of C by label.
    pub weights: Vec<(i32, f64)>,
    /// `-v`: folds of a cross-validation, in place of a model.
    pub folds: Option<usize>,
    /// `-C`: C is searched for, in place of a model.
    pub search: bool,
    /// `-q`: nothing is printed.
    pub quiet: bool,
    /// The data.
    pub data: PathBuf,
    /// Where the model goes.
    pub model: PathBuf,
}

/// What `linear-predict` is told.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearPredict {
    /// `-b 1`: probabilities.
    pub probability: bool,
    /// `-q`: nothing is printed.
    pub quiet: bool,
    /// The data.
    pub data: PathBuf,
    /// The model.
    pub model: PathBuf,
    /// Where the predictions go.
    pub output: PathBuf,
}

impl LinearTrain {
    /// How it is called.
    pub const USAGE: &'static str = "linear-train [options] training_file [model_file]
-s type (default 1):
   classes: 0, 7 logistic loss, 1, 2 squared hinge, 3 hinge, 4 Crammer and Singer; values: 11, 12 squared, 13 absolute
   (one optimum has two numbers where LIBLINEAR has two solvers; 5, 6 and 21 are not available)
-c cost (1), -p epsilon of the tube (0.1), -e tolerance (0.1; 0.01 for -s 0 and 2, 0.0001 for -s 11)
-B value of a constant feature, which is the intercept (-1: none)
-wLABEL factor of the cost of a class, -v folds of a cross-validation, -C searches for the cost (-s 0 or 2)
-q nothing is printed";

    /// Reads the words after `linear-train`.
    pub fn parse(words: &[String]) -> Result<Self> {
        let (options, files) = split(words, &["q", "C", "R"])?;
        let (data, model) = match files {
            [data] => (PathBuf::from(data), PathBuf::from(format!("{}.model", file_name(Path::new(data))))),
            [data, model] => (PathBuf::from(data), PathBuf::from(model)),
            _ => return Err(Error::size("files of linear-train (training_file [model_file])", "1 or 2", files.len())),
        };
        let mut train = LinearTrain {
            solver: LinearSolver::SquaredHingeDual,
            c: None,
            epsilon: 0.1,
            tolerance: None,
            bias: None,
            weights: vec![],
            folds: None,
            search: false,
            quiet: false,
            data,
            model,
        };
        let mut chosen = false;
        for (flag, value) in options {
            chosen |= flag == "s";
            train.set(flag, value)?;
        }
        if train.search && !chosen {
            // As LIBLINEAR has it: the search begins with a solver that it can do.
            train.solver = LinearSolver::SquaredHinge;
        }
        match train.solver {
            LinearSolver::Logistic | LinearSolver::SquaredHinge => Ok(train),
            solver if train.search => {
                Err(Error::parameter("-C", format!("-s {}", solver.number()), "must be given with -s 0 or 2"))
            }
            _ => Ok(train),
        }
    }

    fn set(&mut self, flag: &str, value: &str) -> Result<()> {
        let positive = |x: f64| x > 0.0;
        match flag {
            "s" => self.solver = solver(value)?,
            "c" => self.c = Some(number(flag, value, positive, "must be greater than 0")?),
            "p" => self.epsilon = number(flag, value, |x| x >= 0.0, "must be at least 0")?,
            "e" => self.tolerance = Some(number(flag, value, positive, "must be greater than 0")?),
            "B" => self.bias = Some(number(flag, value, |_| true, "must be a number")?).filter(|&b| b >= 0.0),
            "R" => {
                let instead = "a large -B makes the penalty of the intercept weak";
                return Err(Error::unsupported("-R, an intercept without penalty", "linear-train", instead));
            }
            "n" => {
                let instead = "use svm-train -s 2 -t 0";
                return Err(Error::unsupported("-n, for machines of one class", "linear-train", instead));
            }
            "v" => self.folds = Some(whole(flag, value, 2, usize::MAX)?),
            "C" => self.search = true,
            "q" => self.quiet = true,
            _ => match flag.strip_prefix('w').and_then(|label| label.parse::<i32>().ok()) {
                Some(label) => self.weights.push((label, number(flag, value, positive, "must be greater than 0")?)),
                None => return Err(Error::parameter(format!("-{flag}"), value, "no such option of linear-train")),
            },
        }
        Ok(())
    }
}

/// The solver of a number, unless it is one that we have not.
fn solver(value: &str) -> Result<LinearSolver> {
    let known = value.parse().ok().and_then(LinearSolver::from_number);
    let Some(solver) = known else {
        return Err(Error::parameter("-s", value, "must be 0, 1, 2, 3, 4, 7, 11, 12 or 13"));
    };
    let refuse =
        |what: &str, instead: &str| Err(Error::unsupported(format!("-s {value}, {what}"), "linear-train", instead));
    match solver {
        LinearSolver::SparseSquaredHinge | LinearSolver::SparseLogistic => {
            refuse("an L1 penalty", "use -s 1 or 0, and remove small weights by fit linear-svm --set prune=0.01")
        }
        LinearSolver::OneClass => refuse("a machine of one class", "use svm-train -s 2 -t 0"),
        solver => Ok(solver),
    }
}

impl LinearPredict {
    /// How it is called.
    pub const USAGE: &'static str = "linear-predict [options] test_file model_file output_file
-b 0|1 probabilities, -q nothing is printed";

    /// Reads the words after `linear-predict`.
    pub fn parse(words: &[String]) -> Result<Self> {
        let (options, files) = split(words, &["q"])?;
        let [data, model, output] = files else {
            let what = "files of linear-predict (test_file model_file output_file)";
            return Err(Error::size(what, 3, files.len()));
        };
        let path = |text: &String| PathBuf::from(text);
        let mut predict = LinearPredict {
            probability: false,
            quiet: false,
            data: path(data),
            model: path(model),
            output: path(output),
        };
        for (flag, value) in options {
            match flag {
                "b" => predict.probability = switch(flag, value)?,
                "q" => predict.quiet = true,
                _ => return Err(Error::parameter(format!("-{flag}"), value, "no such option of linear-predict")),
            }
        }
        Ok(predict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn train(text: &str) -> Result<LinearTrain> {
        LinearTrain::parse(&text.split_whitespace().map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_those_of_liblinear() {
        let all = train("-s 13 -c 10 -p 0.2 -e 1e-4 -B 1 -w1 5 -w-1 0.5 -v 5 -q a/heart m");
        let expected = LinearTrain {
            solver: LinearSolver::TubeDual,
            c: Some(10.0),
            epsilon: 0.2,
            tolerance: Some(1e-4),
            bias: Some(1.0),
            weights: vec![(1, 5.0), (-1, 0.5)],
            folds: Some(5),
            search: false,
            quiet: true,
            data: "a/heart".into(),
            model: "m".into(),
        };
        assert_eq!(all, Ok(expected));
        let plain = train("-B -1 a/heart").unwrap();
        assert_eq!(
            (plain.solver, plain.bias, plain.model),
            (LinearSolver::SquaredHingeDual, None, "heart.model".into())
        );
        assert_eq!(train("-C d").unwrap().solver, LinearSolver::SquaredHinge);
        assert_eq!(train("-s 0 -C d").unwrap().solver, LinearSolver::Logistic);
        let predict = LinearPredict::parse(&["-b", "1", "-q", "t", "m", "o"].map(str::to_string)).unwrap();
        assert!(predict.probability && predict.quiet && predict.output == Path::new("o"));
    }

    #[test]
    fn what_cannot_be_done_is_said_with_what_can() {
        for (words, message) in [
            ("-s 5 d", "-s 5, an L1 penalty: not supported by linear-train; use -s 1 or 0"),
            ("-s 6 d", "-s 6, an L1 penalty: not supported"),
            ("-s 21 d", "-s 21, a machine of one class: not supported by linear-train; use svm-train -s 2 -t 0"),
            ("-s 8 d", "-s = 8: must be 0, 1, 2, 3, 4, 7, 11, 12 or 13"),
            ("-s x d", "-s = x: must be 0"),
            ("-R d", "-R, an intercept without penalty: not supported by linear-train"),
            ("-n 0.5 d", "-n, for machines of one class: not supported"),
            ("-C -s 3 d", "-C = -s 3: must be given with -s 0 or 2"),
            ("-c 0 d", "-c = 0: must be greater than 0"),
            ("-e nan d", "-e = nan: must be greater than 0"),
            ("-v 1 d", "-v = 1: must be a whole number from 2"),
            ("-x 1 d", "-x = 1: no such option of linear-train"),
            ("-c", "the option -c: expected a value, found none"),
            ("", "files of linear-train (training_file [model_file]): expected 1 or 2, found 0"),
        ] {
            let said = train(words).unwrap_err().to_string();
            assert!(said.starts_with(message), "{words}: {said}");
        }
        assert!(LinearPredict::parse(&["d".into()]).unwrap_err().to_string().contains("expected 3, found 1"));
    }
}
