//! What all ways of filling gaps share: counting them, copying rows to fill, drawing by a row's content.

use base::{Buffer, Certificate, Dataset, Error, Fact, Features, Inputs, Points, Record, Result, Run, Seed, Shared};

/// Gaps by column.
pub fn count(points: &Points) -> Vec<usize> {
    let mut gaps = vec![0; points.columns()];
    if let Points::Dense(dense) = points {
        for i in 0..dense.len() {
            dense.row(i).iter().zip(&mut gaps).for_each(|(x, g)| *g += usize::from(x.is_nan()));
        }
    }
    gaps
}

/// Writes down the gaps of the training rows, and warns of columns that have nothing else.
pub fn certify(certificate: &mut Certificate, data: &Dataset) -> Result<()> {
    let points = data.points()?;
    let gaps = count(points);
    certificate.fact("missing values filled", gaps.iter().sum::<usize>() as f64);
    let curve = gaps.iter().map(|&g| g as f64).collect();
    certificate.facts.insert("missing values by column".into(), Fact::Curve(curve));
    let empty: Vec<String> =
        (0..gaps.len()).filter(|&c| gaps[c] == points.len()).map(|c| data.features.name(c)).collect();
    if !empty.is_empty() {
        certificate.warn(format!("columns without any value are filled with 0: {}", empty.join(", ")));
    }
    Ok(())
}

/// Makes sure that rows can be numbered by 32 bits, which lists of rows with gaps do.
pub fn check_rows(rows: usize) -> Result<()> {
    match u32::try_from(rows) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::size("rows with missing values", format!("at most {}", u32::MAX), rows)),
    }
}

/// A copy of the rows with their gaps filled by `fill`, which gets the numbers row after row.
pub fn filled(inputs: &Inputs, run: &Run<'_>, fill: impl FnOnce(&mut [f64]) -> Result<()>) -> Result<Points> {
    let dense = match inputs {
        Inputs::Points(Points::Dense(dense)) => dense,
        Inputs::Points(sparse) => return Ok(sparse.clone()),
        Inputs::Table(_) => return Err(Error::size("inputs", "points", "a table")),
    };
    let count = dense.values().len();
    let hold = run.memory.take_for::<f64>(count, "points without missing values")?;
    let mut values = dense.values().get(0..count).into_owned();
    fill(&mut values)?;
    Points::dense(Buffer::F64(Shared::counted(values, hold)), dense.len(), dense.columns())
}

/// The inputs of a filler's record, which are points.
pub fn read_features(record: &Record) -> Result<Features> {
    let features = Features::read(record.part("inputs")?)?;
    match features.table() {
        None if features.count() > 0 => Ok(features),
        _ => Err(record.broken("points with at least one column are expected")),
    }
}

/// An array of that shape whose numbers are all finite.
pub fn read_finite(record: &Record, name: &str, shape: &[usize]) -> Result<Vec<f64>> {
    let values = record.array_of(name, shape)?;
    match values.iter().all(|x| x.is_finite()) {
        true => Ok(values),
        false => Err(record.broken(format!("field {name:?} has a number that is not finite"))),
    }
}

/// A seed as a record keeps it.
pub fn seed_field(seed: Seed) -> Vec<u64> {
    vec![seed.0]
}

/// A seed from a record.
pub fn read_seed(record: &Record) -> Result<Seed> {
    match record.wholes("seed")?[..] {
        [seed] => Ok(Seed(seed)),
        _ => Err(record.broken("one seed is expected")),
    }
}

/// The randomness of a row: a hash of the values that are there and where they stand.
pub fn row_seed(seed: Seed, row: &[f64]) -> Seed {
    let present = row.iter().enumerate().filter(|(_, x)| !x.is_nan());
    // Adding 0 makes -0 and 0 the same number.
    present.fold(seed, |seed, (c, x)| Seed(seed.0 ^ (x + 0.0).to_bits()).at(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_depend_on_values_and_places_alone() {
        let nan = f64::NAN;
        let of = |row: &[f64]| row_seed(Seed(3), row);
        assert_eq!(of(&[1.0, nan, 0.0]), of(&[1.0, -nan, -0.0]));
        assert_ne!(of(&[1.0, nan, 0.0]), of(&[1.0, 0.0, nan]));
        assert_ne!(of(&[1.0, 2.0]), of(&[2.0, 1.0]));
        assert_ne!(of(&[1.0]), row_seed(Seed(4), &[1.0]));
    }
}
