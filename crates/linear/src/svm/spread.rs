//! Weston-Watkins over several ranks: the weights are split by classes, and no rank holds them all.
//!
//! Classes are dealt to [`BUNDLES`] bundles of about as many samples each. A dual variable α_ic touches the weights of two classes, that
//! of the sample and c, so bundles that meet in pairs see every variable: in a round each of BUNDLES/2 tables has two bundles, and
//! the circle method moves them so that after BUNDLES − 1 rounds every pair has met once and all are back where they began
//! (`ranks::schedule` has the pairs; here it matters where they meet, too). Variables of a pair stay at the table where it
//! meets; only weights travel, as sparse bundles.
//!
//! Tables are dealt to the ranks. What happens at a table depends on the two bundles alone, so the model has the same bytes on 1, 2 and
//! 4 ranks (and not those of the solver of one rank without bundles, which takes the samples in another order). A rank holds the
//! bundles at its tables, and while two meet a copy of them.
//!
//! Epochs are full or quick as in `joint.rs`; all ranks agree after each whether another follows.
//!
//! **Cost.** As on one machine, divided by the ranks. **Traffic.** Each bundle moves BUNDLES − 1 times an epoch.

use super::Stop;
use super::joint::{Joint, JointSolved, Kept, WITHIN};
use super::order::Order;
use super::samples::Samples;
use super::scheme::Scheme;
use super::store::Store;
use base::{Error, Progress, Result, Run};
use ranks::bundle::{Bundle, Packer, WireFormat};
use std::collections::BTreeMap;

/// Bundles of classes.
pub(super) const BUNDLES: usize = 8;
/// Tables at which two bundles meet.
const TABLES: usize = BUNDLES / 2;
/// Quick epochs between two full ones, at most.
const QUICK: usize = 8;

/// A problem that several ranks solve together.
pub(super) struct Spread<'a> {
    pub rows: &'a Samples<'a>,
    /// Each sample: its row and its class.
    pub samples: &'a [(u32, u32)],
    pub costs: &'a [f64],
    pub classes: usize,
    pub scheme: Scheme,
}

/// One pair of bundles, or one bundle with itself: its samples, and what is kept of them.
struct Meeting {
    /// Row and class, the classes of the pair numbered from 0.
    samples: Vec<(u32, u32)>,
    costs: Vec<f64>,
    kept: Vec<Kept>,
    idle: Vec<bool>,
}

/// What a rank holds.
struct Held {
    /// The bundles at this rank's tables.
    bundles: BTreeMap<usize, Store<f64>>,
    meetings: BTreeMap<(usize, usize), Meeting>,
}

/// What is done when two bundles meet, or one is looked at alone.
type Each<'a> = dyn FnMut(&mut Held, (usize, usize), &Run<'_>) -> Result<()> + 'a;

/// The weights of a meeting become those of its bundles again.
fn put_back(held: &mut Held, (a, b): (usize, usize), store: Store<f64>, cut: Option<u32>, run: &Run<'_>) -> Result<()> {
    let Some(cut) = cut else {
        held.bundles.insert(a, store);
        return Ok(());
    };
    let all = store.classes() as u32;
    held.bundles.insert(a, store.cut(0..cut, run)?);
    held.bundles.insert(b, store.cut(cut..all, run)?);
    Ok(())
}

/// Who sits where in a round: the bundles by place; table t has the places t and BUNDLES − 1 − t.
fn seats(round: usize) -> [usize; BUNDLES] {
    std::array::from_fn(|place| match place {
        0 => 0,
        _ => 1 + (place - 1 + BUNDLES - 1 - round % (BUNDLES - 1)) % (BUNDLES - 1),
    })
}

/// The table of a place.
fn table(place: usize) -> usize {
    place.min(BUNDLES - 1 - place)
}

impl Spread<'_> {
    /// The optimum, or the best so far; every rank gets it. More ranks than tables have nothing to do but take part.
    pub fn solve(&self, stop: &Stop, run: &Run<'_>) -> Result<JointSolved> {
        let members = self.deal();
        let mut held = Held { bundles: BTreeMap::new(), meetings: BTreeMap::new() };
        for (place, &bundle) in seats(0).iter().enumerate() {
            if self.rank_of(table(place), run) == run.ranks.rank() {
                held.bundles.insert(bundle, Store::new(self.rows, members[bundle].len(), run)?);
            }
        }
        let mut tolerance = stop.first();
        let (mut epochs, mut full_epochs, mut converged, mut interrupted) = (0, 0, false, false);
        let (mut full, mut quick, mut most) = (true, 0, 1);
        while epochs < stop.epochs {
            let enough = run.step(&Progress::of("epoch", epochs as u64, stop.epochs as u64));
            // All must hear of a stop or none: they wait for each other's messages.
            if run.ranks.any(!matches!(enough, Ok(false)))? {
                interrupted = true;
                enough?;
                break;
            }
            let worst = self.epoch(&mut held, &members, (full, epochs), tolerance, run)?;
            epochs += 1;
            let limit = if full { tolerance } else { WITHIN * tolerance };
            let done = run.ranks.all(worst <= limit)?;
            if full {
                full_epochs += 1;
                if done {
                    if !stop.by_gap() || stop.is_near(self.values(&mut held, &members, run)?) {
                        converged = true;
                        break;
                    }
                    tolerance *= 0.25;
                }
                (full, quick) = (false, 0);
            } else {
                quick += 1;
                full = done || quick >= most;
                most = if full { (2 * most).min(QUICK) } else { most };
            }
        }
        let run = &run.finishing();
        let (primal, dual) = self.values(&mut held, &members, run)?;
        let mut counts = [0.0; 2];
        let mut used = vec![0.0; self.samples.len()];
        for meeting in held.meetings.values() {
            counts[0] += meeting.kept.iter().map(Kept::used).sum::<usize>() as f64;
            let rows = meeting.samples.iter().zip(&meeting.kept).filter(|(_, k)| k.used() > 0);
            rows.for_each(|((row, _), _)| used[*row as usize] = 1.0);
        }
        run.ranks.sum(&mut counts)?;
        run.ranks.sum(&mut used)?;
        Ok(JointSolved {
            store: self.gather(&held, &members, run)?,
            primal,
            dual,
            epochs,
            full: full_epochs,
            converged,
            interrupted,
            variables: counts[0] as usize,
            support: used.iter().filter(|u| **u > 0.0).count(),
        })
    }

    /// The classes of each bundle: the largest class goes to the bundle with the fewest samples, of equals the one with the fewest classes.
    fn deal(&self) -> Vec<Vec<u32>> {
        let mut counts = vec![0usize; self.classes];
        self.samples.iter().for_each(|&(_, class)| counts[class as usize] += 1);
        let mut order: Vec<u32> = (0..self.classes as u32).collect();
        order.sort_by_key(|&c| (std::cmp::Reverse(counts[c as usize]), c));
        let mut members = vec![vec![]; BUNDLES];
        let mut sizes = [0usize; BUNDLES];
        for class in order {
            let least = (0..BUNDLES).min_by_key(|&b| (sizes[b], members[b].len(), b)).unwrap_or(0);
            members[least].push(class);
            sizes[least] += counts[class as usize];
        }
        members.iter_mut().for_each(|m: &mut Vec<u32>| m.sort_unstable());
        members
    }

    fn rank_of(&self, table: usize, run: &Run<'_>) -> usize {
        table * run.ranks.count().min(TABLES) / TABLES
    }

    /// All pairs meet once; answers with the largest violation at this rank's tables.
    fn epoch(
        &self,
        held: &mut Held,
        members: &[Vec<u32>],
        (full, epoch): (bool, usize),
        tolerance: f64,
        run: &Run<'_>,
    ) -> Result<f64> {
        let mut worst = 0.0f64;
        self.rounds(held, members, run, &mut |held, (a, b), run| {
            worst = worst.max(self.meet(held, members, (a, b), (full, epoch), tolerance, run)?);
            Ok(())
        })?;
        Ok(worst)
    }

    /// Goes through all rounds: calls `each` with every pair at this rank's tables, and in the first round with every bundle alone.
    fn rounds(&self, held: &mut Held, members: &[Vec<u32>], run: &Run<'_>, each: &mut Each<'_>) -> Result<()> {
        for round in 0..BUNDLES - 1 {
            let seats = seats(round);
            for t in 0..TABLES {
                if self.rank_of(t, run) != run.ranks.rank() {
                    continue;
                }
                let (a, b) = (seats[t].min(seats[BUNDLES - 1 - t]), seats[t].max(seats[BUNDLES - 1 - t]));
                if round == 0 {
                    each(held, (a, a), run)?;
                    each(held, (b, b), run)?;
                }
                each(held, (a, b), run)?;
            }
            self.travel(held, members, round, run)?;
        }
        Ok(())
    }

    /// Bundles go to where they sit in the next round.
    fn travel(&self, held: &mut Held, members: &[Vec<u32>], round: usize, run: &Run<'_>) -> Result<()> {
        let (rank, count) = (run.ranks.rank(), run.ranks.count());
        let place = |round: usize, bundle: usize| {
            let place = seats(round).iter().position(|b| *b == bundle).unwrap_or(0);
            self.rank_of(table(place), run)
        };
        for step in 1..count {
            let (to, from) = ((rank + step) % count, (rank + count - step) % count);
            let going =
                |a: usize, b: usize| (0..BUNDLES).filter(move |&x| place(round, x) == a && place(round + 1, x) == b);
            let mut message = vec![];
            for bundle in going(rank, to) {
                let store =
                    held.bundles.remove(&bundle).ok_or_else(|| Error::size("bundles at a rank", bundle, "none"))?;
                let mut packer = Packer::new(store.classes(), WireFormat::Double);
                store.pack(&mut packer)?;
                message.extend(packer.finish());
            }
            let heard = run.ranks.exchange(to, &message, from)?;
            let mut rest = &heard[..];
            for bundle in going(from, rank) {
                let classes = members[bundle].len();
                let read = Bundle::read(&mut rest, classes, &run.memory)?;
                held.bundles.insert(bundle, Store::unpack(self.rows, classes, &read, run)?);
            }
        }
        Ok(())
    }

    /// The samples of a pair of bundles, or of one.
    fn meeting(&self, members: &[Vec<u32>], (a, b): (usize, usize)) -> Meeting {
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
        Meeting { samples, costs, kept: vec![Kept::default(); n], idle: vec![false; n] }
    }

    /// Visits the samples of a meeting once; answers with the largest violation.
    fn meet(
        &self,
        held: &mut Held,
        members: &[Vec<u32>],
        (a, b): (usize, usize),
        (full, epoch): (bool, usize),
        tolerance: f64,
        run: &Run<'_>,
    ) -> Result<f64> {
        let mut meeting = held.meetings.remove(&(a, b)).unwrap_or_else(|| self.meeting(members, (a, b)));
        let (store, cut) = self.table_store(held, (a, b), run)?;
        let kept = std::mem::take(&mut meeting.kept);
        let joint = self.joint(&meeting, store.classes(), cut);
        let seed = run.seed.fork("meeting").at(epoch).at(a * BUNDLES + b);
        let mut order = Order::new(meeting.samples.len(), seed.stream());
        if !full {
            order.retain(|i| !meeting.idle[i]);
        }
        order.shuffle();
        let mut state = joint.state(kept, store, run)?;
        let worst = joint.epoch(&mut state, order.all(), full, WITHIN * tolerance, run)?;
        let (store, kept) = (state.store, state.kept);
        meeting.idle = kept.iter().map(Kept::is_idle).collect();
        meeting.kept = kept;
        put_back(held, (a, b), store, cut, run)?;
        held.meetings.insert((a, b), meeting);
        Ok(worst)
    }

    /// The weights of a meeting, taken from the rank's bundles, and where the second bundle begins.
    fn table_store(&self, held: &mut Held, (a, b): (usize, usize), run: &Run<'_>) -> Result<(Store<f64>, Option<u32>)> {
        let mut take = |bundle: usize| {
            held.bundles.remove(&bundle).ok_or_else(|| Error::size("bundles at a rank", bundle, "none"))
        };
        let first = take(a)?;
        if a == b {
            return Ok((first, None));
        }
        let second = take(b)?;
        Ok((first.joined(&second, run)?, Some(first.classes() as u32)))
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

    /// The primal and the dual objective, summed over all pairs and ranks.
    fn values(&self, held: &mut Held, members: &[Vec<u32>], run: &Run<'_>) -> Result<(f64, f64)> {
        // One number for each bundle and pair, added in one order whatever rank has them.
        let mut parts = vec![0.0; 3 * BUNDLES * BUNDLES];
        let squares = |store: &Store<f64>| {
            let mut sum = 0.0;
            (0..store.width()).for_each(|j| store.each(j, |_, w| sum += w * w));
            sum
        };
        for (&bundle, store) in &held.bundles {
            parts[bundle] = 0.5 * squares(store);
        }
        self.rounds(held, members, run, &mut |held, (a, b), run| {
            let meeting = held.meetings.remove(&(a, b)).unwrap_or_else(|| self.meeting(members, (a, b)));
            let (store, cut) = self.table_store(held, (a, b), run)?;
            let (loss, alpha) = self.joint(&meeting, store.classes(), cut).sums(&store, &meeting.kept, run)?;
            let place = BUNDLES * BUNDLES + 2 * (a * BUNDLES + b);
            (parts[place], parts[place + 1]) = (loss, alpha);
            put_back(held, (a, b), store, cut, run)?;
            held.meetings.insert((a, b), meeting);
            Ok(())
        })?;
        run.ranks.sum(&mut parts)?;
        let half: f64 = parts[..BUNDLES].iter().sum();
        let sums = parts[BUNDLES * BUNDLES..].chunks_exact(2).fold((0.0, 0.0), |s, p| (s.0 + p[0], s.1 + p[1]));
        Ok((half + sums.0, sums.1 - half))
    }

    /// The weights of all classes, for the machine that comes out.
    fn gather(&self, held: &Held, members: &[Vec<u32>], run: &Run<'_>) -> Result<Store<f64>> {
        let mut message = vec![];
        for store in held.bundles.values() {
            let mut packer = Packer::new(store.classes(), WireFormat::Double);
            store.pack(&mut packer)?;
            message.extend(packer.finish());
        }
        let mut entries: Vec<Vec<(u32, f64)>> = vec![vec![]; self.rows.width()];
        for (rank, heard) in run.ranks.gather(&message)?.iter().enumerate() {
            let mut rest = &heard[..];
            let seats = seats(0);
            let here = |bundle: &usize| {
                let place = seats.iter().position(|b| b == bundle).unwrap_or(0);
                self.rank_of(table(place), run) == rank
            };
            for bundle in (0..BUNDLES).filter(here) {
                for (feature, local, weights) in Bundle::read(&mut rest, members[bundle].len(), &run.memory)?.vectors()
                {
                    let all = entries
                        .get_mut(feature as usize)
                        .ok_or_else(|| Error::size("features", self.rows.width(), feature))?;
                    all.extend(local.iter().zip(weights).map(|(&l, &w)| (members[bundle][l as usize], w)));
                }
            }
        }
        Store::of(self.rows, self.classes, entries, run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_meets_once_and_all_go_home() {
        let mut met = std::collections::BTreeSet::new();
        for round in 0..BUNDLES - 1 {
            let seats = seats(round);
            let mut all = seats;
            all.sort_unstable();
            assert_eq!(all, std::array::from_fn(|b| b));
            for t in 0..TABLES {
                let (a, b) = (seats[t], seats[BUNDLES - 1 - t]);
                assert!(met.insert((a.min(b), a.max(b))), "{a} and {b} meet twice");
            }
        }
        assert_eq!(met.len(), BUNDLES * (BUNDLES - 1) / 2);
        assert_eq!(seats(BUNDLES - 1), seats(0));
    }

    #[test]
    fn bundles_have_about_as_many_samples_and_classes() {
        let points = base::Points::dense(vec![1.0; 900], 900, 1).unwrap();
        let run = Run::quiet(1);
        let stored = super::super::samples::Rows::new(&points, 0.0, &run).unwrap();
        let rows = stored.samples();
        // Class sizes that fall like 1/rank, as those of texts do.
        let sizes: Vec<usize> = (0..60).map(|c| 180 / (c + 1) + 1).collect();
        let labels = sizes.iter().zip(0u32..).flat_map(|(&size, c)| std::iter::repeat_n(c, size));
        let samples: Vec<(u32, u32)> = (0..).zip(labels).collect();
        let costs = vec![1.0; samples.len()];
        let scheme = super::super::scheme::Multiclass::WestonWatkins.scheme(1.0, super::super::Loss::Hinge);
        let spread = Spread { rows: &rows, samples: &samples, costs: &costs, classes: sizes.len(), scheme };
        let members = spread.deal();
        let mut all: Vec<u32> = members.concat();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..60));
        let counts: Vec<usize> = members.iter().map(|m| m.iter().map(|&c| sizes[c as usize]).sum()).collect();
        // The largest class alone is more than a share; all others are level.
        let (most, least) = (*counts.iter().max().unwrap(), *counts.iter().min().unwrap());
        assert!(most <= 181 && least + 20 >= (samples.len() - 181) / (BUNDLES - 1), "{counts:?}");
    }
}
