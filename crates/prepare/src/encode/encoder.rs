//! The machine behind the encoding: one part a column, put side by side.
//!
//! Columns of a new table are matched by name. The result is sparse where fewer than a tenth of the numbers can differ
//! from 0 and no number is missing, for sparse points cannot say so.

use super::category::Unseen;
use super::part::{self, Encoded, Part};
use crate::schema;
use base::graph::{Draft, Graph};
use base::{
    Buffer, Column, Error, Facets, Features, GraphForm, Inputs, Machine, Missing, Origin, Outputs, Points,
    PreparationStep, Record, Result, Run, Shared, Sparse, Table,
};

/// Makes points of tables that have the columns it was fitted on.
pub struct Encoder {
    features: Features,
    outputs: Outputs,
    parts: Vec<Box<dyn Part>>,
    unseen: Unseen,
    width: usize,
}

/// The most columns it makes: each has a name, and a damaged model must not ask for more names than memory holds.
pub(super) const MOST_COLUMNS: usize = 1 << 24;
/// Rows in a unit of parallel work.
const BLOCK: usize = 256;

impl Encoder {
    /// The kind of its record.
    pub const KIND: &'static str = "encoder";

    pub(super) fn new(features: Features, parts: Vec<Box<dyn Part>>, unseen: Unseen) -> Result<Self> {
        let width = parts.iter().fold(0usize, |sum, p| sum.saturating_add(p.width()));
        if width > MOST_COLUMNS {
            let most = format!("at most {MOST_COLUMNS} (use smaller images or fewer words)");
            return Err(Error::size("columns made of a table", most, width));
        }
        let names = parts.iter().enumerate().flat_map(|(i, p)| p.names(&features.name(i))).collect();
        let outputs = Outputs::features(names);
        // A table of pictures alone is pictures.
        let outputs = match &parts[..] {
            [only] => match only.shape() {
                Some(shape) => outputs.shaped(shape)?,
                None => outputs,
            },
            _ => outputs,
        };
        Ok(Encoder { outputs, features, parts, unseen, width })
    }

    /// The encoder of a table whose columns are images, each brought to (height, width, channels).
    pub fn for_images(features: Features, size: (usize, usize, usize)) -> Result<Self> {
        let part = |_| super::pixels::Resized::new(size).map(|p| Box::new(p) as Box<dyn Part>);
        let parts = (0..features.count()).map(part).collect::<Result<Vec<_>>>()?;
        Self::new(features, parts, Unseen::Refuse)
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let features = Features::read(record.part("inputs")?)?;
        let unseen = record.text("unseen")?;
        let unseen = Unseen::from_word(unseen).ok_or_else(|| record.broken(format!("unseen is {unseen:?}")))?;
        let parts = record.parts("parts")?.iter().map(|p| part::read(p, unseen)).collect::<Result<Vec<_>>>()?;
        if parts.len() != features.count() || features.table().is_none() {
            return Err(record.broken(format!("{} parts for {} columns", parts.len(), features.count())));
        }
        Self::new(features, parts, unseen)
    }

    /// How many columns it makes.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    fn dense(&self, rows: usize, encoded: &[Encoded<'_>], run: &Run<'_>) -> Result<Points> {
        let (mut values, hold) = run.memory.filled(rows.saturating_mul(self.width), 0.0, "encoded columns")?;
        let width = self.width.max(1);
        numeric::each_chunk_mut(run, &mut values, BLOCK.saturating_mul(width), |block, chunk| {
            for (i, out) in chunk.chunks_exact_mut(width).enumerate() {
                let mut at = 0;
                for (part, encoded) in self.parts.iter().zip(encoded) {
                    encoded.visit(block * BLOCK + i, |place, value| out[at + place] = value);
                    at += part.width();
                }
            }
            Ok(())
        })?;
        Points::dense(Buffer::F64(Shared::counted(values, hold)), rows, self.width)
    }

    fn sparse(&self, rows: usize, encoded: &[Encoded<'_>], entries: usize, run: &Run<'_>) -> Result<Points> {
        let bytes = |entries: usize| 12 * entries as u64 + 8 * (rows as u64 + 1);
        let mut hold = run.memory.take(bytes(entries), "encoded columns")?;
        let mut starts = Vec::with_capacity(rows + 1);
        let (mut ids, mut values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
        starts.push(0);
        for row in 0..rows {
            let mut at = 0;
            for (part, encoded) in self.parts.iter().zip(encoded) {
                encoded.visit(row, |place, value| {
                    if value != 0.0 {
                        ids.push((at + place) as u32);
                        values.push(value);
                    }
                });
                at += part.width();
            }
            starts.push(ids.len());
        }
        hold.resize(bytes(ids.len()), "encoded columns")?;
        Ok(Points::Sparse(Sparse::new(starts, ids, Shared::counted(values, hold), self.width)?))
    }
}

impl Machine for Encoder {
    crate::ends!();

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let Inputs::Table(table) = inputs else { return Err(Error::size("inputs", "a table", "points")) };
        let columns: Vec<&Column> =
            (0..self.parts.len()).map(|i| schema::column(table, &self.features.name(i))).collect::<Result<_>>()?;
        let mut encoded: Vec<Encoded<'_>> =
            self.parts.iter().zip(&columns).map(|(p, c)| p.encode(c, run)).collect::<Result<_>>()?;
        let rows = table.rows();
        let entries = encoded.iter().fold(0usize, |sum, e| sum.saturating_add(e.entries()));
        let few = entries.saturating_mul(10) < rows.saturating_mul(self.width);
        match encoded.pop() {
            // Words alone are rows as they will stand: no copy.
            Some(Encoded::Rows(only)) if few && encoded.is_empty() => {
                let values = Shared::counted(only.values, only.hold);
                Ok(Points::Sparse(Sparse::new(only.starts, only.ids, values, self.width)?))
            }
            last => {
                encoded.extend(last);
                match few && !encoded.iter().any(Encoded::has_gaps) {
                    true => self.sparse(rows, &encoded, entries, run),
                    false => self.dense(rows, &encoded, run),
                }
            }
        }
    }

    fn record(&self) -> Record {
        Record::new(Self::KIND, 2)
            .with("inputs", self.features.record())
            .with("unseen", self.unseen.word())
            .with("parts", self.parts.iter().map(|p| p.record()).collect::<Vec<_>>())
    }

    fn facets(&self) -> Facets<'_> {
        Facets { missing: Missing::PASSED, graph: Some(self), step: Some(self), ..Facets::default() }
    }
}

impl GraphForm for Encoder {
    fn graph(&self, _run: &Run<'_>) -> Result<Option<Graph>> {
        match self.parts.iter().all(|p| p.record().kind() == "number") {
            true => Draft::rows(self.width).graph(Draft::INPUT).map(Some),
            false => Ok(None),
        }
    }
}

impl PreparationStep for Encoder {
    fn origin(&self) -> Option<Origin> {
        let (mut of, mut names, mut at) = (vec![], vec![], 0);
        for (i, part) in self.parts.iter().enumerate() {
            let width = part.width();
            match part.apart() {
                true => {
                    of.extend((0..width).map(|k| (names.len() + k) as u32));
                    names.extend_from_slice(&self.outputs.names[at..at + width]);
                }
                false => {
                    of.extend(std::iter::repeat_n(names.len() as u32, width));
                    names.push(self.features.name(i));
                }
            }
            at += width;
        }
        let features = Features::named(names);
        let features = match self.outputs.shape {
            Some(shape) => features.shaped(shape).ok()?,
            None => features,
        };
        Origin::new(of, features).ok()
    }

    fn restore(&self, outputs: &Points, run: &Run<'_>) -> Result<Option<Inputs>> {
        if outputs.columns() != self.width {
            return Err(Error::size("encoded columns", self.width, outputs.columns()));
        }
        let values = outputs.to_dense(&run.memory)?;
        let mut at = 0;
        let mut columns = vec![];
        for (i, part) in self.parts.iter().enumerate() {
            let own: Vec<f64> =
                values.chunks_exact(self.width.max(1)).flat_map(|row| &row[at..at + part.width()]).copied().collect();
            columns.push(Column { name: self.features.name(i), cells: part.restore(&own) });
            at += part.width();
        }
        Ok(Some(Inputs::Table(Table::new(columns)?)))
    }
}
