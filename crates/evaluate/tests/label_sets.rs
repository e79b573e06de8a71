//! Measures of label sets: beside their definitions, computed slowly over drawn sizes, and beside peers' numbers.

#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

mod echo;

use base::{Buffer, Dataset, LabelSets, Machine, Memory, Points, Prediction, Run, Seed, Targets};
use echo::Echo;
use pellucid_evaluate::{Decision, LabelFrequencies, Measures, by_frequency, judge, judge_decided, judge_machine};
use rand::RngExt;

/// Rows of scores with their sets, by name.
struct Case {
    names: Vec<String>,
    scores: Vec<Vec<f64>>,
    /// No set is unknown.
    sets: Vec<Option<Vec<String>>>,
    weights: Vec<f64>,
    threshold: f64,
    trained: LabelFrequencies,
}

impl Case {
    /// A drawn case: unknown rows, rows without labels, labels that the machine does not know, equal scores.
    fn draw(case: usize) -> Case {
        let mut stream = Seed(18).fork("label sets").at(case).stream();
        let known = stream.random_range(1..=14usize);
        let all: Vec<String> = (0..known + case % 3).map(|l| format!("label {l}")).collect();
        let rows = stream.random_range(1..=25);
        let mut case = Case {
            names: all[..known].to_vec(),
            scores: vec![],
            sets: vec![],
            weights: vec![],
            threshold: if case.is_multiple_of(2) { 0.0 } else { 0.3 },
            trained: LabelFrequencies { names: all.clone().into(), counts: vec![], rows: 1000 },
        };
        case.trained.counts = all.iter().map(|_| stream.random_range(0..2000)).collect();
        for row in 0..rows {
            case.scores.push((0..known).map(|_| f64::from(stream.random_range(-8i32..8)) / 4.0).collect());
            let share = stream.random::<f64>();
            let set: Vec<String> = all.iter().filter(|_| stream.random::<f64>() < share).cloned().collect();
            // The first row is known and has a label, so that there is something to judge.
            let set = if row == 0 { vec![all[0].clone()] } else { set };
            case.sets.push((row == 0 || stream.random::<f64>() < 0.85).then_some(set));
            case.weights.push(if row == 0 { 1.0 } else { f64::from(stream.random_range(0..3u32)) });
        }
        case
    }

    fn data(&self) -> Dataset {
        // The data name the labels in another order than the machine.
        let names: Vec<String> = self.trained.names.iter().rev().cloned().collect();
        let (mut starts, mut labels, mut unknown) = (vec![0], vec![], vec![]);
        for (row, set) in self.sets.iter().enumerate() {
            match set {
                Some(set) => labels.extend(set.iter().map(|l| names.iter().position(|n| n == l).unwrap() as u32)),
                None => unknown.push(row),
            }
            starts.push(labels.len());
        }
        let sets = LabelSets::new(starts, labels, names, unknown).unwrap();
        let points = Points::from_rows(&self.scores).unwrap();
        Dataset { weights: Some(self.weights.clone().into()), ..Dataset::new(points, Targets::Sets(sets)) }
    }

    fn decision(&self) -> Decision {
        Decision { positive: None, threshold: self.threshold }
    }

    fn judged(&self) -> Measures {
        let machine = Echo::new(&self.names);
        judge_machine(&machine, Some(&self.decision()), &self.data(), Some(&self.trained), &Run::quiet(1)).unwrap()
    }

    /// The rows that count, each as often as its weight says.
    fn rows(&self) -> Vec<(Vec<String>, &Vec<f64>)> {
        let times = |i: usize| std::iter::repeat_n(i, self.weights[i] as usize);
        let known = (0..self.sets.len()).flat_map(times).filter(|&i| self.sets[i].is_some());
        known.map(|i| (self.sets[i].clone().unwrap(), &self.scores[i])).collect()
    }

    fn mean(&self, of: impl Fn(&[String], &[f64]) -> Option<f64>) -> f64 {
        let all: Vec<f64> = self.rows().iter().filter_map(|(set, scores)| of(set, scores)).collect();
        all.iter().sum::<f64>() / all.len() as f64
    }

    /// The machine's labels, best first.
    fn ranking(&self, scores: &[f64]) -> Vec<&String> {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        order.into_iter().map(|l| &self.names[l]).collect()
    }

    fn predicted(&self, scores: &[f64]) -> Vec<&String> {
        self.names.iter().zip(scores).filter(|(_, s)| **s > self.threshold).map(|(n, _)| n).collect()
    }

    fn inverse(&self, label: &str) -> f64 {
        let at = self.trained.names.iter().position(|n| n == label).unwrap();
        let c = (1000f64.ln() - 1.0) * 2.5f64.powf(0.55);
        1.0 + c * (f64::from(self.trained.counts[at]) + 1.5).powf(-0.55)
    }

    /// A measure by its definition.
    fn slow(&self, name: &str) -> f64 {
        let (kind, k) = name.rsplit_once("_at_").map_or((name, 0), |(kind, k)| (kind, k.parse().unwrap()));
        let gain = |i: usize| 1.0 / ((i + 2) as f64).log2();
        let hit =
            |set: &[String], scores: &[f64], i: usize| self.ranking(scores).get(i).is_some_and(|l| set.contains(l));
        let hits = |set: &[String], scores: &[f64]| (0..k).filter(|&i| hit(set, scores, i)).count() as f64;
        let most = |set: &[String]| (0..k.min(set.len())).map(gain).sum::<f64>();
        let scored = |discounted: bool| {
            let factor = |i: usize| if discounted { gain(i) } else { 1.0 };
            let per_row = |set: &[String]| if discounted { most(set) } else { 1.0 };
            let (mut got, mut best) = (0.0, 0.0);
            for (set, scores) in self.rows().iter().filter(|(set, _)| !set.is_empty()) {
                let ranking = self.ranking(scores);
                let found = (0..k.min(ranking.len())).filter(|&i| hit(set, scores, i));
                got += found.map(|i| self.inverse(ranking[i]) * factor(i)).sum::<f64>() / per_row(set);
                let mut of: Vec<f64> = set.iter().map(|l| self.inverse(l)).collect();
                of.sort_by(|a, b| b.total_cmp(a));
                best += of.iter().take(k).enumerate().map(|(i, q)| q * factor(i)).sum::<f64>() / per_row(set);
            }
            got / best
        };
        let all = self.trained.names.len();
        let count = |label: &String, want: (bool, bool)| {
            let is = |(set, scores): &&(Vec<String>, &Vec<f64>)| {
                (set.contains(label), self.predicted(scores).contains(&label)) == want
            };
            self.rows().iter().filter(is).count() as f64
        };
        let counts =
            |label: &String| (count(label, (true, true)), count(label, (false, true)), count(label, (true, false)));
        let f1 = |(tp, fp, fn_): (f64, f64, f64)| if tp + fp + fn_ > 0.0 { tp / (tp + 0.5 * (fp + fn_)) } else { 0.0 };
        let wrong = |set: &[String], scores: &[f64]| {
            let predicted = self.predicted(scores);
            self.trained.names.iter().filter(|l| set.contains(l) != predicted.contains(l)).count() as f64
        };
        match kind {
            "precision" => self.mean(|set, s| (!set.is_empty()).then(|| hits(set, s) / k as f64)),
            "recall" => self.mean(|set, s| (!set.is_empty()).then(|| hits(set, s) / set.len() as f64)),
            "ndcg" => self.mean(|set, s| {
                let found: f64 = (0..k).filter(|&i| hit(set, s, i)).map(gain).sum();
                (!set.is_empty()).then(|| found / most(set))
            }),
            "psp" => scored(false),
            "psndcg" => scored(true),
            "coverage_error" => self.mean(|set, s| {
                let of = |l: &String| self.names.iter().position(|n| n == l).map(|l| s[l]);
                let scores: Option<Vec<f64>> = set.iter().map(of).collect();
                let down = |of: Vec<f64>| {
                    let lowest = of.into_iter().fold(f64::INFINITY, f64::min);
                    s.iter().filter(|x| **x >= lowest).count()
                };
                (!set.is_empty()).then(|| scores.map_or(all, down) as f64)
            }),
            "f1_micro" => {
                let sums = self
                    .trained
                    .names
                    .iter()
                    .map(counts)
                    .fold((0.0, 0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2));
                f1(sums)
            }
            "f1_macro" => {
                let met: Vec<_> =
                    self.trained.names.iter().map(counts).filter(|(tp, fp, fn_)| tp + fp + fn_ > 0.0).collect();
                met.iter().map(|c| f1(*c)).sum::<f64>() / met.len().max(1) as f64
            }
            "hamming_loss" => self.mean(|set, s| Some(wrong(set, s) / all as f64)),
            "subset_accuracy" => self.mean(|set, s| Some(f64::from(u8::from(wrong(set, s) == 0.0)))),
            "label_coverage" => self.mean(|set, s| {
                let predicted = self.predicted(s);
                Some(f64::from(u8::from(set.iter().all(|l| predicted.contains(&l)))))
            }),
            "set_size" => self.mean(|_, s| Some(self.predicted(s).len() as f64)),
            other => panic!("no definition of {other}"),
        }
    }
}

#[test]
fn measures_are_what_their_definitions_say() {
    let mut met = std::collections::BTreeSet::new();
    for case in 0..120 {
        let case_of = Case::draw(case);
        let measures = case_of.judged();
        for (name, ours) in &measures.values {
            let theirs = case_of.slow(name);
            assert!((ours - theirs).abs() <= 1e-12 * theirs.abs().max(1.0), "case {case}: {name} {ours}, {theirs}");
            met.insert(*name);
        }
        assert_eq!(
            measures.rows,
            (0..case_of.sets.len()).filter(|&i| case_of.sets[i].is_some() && case_of.weights[i] > 0.0).count()
        );
    }
    let named = pellucid_evaluate::MEASURES.iter().filter(|m| m.of.contains("label sets")).map(|m| m.name);
    assert_eq!(met, named.collect());
}

#[test]
fn scores_that_are_there_are_judged_as_those_that_come_block_by_block() {
    for case in 0..20 {
        let case = Case::draw(case);
        let (data, outputs) = (case.data(), Echo::new(&case.names).outputs().clone());
        let prediction = Prediction { scores: data.points().unwrap().clone(), outputs };
        let whole = judge_decided(&prediction, Some(&case.decision()), &data, &Run::quiet(1)).unwrap();
        let blocks = case.judged();
        for (name, value) in &whole.values {
            assert_eq!(blocks.get(name), Some(*value), "{name}");
        }
        // Without a decision a score above 0 is meant.
        let plain = judge(&prediction, &data, &Run::quiet(1)).unwrap();
        let zero = Case { threshold: 0.0, ..case };
        assert_eq!(plain.get("set_size"), Some(zero.slow("set_size")));
    }
}

#[test]
fn groups_of_labels_by_frequency_hold_every_label_once() {
    for case in 0..30 {
        let case = Case::draw(case);
        let counts = case.judged().labels.unwrap();
        let groups = by_frequency(&counts);
        assert_eq!(groups.iter().map(|g| g.labels).sum::<usize>(), case.trained.names.len());
        let truths: f64 = case.rows().iter().map(|(set, _)| set.len() as f64).sum();
        assert_eq!(groups.iter().map(|g| g.truths).sum::<f64>(), truths);
        for group in &groups {
            let inside = |n: u32| n >= group.rows.0 && group.rows.1.is_none_or(|to| n <= to);
            let labels: Vec<&String> = case
                .trained
                .names
                .iter()
                .enumerate()
                .filter(|(l, _)| inside(case.trained.counts[*l]))
                .map(|(_, name)| name)
                .collect();
            assert_eq!(labels.len(), group.labels, "{}", group.name());
            let in_five = |(set, scores): &(Vec<String>, &Vec<f64>)| {
                case.ranking(scores).iter().take(5).filter(|l| labels.contains(l) && set.contains(l)).count() as f64
            };
            let found: f64 = case.rows().iter().map(in_five).sum();
            assert!((group.in_five * group.truths - found).abs() < 1e-9);
        }
    }
}

#[test]
fn what_cannot_be_judged_is_said() {
    let case = Case::draw(3);
    let data = case.data();
    let unknown = Dataset { weights: Some(vec![0.0; data.len()].into()), ..data.clone() };
    let machine = Echo::new(&case.names);
    let run = Run::quiet(1);
    assert!(judge_machine(&machine, None, &unknown, None, &run).is_err());
    let tight = Run { memory: Memory::limited(100), ..Run::quiet(1) };
    let error = judge_machine(&machine, None, &data, None, &tight).unwrap_err().to_string();
    assert!(error.contains("counts of labels"), "{error}");
    let values = Targets::Values(base::Values::new(vec![0.0; data.len()], "y"));
    let error =
        judge_machine(&machine, None, &Dataset { targets: values, ..data }, None, &run).unwrap_err().to_string();
    assert!(error.contains("labels to match the model") && error.contains("values"), "{error}");
    // Labels that only the data have are named.
    let other = Case {
        sets: vec![Some(vec!["label 0".into(), "odd".into()]), Some(vec![])],
        scores: vec![vec![1.0]; 2],
        names: vec!["label 0".into()],
        weights: vec![1.0; 2],
        threshold: 0.0,
        trained: LabelFrequencies {
            names: vec!["label 0".to_string(), "odd".into()].into(),
            counts: vec![1, 0],
            rows: 9,
        },
    };
    let warnings = other.judged().warnings();
    assert!(
        warnings[0].contains("1 label of the data is unknown to the model") && warnings[0].contains("odd"),
        "{warnings:?}"
    );
    assert!(warnings[1].contains("1 row has no label"), "{warnings:?}");
}

#[test]
fn label_sets_are_judged_as_scikit_learn_and_napkinxc_do() {
    for i in 0..3 {
        let path = format!("{}/../../golden/measures/labels{i}.txt", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines = text.lines();
        assert!(lines.next().unwrap().starts_with("# scikit-learn"));
        let wholes = |l: &str| l.split(' ').map(|w| w.parse().unwrap()).collect::<Vec<u32>>();
        let [n, k] = wholes(lines.next().unwrap())[..] else { panic!() };
        let (n, k) = (n as usize, k as usize);
        let names: Vec<String> = (0..k).map(|l| l.to_string()).collect();
        let trained = wholes(lines.next().unwrap());
        let frequencies =
            LabelFrequencies { names: names.clone().into(), counts: trained[..k].to_vec(), rows: trained[k] as usize };
        let (mut starts, mut labels, mut scores) = (vec![0], vec![], vec![]);
        for _ in 0..n {
            labels.extend(wholes(lines.next().unwrap()));
            starts.push(labels.len());
            scores.extend(lines.next().unwrap().split(' ').map(|w| w.parse::<f64>().unwrap()));
        }
        let sets = LabelSets::new(starts, labels, names.clone(), vec![]).unwrap();
        let data = Dataset::new(Points::dense(Buffer::F64(scores.into()), n, k).unwrap(), Targets::Sets(sets));
        let ours = judge_machine(&Echo::new(&names), None, &data, Some(&frequencies), &Run::quiet(1)).unwrap();
        let mut checked = 0;
        for line in lines {
            let (name, theirs) = line.split_once(' ').map(|(n, v)| (n, v.parse::<f64>().unwrap())).unwrap();
            let ours = ours.get(name).unwrap_or_else(|| panic!("labels{i}: no {name}"));
            assert!((ours - theirs).abs() <= 1e-12 * theirs.max(1.0), "labels{i}: {name} {ours}, expected {theirs}");
            checked += 1;
        }
        assert!(checked >= 16, "{checked}");
    }
}
