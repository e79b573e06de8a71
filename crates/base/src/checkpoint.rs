//! Where the state of long work goes, so that the work can be resumed.
//!
//! One process keeps a record. Several that share a fit keep a state in parts, so that none needs the whole: the parts are those
//! of the work and not of the processes, and another number of processes can go on from them. A state counts when all of its
//! parts are there; until then the one before it does.

use crate::{Error, Ranks, Record, Result};

/// Takes the state of long work; the application writes it to a file.
pub trait Checkpoint: Sync {
    /// Whether enough time has passed for another one.
    fn due(&self) -> bool;

    /// Keeps a record that [`crate::Learner::fit`] can start from.
    fn keep(&self, record: Record) -> Result<()>;

    /// Keeps the parts that this process has of a state; every process calls it for the same state.
    fn keep_parts(&self, _state: &StateParts, _ranks: &dyn Ranks) -> Result<()> {
        let instead = "start it without mpirun";
        Err(Error::unsupported("a checkpoint that processes keep together", "this run", instead))
    }
}

/// A state that processes keep together, seen from one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct StateParts {
    /// What is said of the state as a whole; the same on every process.
    pub common: Record,
    /// How far the work is: larger than in the state before.
    pub number: u64,
    /// How many parts the state has.
    pub count: usize,
    /// The parts that this process has, with their numbers below `count`.
    pub own: Vec<(usize, Record)>,
}

impl StateParts {
    const KIND: &str = "state in parts";

    /// The record of the whole, without its parts.
    pub fn head(&self) -> Record {
        Record::new(Self::KIND, 1)
            .with("common", self.common.clone())
            .with("number", self.number.to_string())
            .with("parts", self.count)
    }

    /// Whether a record is the head of a state whose parts are elsewhere.
    pub fn is_head(record: &Record) -> bool {
        record.kind() == Self::KIND
    }

    /// The state of a head, with the parts that `read` finds by the number of the state and their own: those of this
    /// process, however many there were when it was kept.
    pub fn gathered(head: &Record, ranks: &dyn Ranks, read: impl Fn(u64, usize) -> Result<Record>) -> Result<Self> {
        head.expect(Self::KIND, 1)?;
        let text = head.text("number")?;
        let number = text.parse().map_err(|_| head.broken(format!("the number {text:?} of a state is none")))?;
        let count = head.count("parts")?;
        let mine = (0..count).filter(|&part| ranks.owner(part, count) == ranks.rank());
        let own = mine.map(|part| Ok((part, read(number, part)?))).collect::<Result<_>>()?;
        Ok(StateParts { common: head.part("common")?.clone(), number, count, own })
    }

    /// As one record, from which a fit goes on.
    pub fn record(&self) -> Record {
        let (places, parts): (Vec<u32>, Vec<Record>) = self.own.iter().map(|(p, r)| (*p as u32, r.clone())).unzip();
        self.head().with("places", places).with("own", parts)
    }

    /// Reads what [`StateParts::record`] wrote.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let (places, parts) = (record.ids("places")?, record.parts("own")?);
        if places.len() != parts.len() {
            return Err(record.broken(format!("{} places for {} parts", places.len(), parts.len())));
        }
        let text = record.text("number")?;
        Ok(StateParts {
            common: record.part("common")?.clone(),
            number: text.parse().map_err(|_| record.broken(format!("the number {text:?} of a state is none")))?,
            count: record.count("parts")?,
            own: places.iter().map(|&p| p as usize).zip(parts.iter().cloned()).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Alone;

    #[test]
    fn a_state_is_gathered_from_its_parts_and_survives_its_record() {
        let part = |i: usize| Record::new("part", 1).with("i", i);
        let own: Vec<(usize, Record)> = (0..5).map(|i| (i, part(i))).collect();
        let state = StateParts { common: Record::new("common", 1), number: u64::MAX, count: 5, own };
        assert!(StateParts::is_head(&state.head()) && !StateParts::is_head(&state.common));
        let found = StateParts::gathered(&state.head(), &Alone, |number, i| {
            assert_eq!(number, u64::MAX);
            Ok(part(i))
        });
        assert_eq!(found.unwrap(), state);
        assert_eq!(StateParts::read(&state.record()).unwrap(), state);
        let lost = StateParts::gathered(&state.head(), &Alone, |_, i| match i {
            3 => Err(Error::size("files of part 3", 1, 0)),
            _ => Ok(part(i)),
        });
        assert!(lost.is_err());
        let broken = state.record().with("places", vec![0u32]);
        assert!(StateParts::read(&broken).unwrap_err().to_string().contains("1 places for 5 parts"));
        assert!(StateParts::read(&state.head().with("number", "some")).is_err());
    }
}
