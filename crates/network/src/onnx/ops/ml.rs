//! Operators of ai.onnx.ml that prepare inputs and name outputs.

use super::{Reading, Row, norms, row};
use crate::onnx::call::Call;
use base::graph::{Binary, Element, Op, Reduction, Source, Unary};
use base::{Error, Result};

pub(super) const ROWS: &[Row] = &[
    row("Scaler", &["offset", "scale"], scaler),
    row("Normalizer", &["norm"], normalizer),
    row("Binarizer", &["threshold"], binarizer),
    row(
        "Imputer",
        &["imputed_value_floats", "imputed_value_int64s", "replaced_value_float", "replaced_value_int64"],
        imputer,
    ),
    row("FeatureVectorizer", &["inputdimensions"], feature_vectorizer),
    row("ArrayFeatureExtractor", &[], array_feature_extractor),
    row("OneHotEncoder", &["cats_int64s", "cats_strings", "zeros"], one_hot_encoder),
    row("ZipMap", &["classlabels_int64s", "classlabels_strings"], zip_map),
];

/// Numbers as f32, which is what these operators give; double stays.
fn real(r: &mut Reading<'_, '_>, x: Source) -> Result<Source> {
    match r.builder.element(x)? {
        Element::F32 | Element::F64 => Ok(x),
        _ => r.builder.cast(x, Element::F32),
    }
}

/// (x − offset) · scale.
fn scaler(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let mut x = real(r, c.input(0)?)?;
    for (name, binary) in [("offset", Binary::Sub), ("scale", Binary::Mul)] {
        if let Some(values) = c.floats(name)? {
            let values = r.builder.numbers_like(x, &[values.len()], values)?;
            x = r.builder.binary(binary, x, values)?;
        }
    }
    Ok(vec![x])
}

/// Rows divided by their largest element, their absolute sum or their length; rows of 0 stay.
fn normalizer(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let reduction = match c.text("norm", "MAX")? {
        "MAX" => Reduction::Max,
        "L1" => Reduction::L1,
        "L2" => Reduction::L2,
        other => return Err(Error::parameter("norm", other, "must be MAX, L1 or L2")),
    };
    let x = real(r, c.input(0)?)?;
    let norm = r.builder.reduce(reduction, &[-1], true, x)?;
    Ok(vec![norms::divided(r, x, norm)?])
}

/// 1 above the threshold, else 0.
fn binarizer(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let x = c.input(0)?;
    let element = r.builder.element(x)?;
    let threshold = r.builder.number_like(x, c.float("threshold", 0.0)?)?;
    let above = r.builder.binary(Binary::Greater, x, threshold)?;
    Ok(vec![r.builder.cast(above, element)?])
}

/// Gaps (a certain number, or no number) filled column by column.
fn imputer(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let x = c.input(0)?;
    let (gap, filled) = if let Some(values) = c.floats("imputed_value_floats")? {
        let gap = c.float("replaced_value_float", 0.0)?;
        let gap = match gap.is_nan() {
            true => r.builder.unary(Unary::IsNan, x)?,
            false => {
                let gap = r.builder.number_like(x, gap)?;
                r.builder.binary(Binary::Equal, x, gap)?
            }
        };
        (gap, r.builder.numbers_like(x, &[values.len()], values)?)
    } else if let Some(values) = c.ints("imputed_value_int64s")? {
        let gap = r.builder.wholes(&[c.int("replaced_value_int64", 0)?])?;
        (r.builder.binary(Binary::Equal, x, gap)?, r.builder.wholes(values)?)
    } else {
        return Err(Error::parameter("imputed_value_floats", "absent", "is required"));
    };
    Ok(vec![r.builder.add(Op::Where, &[gap, filled, x])?])
}

/// A new last axis with 1 at the category's place, and 0 everywhere for others.
fn one_hot_encoder(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let Some(categories) = c.ints("cats_int64s")? else {
        let instead = "categories must be whole numbers (cats_int64s)";
        return Err(Error::unsupported("string categories", "the ONNX import", instead));
    };
    if !c.flag("zeros", true)? {
        let what = "zeros = 0, an error for categories that are not known,";
        return Err(Error::unsupported(what, "the ONNX import", "with zeros = 1 they are 0 everywhere"));
    }
    let x = c.input(0)?;
    let categories = match r.builder.element(x)? {
        Element::I64 => r.builder.wholes(categories)?,
        _ => {
            // Categories beyond 2^24 are no numbers of single precision, nor can x be any of them.
            let values: Vec<f32> = categories.iter().map(|&c| c as f32).collect();
            r.builder.numbers_like(x, &[values.len()], &values)?
        }
    };
    let x = r.builder.add(Op::Unsqueeze { axes: vec![-1] }, &[x])?;
    let same = r.builder.binary(Binary::Equal, x, categories)?;
    Ok(vec![r.builder.cast(same, Element::F32)?])
}

/// Columns side by side.
fn feature_vectorizer(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let parts = c.all()?.into_iter().map(|x| r.builder.cast(x, Element::F32)).collect::<Result<Vec<_>>>()?;
    Ok(vec![r.builder.concat(1, &parts)?])
}

/// Elements of the last axis chosen by a list of places.
fn array_feature_extractor(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let (x, places) = (c.input(0)?, c.input(1)?);
    let (rank, texts) = (r.builder.rank(x)?, r.builder.texts(x));
    let all = r.builder.wholes(&[-1])?;
    let list = r.builder.reshape(places, all)?;
    let mut y = r.builder.add(Op::Gather { axis: -1 }, &[x, list])?;
    if rank == 1 {
        // As if x had one row.
        y = r.builder.add(Op::Unsqueeze { axes: vec![0] }, &[y])?;
    }
    r.builder.set_texts(y, texts);
    Ok(vec![y])
}

/// A column for each class: the columns get the classes' names.
fn zip_map(r: &mut Reading<'_, '_>, c: &Call<'_>) -> Result<Vec<Source>> {
    let names = match (c.texts("classlabels_strings")?, c.ints("classlabels_int64s")?) {
        (Some(names), _) if !names.is_empty() => names,
        (_, Some(labels)) => labels.iter().map(i64::to_string).collect(),
        _ => return Err(Error::parameter("classlabels_strings", "absent", "is required")),
    };
    let y = r.builder.unary(Unary::Identity, c.input(0)?)?;
    r.columns.insert(y, names);
    Ok(vec![y])
}
