//! Explanations of many rows as a file of numbers: block by block in bounded memory, to be resumed after an interruption.

use super::{Explaining, Explanations, Numbers, unbalanced};
use crate::job::ModelSource;
use base::{Cells, Checksum, Error, Inputs, Progress, Result, Run, Settings};
use files::Growing;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// Numbers of a block, about.
const BLOCK: usize = 1 << 20;

/// What the first block may take, whatever the time that is given.
const LEAST: Duration = Duration::from_secs(5);

impl Explaining<'_> {
    /// Explains all rows, writes them as they are done.
    pub(super) fn to_numbers(&self, path: &Path, run: &Run<'_>) -> Result<Explanations> {
        // However little time there is, work that is resumed again and again comes to an end.
        let first_block = Run { deadline: run.deadline.map(|end| end.max(Instant::now() + LEAST)), ..run.clone() };
        let all = self.rows.len();
        // Blocks are cut by the data alone, so that resumed work is cut as it was.
        let each = (BLOCK / self.data.inputs.columns().max(1)).clamp(16, 4096);
        let mut file = Growing::open(path, self.whose(path, run)?, self.asked.resume)?;
        let kept = file.blocks();
        let (mut found, mut done) = (Numbers::default(), (kept * each).min(all));
        let mut warned = BTreeSet::new();
        if kept > 0 {
            run.watch.note(&format!("{done} of {all} rows were already done"));
        }
        for (k, rows) in self.rows.chunks(each).enumerate().skip(kept) {
            if k > kept && run.step(&Progress::of("rows", done as u64, all as u64))? {
                return Ok(Explanations::Unfinished(done));
            }
            let told = match self.told(rows, if k == kept { &first_block } else { run }) {
                Ok(told) => told,
                Err(Error::Cancelled | Error::Stopped { .. }) if k > 0 => return Ok(Explanations::Unfinished(done)),
                Err(other) => return Err(other),
            };
            if told.rows.len() < rows.len() {
                return Ok(Explanations::Unfinished(done));
            }
            file.add(&files::part_of_data(path, &told.data(), (k * each, all), run)?)?;
            done += rows.len();
            found.unbalanced = found.unbalanced.or_else(|| unbalanced(&told));
            warned.extend(told.answer.warnings.iter().cloned());
            found.first.get_or_insert(told);
        }
        file.finish()?;
        found.warnings = warned.into_iter().collect();
        Ok(Explanations::Numbers(found))
    }

    /// A number that tells this work apart from all other: model, data, rows, methods, settings, seed.
    fn whose(&self, path: &Path, run: &Run<'_>) -> Result<u64> {
        let mut sum = Checksum::default();
        match &self.asked.model {
            ModelSource::File { path, how } => {
                sum.add(&files::open(path, run)?);
                sum.add(format!("{how:?}").as_bytes());
            }
            ModelSource::Held(model) => sum.add(&files::model_bytes(&model.record())?),
        }
        let methods: Vec<&str> = self.methods.iter().map(|method| method.word()).collect();
        let asked = (super::ending(path), run.seed.0, methods, self.tuning.values(), self.output);
        sum.add(format!("{asked:?}").as_bytes());
        for &row in &self.rows {
            sum.add(&(row as u64).to_le_bytes());
        }
        // Also rows that are not asked for: what is replaced by means, and patterns, are learned from all.
        match &self.data.inputs {
            Inputs::Points(points) => {
                let mut row = vec![0.0; points.columns()];
                let mut bytes = vec![];
                for i in 0..points.len() {
                    run.report(&Progress::of("rows to compare", i as u64, points.len() as u64))?;
                    points.write_row(i, &mut row);
                    bytes.clear();
                    row.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
                    sum.add(&bytes);
                }
            }
            Inputs::Table(table) => {
                for column in table.columns() {
                    sum.add(column.name.as_bytes());
                    for row in 0..table.rows() {
                        match &column.cells {
                            Cells::Image(images) => {
                                let image = images.get(row).and_then(Option::as_ref);
                                let values = image.map_or(vec![], |i| i.values.get(0..i.values.len()).into_owned());
                                values.iter().for_each(|x| sum.add(&x.to_le_bytes()));
                            }
                            cells => sum.add(cells.text(row).unwrap_or_default().as_bytes()),
                        }
                    }
                }
            }
        }
        Ok(sum.sum())
    }
}
