//! Apache Parquet, through the Arrow reader.
//!
//! Numbers, flags, texts, dates and timestamps become columns; nulls are missing. Whole numbers that double precision
//! cannot hold exactly make the column one of ids. Other types (lists, structures, bytes) are left out, which is said
//! aloud. Pages may be plain, snappy, gzip or lz4; Brotli and Zstandard are refused by name.
//!
//! **Limits.** Columns are counted as they grow, and a row group before it is unpacked, after every page's own word on
//! its size was checked. The underlying reader may panic on damaged files; that is caught here and told as damage.

use crate::pages::largest_group;
use crate::reading::Reading;
use crate::window::Owner;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use base::{Cells, Column, Dataset, Error, FeatureKind, Hold, Progress, Result, Run, Table, Targets, Texts};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rows decoded at a time.
const BATCH: usize = 8192;

/// The table in the owner's bytes.
pub(crate) fn read(name: &str, owner: &Owner, how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let guarded = catch_unwind(AssertUnwindSafe(|| read_table(name, owner, how, run)));
    let table = guarded.unwrap_or_else(|_| Err(Error::format(name, "is a damaged Parquet file")))?;
    Ok(Dataset::new(table, Targets::None))
}

struct Held(Owner);

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

fn read_table(name: &str, owner: &Owner, how: &Reading, run: &Run<'_>) -> Result<Table> {
    let broken = |e: &dyn std::fmt::Display| Error::format(name, format!("is a Parquet file that cannot be read: {e}"));
    let bytes = bytes::Bytes::from_owner(Held(owner.clone()));
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes).map_err(|e| broken(&e))?;
    let (schema, rows) = (builder.schema().clone(), builder.metadata().file_metadata().num_rows());
    let group = largest_group(name, (**owner).as_ref(), builder.metadata())?;
    let _group = run.memory.take(group, "a row group of a Parquet file")?;
    if schema.fields().len() > how.max_columns {
        let why = format!("has {} columns; at most {} are read", schema.fields().len(), how.max_columns);
        return Err(Error::format(name, why));
    }
    let mut columns = Vec::new();
    for field in schema.fields() {
        let filler = Filler::of(field.data_type());
        if filler.is_none() {
            let what = field.data_type();
            run.watch.note(&format!("{name}: column {:?} of type {what} is left out", field.name()));
        }
        columns.push(filler);
    }
    let mut hold = run.memory.take(0, "the columns of a Parquet file")?;
    let mut done = 0u64;
    for batch in builder.with_batch_size(BATCH).build().map_err(|e| broken(&e))? {
        let batch = batch.map_err(|e| broken(&e))?;
        for (array, filler) in batch.columns().iter().zip(&mut columns) {
            if let Some(filler) = filler {
                filler.push(array, &mut hold).map_err(|e| match e {
                    Error::Format { why, .. } => Error::format(name, why),
                    other => other,
                })?;
            }
        }
        done += batch.num_rows() as u64;
        run.report(&Progress { stage: "read", done, total: u64::try_from(rows).ok(), value: None })?;
    }
    let mut list = Vec::new();
    for (field, filler) in schema.fields().iter().zip(columns) {
        let Some(filler) = filler else { continue };
        let (column, kind) = (field.name().clone(), how.kinds.get(field.name()));
        let cells = filler.finish(kind, &mut |why| run.watch.note(&format!("{name}: column {column:?} {why}")));
        list.push(Column { name: column, cells });
    }
    match list.is_empty() {
        true => Err(Error::format(name, "has no columns that can be read")),
        false => Table::new(list),
    }
}

/// A column while it is read.
enum Filler {
    Numbers(Vec<f64>),
    /// Whole numbers of 64 bits, until it is known whether they fit double precision.
    Wholes(Vec<Option<i128>>),
    Flags(Vec<Option<bool>>),
    Dates(Vec<f64>),
    Texts(Texts),
}

impl Filler {
    fn of(kind: &DataType) -> Option<Self> {
        use DataType as T;
        Some(match kind {
            T::Int8 | T::Int16 | T::Int32 | T::UInt8 | T::UInt16 | T::UInt32 => Filler::Numbers(Vec::new()),
            T::Float16 | T::Float32 | T::Float64 | T::Decimal128(..) | T::Null => Filler::Numbers(Vec::new()),
            T::Int64 | T::UInt64 => Filler::Wholes(Vec::new()),
            T::Boolean => Filler::Flags(Vec::new()),
            T::Date32 | T::Date64 | T::Timestamp(..) => Filler::Dates(Vec::new()),
            T::Utf8 | T::LargeUtf8 | T::Utf8View => Filler::Texts(Texts::default()),
            T::Dictionary(_, value) if matches!(**value, T::Utf8 | T::LargeUtf8) => Filler::Texts(Texts::default()),
            _ => return None,
        })
    }

    fn push(&mut self, array: &ArrayRef, hold: &mut Hold) -> Result<()> {
        let width = match self {
            Filler::Numbers(_) | Filler::Dates(_) => 8,
            Filler::Wholes(_) => size_of::<Option<i128>>(),
            Filler::Flags(_) => 1,
            Filler::Texts(_) => 16,
        };
        // Vectors may be half empty after growing.
        let mut room = 2 * (width * array.len()) as u64;
        if let Filler::Texts(_) = self {
            let texts: usize = text_lengths(array)?;
            room += 2 * texts as u64;
        }
        hold.resize(hold.bytes().saturating_add(room), "the columns of a Parquet file")?;
        match self {
            Filler::Numbers(out) => push_numbers(out, array),
            Filler::Dates(out) => push_dates(out, array),
            Filler::Wholes(out) => {
                match array.data_type() {
                    DataType::Int64 => out.extend(array.as_primitive::<Int64Type>().iter().map(|x| x.map(i128::from))),
                    _ => out.extend(array.as_primitive::<UInt64Type>().iter().map(|x| x.map(i128::from))),
                }
                Ok(())
            }
            Filler::Flags(out) => {
                out.extend(array.as_boolean().iter());
                Ok(())
            }
            Filler::Texts(out) => texts(array).map(|list| list.into_iter().for_each(|t| out.push(t))),
        }
    }

    fn finish(self, kind: Option<&FeatureKind>, note: &mut dyn FnMut(&str)) -> Cells {
        match self {
            Filler::Numbers(values) => Cells::Number(values.into()),
            Filler::Dates(values) => Cells::Date(values.into()),
            Filler::Flags(values) => {
                let word = |x: bool| if x { "true" } else { "false" };
                Cells::categories(values.iter().map(|x| x.map(word)))
            }
            Filler::Wholes(values) => {
                let exact = |x: &i128| *x as f64 as i128 == *x;
                if values.iter().flatten().all(exact) {
                    return Cells::Number(
                        values.iter().map(|x| x.map_or(f64::NAN, |x| x as f64)).collect::<Vec<_>>().into(),
                    );
                }
                note("holds whole numbers beyond double precision and is taken as ids");
                let mut ids = Texts::default();
                values.iter().for_each(|x| ids.push(x.map(|x| x.to_string()).as_deref()));
                Cells::Id(ids)
            }
            Filler::Texts(texts) => cells_of_texts(texts, kind),
        }
    }
}

/// Texts as the kind told, else as categories where values repeat, else as free text.
fn cells_of_texts(texts: Texts, kind: Option<&FeatureKind>) -> Cells {
    let categories = |texts: &Texts| Cells::categories(texts.iter().collect::<Vec<_>>().into_iter());
    match kind {
        Some(FeatureKind::Category(_)) => categories(&texts),
        Some(FeatureKind::Id) => Cells::Id(texts),
        Some(_) => Cells::Text(texts),
        None => {
            let distinct: std::collections::HashSet<&str> = texts.iter().flatten().collect();
            let known = texts.iter().flatten().count();
            // As many levels as half of the rows are hardly levels; a handful always may be.
            match distinct.len() <= (known / 2).max(10) {
                true => categories(&texts),
                false => Cells::Text(texts),
            }
        }
    }
}

fn primitive<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    out: &mut Vec<f64>,
    value: impl Fn(T::Native) -> f64,
) -> Result<()> {
    let array = array.as_primitive::<T>();
    out.extend(array.iter().map(|x| x.map_or(f64::NAN, &value)));
    Ok(())
}

fn push_numbers(out: &mut Vec<f64>, array: &ArrayRef) -> Result<()> {
    match array.data_type() {
        DataType::Int8 => primitive::<Int8Type>(array, out, f64::from),
        DataType::Int16 => primitive::<Int16Type>(array, out, f64::from),
        DataType::Int32 => primitive::<Int32Type>(array, out, f64::from),
        DataType::UInt8 => primitive::<UInt8Type>(array, out, f64::from),
        DataType::UInt16 => primitive::<UInt16Type>(array, out, f64::from),
        DataType::UInt32 => primitive::<UInt32Type>(array, out, f64::from),
        DataType::Float16 => primitive::<Float16Type>(array, out, f64::from),
        DataType::Float32 => primitive::<Float32Type>(array, out, f64::from),
        DataType::Float64 => primitive::<Float64Type>(array, out, |x| x),
        DataType::Decimal128(_, scale) => {
            // Both are exact up to 2^53 and 10^22, and one division rounds once.
            let scale = 10f64.powi(i32::from(*scale));
            primitive::<Decimal128Type>(array, out, |x| x as f64 / scale)
        }
        DataType::Null => {
            out.resize(out.len() + array.len(), f64::NAN);
            Ok(())
        }
        other => Err(unexpected(other)),
    }
}

/// Seconds since the start of 1970.
fn push_dates(out: &mut Vec<f64>, array: &ArrayRef) -> Result<()> {
    match array.data_type() {
        DataType::Date32 => primitive::<Date32Type>(array, out, |days| f64::from(days) * 86_400.0),
        DataType::Date64 => primitive::<Date64Type>(array, out, |x| x as f64 / 1e3),
        DataType::Timestamp(TimeUnit::Second, _) => primitive::<TimestampSecondType>(array, out, |x| x as f64),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            primitive::<TimestampMillisecondType>(array, out, |x| x as f64 / 1e3)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            primitive::<TimestampMicrosecondType>(array, out, |x| x as f64 / 1e6)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            primitive::<TimestampNanosecondType>(array, out, |x| x as f64 / 1e9)
        }
        other => Err(unexpected(other)),
    }
}

fn unexpected(kind: &DataType) -> Error {
    Error::format("", format!("changes its column types midway: {kind} was not expected"))
}

/// The texts of an array, whichever way Arrow keeps them.
fn texts(array: &ArrayRef) -> Result<Vec<Option<&str>>> {
    Ok(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().collect(),
        DataType::Utf8View => array.as_string_view().iter().collect(),
        DataType::Dictionary(..) => {
            let Some(dictionary) = array.as_any_dictionary_opt() else { return Err(unexpected(array.data_type())) };
            let values = texts(dictionary.values())?;
            let keys = dictionary.normalized_keys();
            let text = |i: usize| (!array.is_null(i)).then(|| values.get(keys[i]).copied().flatten()).flatten();
            (0..array.len()).map(text).collect()
        }
        other => return Err(unexpected(other)),
    })
}

fn text_lengths(array: &ArrayRef) -> Result<usize> {
    Ok(texts(array)?.iter().flatten().map(|t| t.len()).sum())
}
