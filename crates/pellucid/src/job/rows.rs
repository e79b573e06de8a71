//! Which rows a job speaks of: as people write them (`0,5-9`), or those worth looking at where nobody says.

use base::{Cells, Dataset, Error, Inputs, Machine, Meaning, Prediction, Result, Run};

/// The numbers of rows in a text such as `0,5-9`, all below `count`.
pub fn rows_of(text: &str, count: usize) -> Result<Vec<usize>> {
    let wrong = || Error::parameter("rows", text, format!("must be row numbers below {count}, such as 0,5-9"));
    let mut rows = vec![];
    for part in text.split(',') {
        let (from, to) = part.trim().split_once('-').unwrap_or((part.trim(), part.trim()));
        let (from, to): (usize, usize) = (from.parse().map_err(|_| wrong())?, to.parse().map_err(|_| wrong())?);
        if from > to || to >= count {
            return Err(wrong());
        }
        rows.extend(from..=to);
    }
    Ok(rows)
}

/// The rows that a detector finds most anomalous, in that order; the first rows for other machines.
pub fn most_anomalous(machine: &dyn Machine, data: &Dataset, most: usize, run: &Run<'_>) -> Result<Vec<usize>> {
    let mut rows: Vec<usize> = (0..data.len()).collect();
    if machine.outputs().meaning == Meaning::Outlier {
        let prediction = Prediction::of(machine, &data.inputs, run)?;
        let width = prediction.scores.columns().max(1);
        let scores = prediction.scores.to_dense(&run.memory)?;
        rows.sort_by(|&a, &b| scores[b * width].total_cmp(&scores[a * width]));
        return different(&data.inputs, rows, most);
    }
    rows.truncate(most);
    Ok(rows)
}

/// Rows that are looked at for each that is picked, at most.
const LOOKED_AT: usize = 50;

/// The first rows that are no near copies of those before them; copies fill up what is lacking.
fn different(inputs: &Inputs, order: Vec<usize>, most: usize) -> Result<Vec<usize>> {
    let near: Vec<usize> = order.into_iter().take(most.saturating_mul(LOOKED_AT)).collect();
    let some = inputs.select(&near)?;
    let (mut picked, mut copies) = (vec![], vec![]);
    for k in 0..near.len() {
        match picked.iter().any(|&p| alike(&some, p, k)) {
            true => copies.push(k),
            false => picked.push(k),
        }
        if picked.len() == most {
            break;
        }
    }
    picked.extend(copies);
    picked.truncate(most);
    picked.sort_unstable();
    Ok(picked.into_iter().map(|k| near[k]).collect())
}

/// Whether two rows have the same in nearly all columns that say anything.
fn alike(inputs: &Inputs, a: usize, b: usize) -> bool {
    let (mut same, mut all) = (0usize, 0usize);
    let mut count = |equal: bool, nothing: bool| {
        all += usize::from(!nothing);
        same += usize::from(equal && !nothing);
    };
    match inputs {
        Inputs::Table(table) => {
            for column in table.columns() {
                match &column.cells {
                    Cells::Number(v) => {
                        let (x, y) = (v.get(a).copied().unwrap_or(0.0), v.get(b).copied().unwrap_or(0.0));
                        let close =
                            x == y || (x - y).abs() <= 1e-3 * x.abs().max(y.abs()) || (x.is_nan() && y.is_nan());
                        count(close, x == 0.0 && y == 0.0);
                    }
                    Cells::Image(_) | Cells::Id(_) => {}
                    cells => count(cells.text(a) == cells.text(b), false),
                }
            }
        }
        Inputs::Points(points) => {
            let (mut x, mut y) = (vec![0.0; points.columns()], vec![0.0; points.columns()]);
            points.write_row(a, &mut x);
            points.write_row(b, &mut y);
            x.iter().zip(&y).for_each(|(x, y)| count(x == y, *x == 0.0 && *y == 0.0));
        }
    }
    // Two of three columns in a narrow table are not near, nine of ten in any are.
    all > 0 && same * 10 >= all * 9 || (all >= 8 && same * 10 >= all * 8)
}

/// Rows to judge by where nobody says which: a detector's most anomalous, else evenly over the data, which may be in order.
pub fn rows_to_judge(machine: &dyn Machine, data: &Dataset, most: usize, run: &Run<'_>) -> Result<Vec<usize>> {
    if machine.outputs().meaning == Meaning::Outlier {
        return most_anomalous(machine, data, most, run);
    }
    let (n, most) = (data.len(), most.min(data.len()));
    Ok((0..most).map(|k| k * n / most).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KNOWN, prepared};
    use base::Catalog;

    #[test]
    fn rows_are_numbers_and_ranges_below_the_count() {
        assert_eq!(rows_of("0,5-7, 2", 8).unwrap(), [0, 5, 6, 7, 2]);
        for wrong in ["8", "3-2", "x", "", "1,,2", "-1"] {
            assert!(rows_of(wrong, 8).unwrap_err().to_string().contains("below 8"), "{wrong}");
        }
    }

    #[test]
    fn d42_the_most_anomalous_rows_are_different_ones() {
        let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
        let mut strange = vec![[90.0, 90.0]; 12];
        strange.extend([[60.0, -50.0], [-50.0, 40.0]]);
        let data = testkit::toy_anomalies(&strange);
        // Fitted on normal rows, so that copies are as strange as they are far.
        let normal = testkit::toy_anomalies(&[]);
        let mut learner = KNOWN.learner("one-class-svm").unwrap();
        learner.set_text("nu", "0.2").unwrap();
        let machine = prepared("auto", &normal, learner).unwrap().1.fit(&normal, None, &run).unwrap().machine;
        let found = most_anomalous(&*machine, &data, 3, &run).unwrap();
        let mut kinds: Vec<usize> = found.iter().map(|&r| r.clamp(71, 99)).collect();
        kinds.sort_unstable();
        assert!(found.iter().all(|&r| r >= 60), "{found:?}");
        assert_eq!(kinds, [71, 72, 73], "one of the twelve copies and each of the others: {found:?}");
        // Where there are no others left, copies fill up, and none comes twice.
        let copies = data.select(&(60..72).collect::<Vec<_>>()).unwrap();
        let mut all = most_anomalous(&*machine, &copies, 5, &run).unwrap();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 5);
    }
}
