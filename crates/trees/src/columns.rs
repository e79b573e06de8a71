//! Inputs column after column, each number as the rank of its value among the column's different values.
//!
//! Ranks keep the order and so all that a split can see, in two or four bytes; rows are then sorted by small whole
//! numbers. Gaps get the rank after the last. **Cost.** O(n log n) a column, once a fit. **Memory.** Two bytes a cell,
//! four in columns of more than 65,535 different values; sparse inputs are written out in this form.

use base::{Hold, Points, Progress, Result, Run};
use numeric::each;

/// One column.
pub struct Column {
    /// Rank of each row's value; the number of values marks a gap.
    pub ranks: RankColumn,
    /// The different values, ascending.
    pub values: Vec<f64>,
    /// Whether some row has a gap.
    pub gaps: bool,
}

/// Ranks in as few bytes as they need.
pub enum RankColumn {
    /// Up to 65,535 values.
    Small(Vec<u16>),
    /// More.
    Large(Vec<u32>),
}

impl Column {
    /// The rank of a row's value.
    pub fn rank(&self, row: u32) -> u32 {
        match &self.ranks {
            RankColumn::Small(ranks) => u32::from(ranks[row as usize]),
            RankColumn::Large(ranks) => ranks[row as usize],
        }
    }

    /// The rank that marks a gap.
    pub fn gap(&self) -> u32 {
        self.values.len() as u32
    }

    fn of(cells: &[f64]) -> Self {
        // Adding 0 makes one zero of both.
        let mut values: Vec<f64> = cells.iter().filter(|x| !x.is_nan()).map(|x| x + 0.0).collect();
        let gaps = values.len() < cells.len();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        values.shrink_to_fit();
        let rank = |x: &f64| if x.is_nan() { values.len() } else { values.partition_point(|v| v < x) };
        let ranks = match values.len() < usize::from(u16::MAX) {
            true => RankColumn::Small(cells.iter().map(|x| rank(x) as u16).collect()),
            false => RankColumn::Large(cells.iter().map(|x| rank(x) as u32).collect()),
        };
        Column { ranks, values, gaps }
    }
}

/// All columns of some points.
pub struct Columns {
    /// The columns in order.
    pub columns: Vec<Column>,
    /// How many rows.
    pub rows: usize,
    _hold: Hold,
}

impl Columns {
    /// The columns of these points.
    pub fn new(points: &Points, run: &Run<'_>) -> Result<Self> {
        let (n, d) = (points.len(), points.columns());
        // A rank of two or four bytes and, at worst, a value of its own for each cell.
        let mut hold = run.memory.take_for::<[u32; 3]>(n.saturating_mul(d), "columns by rank")?;
        let work = n.saturating_mul(numeric::threads(run).min(d.max(1)));
        let _scratch = run.memory.take_for::<[f64; 2]>(work, "columns to be ranked")?;
        let transposed = by_column(points, run)?;
        let columns = each(run, d, |c| {
            run.report(&Progress::of("columns", c as u64, d as u64))?;
            let mut cells = vec![0.0; n];
            match (points, &transposed) {
                (Points::Sparse(_), Some(t)) => {
                    let (rows, values) =
                        (&t.rows[t.starts[c]..t.starts[c + 1]], &t.values[t.starts[c]..t.starts[c + 1]]);
                    rows.iter().zip(values).for_each(|(&r, &x)| cells[r as usize] = x);
                }
                (Points::Dense(dense), _) => {
                    let values = dense.values();
                    cells.iter_mut().enumerate().for_each(|(r, x)| *x = values.at(r * d + c));
                }
                _ => {}
            }
            Ok(Column::of(&cells))
        })?;
        let bytes = |c: &Column| {
            let ranks = match &c.ranks {
                RankColumn::Small(r) => 2 * r.len(),
                RankColumn::Large(r) => 4 * r.len(),
            };
            (ranks + 8 * c.values.len()) as u64
        };
        hold.resize(columns.iter().map(bytes).sum(), "columns by rank")?;
        Ok(Columns { columns, rows: n, _hold: hold })
    }
}

/// Sparse entries column after column.
struct ByColumn {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
    _hold: Hold,
}

fn by_column(points: &Points, run: &Run<'_>) -> Result<Option<ByColumn>> {
    let Points::Sparse(sparse) = points else { return Ok(None) };
    let (n, d, entries) = (sparse.len(), sparse.columns(), sparse.entries());
    let hold = run.memory.take((entries as u64).saturating_mul(12).saturating_add(8 * d as u64), "sparse columns")?;
    let mut starts = vec![0usize; d + 1];
    for i in 0..n {
        sparse.row(i).0.iter().for_each(|&c| starts[c as usize + 1] += 1);
    }
    for c in 0..d {
        starts[c + 1] += starts[c];
    }
    let mut next = starts.clone();
    let (mut rows, mut values) = (vec![0u32; entries], vec![0.0; entries]);
    for i in 0..n {
        let (ids, row) = sparse.row(i);
        for (&c, &x) in ids.iter().zip(row) {
            let place = &mut next[c as usize];
            rows[*place] = i as u32;
            values[*place] = x;
            *place += 1;
        }
    }
    Ok(Some(ByColumn { starts, rows, values, _hold: hold }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_keep_order_ties_and_gaps() {
        let column = Column::of(&[2.0, -0.0, f64::NAN, 0.0, -5.0, 2.0]);
        assert_eq!(column.values, [-5.0, 0.0, 2.0]);
        assert!(column.gaps);
        let ranks: Vec<u32> = (0..6).map(|r| column.rank(r)).collect();
        assert_eq!(ranks, [2, 1, 3, 1, 0, 2]);
    }

    #[test]
    fn many_values_take_four_bytes() {
        let cells: Vec<f64> = (0..70_000).rev().map(f64::from).collect();
        let column = Column::of(&cells);
        assert!(matches!(column.ranks, RankColumn::Large(_)));
        assert_eq!((column.rank(0), column.rank(69_999)), (69_999, 0));
    }
}
