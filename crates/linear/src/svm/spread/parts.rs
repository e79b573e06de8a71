//! Checkpoints of a fit that several ranks share: a part for each table, so that no rank needs the whole.
//!
//! A part has what is at a table before a round: its two bundles, and the dual variables of all pairs that meet there in any round.
//! Tables do not depend on the ranks, so that another number of ranks (one, too) can go on from the parts.

use super::{Held, QUICK, Spread};
use crate::svm::Stop;
use crate::svm::checkpoint::{Saved, kept_record, read_kept};
use crate::svm::joint::Kept;
use crate::svm::pace::Pace;
use crate::svm::store::Store;
use base::{Record, Result, Run, StateParts};
use std::collections::BTreeMap;

const SOLVER: &str = "bundles";
const KIND: &str = "table of two bundles";

impl Spread<'_> {
    /// What this rank holds at the beginning, or where a checkpoint was kept.
    pub(super) fn begin(&self, members: &[Vec<u32>], stop: &Stop, saved: &Saved<'_>, run: &Run<'_>) -> Result<Held> {
        let pace = Pace::new(stop, QUICK);
        let mut held =
            Held { bundles: BTreeMap::new(), meetings: BTreeMap::new(), round: 0, worst: BTreeMap::new(), pace };
        let layout = self.layout();
        let Some(state) = saved.parts(SOLVER)? else {
            for t in self.tables(run) {
                let (a, b) = layout.pair(0, t);
                for bundle in [a, b] {
                    held.bundles.insert(bundle, Store::new(self.rows, members[bundle].len(), run)?);
                }
            }
            return Ok(held);
        };
        let common = &state.common;
        (held.pace, held.round) = (Pace::read(common.part("pace")?, QUICK)?, common.count("round")?);
        let places: Vec<usize> = state.own.iter().map(|(place, _)| *place).collect();
        if held.round >= layout.rounds() || !self.tables(run).eq(places.iter().copied()) {
            return Err(common.broken(format!("round {} with the tables {places:?}", held.round)));
        }
        for (t, part) in &state.own {
            self.take_part(&mut held, members, (*t, part), run)?;
        }
        Ok(held)
    }

    fn take_part(
        &self,
        held: &mut Held,
        members: &[Vec<u32>],
        (table, part): (usize, &Record),
        run: &Run<'_>,
    ) -> Result<()> {
        part.expect(KIND, 1)?;
        let layout = self.layout();
        let (a, b) = layout.pair(held.round, table);
        let (bundles, meetings) = (part.parts("bundles")?, part.parts("meetings")?);
        let pairs: Vec<_> = (0..layout.rounds()).flat_map(|round| layout.meetings(round, table)).collect();
        if bundles.len() != 2 || meetings.len() != pairs.len() || part.count("round")? != held.round {
            return Err(part.broken("is not that of this round"));
        }
        for (bundle, record) in [a, b].into_iter().zip(bundles) {
            held.bundles.insert(bundle, Store::read(record, self.rows, members[bundle].len(), run)?);
        }
        for (pair, record) in pairs.into_iter().zip(meetings) {
            // What has not met yet has nothing to keep.
            if record.ids("counts")?.is_empty() {
                continue;
            }
            let mut meeting = self.meeting(members, pair, run)?;
            let classes = if pair.0 == pair.1 { 0 } else { members[pair.1].len() } + members[pair.0].len();
            meeting.kept = read_kept(record, meeting.samples.len(), classes)?;
            meeting.count()?;
            held.meetings.insert(pair, meeting);
        }
        held.worst.insert(table, part.number("worst")?);
        Ok(())
    }

    /// Keeps a checkpoint if the run has one and some rank says that it is time.
    pub(super) fn keep(&self, held: &Held, saved: &Saved<'_>, now: bool, run: &Run<'_>) -> Result<()> {
        let Some(checkpoint) = run.checkpoint else { return Ok(()) };
        // Rank 0 has the clock; for the others it is never time.
        if !run.ranks.any(now)? {
            return Ok(());
        }
        let bytes = held.bundles.values().map(Store::bytes).sum::<u64>()
            + held.meetings.values().flat_map(|m| &m.kept).map(Kept::bytes).sum::<u64>();
        let _hold = run.memory.take(bytes, "a checkpoint")?;
        let layout = self.layout();
        let state = StateParts {
            common: saved.record(SOLVER).with("pace", held.pace.record()).with("round", held.round),
            number: (held.pace.epochs * layout.rounds() + held.round) as u64,
            count: layout.tables(),
            own: self.tables(run).map(|t| (t, self.part(held, t))).collect(),
        };
        checkpoint.keep_parts(&state, run.ranks)
    }

    fn part(&self, held: &Held, table: usize) -> Record {
        let layout = self.layout();
        let (a, b) = layout.pair(held.round, table);
        let pairs = (0..layout.rounds()).flat_map(|round| layout.meetings(round, table));
        let kept = pairs.map(|pair| kept_record(held.meetings.get(&pair).map_or(&[], |m| &m.kept)));
        let bundles = [a, b].into_iter().filter_map(|bundle| held.bundles.get(&bundle)).map(Store::record);
        Record::new(KIND, 1)
            .with("round", held.round)
            .with("worst", held.worst.get(&table).copied().unwrap_or(0.0))
            .with("bundles", bundles.collect::<Vec<_>>())
            .with("meetings", kept.collect::<Vec<_>>())
    }
}
