//! Points inside a machine's record: dense as one array, sparse as its three parts.

use base::{Points, Record, Result, Sparse};

/// These points as plain data.
pub fn record(points: &Points) -> Record {
    match points {
        Points::Dense(dense) => {
            let shape = [dense.len(), dense.columns()];
            Record::new("points", 1).with_array("values", &shape, dense.values().clone())
        }
        Points::Sparse(sparse) => {
            // A cut shares the numbers of the whole; only its own are stored.
            let first = sparse.starts()[0];
            let own = first..first + sparse.entries();
            let starts: Vec<u64> = sparse.starts().iter().map(|&s| (s - first) as u64).collect();
            Record::new("points", 1)
                .with("columns", sparse.columns())
                .with("starts", starts)
                .with("ids", sparse.ids()[own.clone()].to_vec())
                .with_array("entries", &[own.len()], sparse.values()[own].to_vec())
        }
    }
}

/// Points from plain data; everything is checked.
pub fn read(record: &Record) -> Result<Points> {
    record.expect("points", 1)?;
    let points = if record.has("values") {
        let (values, rows, columns) = record.table("values")?;
        Points::dense(values.clone(), rows, columns)?
    } else {
        let starts: Vec<usize> = record.wholes("starts")?.iter().map(|&s| s as usize).collect();
        let (_, entries) = record.array("entries")?;
        let entries = entries.get(0..entries.len()).into_owned();
        Points::Sparse(Sparse::new(starts, record.ids("ids")?.clone(), entries, record.count("columns")?)?)
    };
    points.check(false, |c| c.to_string())?;
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_bring_points_back() {
        let sparse = Points::Sparse(Sparse::new(vec![0, 1, 1, 3], vec![1, 0, 2], vec![1.0, 2.0, 3.0], 3).unwrap());
        let dense = Points::dense(vec![1.0f32, 2.0, 3.0, 4.0], 2, 2).unwrap();
        for points in [sparse.clone(), dense, Points::dense(Vec::<f64>::new(), 0, 3).unwrap()] {
            assert_eq!(read(&record(&points)), Ok(points));
        }
        let cut = read(&record(&sparse.slice(1..3))).unwrap();
        assert_eq!((cut.len(), cut.entries()), (2, 2));
        let broken = Points::dense(vec![f64::NAN], 1, 1).unwrap();
        assert!(read(&record(&broken)).is_err());
    }
}
