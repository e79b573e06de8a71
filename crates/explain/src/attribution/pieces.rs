//! Methods that hide pieces of a row (`local.rs`) by name: which pieces, and what stands in their place.
//!
//! Columns by themselves, patches of pictures, stretches of series, or segments of like colour, which are found in each
//! picture anew.

use super::{Absent, Groups, Local, kernel_shap, kernel_shap_over, lime, shapley};
use crate::entry::{AddsUp, Explain, MethodEntry, MethodNeeds};
use crate::rows::{Case, Rows};
use crate::segments::to_unit;
use crate::tuning::Pieces;
use base::{Error, Points, Relevance, Result, Run, Shape};

/// Rows of the background that stand in for absent parts of machines without a gradient.
const INSTEAD: usize = 10;

pub(crate) static LIME: MethodEntry = MethodEntry {
    settings: &["patch", "samples", "pieces", "width", "penalty", "kernel_size", "max_dist", "ratio", "reference"],
    passes: |t| t.samples,
    ..MethodEntry::new(
        "lime",
        "LIME: a linear model around the row, by masking parts",
        MethodNeeds::Nothing,
        Explain::Score(|case, run| {
            let t = case.rows.tuning;
            let how = Local { samples: t.samples, width: t.width, ridge: t.penalty };
            let segments = matches!(t.pieces, Pieces::Segments | Pieces::Auto);
            in_pieces(case, segments, run, |rows, absent| lime(case.score, rows, absent, how, run))
        }),
    )
};

pub(crate) static KERNEL_SHAP: MethodEntry = MethodEntry {
    aliases: &["shap"],
    settings: &["patch", "samples", "pieces", "reference"],
    adds_up: AddsUp::Always,
    passes: |t| t.samples,
    ..MethodEntry::new(
        "kernel-shap",
        "Kernel SHAP: sampled Shapley values of parts",
        MethodNeeds::Nothing,
        Explain::Score(|case, run| {
            let (t, rows) = (case.rows.tuning, case.rows);
            // What changes in steps may say the same of one mean row and of all between it and the row explained.
            if by_rows(rows) {
                let others = rows.others(INSTEAD)?;
                return kernel_shap_over(case.score, case.points, (&rows.groups(), &others), t.samples, run);
            }
            in_pieces(case, t.pieces == Pieces::Segments, run, |rows, absent| {
                kernel_shap(case.score, rows, absent, t.samples, run)
            })
        }),
    )
};

pub(crate) static SHAPLEY: MethodEntry = MethodEntry {
    settings: &["patch", "reference"],
    adds_up: AddsUp::Always,
    passes: |_| 1 << 16,
    ..MethodEntry::new(
        "shapley",
        "exact Shapley values of up to 16 parts",
        MethodNeeds::FewParts,
        Explain::Score(|case, run| {
            let absent = Absent { groups: &case.rows.groups(), instead: &case.rows.reference()? };
            shapley(case.score, case.points, &absent, run)
        }),
    )
};

/// Whether absent parts are those of several rows of the background, not of its mean.
fn by_rows(rows: &Rows<'_>) -> bool {
    let plain = rows.tuning.reference.is_empty() && rows.has_data();
    plain && rows.tuning.pieces == Pieces::Auto && rows.subject.no_gradient().is_some()
}

/// Explains rows whose pieces are the same together, and pictures cut into segments one by one.
fn in_pieces(
    case: &Case<'_>,
    segments: bool,
    run: &Run<'_>,
    explain: impl Fn(&Points, &Absent<'_>) -> Result<Relevance>,
) -> Result<Relevance> {
    let (asked, points, instead) = (case.rows, case.points, case.rows.reference()?);
    let Some(Shape::Image { height, width, channels }) = asked.subject.picture().filter(|_| segments) else {
        return explain(points, &Absent { groups: &asked.groups(), instead: &instead });
    };
    let how = asked.tuning.segments((height, width));
    let mut all: Option<Relevance> = None;
    let mut rows = vec![];
    for i in 0..points.len() {
        let row = points.slice(i..i + 1);
        let pixels = to_unit(&asked.as_seen(&row, run)?);
        let groups = Groups::of_segments(&how.cut(&pixels, (height, width, channels), run)?, channels);
        let told = explain(&row, &Absent { groups: &groups, instead: &instead })?;
        rows.extend_from_slice(&told.values.to_dense(&run.memory)?);
        all = Some(match all {
            None => told,
            Some(mut before) => {
                before.balance = before.balance.zip(told.balance).map(|(a, b)| [a, b].concat());
                before
            }
        });
    }
    let all = all.ok_or_else(|| Error::size("rows to explain", "at least 1", 0))?;
    Ok(Relevance { values: Points::dense(rows, points.len(), points.columns())?, ..all })
}
