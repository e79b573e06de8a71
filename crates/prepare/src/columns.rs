//! Points looked at column by column.
//!
//! A column is the list of its stored numbers with their rows; what is not stored is 0. Dense points are gathered some
//! columns at a time, so that every cache line is read once; sparse points are turned around once. Columns go to any
//! thread, answers come back in order.

use base::{Points, Progress, Result, Run};
use numeric::{blocks, threads};

/// Columns gathered together: a cache line of doubles.
const BLOCK: usize = 8;

/// `f(column, entries)` for every column, in order; entries ascend by row.
pub(crate) fn each_column<T: Send>(
    points: &Points,
    run: &Run<'_>,
    f: impl Fn(usize, &[(usize, f64)]) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let (n, d) = (points.len(), points.columns());
    let parts = match points {
        Points::Dense(dense) => {
            let at_once = threads(run).min(d.div_ceil(BLOCK)).max(1);
            let numbers = n.saturating_mul(BLOCK).saturating_mul(at_once);
            let _hold = run.memory.take_for::<(usize, f64)>(numbers, "columns one by one")?;
            blocks(run, d, BLOCK, |range| {
                run.report(&Progress::of("columns", range.start as u64, d as u64))?;
                let mut columns = vec![Vec::with_capacity(n); range.len()];
                for i in 0..n {
                    let row = dense.row(i);
                    columns.iter_mut().zip(&row[range.clone()]).for_each(|(column, &x)| column.push((i, x)));
                }
                columns.iter().zip(range).map(|(column, j)| f(j, column)).collect::<Result<Vec<T>>>()
            })?
        }
        Points::Sparse(sparse) => {
            let _hold = run.memory.take_for::<(usize, f64)>(sparse.entries().saturating_add(d), "columns of rows")?;
            let mut starts = vec![0usize; d + 1];
            let all = sparse.starts()[0]..sparse.starts()[n];
            sparse.ids()[all].iter().for_each(|&id| starts[id as usize + 1] += 1);
            (0..d).for_each(|j| starts[j + 1] += starts[j]);
            let mut next = starts.clone();
            let mut entries = vec![(0, 0.0); sparse.entries()];
            for i in 0..n {
                let (ids, values) = sparse.row(i);
                for (&id, &x) in ids.iter().zip(values) {
                    entries[next[id as usize]] = (i, x);
                    next[id as usize] += 1;
                }
            }
            let (starts, entries) = (&starts, &entries);
            blocks(run, d, 64 * BLOCK, |range| {
                run.report(&Progress::of("columns", range.start as u64, d as u64))?;
                range.map(|j| f(j, &entries[starts[j]..starts[j + 1]])).collect::<Result<Vec<T>>>()
            })?
        }
    };
    Ok(parts.into_iter().flatten().collect())
}
