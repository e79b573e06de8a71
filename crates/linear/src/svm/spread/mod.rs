//! Weston-Watkins over several ranks: the weights are split by classes, and no rank holds them all.
//!
//! Classes are dealt to bundles of about as many samples each. A dual variable α_ic touches the weights of two classes, that
//! of the sample and c, so bundles that meet in pairs see every variable: in a round each of bundles/2 tables has two bundles,
//! which then move on until every pair has met (`layout.rs`). Variables of a pair stay at the table where it meets; only weights
//! travel, as sparse bundles (`travel.rs`).
//!
//! Tables are dealt to the ranks. What happens at a table depends on the two bundles alone, so the model has the same bytes on
//! any number of ranks (and not those of the solver of one rank without bundles, which takes the samples in another order). A
//! rank holds the bundles at its tables, and one bundle more while it packs or unpacks one.
//!
//! Epochs are full or quick as in `joint.rs`; all ranks agree after each whether another follows, and after each round of a slow
//! one whether it is enough, or time for a checkpoint (`parts.rs`).
//!
//! **Cost.** As on one machine, divided by the ranks. **Traffic.** Each bundle moves bundles − 1 times an epoch.

mod layout;
mod parts;
mod travel;

use super::Stop;
use super::checkpoint::Saved;
use super::joint::{Joint, JointSolved, Kept};
use super::order::Order;
use super::pace::{Pace, WITHIN};
use super::samples::Samples;
use super::scheme::Scheme;
use super::store::Store;
use base::{Error, Hold, Progress, Result, Run};
use layout::Layout;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Quick epochs between two full ones, at most.
const QUICK: usize = 8;
/// Epochs that take longer hear between their rounds that it is enough.
const SLOW: Duration = Duration::from_secs(1);

/// A problem that several ranks solve together.
pub(super) struct Spread<'a> {
    pub rows: &'a Samples<'a>,
    /// Each sample: its row and its class.
    pub samples: &'a [(u32, u32)],
    pub costs: &'a [f64],
    pub classes: usize,
    pub scheme: Scheme,
    /// Bundles of classes, an even number.
    pub bundles: usize,
}

/// One pair of bundles, or one bundle with itself: its samples, and what is kept of them.
struct Meeting {
    /// Row and class, the classes of the pair numbered from 0.
    samples: Vec<(u32, u32)>,
    costs: Vec<f64>,
    kept: Vec<Kept>,
    hold: Hold,
}

impl Meeting {
    /// Counts what it holds.
    fn count(&mut self) -> Result<()> {
        let kept: u64 = self.kept.iter().map(Kept::bytes).sum();
        let bytes = kept + (self.samples.len() * size_of::<((u32, u32), f64)>()) as u64;
        self.hold.resize(bytes, "dual variables")
    }
}

/// What a rank holds.
struct Held {
    /// The bundles at this rank's tables.
    bundles: BTreeMap<usize, Store<f64>>,
    meetings: BTreeMap<(usize, usize), Meeting>,
    /// The round that comes next; in round 0 an epoch begins.
    round: usize,
    /// The largest violation of this epoch so far, for each of this rank's tables.
    worst: BTreeMap<usize, f64>,
    pace: Pace,
}

/// What is done when two bundles meet, or one is looked at alone.
type Each<'a> = dyn FnMut(&mut Held, (usize, usize), &Run<'_>) -> Result<()> + 'a;

/// The weights of a meeting become those of its bundles again.
fn put_back(held: &mut Held, (a, b): (usize, usize), store: Store<f64>, cut: Option<u32>, run: &Run<'_>) -> Result<()> {
    let Some(cut) = cut else {
        held.bundles.insert(a, store);
        return Ok(());
    };
    let (first, second) = store.split(cut, run)?;
    held.bundles.insert(a, first);
    held.bundles.insert(b, second);
    Ok(())
}

impl Spread<'_> {
    /// The optimum, or the best so far. Ranks without a table have nothing to do but take part.
    pub fn solve(&self, stop: &Stop, saved: &Saved<'_>, run: &Run<'_>) -> Result<JointSolved> {
        let members = self.deal();
        let mut held = self.begin(&members, stop, saved, run)?;
        let (mut converged, mut interrupted) = (false, false);
        let (mut watchful, mut begun) = (true, None);
        // A round is done as a whole: between rounds weights and variables agree.
        let whole = &run.finishing();
        while held.pace.epochs < stop.epochs {
            let enough = match held.round {
                0 => run.step(&Progress::of("epoch", held.pace.epochs as u64, stop.epochs as u64)),
                _ => run.is_enough(),
            };
            // All must hear of a stop or none: they wait for each other's messages. Where an epoch is quick it is soon enough to
            // hear of it at the next; a round may be over sooner than it takes to ask.
            let due = run.checkpoint.is_some_and(|c| c.due());
            let asked = due || !matches!(enough, Ok(false));
            if held.round == 0 {
                let slow = begun.is_none_or(|begun: Instant| begun.elapsed() > SLOW);
                (watchful, begun) = (run.ranks.any(asked || slow)?, Some(Instant::now()));
            }
            if watchful && run.ranks.any(asked)? {
                interrupted = run.ranks.any(!matches!(enough, Ok(false)))?;
                if interrupted {
                    enough?;
                }
                self.keep(&held, saved, due || interrupted, run)?;
                if interrupted {
                    break;
                }
            }
            self.round(&mut held, &members, whole, &mut |held, pair, run| {
                let worst = self.meet(held, &members, pair, run)?;
                let most = held.worst.entry(self.table_of(held.round, pair)).or_default();
                *most = most.max(worst);
                Ok(())
            })?;
            if held.round > 0 {
                continue;
            }
            let worst = std::mem::take(&mut held.worst).into_values().fold(0.0, f64::max);
            let done = run.ranks.all(worst <= held.pace.limit())?;
            if held.pace.after(done) {
                if !stop.by_gap() || stop.is_near(self.values(&mut held, &members, whole)?) {
                    converged = true;
                    break;
                }
                held.pace.tighten();
            }
        }
        if !converged && !interrupted {
            self.keep(&held, saved, true, run)?;
        }
        let (primal, dual) = self.values(&mut held, &members, whole)?;
        let mut counts = [0.0; 2];
        let mut used = vec![0.0; self.samples.len()];
        for meeting in held.meetings.values() {
            counts[0] += meeting.kept.iter().map(Kept::used).sum::<usize>() as f64;
            let rows = meeting.samples.iter().zip(&meeting.kept).filter(|(_, k)| k.used() > 0);
            rows.for_each(|((row, _), _)| used[*row as usize] = 1.0);
        }
        run.ranks.sum(&mut counts)?;
        run.ranks.sum(&mut used)?;
        let (epochs, full) = (held.pace.epochs, held.pace.full_epochs);
        Ok(JointSolved {
            store: self.gather(held, &members, whole)?,
            primal,
            dual,
            epochs,
            full,
            converged,
            interrupted,
            variables: counts[0] as usize,
            support: used.iter().filter(|u| **u > 0.0).count(),
        })
    }

    fn layout(&self) -> Layout {
        Layout { bundles: self.bundles }
    }

    /// The classes of each bundle: the largest class goes to the bundle with the fewest samples, of equals the one with the fewest classes.
    fn deal(&self) -> Vec<Vec<u32>> {
        let mut counts = vec![0usize; self.classes];
        self.samples.iter().for_each(|&(_, class)| counts[class as usize] += 1);
        let mut order: Vec<u32> = (0..self.classes as u32).collect();
        order.sort_by_key(|&c| (std::cmp::Reverse(counts[c as usize]), c));
        let mut members = vec![vec![]; self.bundles];
        let mut sizes = vec![0usize; self.bundles];
        for class in order {
            let least = (0..self.bundles).min_by_key(|&b| (sizes[b], members[b].len(), b)).unwrap_or(0);
            members[least].push(class);
            sizes[least] += counts[class as usize];
        }
        members.iter_mut().for_each(|m: &mut Vec<u32>| m.sort_unstable());
        members
    }

    /// The rank of a table.
    fn rank_of(&self, table: usize, run: &Run<'_>) -> usize {
        run.ranks.owner(table, self.layout().tables())
    }

    /// This rank's tables.
    fn tables(&self, run: &Run<'_>) -> impl Iterator<Item = usize> {
        (0..self.layout().tables()).filter(|&t| self.rank_of(t, run) == run.ranks.rank())
    }

    /// Where a pair meets, or sits alone, in a round.
    fn table_of(&self, round: usize, (a, _): (usize, usize)) -> usize {
        self.layout().table(round, a)
    }

    /// Calls `each` with every meeting at this rank's tables in the round that comes next; then the bundles move on.
    fn round(&self, held: &mut Held, members: &[Vec<u32>], run: &Run<'_>, each: &mut Each<'_>) -> Result<()> {
        for t in self.tables(run) {
            for pair in self.layout().meetings(held.round, t) {
                each(held, pair, run)?;
            }
        }
        self.travel(held, members, run)?;
        held.round = (held.round + 1) % self.layout().rounds();
        Ok(())
    }

    /// The samples of a pair of bundles, or of one.
    fn meeting(&self, members: &[Vec<u32>], (a, b): (usize, usize), run: &Run<'_>) -> Result<Meeting> {
        let mut place = vec![None; self.classes];
        let both: Vec<&u32> =
            if a == b { members[a].iter().collect() } else { members[a].iter().chain(&members[b]).collect() };
        both.iter().zip(0u32..).for_each(|(&&class, local)| place[class as usize] = Some(local));
        let (mut samples, mut costs) = (vec![], vec![]);
        for (&(row, class), &cost) in self.samples.iter().zip(self.costs) {
            if let Some(local) = place[class as usize] {
                samples.push((row, local));
                costs.push(cost);
            }
        }
        let n = samples.len();
        let hold = run.memory.take(0, "dual variables")?;
        let mut meeting = Meeting { samples, costs, kept: vec![Kept::default(); n], hold };
        meeting.count()?;
        Ok(meeting)
    }

    /// What is kept of a meeting, taken from this rank, or a new one.
    fn met(&self, held: &mut Held, members: &[Vec<u32>], pair: (usize, usize), run: &Run<'_>) -> Result<Meeting> {
        held.meetings.remove(&pair).map_or_else(|| self.meeting(members, pair, run), Ok)
    }

    /// Visits the samples of a meeting once; answers with the largest violation.
    fn meet(&self, held: &mut Held, members: &[Vec<u32>], (a, b): (usize, usize), run: &Run<'_>) -> Result<f64> {
        let mut meeting = self.met(held, members, (a, b), run)?;
        let (store, cut) = self.table_store(held, (a, b), run)?;
        let kept = std::mem::take(&mut meeting.kept);
        let joint = self.joint(&meeting, store.classes(), cut);
        let seed = run.seed.fork("meeting").at(held.pace.epochs).at(self.layout().number((a, b)));
        let mut order = Order::new(meeting.samples.len(), seed.stream());
        let (full, tolerance) = (held.pace.full, WITHIN * held.pace.tolerance);
        if !full {
            order.retain(|i| !kept[i].is_idle());
        }
        order.shuffle();
        let mut state = joint.state(kept, store, run)?;
        let worst = joint.epoch(&mut state, order.all(), full, tolerance, run)?;
        let (store, kept) = (state.store, state.kept);
        meeting.kept = kept;
        meeting.count()?;
        put_back(held, (a, b), store, cut, run)?;
        held.meetings.insert((a, b), meeting);
        Ok(worst)
    }

    /// The weights of a meeting, taken from the rank's bundles, and where the second bundle begins.
    fn table_store(&self, held: &mut Held, (a, b): (usize, usize), run: &Run<'_>) -> Result<(Store<f64>, Option<u32>)> {
        let first = take(held, a)?;
        if a == b {
            return Ok((first, None));
        }
        let (second, cut) = (take(held, b)?, first.classes() as u32);
        Ok((first.joined(second, run)?, Some(cut)))
    }

    fn joint<'m>(&'m self, meeting: &'m Meeting, classes: usize, across: Option<u32>) -> Joint<'m> {
        Joint {
            rows: self.rows,
            samples: &meeting.samples,
            sets: None,
            costs: &meeting.costs,
            classes,
            scheme: self.scheme,
            across,
        }
    }

    /// The primal and the dual objective, summed over all pairs and ranks: the bundles go round once.
    fn values(&self, held: &mut Held, members: &[Vec<u32>], run: &Run<'_>) -> Result<(f64, f64)> {
        // One number for each bundle and pair, added in one order whatever rank has them.
        let layout = self.layout();
        let all = layout.bundles * layout.bundles;
        let mut parts = vec![0.0; 3 * all];
        let squares = |store: &Store<f64>| {
            let mut sum = 0.0;
            (0..store.width()).for_each(|j| store.each(j, |_, w| sum += w * w));
            sum
        };
        for (&bundle, store) in &held.bundles {
            parts[bundle] = 0.5 * squares(store);
        }
        for _ in 0..layout.rounds() {
            self.round(held, members, run, &mut |held, (a, b), run| {
                let meeting = self.met(held, members, (a, b), run)?;
                let (store, cut) = self.table_store(held, (a, b), run)?;
                let (loss, alpha) = self.joint(&meeting, store.classes(), cut).sums(&store, &meeting.kept, run)?;
                let place = all + 2 * layout.number((a, b));
                (parts[place], parts[place + 1]) = (loss, alpha);
                put_back(held, (a, b), store, cut, run)?;
                held.meetings.insert((a, b), meeting);
                Ok(())
            })?;
        }
        run.ranks.sum(&mut parts)?;
        let half: f64 = parts[..layout.bundles].iter().sum();
        let sums = parts[all..].chunks_exact(2).fold((0.0, 0.0), |s, p| (s.0 + p[0], s.1 + p[1]));
        Ok((half + sums.0, sums.1 - half))
    }
}

/// A bundle that is at one of this rank's tables.
fn take(held: &mut Held, bundle: usize) -> Result<Store<f64>> {
    held.bundles.remove(&bundle).ok_or_else(|| Error::size("bundles at a rank", bundle, "none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_have_about_as_many_samples_and_classes() {
        let points = base::Points::dense(vec![1.0; 900], 900, 1).unwrap();
        let run = Run::quiet(1);
        let stored = crate::svm::samples::Rows::new(&points, 0.0, &run).unwrap();
        let rows = stored.samples();
        // Class sizes that fall like 1/rank, as those of texts do.
        let sizes: Vec<usize> = (0..60).map(|c| 180 / (c + 1) + 1).collect();
        let labels = sizes.iter().zip(0u32..).flat_map(|(&size, c)| std::iter::repeat_n(c, size));
        let samples: Vec<(u32, u32)> = (0..).zip(labels).collect();
        let costs = vec![1.0; samples.len()];
        let scheme = crate::svm::scheme::Multiclass::WestonWatkins.scheme(1.0, crate::svm::Loss::Hinge);
        let spread = Spread { rows: &rows, samples: &samples, costs: &costs, classes: sizes.len(), scheme, bundles: 8 };
        let members = spread.deal();
        let mut all: Vec<u32> = members.concat();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..60));
        let counts: Vec<usize> = members.iter().map(|m| m.iter().map(|&c| sizes[c as usize]).sum()).collect();
        // The largest class alone is more than a share; all others are level.
        let (most, least) = (*counts.iter().max().unwrap(), *counts.iter().min().unwrap());
        assert!(most <= 181 && least + 20 >= (samples.len() - 181) / 7, "{counts:?}");
    }
}
