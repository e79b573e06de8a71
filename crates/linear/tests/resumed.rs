//! Joint problems that were stopped go on from their checkpoints as if they had not been, byte for byte: on one machine and on
//! ranks that are killed and come back in another number.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use base::{
    Checkpoint, ClassWeight, Dataset, Error, Fitted, Learner, Memory, Progress, Ranks, Record, Result, Run, Seed,
    StateParts, Traffic, Verdict, Watch,
};
use pellucid_linear::{Linear, LinearSvm, Loss, Multiclass};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use testkit::{toy_classes, toy_texts};

/// Keeps every checkpoint; due every so many times it is asked.
struct Kept {
    records: Mutex<Vec<Record>>,
    asked: AtomicU64,
    every: u64,
}

impl Kept {
    fn every(every: u64) -> Self {
        Kept { records: Mutex::new(vec![]), asked: AtomicU64::new(0), every }
    }

    fn all(self) -> Vec<Record> {
        self.records.into_inner().unwrap()
    }
}

impl Checkpoint for Kept {
    fn due(&self) -> bool {
        self.asked.fetch_add(1, Relaxed).is_multiple_of(self.every)
    }

    fn keep(&self, record: Record) -> Result<()> {
        self.records.lock().unwrap().push(record);
        Ok(())
    }
}

/// Says that it is enough when it is asked for the n-th time.
struct Enough {
    after: u64,
    asked: AtomicU64,
}

impl Watch for Enough {
    fn step(&self, _: &Progress<'_>) -> Verdict {
        self.asked()
    }

    fn asked(&self) -> Verdict {
        match self.asked.fetch_add(1, Relaxed) >= self.after {
            true => Verdict::Enough,
            false => Verdict::GoOn,
        }
    }
}

fn same(found: &Fitted, whole: &Fitted, what: &str) {
    assert_eq!(found.machine.record(), whole.machine.record(), "{what}");
    assert_eq!(found.certificate, whole.certificate, "{what}");
}

/// Problems of one process: few classes and many, dense and sparse, single and double precision, any scheme.
fn problems() -> Vec<(Dataset, LinearSvm)> {
    let base = LinearSvm { multiclass: Multiclass::WestonWatkins, ..LinearSvm::default() };
    vec![
        (toy_texts(Seed(1), 2600, 700, 90), LinearSvm { tolerance: 0.05, ..base.clone() }),
        (toy_texts(Seed(2), 1500, 400, 70), LinearSvm { gap: 1e-3, loss: Loss::SquaredHinge, ..base.clone() }),
        (
            toy_texts(Seed(3), 1300, 300, 80),
            LinearSvm { multiclass: Multiclass::CrammerSinger, class_weight: ClassWeight::Balanced, ..base.clone() },
        ),
        (
            toy_texts(Seed(4), 400, 200, 66),
            LinearSvm { multiclass: Multiclass::LeeLinWahba, tolerance: 0.1, intercept: false, ..base },
        ),
    ]
}

#[test]
fn a_fit_of_one_process_goes_on_from_any_checkpoint_byte_for_byte() {
    for (case, (data, learner)) in problems().iter().enumerate() {
        let (plain, kept) = (learner.fit(data, None, &Run::quiet(5)).unwrap(), Kept::every(1));
        let whole = learner.fit(data, None, &Run { checkpoint: Some(&kept), ..Run::quiet(5) }).unwrap();
        same(&whole, &plain, "checkpoints change nothing");
        assert!(whole.certificate.converged, "case {case}");
        let records = kept.all();
        // The first sweep over 1024 samples, the middle, the last before the end.
        for at in [0, 1, records.len() / 2, records.len() - 1] {
            let resumed = learner.fit(data, Some(&records[at]), &Run { threads: 2, ..Run::quiet(5) }).unwrap();
            same(&resumed, &whole, &format!("case {case}, checkpoint {at} of {}", records.len()));
        }
    }
}

#[test]
fn a_fit_that_is_cut_short_keeps_the_best_so_far_and_goes_on() {
    for (case, (data, learner)) in problems().iter().enumerate() {
        let whole = learner.fit(data, None, &Run::quiet(5)).unwrap();
        for after in [3, 40, 200] {
            let (watch, kept) = (Enough { after, asked: AtomicU64::new(0) }, Kept::every(u64::MAX));
            // Being asked for the first time is being due.
            assert!(kept.due());
            let run = Run { watch: &watch, checkpoint: Some(&kept), ..Run::quiet(5) };
            let cut = learner.fit(data, None, &run).unwrap();
            if cut.certificate.converged {
                continue;
            }
            assert!(cut.certificate.interrupted, "case {case}");
            let records = kept.all();
            assert_eq!(records.len(), 1, "one checkpoint, when it was enough");
            let resumed = learner.fit(data, Some(&records[0]), &Run::quiet(5)).unwrap();
            same(&resumed, &whole, &format!("case {case}, stopped when asked {after} times"));
        }
    }
}

#[test]
fn a_fit_that_ran_out_of_epochs_goes_on_with_more() {
    let (data, learner) = (toy_texts(Seed(7), 500, 300, 70), LinearSvm { tolerance: 1e-3, ..LinearSvm::default() });
    let whole = learner.fit(&data, None, &Run::quiet(2)).unwrap();
    let kept = Kept::every(u64::MAX);
    let short = LinearSvm { steps: 5, ..learner.clone() };
    let short = short.fit(&data, None, &Run { checkpoint: Some(&kept), ..Run::quiet(2) }).unwrap();
    assert!(!short.certificate.converged && whole.certificate.converged);
    let records = kept.all();
    let resumed = learner.fit(&data, records.last(), &Run::quiet(2)).unwrap();
    same(&resumed, &whole, "five epochs and the others");
}

#[test]
fn checkpoints_of_other_fits_are_refused_with_what_differs() {
    let (data, learner) = (toy_texts(Seed(8), 200, 150, 70), LinearSvm::default());
    let kept = Kept::every(1);
    learner.fit(&data, None, &Run { checkpoint: Some(&kept), ..Run::quiet(2) }).unwrap();
    let record = kept.all().remove(1);
    let refused = |learner: &LinearSvm, data: &Dataset, seed: u64, record: &Record, why: &str| {
        let error = learner.fit(data, Some(record), &Run::quiet(seed)).err().unwrap().to_string();
        assert!(error.contains(why), "{error}");
    };
    refused(&LinearSvm { c: 2.0, ..learner.clone() }, &data, 2, &record, "is of a fit with c=1, and this one has c=2");
    refused(&learner, &data, 3, &record, "the seed of 2, and this one has the seed of 3");
    refused(&learner, &toy_texts(Seed(9), 200, 150, 70), 2, &record, "is of other data");
    let fewer = data.select(&(0..199).collect::<Vec<_>>()).unwrap();
    refused(&learner, &fewer, 2, &record, "is of other data");
    let machine = learner.fit(&data, None, &Run::quiet(2)).unwrap().machine.record();
    refused(&learner, &data, 2, &machine, "can be resumed only from its checkpoints");
    // Bytes of the right fit that do not fit together.
    let order = record.part("order").unwrap().clone();
    for (name, field, why) in [
        ("place", base::Field::Whole(7), "place 7 in an order of"),
        ("weights", base::Field::Part(Box::new(Record::new("weights by feature", 1))), "is missing"),
        ("order", order.clone().with("samples", vec![0u32; 200]).into(), "is not an order of 200 samples"),
        ("order", order.with("drawn", "999999999999").into(), "does not say how far"),
    ] {
        refused(&learner, &data, 2, &record.clone().with(name, field), why);
    }
    // One-vs-rest keeps nothing, and says so.
    let rest = LinearSvm { multiclass: Multiclass::OneVsRest, ..learner };
    let kept = Kept::every(1);
    let fitted = rest.fit(&toy_classes(3), None, &Run { checkpoint: Some(&kept), ..Run::quiet(2) }).unwrap();
    assert!(fitted.certificate.warnings.iter().any(|w| w.contains("no checkpoints were written")));
    assert!(kept.all().is_empty());
    refused(&rest, &toy_classes(3), 2, &record, "resuming: not supported by this fit of linear-svm");
}

/// States in parts, as the files of several machines keep them: a state counts when all of its parts are there.
#[derive(Default)]
struct Shelf {
    parts: Mutex<BTreeMap<(u64, usize), Record>>,
    heads: Mutex<Vec<Record>>,
}

impl Shelf {
    /// What a rank finds of a state.
    fn state(&self, head: &Record, ranks: &dyn Ranks) -> Result<Record> {
        let parts = self.parts.lock().unwrap();
        StateParts::gathered(head, ranks, |number, part| {
            parts.get(&(number, part)).cloned().ok_or_else(|| Error::size("parts of the state", "all", "fewer"))
        })
        .map(|state| state.record())
    }
}

impl Checkpoint for Shelf {
    fn due(&self) -> bool {
        true
    }

    fn keep(&self, _: Record) -> Result<()> {
        Err(Error::unsupported("a whole state", "several ranks", "keep parts"))
    }

    fn keep_parts(&self, state: &StateParts, ranks: &dyn Ranks) -> Result<()> {
        for (place, part) in &state.own {
            self.parts.lock().unwrap().insert((state.number, *place), part.clone());
        }
        ranks.all(true)?;
        if ranks.rank() == 0 {
            self.heads.lock().unwrap().push(state.head());
        }
        ranks.all(true).map(|_| ())
    }
}

/// A rank that ends with its n-th message, by an error or a panic.
struct Dies<'a> {
    ranks: &'a dyn Ranks,
    left: AtomicU64,
    panics: bool,
}

impl Ranks for Dies<'_> {
    fn rank(&self) -> usize {
        self.ranks.rank()
    }

    fn count(&self) -> usize {
        self.ranks.count()
    }

    fn exchange(&self, to: usize, message: &[u8], from: usize) -> Result<Vec<u8>> {
        if self.left.fetch_sub(1, Relaxed) == 1 {
            assert!(!self.panics, "dies as it should");
            return Err(Error::rank(self.rank(), "dies as it should"));
        }
        self.ranks.exchange(to, message, from)
    }

    fn traffic(&self) -> Traffic {
        self.ranks.traffic()
    }
}

#[test]
fn ranks_that_die_leave_a_whole_state_and_any_number_of_others_ends_in_the_same_bytes() {
    let data = toy_texts(Seed(11), 300, 200, 70);
    for (bundles, gap) in [(8, 1e-2), (4, 0.0)] {
        let multiclass = Multiclass::WestonWatkins;
        let learner = LinearSvm { multiclass, gap, bundles, ..LinearSvm::default() };
        let on = |count: usize, head: Option<(&Shelf, &Record)>| {
            let all = ranks::within(count, |ranks| {
                let start = head.map(|(shelf, head)| shelf.state(head, ranks)).transpose()?;
                learner.fit(&data, start.as_ref(), &Run { ranks, ..Run::quiet(1) })
            });
            all.unwrap()
        };
        let whole = on(2, None).remove(0);
        let mut kept_at_all = vec![];
        for (count, dies, after, panics) in [(2, 1, 150, false), (4, 3, 90, true), (3, 0, 40, false), (2, 0, 7, true)] {
            let shelf = Shelf::default();
            let error = ranks::within(count, |ranks| {
                let dying = Dies { ranks, left: AtomicU64::new(after), panics };
                let ranks = if ranks.rank() == dies { &dying as &dyn Ranks } else { ranks };
                learner.fit(&data, None, &Run { ranks, checkpoint: Some(&shelf), ..Run::quiet(1) })
            });
            assert!(error.err().unwrap().to_string().contains("dies as it should"));
            let heads = shelf.heads.lock().unwrap().clone();
            kept_at_all.push(heads.len());
            let Some(last) = heads.last() else { continue };
            for others in 1..=4 {
                for fitted in on(others, Some((&shelf, last))) {
                    same(&fitted, &whole, &format!("{count} ranks, then {others}, {bundles} bundles"));
                }
            }
        }
        assert!(kept_at_all[0] > 5, "{kept_at_all:?}");
        // A state of other bundles, or kept by one process, is another fit's.
        let shelf = Shelf::default();
        let run = |learner: &LinearSvm, record: Option<&Record>| {
            ranks::within(2, |ranks| {
                learner.fit(&data, record, &Run { ranks, checkpoint: Some(&shelf), ..Run::quiet(1) })
            })
        };
        run(&LinearSvm { steps: 1, ..learner.clone() }, None).unwrap();
        let head = shelf.heads.lock().unwrap()[0].clone();
        let other = LinearSvm { bundles: 6, ..learner.clone() };
        let start = shelf.state(&head, &base::Alone).unwrap();
        let error = other.fit(&data, Some(&start), &Run::quiet(1)).err().unwrap().to_string();
        assert!(error.contains(&format!("bundles={bundles}, and this one has bundles=6")), "{error}");
        let one = Kept::every(1);
        learner.fit(&data, None, &Run { checkpoint: Some(&one), ..Run::quiet(1) }).unwrap();
        let error = run(&learner, Some(&one.all()[0])).err().unwrap().to_string();
        assert!(error.contains("was kept by one process: go on without mpirun"), "{error}");
    }
}

#[test]
fn ranks_that_hear_that_it_is_enough_end_together_and_go_on_together() {
    let data = toy_texts(Seed(12), 400, 300, 80);
    let learner = LinearSvm { gap: 1e-3, ..LinearSvm::default() };
    let whole = ranks::within(2, |ranks| learner.fit(&data, None, &Run { ranks, ..Run::quiet(1) })).unwrap();
    let shelf = Shelf::default();
    let cut = ranks::within(3, |ranks| {
        // Only one of them hears it, in the middle of an epoch.
        let after = if ranks.rank() == 1 { 30 } else { u64::MAX };
        let watch = Enough { after, asked: AtomicU64::new(0) };
        learner.fit(&data, None, &Run { ranks, watch: &watch, checkpoint: Some(&shelf), ..Run::quiet(1) })
    });
    assert!(cut.unwrap().iter().all(|f| f.certificate.interrupted && !f.certificate.converged));
    let last = shelf.heads.lock().unwrap().last().unwrap().clone();
    let resumed = ranks::within(4, |ranks| {
        learner.fit(&data, Some(&shelf.state(&last, ranks)?), &Run { ranks, ..Run::quiet(1) })
    });
    same(&resumed.unwrap()[0], &whole[0], "cut on three ranks, ended on four");
}

#[test]
fn no_rank_but_the_first_holds_more_than_its_share_and_a_bundle() {
    const ROWS: usize = 4000;
    const WORDS: usize = 4000;
    const CLASSES: usize = 1000;
    const BUNDLES: usize = 16;
    let data = toy_texts(Seed(13), ROWS, WORDS, CLASSES);
    let learner = LinearSvm { steps: 2, bundles: BUNDLES, ..LinearSvm::default() };
    let on = |count: usize| {
        ranks::within(count, |ranks| {
            let (first, memory) = (base::FirstAlone(ranks), Memory::unlimited());
            let run = Run { ranks: &first, memory: memory.clone(), ..Run::quiet(1) };
            let fitted = learner.fit(&data, None, &run)?;
            Ok((fitted.machine.record(), memory.peak(), ranks.traffic()))
        })
        .unwrap()
    };
    let (two, four, eight) = (on(2), on(4), on(8));
    assert_eq!(two[0].0, four[0].0, "the model is whole at rank 0");
    assert_eq!(eight[0].0, four[0].0);
    assert_ne!(two[1].0, two[0].0, "and only there");
    let machine = Linear::read(&two[0].0).unwrap();
    let entries = machine.weights().to_dense(&Memory::unlimited()).unwrap().iter().filter(|w| **w != 0.0).count();
    let most = |ranks: &[(Record, u64, Traffic)]| ranks[1..].iter().map(|r| r.1).max().unwrap() as f64;
    // What two ranks hold more than four each do is a quarter of all there is: bundles, and the variables of their meetings.
    let mean = |ranks: &[(Record, u64, Traffic)]| {
        ranks[1..].iter().map(|r| r.1).sum::<u64>() as f64 / (ranks.len() - 1) as f64
    };
    let all = 4.0 * (mean(&two) - mean(&four));
    assert!(all > 12.0 * entries as f64, "{all} bytes for {entries} weights of twelve bytes");
    // What every rank has, whatever its share: lengths of rows, which are used, the samples, scores of a batch.
    let each = (ROWS * 8 * 4 + 64 * 8 * CLASSES) as f64;
    for (count, ranks) in [(2.0, &two), (4.0, &four), (8.0, &eight)] {
        // Bundles differ in size: one to travel, and one for that.
        let bound = each + all / count + 2.0 * all / BUNDLES as f64;
        assert!(most(ranks) < bound, "{count} ranks: {} bytes, share and bundle {bound}", most(ranks));
        for (_, _, traffic) in &ranks[1..] {
            // Sparse messages are a small part of dense ones.
            assert!(traffic.sent > 0 && traffic.spared > 3 * traffic.sent, "{traffic:?}");
        }
    }
    assert!(most(&eight) < eight[0].1 as f64 / 3.0, "rank 0 has the whole model");
}
