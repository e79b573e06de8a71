//! Machines by name of the method: detectors of every origin alike, classifiers and regressors through slope or graph.

use crate::{close, drawn, numbers, run};
use base::{Chain, Features, Inputs, Machine, Points};
use distance::{Covariance, Mixture};
use kernels::functions::{ChiSquared, Linear, Polynomial};
use kernels::{Decisions, Expansion, ExpansionParts, Kernel};
use pellucid_explain::{Method, Question, ScoreOf, Scored, explain, fitting};
use std::sync::Arc;

fn expansion(kernel: Kernel, reading: Decisions, names: &[&str], centres: Points, coefficients: Vec<f64>) -> Expansion {
    let pairs = reading == Decisions::Pairs;
    Expansion::new(ExpansionParts {
        kernel,
        reading,
        inputs: Features::unnamed(centres.columns()),
        names: names.iter().map(|n| n.to_string()).collect(),
        counts: if pairs { vec![centres.len() / 2, centres.len() - centres.len() / 2] } else { vec![] },
        offsets: vec![if reading == Decisions::Outlier { -0.2 } else { 0.1 }],
        centres,
        coefficients,
        rows: None,
        seen: vec![],
    })
    .unwrap()
}

fn ask(method: Method) -> Question {
    Question { method: Some(method), output: None }
}

#[test]
fn density_estimates_spheres_and_mixtures_are_explained_alike() {
    let (sigma, centres, points) = (0.8, drawn(10, 3, 1, 1.0), drawn(5, 3, 2, 2.0));
    let kde = expansion(Kernel::gaussian(sigma), Decisions::Outlier, &[], centres.clone(), vec![0.1; 10]);
    let sphere = expansion(Kernel::gaussian(sigma), Decisions::Sphere, &[], centres.clone(), vec![-0.2; 10]);
    let spreads = vec![sigma * sigma; 10];
    let means = numbers(&centres);
    let equal = |spreads: Vec<f64>| {
        Mixture::new(Features::unnamed(3), Covariance::Isotropic, vec![0.1; 10], means.clone(), spreads).unwrap()
    };
    let mixture = equal(spreads.clone());
    let told: Vec<Vec<f64>> = [&kde as &dyn Machine, &sphere, &mixture]
        .iter()
        .map(|m| {
            let answer = explain(*m, &Inputs::Points(points.clone()), Question::default(), &run()).unwrap();
            assert_eq!(answer.relevance.method, "dtd");
            numbers(&answer.relevance.values)
        })
        .collect();
    close(&told[1], &told[0], 1e-12, "sphere");
    close(&told[2], &told[0], 1e-12, "mixture");
    let unequal: Vec<f64> = spreads.iter().enumerate().map(|(i, s)| s + i as f64).collect();
    assert!(equal(unequal).facets().explains.is_none());
}

/// Detectors as they are fitted: a density estimate of all rows, a sphere, a one-class SVM and a mixture with one width, each
/// explained as the definition explains the weighted sum of kernels that it is.
#[test]
fn fitted_detectors_are_explained_as_the_sums_of_kernels_they_are() {
    use crate::closed_form::slowly;
    use base::{Dataset, Learner, Targets};
    use density::{Density, RadialKernel};
    use distance::GaussianMixture;
    use kernels::{Kde, KernelSettings, OneClassSvm, Svdd};
    for seed in testkit::seeds(3) {
        let sigma = 0.7 + (seed % 5) as f64 / 5.0;
        let (rows, points) = (drawn(45, 3, seed, 1.0), drawn(6, 3, seed.wrapping_add(1), 2.0));
        let data = Dataset::new(rows.clone(), Targets::None);
        let fit = |learner: &dyn Learner| learner.fit(&data, None, &run()).unwrap().machine;
        let kernel = KernelSettings { sigma, ..KernelSettings::default() };
        let kde = fit(&Kde { kernel: kernel.clone(), ..Kde::default() });
        let sphere = fit(&Svdd { nu: 0.3, kernel: kernel.clone(), ..Svdd::default() });
        let svm = fit(&OneClassSvm { nu: 0.3, kernel, ..OneClassSvm::default() });
        let mixture =
            fit(&GaussianMixture { k: 4, covariance: Covariance::Isotropic, sigma, ..GaussianMixture::default() });
        // Centres and weights from the rows, or from what each machine's record says.
        let support = |machine: &dyn Machine| {
            let machine = Expansion::read(&machine.record()).unwrap();
            let total: f64 = machine.coefficients().iter().sum();
            (machine.centres().clone(), machine.coefficients().iter().map(|c| c / total).collect::<Vec<f64>>())
        };
        let parts = Mixture::read(&mixture.record()).unwrap();
        let means = Points::dense(parts.means().to_vec(), 4, 3).unwrap();
        let cases = [
            ("kde", &kde, (rows.clone(), vec![1.0 / 45.0; 45])),
            ("sphere", &sphere, support(&*sphere)),
            ("one-class svm", &svm, support(&*svm)),
            ("mixture", &mixture, (means, parts.shares().to_vec())),
        ];
        for (what, machine, (centres, weights)) in cases {
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{what}");
            let kernel = RadialKernel::Exponential { gamma: 1.0 / (2.0 * sigma * sigma), q: 2.0 };
            let density = Density::new(centres, weights, kernel).unwrap();
            let told = explain(&**machine, &Inputs::Points(points.clone()), Question::default(), &run()).unwrap();
            assert_eq!(told.relevance.method, "dtd", "{what}");
            let (values, balance) = (numbers(&told.relevance.values), told.relevance.balance.unwrap());
            for (i, x) in numbers(&points).chunks_exact(3).enumerate() {
                let (o, _, by_input, _) = slowly(&density, x);
                close(&values[3 * i..3 * i + 3], &by_input, 1e-9, what);
                assert!((balance[i].score - o).abs() <= 1e-9 * o, "{what}: {} is not {o}", balance[i].score);
            }
        }
    }
}

/// Texts as rows of 0 and 1 under a detector: every word, there or missing, has the relevance of its column by the definition,
/// the most relevant first, and is told to be there where the text has it.
#[test]
fn words_there_and_missing_have_the_relevance_of_the_definition() {
    use crate::closed_form::slowly;
    use base::{Dataset, Learner, Seed, Targets};
    use density::{Density, RadialKernel};
    use kernels::{KernelSettings, OneClassSvm};
    use pellucid_explain::words;
    let vocabulary = ["the", "cat", "sat", "on", "a", "mat", "dog", "lay", "roof", "b:c"];
    let d = vocabulary.len();
    for seed in testkit::seeds(4).into_iter().map(Seed) {
        // Usual texts have the first six words nearly always, the others hardly ever; the texts asked for turn that around.
        let texts = |what: &str, count: usize, usual: f64| -> Vec<f64> {
            let has = |i: usize, c: usize| seed.fork(what).at(i).at(c).unit() < if c < 6 { usual } else { 1.0 - usual };
            (0..count).flat_map(|i| (0..d).map(move |c| (i, c))).map(|(i, c)| f64::from(u8::from(has(i, c)))).collect()
        };
        let rows = Points::dense(texts("usual", 60, 0.9), 60, d).unwrap();
        let asked = texts("asked", 5, 0.3);
        let names = vocabulary.map(|w| format!("text:{w}")).to_vec();
        let features = Features::named(names);
        let data = Dataset { features: features.clone(), ..Dataset::new(rows, Targets::None) };
        let kernel = KernelSettings { sigma: 1.0, ..KernelSettings::default() };
        let fitted = OneClassSvm { nu: 0.3, kernel, ..OneClassSvm::default() }.fit(&data, None, &run()).unwrap();
        let machine = Expansion::read(&fitted.machine.record()).unwrap();
        let weights = machine.coefficients().to_vec();
        let radial = RadialKernel::Exponential { gamma: 0.5, q: 2.0 };
        let density = Density::new(machine.centres().clone(), weights, radial).unwrap();
        let points = Points::dense(asked.clone(), 5, d).unwrap();
        let told = explain(&machine, &Inputs::Points(points), Question::default(), &run()).unwrap().relevance;
        let told = numbers(&told.values);
        let (mut present, mut absent) = (0, 0);
        for (i, text) in asked.chunks_exact(d).enumerate() {
            let (_, _, by_input, _) = slowly(&density, text);
            let found = words(&told[i * d..(i + 1) * d], text, &features).unwrap();
            assert!(found.windows(2).all(|w| w[0].relevance >= w[1].relevance), "the most relevant first");
            let of = |w: &str| found.iter().find(|f| f.word == w);
            let relevance: Vec<f64> = vocabulary.iter().map(|w| of(w).map_or(0.0, |f| f.relevance)).collect();
            close(&relevance, &by_input, 1e-9, "words");
            for word in &found {
                let column = vocabulary.iter().position(|w| *w == word.word).unwrap();
                assert_eq!(word.present, text[column] == 1.0, "{}", word.word);
                *if word.present { &mut present } else { &mut absent } += 1;
            }
        }
        assert!(present > 5 && absent > 5, "{present} words there, {absent} missing");
    }
}

#[test]
fn classifiers_and_regressors_through_slope_and_graph() {
    let centres = drawn(14, 4, 1, 1.0);
    let coefficients: Vec<f64> = (0..14).map(|j| if j < 7 { 0.5 } else { -0.4 }).collect();
    let points = drawn(6, 4, 2, 1.0);
    let inputs = Inputs::Points(points.clone());
    for (kernel, reading, names) in [
        (Kernel::gaussian(1.0), Decisions::Pairs, &["a", "b"][..]),
        (Kernel::new(Polynomial { gamma: 0.5, coef0: 1.0, degree: 2 }), Decisions::Values, &["y"][..]),
        (Kernel::new(ChiSquared { gamma: 0.3 }), Decisions::Values, &["y"][..]),
    ] {
        let positive = kernel.non_negative();
        let abs =
            |p: &Points| Points::dense(numbers(p).iter().map(|x| x.abs()).collect::<Vec<_>>(), p.len(), 4).unwrap();
        let (centres, points, inputs) = match positive {
            true => (abs(&centres), abs(&points), Inputs::Points(abs(&points))),
            false => (centres.clone(), points.clone(), inputs.clone()),
        };
        let machine = expansion(kernel.clone(), reading, names, centres, coefficients.clone());
        let score = ScoreOf::new(&machine, 0, &run()).unwrap();
        let (values, slopes) = score.gradients(&points, &run()).unwrap();
        let x = numbers(&points);
        for i in 0..24 {
            let at = |e: f64| {
                let mut y = x.clone();
                y[i] += e;
                score.values(&Points::dense(y, 6, 4).unwrap(), &run()).unwrap()[i / 4]
            };
            let measured = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((measured - slopes[i]).abs() < 1e-6 * (1.0 + slopes[i].abs()), "{kernel:?}");
        }
        close(&values, &score.values(&points, &run()).unwrap(), 1e-9, "values");
        let support = explain(&machine, &inputs, ask(Method::Support), &run()).unwrap();
        let integrated = explain(&machine, &inputs, Question::default(), &run()).unwrap();
        assert_eq!(integrated.relevance.method, "integrated-gradients");
        for answer in [support, integrated] {
            let scores = machine.compute(&inputs, &run()).unwrap();
            let width = scores.columns();
            for (i, b) in answer.relevance.balance.as_ref().unwrap().iter().enumerate() {
                let score = numbers(&scores)[i * width + answer.outputs[i]];
                if answer.outputs[i] == 0 || answer.relevance.method != "support" {
                    assert!((b.score - score).abs() < 1e-9 * (1.0 + score.abs()), "{}", answer.relevance.method);
                }
                assert!(b.open() < 1e-9 && b.lost.abs() < 2e-3 * (1.0 + score.abs()), "{b:?}");
            }
        }
    }
}

#[test]
fn methods_say_whether_they_fit() {
    let centres = drawn(6, 2, 1, 1.0);
    let detector = expansion(Kernel::gaussian(1.0), Decisions::Outlier, &[], centres.clone(), vec![1.0; 6]);
    let fits = |m: &dyn Machine| -> Vec<&'static str> {
        fitting(m).iter().filter(|f| f.why_not.is_none()).map(|f| f.method.word()).collect()
    };
    let without = ["pattern-net", "pattern-attribution", "grad-cam", "sobel"];
    let all: Vec<&str> = Method::ALL.iter().map(|m| m.word()).filter(|m| !without.contains(m)).collect();
    assert_eq!(fits(&detector), all, "all but edges and what asks for layers");
    let inputs = Inputs::Points(drawn(4, 2, 3, 2.0));
    // Some of these rows are normal, and deep Taylor decomposition explains scores above 0 alone.
    let above = |m: &Method| !matches!(m, Method::DeepTaylor | Method::DeepTaylorBounded);
    for method in Method::ALL.into_iter().filter(|m| !without.contains(&m.word()) && above(m)) {
        let answer = explain(&detector, &inputs, ask(method), &run()).unwrap();
        let width = if method.of_support() { 6 } else { 2 };
        assert_eq!((answer.relevance.values.len(), answer.relevance.values.columns()), (4, width), "{method:?}");
        assert!(numbers(&answer.relevance.values).iter().all(|r| r.is_finite()), "{method:?}");
        if let Some(balance) = &answer.relevance.balance {
            assert!(balance.iter().all(|b| b.open() < 1e-9), "{method:?} {balance:?}");
        }
    }
    let linear = expansion(Kernel::new(Linear), Decisions::Values, &["y"], centres, vec![1.0; 6]);
    assert!(!fits(&linear).contains(&"dtd") && fits(&linear).contains(&"gradient"));
    let error = explain(&linear, &inputs, ask(Method::Dtd), &run()).unwrap_err().to_string();
    assert!(error.contains("dtd") && error.contains("weighted sum of radial kernels"), "{error}");
    let error = explain(&detector, &inputs, ask(Method::Sobel), &run()).unwrap_err().to_string();
    assert!(error.contains("not an image"), "{error}");
    for (theirs, ours) in [("shap", "kernel-shap"), ("ig", "integrated-gradients"), ("DeepLift", "deep-lift")] {
        assert_eq!(Method::find(theirs).map(|m| m.word()), Ok(ours), "d32");
    }
    assert!(Method::find("dtt").unwrap_err().to_string().contains("did you mean dtd"));
}

#[test]
fn the_model_alone_explains() {
    // A machine that went through its record, without any training data at hand, says the same.
    let machine = expansion(Kernel::gaussian(1.0), Decisions::Outlier, &[], drawn(8, 3, 1, 1.0), vec![0.125; 8]);
    let again = Expansion::read(&machine.record()).unwrap();
    let inputs = Inputs::Points(drawn(3, 3, 2, 2.0));
    let told = |m: &dyn Machine| numbers(&explain(m, &inputs, Question::default(), &run()).unwrap().relevance.values);
    assert_eq!(told(&machine), told(&again));
    // A chain of one is that one; a chain is taken apart.
    let chain = Chain::new(vec![Arc::new(again) as Arc<dyn Machine>]).unwrap();
    assert_eq!(told(&machine), told(&chain));
    let detector = (&machine as &dyn Machine).explainer(&run()).unwrap();
    assert_eq!(detector.references().unwrap().points().len(), 8);
}
