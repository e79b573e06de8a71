//! Points inside a machine's record: dense as one array, sparse as its parts.
//!
//! ```text
//! dense:  values [rows, columns], in the precision the points have
//! sparse: columns; starts (rows + 1 of them, from 0 to the number of entries); ids and entries, row after row
//! ```
//!
//! Numbers are shared with the record both ways, so that memory counted when a file was read is not needed twice; only
//! where sparse rows begin, 8 bytes a row, is rewritten.

use super::{Points, Sparse};
use crate::{Buffer, Record, Result};

impl Points {
    /// The kind of its record.
    pub const KIND: &'static str = "points";

    /// The points as plain data; of a cut that shares the numbers of the whole, only its own.
    pub fn record(&self) -> Record {
        let record = Record::new(Self::KIND, 1);
        match self {
            Points::Dense(dense) => record.with_array("values", &[dense.rows, dense.columns], dense.values.clone()),
            Points::Sparse(sparse) => {
                let first = sparse.starts[0];
                let own = first..first + sparse.entries();
                let starts: Vec<u64> = sparse.starts.iter().map(|&s| (s - first) as u64).collect();
                record
                    .with("columns", sparse.columns)
                    .with("starts", starts)
                    .with("ids", sparse.ids.slice(own.clone()))
                    .with_array("entries", &[own.len()], Buffer::F64(sparse.values.slice(own)))
            }
        }
    }

    /// Points of that many columns from plain data; everything is checked. NaN passes where `missing` is allowed and the
    /// points are dense.
    pub fn read(record: &Record, columns: usize, missing: bool) -> Result<Self> {
        record.expect(Self::KIND, 1)?;
        let points = match record.has("values") {
            true => {
                let (values, rows, columns) = record.table("values")?;
                Points::dense(values.clone(), rows, columns)?
            }
            false => Points::Sparse(read_sparse(record)?),
        };
        if points.columns() != columns {
            return Err(record.broken(format!("points of {} columns, expected {columns}", points.columns())));
        }
        points.check(missing, |c| c.to_string())?;
        Ok(points)
    }
}

fn read_sparse(record: &Record) -> Result<Sparse> {
    let wide = |&s: &u64| usize::try_from(s).map_err(|_| record.broken(format!("a row begins at {s}")));
    let starts: Vec<usize> = record.wholes("starts")?.iter().map(wide).collect::<Result<_>>()?;
    let entries = match record.array("entries")? {
        (&[_], Buffer::F64(values)) => values.clone(),
        (shape, values) => {
            let found = format!("shape {shape:?} in {} bytes", values.bytes());
            return Err(record.broken(format!("entries are a list in double precision, not of {found}")));
        }
    };
    // Rows that are cut out of others are stored without them.
    if starts.first() != Some(&0) || starts.last() != Some(&entries.len()) {
        let ends = (starts.first(), starts.last());
        return Err(record.broken(format!("rows go from 0 to {}, not from and to {ends:?}", entries.len())));
    }
    Sparse::new(starts, record.ids("ids")?.clone(), entries, record.count("columns")?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Field, Shared};

    fn sparse() -> Points {
        Points::Sparse(Sparse::new(vec![0, 1, 1, 3], vec![1, 0, 2], vec![1.0, 2.0, 3.0], 3).unwrap())
    }

    #[test]
    fn records_bring_points_back() {
        let single = Points::dense(vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3).unwrap();
        let double = Points::dense(vec![0.1, -0.0, 1e300], 1, 3).unwrap();
        let none = Points::dense(Vec::<f64>::new(), 0, 3).unwrap();
        let empty = Points::Sparse(Sparse::new(vec![0], vec![], vec![], 3).unwrap());
        for points in [sparse(), single, double, none, empty] {
            assert_eq!(Points::read(&points.record(), 3, false), Ok(points.clone()));
            let wrong = Points::read(&points.record(), 4, false).unwrap_err().to_string();
            assert_eq!(wrong, "record of \"points\": points of 3 columns, expected 4");
        }
        let cut = sparse().slice(1..3);
        let back = Points::read(&cut.record(), 3, false).unwrap();
        assert_eq!((back.len(), back.entries(), cut.record().ids("ids").unwrap().len()), (2, 2, 2));
        let gaps = Points::dense(vec![f64::NAN], 1, 1).unwrap().record();
        assert!(Points::read(&gaps, 1, false).is_err() && Points::read(&gaps, 1, true).is_ok());
    }

    #[test]
    fn numbers_are_shared_with_the_record() {
        let Points::Sparse(first) = sparse() else { unreachable!() };
        let Points::Sparse(back) = Points::read(&sparse().record(), 3, false).unwrap() else { unreachable!() };
        let record = Points::Sparse(first.clone()).record();
        assert!(std::ptr::eq(&record.ids("ids").unwrap()[0], &first.ids()[0]));
        let Points::Sparse(again) = Points::read(&record, 3, false).unwrap() else { unreachable!() };
        assert!(std::ptr::eq(&again.values()[0], &first.values()[0]) && std::ptr::eq(&again.ids()[0], &first.ids()[0]));
        assert_eq!(back, again);
    }

    #[test]
    fn hostile_records_are_refused() {
        let good = sparse().record();
        let entries = |values: Vec<f64>| Field::Array { shape: vec![values.len()], values: values.into() };
        let changes: Vec<(&str, Field)> = vec![
            ("columns", Field::Whole(-1)),
            ("columns", Field::Whole(2)),
            ("columns", Field::Number(3.0)),
            ("starts", vec![0u64, 1, 1].into()),
            ("starts", vec![0u64, 1, 1, 4].into()),
            ("starts", vec![0u64, 2, 1, 3].into()),
            ("starts", vec![1u64, 1, 1, 3].into()),
            ("starts", vec![0u64, 1, 1, u64::MAX].into()),
            ("starts", vec![0u64, u64::MAX, 1, 3].into()),
            ("starts", Vec::<u64>::new().into()),
            ("starts", Field::Signed(Shared::from(vec![0i64, -1, 1, 3]))),
            ("ids", vec![1u32, 2, 0].into()),
            ("ids", vec![1u32, 2, 2].into()),
            ("ids", vec![1u32, 0, 3].into()),
            ("ids", vec![u32::MAX, 0, 2].into()),
            ("ids", vec![1u32, 0].into()),
            ("ids", vec![1u32, 0, 2, 2].into()),
            ("entries", entries(vec![1.0, 2.0])),
            ("entries", entries(vec![1.0, 2.0, 3.0, 4.0])),
            ("entries", entries(vec![1.0, f64::NAN, 3.0])),
            ("entries", entries(vec![1.0, f64::INFINITY, 3.0])),
            ("entries", Field::Array { shape: vec![3, 1], values: vec![1.0, 2.0, 3.0].into() }),
            ("entries", Field::Array { shape: vec![3], values: vec![1.0f32, 2.0, 3.0].into() }),
            ("entries", Field::Array { shape: vec![usize::MAX, 2], values: vec![1.0, 2.0, 3.0].into() }),
            ("values", Field::Array { shape: vec![3], values: vec![1.0, 2.0, 3.0].into() }),
            ("values", Field::Array { shape: vec![2, 3], values: vec![1.0, 2.0, 3.0].into() }),
            ("values", Field::Array { shape: vec![1, 3], values: vec![1.0, f64::INFINITY, 3.0].into() }),
        ];
        assert!(Points::read(&good, 3, true).is_ok());
        for (name, field) in changes {
            let changed = good.clone().with(name, field.clone());
            assert!(Points::read(&changed, 3, true).is_err(), "{name} = {field:?}");
        }
        for gone in ["columns", "starts", "ids", "entries"] {
            let rest = good.fields().iter().filter(|(name, _)| *name != gone);
            let less = rest.fold(Record::new(Points::KIND, 1), |r, (name, field)| r.with(name, field.clone()));
            assert!(Points::read(&less, 3, true).is_err(), "without {gone}");
        }
        assert!(Points::read(&Record::new("others", 1), 3, true).is_err());
    }
}
