//! Which bundles meet at which table in which round.
//!
//! The circle method: bundle 0 stays at its place, the others move on by one place a round; the bundles at the places t and
//! B − 1 − t meet at table t. After B − 1 rounds every pair has met once and all are back where they began
//! (`ranks::schedule` has the pairs; here it matters where they meet, too).

/// So many bundles, an even number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layout {
    pub bundles: usize,
}

impl Layout {
    /// Tables at which two bundles meet.
    pub fn tables(self) -> usize {
        self.bundles / 2
    }

    /// Rounds until all are back.
    pub fn rounds(self) -> usize {
        self.bundles - 1
    }

    /// The bundle at a place in a round.
    fn at(self, round: usize, place: usize) -> usize {
        let moving = self.rounds();
        match place {
            0 => 0,
            _ => 1 + (place - 1 + moving - round % moving) % moving,
        }
    }

    /// The table of a bundle in a round.
    pub fn table(self, round: usize, bundle: usize) -> usize {
        let place = match bundle {
            0 => 0,
            _ => 1 + (bundle - 1 + round) % self.rounds(),
        };
        place.min(self.bundles - 1 - place)
    }

    /// The bundles that meet at a table in a round, the smaller number first.
    pub fn pair(self, round: usize, table: usize) -> (usize, usize) {
        let (a, b) = (self.at(round, table), self.at(round, self.bundles - 1 - table));
        (a.min(b), a.max(b))
    }

    /// What is met with at a table in a round: the pair, and in round 0 each of its bundles alone before that.
    pub fn meetings(self, round: usize, table: usize) -> Vec<(usize, usize)> {
        let (a, b) = self.pair(round, table);
        if round == 0 { vec![(a, a), (b, b), (a, b)] } else { vec![(a, b)] }
    }

    /// The place of a meeting in a list of all.
    pub fn number(self, (a, b): (usize, usize)) -> usize {
        a * self.bundles + b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_meets_once_and_all_go_home() {
        for bundles in [2, 4, 8, 10, 64] {
            let layout = Layout { bundles };
            let mut met = std::collections::BTreeSet::new();
            for round in 0..layout.rounds() {
                let mut here = vec![];
                for t in 0..layout.tables() {
                    let (a, b) = layout.pair(round, t);
                    assert_eq!((layout.table(round, a), layout.table(round, b)), (t, t));
                    here.extend([a, b]);
                    for meeting in layout.meetings(round, t) {
                        assert!(met.insert(meeting), "{meeting:?} meet twice");
                    }
                }
                here.sort_unstable();
                assert!(here.into_iter().eq(0..bundles));
            }
            assert_eq!(met.len(), bundles * (bundles + 1) / 2);
            assert!((0..layout.tables()).all(|t| layout.pair(layout.rounds(), t) == layout.pair(0, t)));
        }
    }
}
