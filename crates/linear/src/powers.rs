//! Powers of the columns, for fitting polynomials by linear machines.

use base::{Buffer, Error, Points, Result, Run, Shared};

/// The columns x, x², …, x^degree of each column in turn, so that a linear machine on them is a polynomial without mixed
/// terms. The constant is the machine's own offset.
pub fn powers(points: &Points, degree: usize, run: &Run<'_>) -> Result<Points> {
    if degree == 0 {
        return Err(Error::parameter("degree", 0, "must be at least 1"));
    }
    let (n, d) = (points.len(), points.columns());
    let wide = d.checked_mul(degree).ok_or_else(|| Error::size("columns of powers", "fewer", "too many"))?;
    let (mut values, hold) = run.memory.filled(n.saturating_mul(wide), 0.0, "powers")?;
    let mut row = vec![0.0; d];
    for (i, out) in values.chunks_exact_mut(wide.max(1)).enumerate() {
        points.write_row(i, &mut row);
        for (x, out) in row.iter().zip(out.chunks_exact_mut(degree)) {
            let mut power = 1.0;
            out.iter_mut().for_each(|o| {
                power *= x;
                *o = power;
            });
        }
    }
    Points::dense(Buffer::F64(Shared::counted(values, hold)), n, wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_stand_side_by_side() {
        let points = Points::from_rows(&[[2.0, -1.0], [0.5, 3.0]]).unwrap();
        let run = Run::quiet(1);
        let found = powers(&points, 3, &run).unwrap().to_dense(&run.memory).unwrap().to_vec();
        assert_eq!(found, [2.0, 4.0, 8.0, -1.0, 1.0, -1.0, 0.5, 0.25, 0.125, 3.0, 9.0, 27.0]);
        assert!(powers(&points, 0, &run).is_err() && powers(&points, usize::MAX, &run).is_err());
    }
}
