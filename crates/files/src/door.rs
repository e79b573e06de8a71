//! The door: a file in, data out, whatever the format.
//!
//! The format is told by content, the name only helps where content cannot decide. The table of formats
//! (`formats.rs`) leads to the readers.

use crate::formats::{self, Format, Opened, by_magic};
use crate::reading::{Reading, file_error};
use crate::source::{self, Content, is_stdin, shown};
use crate::whole::write_whole;
use crate::window::Owner;
use crate::{foreign, idx, images, npy, npz, text, typed};
use base::{
    Advice, Buffer, Cells, Column, Dataset, Error, Inputs, Message, Points, Result, Run, Shared, Table, Targets,
};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Bytes that are enough to tell a format.
pub(crate) const HEAD: usize = 1 << 16;

/// Endings of files of sparse rows as text.
const LIBSVM: [&str; 4] = ["libsvm", "svm", "svmlight", "txt"];

/// Which format a file is, by its first bytes and its name.
pub fn recognise(name: &str, head: &[u8]) -> Option<Format> {
    let found = by_magic(name, head).or_else(|| text::recognise(name, head));
    found.filter(|_| foreign::name(head).is_none())
}

/// Which format a file or folder is, by its content.
pub fn format_of(path: &Path, run: &Run<'_>) -> Result<Format> {
    if !is_stdin(path) && path.is_dir() {
        return Ok(Format::Folder);
    }
    let name = shown(path);
    let mut head = vec![];
    run.report(&base::Progress::of("open", 0, 1))?;
    source::reader(path)?.take(HEAD as u64).read_to_end(&mut head).map_err(|e| file_error(&name, &e))?;
    recognise(&name, &head).ok_or_else(|| unknown(&name, &head))
}

/// The error about a file that is not read: what it is, if that can be told.
fn unknown(name: &str, head: &[u8]) -> Error {
    match foreign::name(head) {
        Some((what, instead)) => Error::format(name, format!("is {what}, which is not supported; {instead}")),
        None => Error::format(
            name,
            Message::from("is of an unknown format; say which").with(Advice::option("format", "FORMAT")),
        ),
    }
}

/// Reads a data file, a folder of pictures, or standard input (`-`).
pub fn read(path: &Path, how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let name = shown(path);
    if !is_stdin(path) && path.is_dir() {
        return match how.format {
            None | Some(Format::Folder) => images::read_folder(path, run),
            Some(other) => Err(Error::format(name, format!("is a folder, expected a file of format {}", other.word()))),
        };
    }
    let mut data = read_content(&name, source::open(path, run)?, how, run)?;
    // Images of MNIST lie beside their labels.
    if let Some(labels) = idx::labels_beside(path).filter(|_| matches!(data.targets, Targets::None)) {
        let beside = shown(&labels);
        let owner: Owner = Arc::new(source::open(&labels, run)?);
        data.targets = idx::read(&beside, &owner, run)?.into_targets(&beside, "label", data.len())?;
        run.watch.note(&format!("{name}: labels are taken from {beside}"));
    }
    Ok(data)
}

/// The line of a file in which a row of its table begins, for messages; none where a row has no line of its own.
pub fn line_of_row(path: &Path, how: &Reading, row: usize, run: &Run<'_>) -> Option<u64> {
    if is_stdin(path) || path.is_dir() {
        return None;
    }
    let name = shown(path);
    let quiet = Run { watch: &base::Silent, ..run.clone() };
    let content = source::open(path, &quiet).ok()?;
    match how.format.or_else(|| recognise(&name, &content[..content.len().min(HEAD)])) {
        Some(Format::Csv) => text::csv::line_of_row(&name, &content, how, row, &quiet),
        Some(Format::Json) => Some(row as u64 + 1),
        _ => None,
    }
}

/// Reads data from bytes, gzipped or not; `name` is how messages call them.
pub fn read_bytes(name: &str, bytes: Vec<u8>, how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let content = source::unpack(name, Content::new(bytes, run)?, run)?;
    read_content(name, content, how, run)
}

fn read_content(name: &str, content: Content, how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    if content.is_empty() {
        return Err(Error::format(name, "is empty"));
    }
    let head = &content[..content.len().min(HEAD)];
    let Some(format) = how.format.or_else(|| recognise(name, head)) else {
        return Err(unknown(name, head));
    };
    let owner: Owner = Arc::new(content);
    let reader = formats::reader(format)?;
    let data = (reader.read)(&Opened { name, owner: &owner, how, run })?;
    match reader.typed {
        true => Ok(data),
        false => typed::retype(name, data, how),
    }
}

/// Writes data in the format that the name's ending tells, whole or not at all.
///
/// A table and its targets go to CSV (or TSV), points and their targets to LIBSVM or NPZ; an NPY file has no place for
/// targets, which is said aloud. Points go to CSV as columns of their own, and a table of numbers to the others.
pub fn write_data(path: &Path, data: &Dataset, run: &Run<'_>) -> Result<()> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match ending.as_str() {
        "csv" | "tsv" => {
            let table = as_table(data, run)?;
            let separator = if ending == "tsv" { b'\t' } else { b',' };
            write_whole(path, |out| text::csv::write(out, &table, separator).map_err(std::io::Error::other))
        }
        ending if LIBSVM.contains(&ending) => {
            let points = as_points(data, &shown(path), run)?;
            write_whole(path, |out| text::libsvm::write(out, &points, &data.targets).map_err(std::io::Error::other))
        }
        "npy" => {
            let points = as_points(data, &shown(path), run)?;
            if data.targets != Targets::None {
                run.watch.note(&format!("{}: an NPY file has no place for targets, NPZ keeps them", shown(path)));
            }
            write_whole(path, |out| npy::write_points(out, &points))
        }
        "npz" => {
            let points = as_points(data, &shown(path), run)?;
            let data = data.with_inputs(points, data.features.clone());
            write_whole(path, |out| npz::write(out, &data))
        }
        _ => Err(Error::unsupported(
            format!("{}: writing data to a file of this name", shown(path)),
            "this program",
            "use .csv, .tsv, .libsvm, .npy or .npz",
        )),
    }
}

/// Whether a file of this name can be written by [`write_blocks`].
pub fn takes_blocks(path: &Path) -> bool {
    path.extension().is_some_and(|e| LIBSVM.iter().any(|ending| e.eq_ignore_ascii_case(ending)))
}

/// Writes data that come block by block as [`write_data`] writes them in one go; how many rows there were.
pub fn write_blocks(path: &Path, blocks: impl Iterator<Item = Result<Dataset>>, run: &Run<'_>) -> Result<usize> {
    let mut rows = 0;
    write_whole(path, |out| {
        for data in blocks {
            let data = data.map_err(std::io::Error::other)?;
            let points = as_points(&data, &shown(path), run).map_err(std::io::Error::other)?;
            text::libsvm::write(out, &points, &data.targets).map_err(std::io::Error::other)?;
            rows += data.len();
        }
        Ok(())
    })?;
    Ok(rows)
}

/// Rows of numbers as the bytes of a part of an .npy or .csv file; together, in order, they are what [`write_data`] writes.
///
/// `from` is the place of the first of them among the `all` rows of the file: the first part begins with the head.
pub fn part_of_data(path: &Path, data: &Dataset, (from, all): (usize, usize), run: &Run<'_>) -> Result<Vec<u8>> {
    let _hold = run.memory.take_for::<f64>(data.len().saturating_mul(data.inputs.columns()), "rows to be written")?;
    let mut bytes = vec![];
    let failed = |e: std::io::Error| crate::reading::file_error(&shown(path), &e);
    match path.extension().and_then(|e| e.to_str()) {
        Some("npy") => npy::write_part(&mut bytes, data.points()?, (from, all)).map_err(failed)?,
        Some("csv") => {
            let table = as_table(data, run)?;
            text::csv::write(&mut bytes, &table, b',')?;
            if from > 0 {
                let mut head = vec![];
                text::csv::write(&mut head, &table.select(&[])?, b',')?;
                bytes.drain(..head.len());
            }
        }
        _ => return Err(Error::unsupported(shown(path), "a file in parts", "use .npy or .csv")),
    }
    Ok(bytes)
}

/// Points as they are, or the columns of a table that has nothing but numbers.
fn as_points(data: &Dataset, name: &str, run: &Run<'_>) -> Result<Points> {
    let table = match &data.inputs {
        Inputs::Points(points) => return Ok(points.clone()),
        Inputs::Table(table) => table,
    };
    let mut columns = vec![];
    for column in table.columns() {
        match &column.cells {
            Cells::Number(values) => columns.push(values),
            other => {
                let what = format!("{name}: column {:?} of type {}", column.name, other.type_name());
                let instead = Message::from("leave it out, make it the target, or write CSV")
                    .with(Advice::option("ignore", &column.name))
                    .with(Advice::option("target", &column.name));
                return Err(Error::unsupported(what, "a format of numbers", instead));
            }
        }
    }
    let hold = run.memory.take_for::<f64>(table.rows().saturating_mul(columns.len()), "the table as points")?;
    let values: Vec<f64> = (0..table.rows()).flat_map(|row| columns.iter().map(move |c| c[row])).collect();
    Points::dense(Buffer::F64(Shared::counted(values, hold)), table.rows(), columns.len())
}

/// A table as it is, or points as columns; the target becomes the last column.
fn as_table(data: &Dataset, run: &Run<'_>) -> Result<Table> {
    let mut columns = match &data.inputs {
        Inputs::Table(table) => table.columns().to_vec(),
        Inputs::Points(points) => {
            let values = points.to_dense(&run.memory)?;
            let column = |c: usize| {
                let hold = run.memory.take_for::<f64>(points.len(), "the points as a table")?;
                let cells = values.iter().skip(c).step_by(points.columns()).copied().collect();
                Ok(Column { name: data.features.name(c), cells: Cells::Number(Shared::counted(cells, hold)) })
            };
            (0..points.columns()).map(column).collect::<Result<_>>()?
        }
    };
    match &data.targets {
        Targets::None => {}
        Targets::Classes(classes) => {
            let texts = (0..data.len()).map(|i| classes.get(i).map(|c| classes.names()[c].as_str()));
            columns.push(Column { name: "target".into(), cells: Cells::categories(texts) });
        }
        Targets::Values(values) => {
            for (k, name) in values.names().iter().enumerate() {
                let cells = (0..data.len()).map(|i| values.row(i)[k]).collect::<Vec<_>>();
                columns.push(Column { name: name.clone(), cells: Cells::Number(cells.into()) });
            }
        }
        Targets::Sets(_) => {
            return Err(Error::unsupported("sets of labels", "a table", "write LIBSVM, which keeps them"));
        }
    }
    Table::new(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_the_format() {
        let table: [(&[u8], Option<Format>); 19] = [
            (b"\x93NUMPY\x01\0", Some(Format::Npy)),
            (b"PK\x03\x04", Some(Format::Npz)),
            (b"PAR1", Some(Format::Parquet)),
            (b"\x89PNG\r\n\x1a\n", Some(Format::Png)),
            (b"\xff\xd8\xff\xe0", Some(Format::Jpeg)),
            (b"\0\0\x08\x03", Some(Format::Idx)),
            (b"\0\0\x07\x03", None),
            (b"\0\0\x08", None),
            (b"\x10\x01\0\0\0\0\0\0{\"", Some(Format::Model)),
            (b"\x10\x01\0\0\0\0\0\0x", None),
            (b"\x08\x0a\x12\x08pellucid", Some(Format::Onnx)),
            (b"\x08\x0a\x01", None),
            (b"", None),
            (b"svm_type c_svc\nkernel_type rbf\n", Some(Format::SvmModel)),
            (b"svm_type,x\n1,2\n", Some(Format::Csv)),
            (b"solver_type L2R_LR\nnr_class 2\n", Some(Format::LinearModel)),
            (b"solver_type,x\n1,2\n", Some(Format::Csv)),
            (b"1,2\n", Some(Format::Csv)),
            (b"1 1:2 3:4\n", Some(Format::LibSvm)),
        ];
        for (head, format) in table {
            assert_eq!(recognise("x", head), format, "{head:?}");
        }
    }
}
