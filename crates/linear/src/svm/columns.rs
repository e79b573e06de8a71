//! Weights found class by class, turned to features x classes.

use super::classify::Ended;
use super::rare::RareSolved;
use super::samples::Samples;
use base::{Hold, Result, Run, Sparse};

/// The weights of all classes, their offsets and what the solver says of them; with what they take of the memory.
pub(super) fn by_feature(solved: RareSolved, rows: &Samples<'_>, run: &Run<'_>) -> Result<(Ended, Hold)> {
    let (k, d) = (solved.classes.len(), rows.columns());
    let entries = || solved.classes.iter().zip(0u32..).flat_map(|(one, c)| one.weights.iter().map(move |w| (c, *w)));
    let count = entries().filter(|(_, (j, _))| (*j as usize) < d).count();
    let hold = run.memory.take((12 * count + 16 * (d + 1)) as u64, "weights")?;
    // Where the classes of each feature begin, then where the next one goes.
    let mut starts = vec![0usize; d + 1];
    entries().filter(|(_, (j, _))| (*j as usize) < d).for_each(|(_, (j, _))| starts[j as usize + 1] += 1);
    (0..d).for_each(|j| starts[j + 1] += starts[j]);
    let mut next = starts.clone();
    let (mut ids, mut values, mut offsets) = (vec![0u32; count], vec![0.0; count], vec![0.0; k]);
    for (class, (j, w)) in entries() {
        match next.get_mut(j as usize) {
            Some(place) if (j as usize) < d => {
                (ids[*place], values[*place]) = (class, w);
                *place += 1;
            }
            _ => offsets[class as usize] = w * rows.bias(),
        }
    }
    let support: usize = solved.classes.iter().map(|c| c.support).sum();
    let ended = Ended {
        weights: Sparse::new(starts, ids, values, k)?,
        offsets,
        primal: solved.classes.iter().map(|c| c.primal).sum(),
        dual: solved.classes.iter().map(|c| c.dual).sum(),
        epochs: solved.classes.iter().map(|c| c.epochs).max().unwrap_or(0),
        converged: solved.classes.iter().all(|c| c.converged),
        interrupted: solved.interrupted,
        facts: vec![("dual variables above 0", support as f64)],
    };
    Ok((ended, hold))
}
