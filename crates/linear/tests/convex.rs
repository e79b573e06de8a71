//! Linear support vector machines of every kind reach the optima that a convex solver found (`golden/make_linear_svm.py`).
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{Classes, Dataset, LabelSets, Learner, Memory, Points, Run, Targets, Values};
use pellucid_linear::{Linear, LinearSvm, LinearSvr, Loss, Multiclass, TubeLoss};
use testkit::check_golden;

const LABELS: usize = 4;
const COLUMNS: usize = 4;
/// What the convex solver and ours may differ by, in objectives and scores.
const TOLERANCE: f64 = 1e-5;
/// Relative duality gaps at which scores are as good: ½‖w − w*‖² is at most the gap.
const GAP: f64 = 1e-12;

fn golden(name: &str) -> String {
    let path = format!("{}/../../golden/linear_svm/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The drawn rows with each kind of target, and their weights.
struct Drawn {
    points: Points,
    codes: Vec<u32>,
    values: Vec<f64>,
    weights: Vec<f64>,
    sets: LabelSets,
}

impl Drawn {
    fn read() -> Self {
        let numbers: Vec<f64> = golden("drawn").lines().skip(1).map(|l| l.parse().unwrap()).collect();
        let rows: Vec<&[f64]> = numbers.chunks(3 + LABELS + COLUMNS).collect();
        let (mut starts, mut labels) = (vec![0], vec![]);
        for row in &rows {
            labels.extend((0..LABELS as u32).filter(|&l| row[3 + l as usize] == 1.0));
            starts.push(labels.len());
        }
        let names: Vec<String> = (0..LABELS).map(|l| format!("l{l}")).collect();
        Drawn {
            points: Points::from_rows(&rows.iter().map(|r| &r[3 + LABELS..]).collect::<Vec<_>>()).unwrap(),
            codes: rows.iter().map(|r| r[0] as u32).collect(),
            values: rows.iter().map(|r| r[1]).collect(),
            weights: rows.iter().map(|r| r[2]).collect(),
            sets: LabelSets::new(starts, labels, names, vec![]).unwrap(),
        }
    }

    fn with(&self, targets: Targets) -> Dataset {
        Dataset::new(self.points.clone(), targets)
    }

    fn classes(&self, code: impl Fn(u32) -> u32) -> Dataset {
        let codes: Vec<u32> = self.codes.iter().map(|&c| code(c)).collect();
        let names: Vec<String> = (0..=*codes.iter().max().unwrap()).map(|c| format!("c{c}")).collect();
        self.with(Targets::Classes(Classes::new(codes, names).unwrap()))
    }
}

/// The fit's objective, then its scores; `common` offsets are taken from the scores.
fn check(name: &str, learner: &dyn Learner, data: &Dataset, common: bool) {
    let run = Run::quiet(3);
    let fitted = learner.fit(data, None, &run).unwrap();
    let machine: &Linear = fitted.machine.expect::<Linear>().unwrap();
    let offset = if common { machine.offsets()[0] } else { 0.0 };
    let scores = fitted.machine.compute(&data.inputs, &run).unwrap().to_dense(&Memory::unlimited()).unwrap();
    let mut ours = vec![fitted.certificate.objective.unwrap()];
    ours.extend(scores.iter().map(|s| s - offset));
    check_golden(&golden(name), &ours, TOLERANCE);
}

fn svm(multiclass: Multiclass, loss: Loss, c: f64) -> LinearSvm {
    LinearSvm { multiclass, loss, c, gap: GAP, tolerance: 1e-9, steps: 500_000, ..LinearSvm::default() }
}

#[test]
fn every_way_of_several_classes_reaches_the_optimum_of_a_convex_solver() {
    let drawn = Drawn::read();
    let plain = drawn.classes(|c| c);
    let weighted = Dataset { weights: Some(drawn.weights.clone().into()), ..plain.clone() };
    for (name, multiclass) in [
        ("ww", Multiclass::WestonWatkins),
        ("cs", Multiclass::CrammerSinger),
        ("llw", Multiclass::LeeLinWahba),
        ("mmr", Multiclass::Mmr),
        ("adm", Multiclass::Adm),
        ("ats", Multiclass::Ats),
        ("atm", Multiclass::Atm),
        ("ovr", Multiclass::OneVsRest),
    ] {
        check(name, &svm(multiclass, Loss::Hinge, 0.7), &plain, false);
        let wide = LinearSvm { margin: 2.0, intercept: false, ..svm(multiclass, Loss::Hinge, 3.0) };
        check(&format!("{name}_plain"), &wide, &weighted, false);
        if !matches!(multiclass, Multiclass::CrammerSinger | Multiclass::Adm | Multiclass::Atm) {
            check(&format!("{name}_squared"), &svm(multiclass, Loss::SquaredHinge, 0.4), &plain, false);
        }
    }
    check("ovr_logistic", &svm(Multiclass::OneVsRest, Loss::Logistic, 0.7), &plain, false);
}

#[test]
fn two_classes_reach_the_optimum_of_a_convex_solver() {
    let data = Drawn::read().classes(|c| c % 2);
    for (name, loss) in [("hinge", Loss::Hinge), ("squared", Loss::SquaredHinge), ("logistic", Loss::Logistic)] {
        check(&format!("two_{name}"), &svm(Multiclass::OneVsRest, loss, 0.7), &data, false);
    }
}

#[test]
fn label_sets_reach_the_optimum_of_a_convex_solver() {
    let drawn = Drawn::read();
    let data = drawn.with(Targets::Sets(drawn.sets.clone()));
    for (end, loss) in [("", Loss::Hinge), ("_squared", Loss::SquaredHinge)] {
        check(&format!("sets_ovr{end}"), &svm(Multiclass::OneVsRest, loss, 0.7), &data, false);
        let pairs = LinearSvm { intercept: false, ..svm(Multiclass::WestonWatkins, loss, 0.7) };
        check(&format!("sets_ww{end}"), &pairs, &data, true);
    }
}

#[test]
fn regression_reaches_the_optimum_of_a_convex_solver() {
    let drawn = Drawn::read();
    let data = drawn.with(Targets::Values(Values::new(drawn.values.clone(), "y")));
    let data = Dataset { weights: Some(drawn.weights.clone().into()), ..data };
    for (name, loss) in [("svr", TubeLoss::Absolute), ("svr_squared", TubeLoss::Squared)] {
        let learner =
            LinearSvr { c: 1.5, epsilon: 0.2, loss, gap: GAP, tolerance: 1e-9, steps: 500_000, ..LinearSvr::default() };
        check(name, &learner, &data, false);
    }
}
