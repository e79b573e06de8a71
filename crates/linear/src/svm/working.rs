//! Sixteen classes at work: their weights side by side, and which rows and features are a class's own.

use super::lane::Lane;
use super::rare::Rare;
use super::table::Table;
use base::{Result, Run};
use numeric::{SIXTEEN, above};

/// What lanes have as their own; a bit for each of the sixteen.
struct Marks {
    /// Which lanes have a row as their own.
    own: Vec<u16>,
    /// In which lanes the weights of a feature may differ from the common ones.
    touched: Vec<u16>,
}

impl Marks {
    /// A row is now a lane's own, and so are its features; those that are new are added to `touched`.
    fn set(&mut self, problem: &Rare<'_>, lane: usize, row: u32, touched: &mut Vec<u32>) {
        self.own[row as usize] |= 1 << lane;
        for &j in problem.rows.row(row as usize).0 {
            let bits = &mut self.touched[j as usize];
            if *bits >> lane & 1 == 0 {
                *bits |= 1 << lane;
                touched.push(j);
            }
        }
    }

    /// Nothing is the lane's own any more.
    fn clear(&mut self, lane: usize, one: &Lane) {
        one.own.iter().for_each(|own| self.own[own.row as usize] &= !(1 << lane));
        one.touched.iter().for_each(|&j| self.touched[j as usize] &= !(1 << lane));
    }
}

/// Classes being learned.
pub(super) struct Working {
    table: Table,
    marks: Marks,
    pub lanes: [Option<Lane>; SIXTEEN],
}

impl Working {
    /// Nobody at work.
    pub fn new(problem: &Rare<'_>) -> Self {
        Working {
            table: Table::new(problem),
            marks: Marks { own: vec![0; problem.samples.len()], touched: vec![0; problem.samples.columns()] },
            lanes: std::array::from_fn(|_| None),
        }
    }

    /// Bytes of the masks and weights.
    pub fn bytes(problem: &Rare<'_>) -> u64 {
        let (n, d) = (problem.samples.len(), problem.samples.columns());
        Table::bytes(d) + (2 * (n + d) + 8 * SIXTEEN * problem.samples.width()) as u64
    }

    /// A class takes a lane; its own rows are those that have it, and those of the common problem.
    pub fn begin(&mut self, problem: &Rare<'_>, lane: usize, class: usize, room: f64) {
        let positive = &problem.members[class];
        let mut one = Lane::new(class, problem.common.weights.clone(), room);
        positive.iter().for_each(|&row| one.join(problem, row, true, 0.0));
        for common in &problem.common.own {
            match positive.binary_search(&common.row) {
                // Its variable was that of a negative.
                Ok(_) => problem.samples.add(common.row as usize, common.alpha, &mut one.weights),
                Err(_) => one.join(problem, common.row, false, common.alpha),
            }
        }
        for place in 0..one.own.len() {
            self.marks.set(problem, lane, one.own[place].row, &mut one.touched);
        }
        self.lanes[lane] = Some(one);
    }

    /// The weights of a lane go into the pass.
    pub fn show(&mut self, problem: &Rare<'_>, lane: usize) {
        if let Some(one) = &self.lanes[lane] {
            self.table.set(problem, lane, &one.touched, &one.weights);
        }
    }

    /// Scores all rows; those that violate a lane's conditions by more than its room join it. Answers with how many did.
    pub fn join(&mut self, problem: &Rare<'_>, run: &Run<'_>) -> Result<[usize; SIXTEEN]> {
        // A negative without a variable is optimal up to a score of −1.
        let limit = |one: &Lane| (one.room - 1.0) as f32;
        let limits = std::array::from_fn(|lane| self.lanes[lane].as_ref().map_or(f32::INFINITY, limit));
        let (mut bits, mut found) = ([0u16; Table::ROWS], vec![]);
        let own = &self.marks.own;
        self.table.pass(problem, run, |start, scores| {
            let rows = start..start + scores.len();
            above(scores, &limits, &mut bits[..scores.len()]);
            for (i, bits) in rows.zip(bits) {
                let new = bits & !own[i];
                if new != 0 {
                    found.push((i as u32, new));
                }
            }
        })?;
        let mut joined = [0; SIXTEEN];
        for (row, mut bits) in found {
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let Some(one) = &mut self.lanes[lane] else { continue };
                one.join(problem, row, false, 0.0);
                self.marks.set(problem, lane, row, &mut one.touched);
                joined[lane] += 1;
            }
        }
        Ok(joined)
    }

    /// The class of a lane leaves it.
    pub fn end(&mut self, problem: &Rare<'_>, lane: usize) -> Option<Lane> {
        let one = self.lanes[lane].take()?;
        self.marks.clear(lane, &one);
        self.table.set(problem, lane, &one.touched, &problem.common.weights);
        Some(one)
    }
}
