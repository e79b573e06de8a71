//! Reading: the head word by word, then the weights; every count is compared before it is trusted.

use super::{LinearModel, LinearSolver, vectors};
use crate::heads::{Head, Layout, Words, finite};
use crate::text::{Source, encoding, quoted};
use base::{Progress, Result, Run, Shared, Sparse};

/// What stands in a head.
static LAYOUT: Layout = Layout {
    keys: &["solver_type", "nr_class", "label", "nr_feature", "bias", "rho"],
    counted: &["label"],
    end: "w",
    maker: "LIBLINEAR",
};
/// The most features and classes: ids are 32 bits.
const MOST: u64 = u32::MAX as u64;

pub(super) fn read(name: &str, bytes: &[u8], run: &Run<'_>) -> Result<LinearModel> {
    run.report(&Progress::of("read", 0, bytes.len() as u64))?;
    let text = encoding::decode(name, bytes, run)?;
    let source = Source::new(name, &text);
    source.refuse_nul()?;
    let (head, start) = Head::read(&source, &LAYOUT)?;
    let (at, word) = head.word("solver_type")?;
    let solver = std::str::from_utf8(word).ok().and_then(LinearSolver::from_word).ok_or_else(|| {
        let why = format!("{} is not a LIBLINEAR solver, such as L2R_LR or MCSVM_CS", quoted(word));
        source.error(at, 0, why)
    })?;
    let (at, classes) = head.count("nr_class", 1)?;
    let fits = if solver.classifies() { classes >= 2 } else { classes == 2 };
    if !fits {
        let expected = if solver.classifies() { "at least 2" } else { "2" };
        return Err(source.error(at, 0, format!("nr_class is {classes}, expected {expected}")));
    }
    let labels = match (solver.classifies(), head.has("label")) {
        (true, _) => head.labels(classes)?,
        (false, false) => vec![],
        (false, true) => {
            return Err(source.error(head.words("label")?.0, 0, format!("label in a model of type {}", solver.word())));
        }
    };
    let bias = Some(head.number("bias")?).filter(|&b| b >= 0.0);
    let rho = match (head.has("rho"), solver) {
        (true, LinearSolver::OneClass) | (false, LinearSolver::OneClass) => head.number("rho")?,
        (false, _) => 0.0,
        (true, _) => return Err(source.error(head.words("rho")?.0, 0, "rho is for ONECLASS_SVM")),
    };
    let (at, features) = head.count("nr_feature", 1)?;
    let rows = features.saturating_add(u64::from(bias.is_some()));
    let width = vectors(solver, labels.len());
    // Every weight takes a digit and a blank or line end at least.
    let room = (source.bytes.len() - start) as u64 / 2 + 1;
    if rows > MOST || rows.checked_mul(width as u64).is_none_or(|cells| cells > room) {
        let left = source.bytes.len() - start;
        let why =
            format!("nr_feature is {features}, but the {left} bytes after w cannot hold so many with {width} each");
        return Err(source.error(at, 0, why));
    }
    let weights = weights(&source, start, (rows as usize, width), run)?;
    Ok(LinearModel { solver, labels, bias, rho, weights })
}

/// The lines of weights, as features x vectors.
fn weights(source: &Source<'_>, start: usize, (rows, width): (usize, usize), run: &Run<'_>) -> Result<Sparse> {
    let bytes = source.bytes;
    let most = present(&bytes[start..]);
    let starts_hold = run.memory.take_for::<usize>(rows + 1, "weights")?;
    let ids_hold = run.memory.take_for::<u32>(most, "weights")?;
    let values_hold = run.memory.take_for::<f64>(most, "weights")?;
    let mut starts = Vec::with_capacity(rows + 1);
    let (mut ids, mut values) = (Vec::with_capacity(most), Vec::with_capacity(most));
    starts.push(0);
    let mut at = start;
    while at < bytes.len() {
        let mut words = Words::line(source, at);
        let end = words.end;
        let Some(first) = words.next() else {
            at = end + 1;
            continue;
        };
        if starts.len() > rows {
            return Err(source.error(
                first.0,
                0,
                format!("more lines of weights than the {rows} of nr_feature and bias"),
            ));
        }
        let mut count = 0;
        for (place, word) in std::iter::once(first).chain(words) {
            let weight = finite(source, place, word, "a weight")?;
            if count == width {
                return Err(source.error(place, 0, format!("more weights than {width} in a line")));
            }
            if weight != 0.0 {
                ids.push(count as u32);
                values.push(weight);
            }
            count += 1;
        }
        if count < width {
            return Err(source.error(end, 0, format!("{count} weights, expected {width}: the line is truncated")));
        }
        starts.push(ids.len());
        if starts.len() % 4096 == 0 {
            run.report(&Progress::of("read", at as u64, bytes.len() as u64))?;
        }
        at = end + 1;
    }
    if starts.len() <= rows {
        let why = format!("{} lines of weights, expected {rows}: the file is truncated", starts.len() - 1);
        return Err(source.error(bytes.len(), 0, why));
    }
    Sparse::new(
        Shared::counted(starts, starts_hold),
        Shared::counted(ids, ids_hold),
        Shared::counted(values, values_hold),
        width,
    )
}

/// How many words other than `0` there are: no fewer than weights that are not 0.
fn present(bytes: &[u8]) -> usize {
    bytes.split(|b| b.is_ascii_whitespace()).filter(|word| !matches!(*word, b"" | b"0")).count()
}
