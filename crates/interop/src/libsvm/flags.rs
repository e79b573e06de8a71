//! The options of `svm-train` and `svm-predict`, as LIBSVM 3 has them.

use crate::programs::{file_name, number, split, switch, whole};
use base::{Error, Result};
use files::SvmType;
use std::path::{Path, PathBuf};

/// What `svm-train` is told.
#[derive(Debug, Clone, PartialEq)]
pub struct SvmTrain {
    /// `-s`: what to train.
    pub kind: SvmType,
    /// `-t`: linear, polynomial, rbf, sigmoid or precomputed, by number.
    pub kernel: usize,
    /// `-d`.
    pub degree: usize,
    /// `-g`; 1 / columns if not given.
    pub gamma: Option<f64>,
    /// `-r`.
    pub coef0: f64,
    /// `-c`.
    pub c: f64,
    /// `-n`.
    pub nu: f64,
    /// `-p`.
    pub epsilon: f64,
    /// `-m`: memory for kernel values in MB.
    pub cache: usize,
    /// `-e`: tolerance.
    pub tolerance: f64,
    /// `-b 1`: probabilities.
    pub probability: bool,
    /// `-wi`: factors of C by label.
    pub weights: Vec<(i32, f64)>,
    /// `-v`: folds of a cross-validation, in place of a model.
    pub folds: Option<usize>,
    /// `-q`: nothing is printed.
    pub quiet: bool,
    /// The data.
    pub data: PathBuf,
    /// Where the model goes.
    pub model: PathBuf,
}

/// What `svm-predict` is told.
#[derive(Debug, Clone, PartialEq)]
pub struct SvmPredict {
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

impl SvmTrain {
    /// How it is called.
    pub const USAGE: &'static str = "svm-train [options] training_file [model_file]
-s type: 0 c_svc, 1 nu_svc, 2 one_class, 3 epsilon_svr, 4 nu_svr (default 0)
-t kernel: 0 linear, 1 polynomial, 2 rbf, 3 sigmoid, 4 precomputed (default 2)
-d degree (3), -g gamma (1/columns), -r coef0 (0), -c cost (1), -n nu (0.5), -p epsilon of the tube (0.1)
-m memory for kernel values in MB (100), -e tolerance (0.001), -h 0|1 (accepted and ignored), -b 0|1 probabilities
-wLABEL factor of the cost of a class, -v folds of a cross-validation, -q quiet";

    /// Reads the words after `svm-train`.
    pub fn parse(words: &[String]) -> Result<Self> {
        let (options, files) = split(words, &["q"])?;
        let (data, model) = match files {
            [data] => (PathBuf::from(data), PathBuf::from(format!("{}.model", file_name(Path::new(data))))),
            [data, model] => (PathBuf::from(data), PathBuf::from(model)),
            _ => return Err(Error::size("files of svm-train (training_file [model_file])", "1 or 2", files.len())),
        };
        let mut train = SvmTrain {
            kind: SvmType::CSvc,
            kernel: 2,
            degree: 3,
            gamma: None,
            coef0: 0.0,
            c: 1.0,
            nu: 0.5,
            epsilon: 0.1,
            cache: 100,
            tolerance: 0.001,
            probability: false,
            weights: vec![],
            folds: None,
            quiet: false,
            data,
            model,
        };
        for (flag, value) in options {
            train.set(flag, value)?;
        }
        Ok(train)
    }

    fn set(&mut self, flag: &str, value: &str) -> Result<()> {
        let positive = |x: f64| x > 0.0;
        match flag {
            "s" => {
                let kinds = [SvmType::CSvc, SvmType::NuSvc, SvmType::OneClass, SvmType::EpsilonSvr, SvmType::NuSvr];
                self.kind = kinds[whole(flag, value, 0, 4)?];
            }
            "t" => self.kernel = whole(flag, value, 0, 4)?,
            "d" => self.degree = whole(flag, value, 1, 64)?,
            "g" => {
                let gamma = number(flag, value, |x| x >= 0.0, "must be at least 0")?;
                // LIBSVM takes 0 for 1 / columns.
                self.gamma = (gamma > 0.0).then_some(gamma);
            }
            "r" => self.coef0 = number(flag, value, |_| true, "must be a number")?,
            "c" => self.c = number(flag, value, positive, "must be greater than 0")?,
            "n" => self.nu = number(flag, value, |x| x > 0.0 && x <= 1.0, "must be greater than 0 and at most 1")?,
            "p" => self.epsilon = number(flag, value, |x| x >= 0.0, "must be at least 0")?,
            "m" => self.cache = number(flag, value, positive, "must be greater than 0")?.ceil().min(1e9) as usize,
            "e" => self.tolerance = number(flag, value, positive, "must be greater than 0")?,
            // Shrinking changes the way, never the result; ours looks after itself.
            "h" => drop(switch(flag, value)?),
            "b" => self.probability = switch(flag, value)?,
            "v" => self.folds = Some(whole(flag, value, 2, usize::MAX)?),
            "q" => self.quiet = true,
            _ => match flag.strip_prefix('w').and_then(|label| label.parse::<i32>().ok()) {
                Some(label) => self.weights.push((label, number(flag, value, positive, "must be greater than 0")?)),
                None => return Err(Error::parameter(format!("-{flag}"), value, "no such option of svm-train")),
            },
        }
        Ok(())
    }
}

impl SvmPredict {
    /// How it is called.
    pub const USAGE: &'static str = "svm-predict [options] test_file model_file output_file
-b 0|1 probabilities, -q quiet";

    /// Reads the words after `svm-predict`.
    pub fn parse(words: &[String]) -> Result<Self> {
        let (options, files) = split(words, &["q"])?;
        let [data, model, output] = files else {
            let what = "files of svm-predict (test_file model_file output_file)";
            return Err(Error::size(what, 3, files.len()));
        };
        let path = |text: &String| PathBuf::from(text);
        let mut predict =
            SvmPredict { probability: false, quiet: false, data: path(data), model: path(model), output: path(output) };
        for (flag, value) in options {
            match flag {
                "b" => predict.probability = switch(flag, value)?,
                "q" => predict.quiet = true,
                _ => return Err(Error::parameter(format!("-{flag}"), value, "no such option of svm-predict")),
            }
        }
        Ok(predict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_string).collect()
    }

    #[test]
    fn options_are_those_of_libsvm() {
        let train = SvmTrain::parse(&words(
            "-s 3 -t 1 -d 2 -g 0.5 -r 1 -c 10 -n 0.1 -p 0.2 -m 40 -e 1e-4 -h 0 -b 1 -w1 5 -w-1 0.5 -v 5 -q a/heart m",
        ));
        let expected = SvmTrain {
            kind: SvmType::EpsilonSvr,
            kernel: 1,
            degree: 2,
            gamma: Some(0.5),
            coef0: 1.0,
            c: 10.0,
            nu: 0.1,
            epsilon: 0.2,
            cache: 40,
            tolerance: 1e-4,
            probability: true,
            weights: vec![(1, 5.0), (-1, 0.5)],
            folds: Some(5),
            quiet: true,
            data: "a/heart".into(),
            model: "m".into(),
        };
        assert_eq!(train, Ok(expected));
        assert_eq!(SvmTrain::parse(&words("a/heart")).unwrap().model, PathBuf::from("heart.model"));
        let predict = SvmPredict::parse(&words("-b 1 -q t m o")).unwrap();
        assert!(predict.probability && predict.quiet && predict.output == Path::new("o"));
    }

    #[test]
    fn slips_are_told() {
        let says = |text: &str| SvmTrain::parse(&words(text)).unwrap_err().to_string();
        for (text, message) in [
            ("-s 5 a", "-s = 5: must be a whole number from 0 to 4"),
            ("-t x a", "-t = x: must be a whole number from 0 to 4"),
            ("-c 0 a", "-c = 0: must be greater than 0"),
            ("-c nan a", "-c = nan: must be greater than 0"),
            ("-n 1.5 a", "-n = 1.5: must be greater than 0 and at most 1"),
            ("-v 1 a", "-v = 1: must be a whole number from 2"),
            ("-w 1 a", "-w = 1: no such option of svm-train"),
            ("-z 1 a", "-z = 1: no such option of svm-train"),
            ("-c", "the option -c: expected a value, found none"),
            ("", "expected 1 or 2, found 0"),
            ("a b c", "expected 1 or 2, found 3"),
        ] {
            assert!(says(text).contains(message), "{text}: {}", says(text));
        }
        assert!(SvmPredict::parse(&words("t m")).unwrap_err().to_string().contains("expected 3, found 2"));
        assert!(SvmPredict::parse(&words("-s 1 t m o")).is_err());
    }
}
