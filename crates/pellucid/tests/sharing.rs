//! Searches share work behind any preparation: kernel rows are counted, and a preparation is fitted once for all settings.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use pellucid::evaluate::{Grid, Splitting, search};
use pellucid::problems::Problem;
use pellucid::{
    Catalog, CloneLearner, Dataset, Fits, Fitted, KNOWN, Learner, Param, Pipeline, Plan, Progress, Record, Result, Run,
    Seed, Settings, Size, Traits, Value, Verdict, WRAPPERS, Watch, fit_all, prepare,
};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Counts units of work by what they are called.
#[derive(Default)]
struct Counting(Mutex<BTreeMap<String, u64>>);

impl Watch for Counting {
    fn step(&self, progress: &Progress<'_>) -> Verdict {
        // Said before every block of kernel rows; the first block of a call says how many there will be.
        let units = match progress.stage {
            "kernel rows" => progress.total.unwrap_or(0),
            _ => 1,
        };
        if progress.done == 0 {
            *self.0.lock().unwrap().entry(progress.stage.to_string()).or_default() += units;
        }
        Verdict::GoOn
    }
}

impl Counting {
    fn of(&self, stage: &str) -> u64 {
        self.0.lock().unwrap().get(stage).copied().unwrap_or(0)
    }
}

/// A learner that keeps to itself that it can share.
#[derive(Debug, Clone)]
struct Alone(Box<dyn Learner>);

impl Settings for Alone {
    fn params(&self) -> Vec<Param> {
        self.0.params()
    }

    fn get(&self, name: &str) -> Result<Value> {
        self.0.get(name)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<()> {
        self.0.set(name, value)
    }
}

impl Learner for Alone {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn traits(&self) -> Traits<'_> {
        Traits { many: None, ..self.0.traits() }
    }

    fn learn(&self, data: &Dataset, start: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        self.0.learn(data, start, run)
    }

    fn plan(&self, size: &Size) -> Plan {
        self.0.plan(size)
    }
}

fn clouds() -> Dataset {
    let mut moons = pellucid::problems::TwoMoons::default();
    moons.set_text("noise", "0.3").unwrap();
    moons.draw(Seed(1)).unwrap()
}

fn learner(steps: &[&str]) -> Pipeline {
    Pipeline { steps: steps.iter().map(|name| KNOWN.learner(name).unwrap()).collect() }
}

fn grid(learner: &dyn Learner) -> Vec<Vec<(String, Value)>> {
    Grid::default().with("c=0.1,1,10", learner).unwrap().combinations()
}

/// `compare svc --grid c=0.1,1,10 --folds 5 --prepare scale`: kernel rows computed for one value of c serve the others, and
/// the scaling of a fold is fitted once.
#[test]
fn kernel_rows_of_a_search_behind_a_preparation_are_shared() {
    let data = clouds();
    let splitting = Splitting::Folds { n: 5, repeats: 1, stratified: true };
    let splits = splitting.of(&data, Seed(1)).unwrap();
    let count = |learner: &dyn Learner, settings: &[Vec<(String, Value)>]| {
        let counting = Counting::default();
        let run = Run { catalog: &KNOWN, watch: &counting, ..Run::quiet(1) };
        let found = search(learner, settings, &data, &splits, "accuracy", &run).unwrap();
        (counting.of("kernel rows"), counting.of("scale"), found)
    };
    let svc = learner(&["scale", "svc"]);
    let settings = grid(&svc);
    let (shared, scaled, found) = count(&svc, &settings);
    let (looped, scaled_alone, expected) = count(&Alone(svc.boxed()), &settings);
    assert_eq!((scaled, scaled_alone), (5, 3 * 5));
    let each: Vec<u64> = settings.iter().map(|one| count(&svc, std::slice::from_ref(one)).0).collect();
    assert_eq!(looped, each.iter().sum::<u64>(), "without sharing every value of c computes its own");
    assert!(4 * shared < 3 * looped, "{shared} rows against {looped}");
    // However many values are tried, a row of a fold is computed at most once for each of the two classes.
    let many = Grid::default().with("c=0.1,0.2,0.3,0.5,0.7,1,1.5,2,3,5,7,10,15,20,30,50", &svc).unwrap().combinations();
    let (many_shared, (many_looped, ..)) = (count(&svc, &many).0, count(&Alone(svc.boxed()), &many));
    let once: usize = splits.iter().map(|s| 2 * s.train.len()).sum();
    assert!(many_shared <= once as u64 && 4 * many_shared < many_looped, "{many_shared}, {once}, {many_looped}");
    assert_eq!(found, expected);
}

/// Machines of shared fits are those of single fits, whatever holds the learner.
#[test]
fn machines_of_many_fits_are_those_of_single_fits() {
    let data = clouds();
    let run = Run { catalog: &KNOWN, ..Run::quiet(3) };
    let rows: Vec<Vec<usize>> = (0..3).map(|f| (0..data.len()).filter(|i| i % 3 != f).collect()).collect();
    let mut held: Vec<Box<dyn Learner>> = vec![
        learner(&["svc"]).boxed(),
        learner(&["scale", "svc"]).boxed(),
        learner(&["scale", "pca", "svc"]).boxed(),
        learner(&["scale", "logistic"]).boxed(),
    ];
    // A bandwidth that this kernel does not look at must not make its gamma that of all rows.
    let mut polynomial = learner(&["svc"]).boxed();
    [("kernel", "polynomial"), ("sigma", "1")].iter().for_each(|(name, text)| polynomial.set_text(name, text).unwrap());
    held.push(polynomial);
    for name in ["class-weights", "smote", "noise", "calibrate", "forward"] {
        let step = (WRAPPERS.iter().find(|w| w.name == name).unwrap().make)();
        held.push(prepare::Wrapped { step, learner: learner(&["scale", "svc"]).boxed() }.boxed());
    }
    for mut learner in held {
        let svc = learner.name() == "svc";
        if svc {
            learner.set_text("tolerance", "1e-10").unwrap();
        }
        let settings = match svc {
            true => grid(&*learner),
            false => Grid::default().with("gamma=0.01,1", &*learner).unwrap().combinations(),
        };
        let fits = Fits { settings: &settings, rows: Some(&rows), data: &data };
        let many = fit_all(&*learner, &fits, &run).unwrap();
        let alone = fit_all(&Alone(learner.clone()), &fits, &run).unwrap();
        for (a, b) in many.iter().zip(&alone) {
            let scores = |f: &Fitted| f.machine.compute(&data.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
            testkit::assert_close(&scores(a), &scores(b), 1e-6, &format!("{learner:?}"));
            assert_eq!(a.certificate.warnings, b.certificate.warnings);
        }
    }
}
