//! Bringing new data into the form a machine was fitted on.
//!
//! Tables go to the machine's encoder, which matches columns by name. Points are matched by name where both sides have
//! names, else by their number: sparse points may be narrower (absent is 0) or wider (what the machine has never seen
//! is left out, and said aloud). A table of numbers may meet a machine that was fitted on points.

use base::{Cells, Dataset, Error, Features, Image, Inputs, Machine, Place, Points, Result, Run, Shape, Sparse, Table};

/// The inputs of `data` in the form that `expected` describes.
pub fn align(data: &Dataset, expected: &Features, run: &Run<'_>) -> Result<Inputs> {
    match (&data.inputs, expected.table()) {
        (Inputs::Table(table), Some(_)) => Ok(Inputs::Table(table.clone())),
        (Inputs::Table(table), None) => match expected.shape() {
            Some(Shape::Image { height, width, channels }) if expected.names().is_none() && has_pictures(table) => {
                pixels_of(data, (height, width, channels), run).map(Inputs::Points)
            }
            _ => numbers_of(table, expected).map(Inputs::Points),
        },
        (Inputs::Points(_), Some(columns)) => {
            let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).take(8).collect();
            let instead = format!("give it a table with the columns {}", names.join(", "));
            Err(Error::unsupported("points without columns", "a model fitted on a table", instead))
        }
        (Inputs::Points(points), None) => match (data.features.names(), expected.names()) {
            (Some(found), Some(wanted)) if found != wanted => by_name(points, found, wanted, run).map(Inputs::Points),
            _ => by_width(points, expected.count(), run).map(Inputs::Points),
        },
    }
}

fn has_pictures(table: &Table) -> bool {
    table.columns().iter().any(|c| matches!(c.cells, Cells::Image(_)))
}

/// The pictures of a table, brought to the size and the channels that a network takes.
///
/// Of a picture of another form the middle is taken, as networks are trained: squeezed things are harder to name.
fn pixels_of(data: &Dataset, (height, width, channels): (usize, usize, usize), run: &Run<'_>) -> Result<Points> {
    let Inputs::Table(table) = &data.inputs else { return Err(Error::size("inputs", "a table", "points")) };
    let pictures: Vec<base::Column> =
        table.columns().iter().filter(|c| matches!(c.cells, Cells::Image(_))).cloned().collect();
    if pictures.len() != 1 {
        return Err(Error::size("image columns for this model", 1, pictures.len()));
    }
    let middle = |column: base::Column| match column.cells {
        Cells::Image(images) => {
            let images = images.iter().map(|image| image.as_ref().map(|i| middle(i, (height, width), run)).transpose());
            Ok(base::Column { cells: Cells::Image(images.collect::<Result<_>>()?), ..column })
        }
        _ => Ok(column),
    };
    let table = Table::new(pictures.into_iter().map(middle).collect::<Result<_>>()?)?;
    let encoder = prepare::Encoder::for_images(Features::of_table(&table), (height, width, channels))?;
    encoder.compute(&Inputs::Table(table), run)
}

/// The largest part in the middle of a picture that has the form of (height, width).
fn middle(image: &Image, (height, width): (usize, usize), run: &Run<'_>) -> Result<Image> {
    // Cut only where more than a pixel is to go; sizes are checked to be countable elsewhere.
    let high = image.height.min((image.width.saturating_mul(height)).div_ceil(width.max(1)));
    let wide = image.width.min((image.height.saturating_mul(width)).div_ceil(height.max(1)));
    if (high, wide) == (image.height, image.width) || high == 0 || wide == 0 {
        return Ok(image.clone());
    }
    let (top, left) = ((image.height - high) / 2, (image.width - wide) / 2);
    let hold = run.memory.take_for::<f32>(high * wide * image.channels, "the centre of an image")?;
    let values = (top..top + high).flat_map(|y| {
        let start = (y * image.width + left) * image.channels;
        image.values.get(start..start + wide * image.channels).iter().map(|&x| x as f32).collect::<Vec<f32>>()
    });
    let values = base::Buffer::F32(base::Shared::counted(values.collect(), hold));
    Ok(Image { height: high, width: wide, channels: image.channels, values })
}

fn by_width(points: &Points, width: usize, run: &Run<'_>) -> Result<Points> {
    match points {
        _ if points.columns() == width => Ok(points.clone()),
        Points::Sparse(sparse) => {
            if sparse.columns() > width {
                let text = format!("{} columns beyond the model's {width} are left out", sparse.columns() - width);
                run.watch.note(&text);
            }
            Ok(Points::Sparse(sparse.widen(width)))
        }
        Points::Dense(_) => Err(Error::size("columns of the data", width, points.columns())),
    }
}

fn by_name(points: &Points, found: &[String], wanted: &[String], run: &Run<'_>) -> Result<Points> {
    let place: std::collections::HashMap<&str, usize> =
        found.iter().enumerate().map(|(i, n)| (n.as_str(), i)).collect();
    let sources: Vec<Option<usize>> = wanted.iter().map(|name| place.get(name.as_str()).copied()).collect();
    match points {
        Points::Dense(dense) => {
            if let Some(i) = sources.iter().position(Option::is_none) {
                let why = "is missing; the model was fitted with it";
                return Err(Error::data(Place::Column(wanted[i].clone()), why));
            }
            let count = dense.len().saturating_mul(wanted.len());
            let hold = run.memory.take_for::<f64>(count, "reordered columns")?;
            let mut values = Vec::with_capacity(count);
            for row in 0..dense.len() {
                let x = dense.row(row);
                values.extend(sources.iter().flatten().map(|&s| x[s]));
            }
            let values = base::Buffer::F64(base::Shared::counted(values, hold));
            Points::dense(values, dense.len(), wanted.len())
        }
        Points::Sparse(sparse) => {
            let mut target = vec![None; found.len()];
            sources.iter().enumerate().for_each(|(new, old)| {
                if let Some(old) = old {
                    target[*old] = Some(new as u32);
                }
            });
            let (mut starts, mut ids, mut values) = (vec![0], vec![], vec![]);
            let mut entries = vec![];
            for row in 0..sparse.len() {
                let (row_ids, row_values) = sparse.row(row);
                entries.clear();
                entries.extend(row_ids.iter().zip(row_values).filter_map(|(&id, &v)| Some((target[id as usize]?, v))));
                entries.sort_unstable_by_key(|e| e.0);
                ids.extend(entries.iter().map(|e| e.0));
                values.extend(entries.iter().map(|e| e.1));
                starts.push(ids.len());
            }
            Ok(Points::Sparse(Sparse::new(starts, ids, values, wanted.len())?))
        }
    }
}

/// The number columns of a table as points: by name where the machine has names, else all in order.
fn numbers_of(table: &Table, expected: &Features) -> Result<Points> {
    let columns: Vec<&base::Column> = match expected.names() {
        Some(names) => names
            .iter()
            .map(|name| {
                table
                    .column(name)
                    .ok_or_else(|| Error::data(Place::Column(name.clone()), "is missing; the model was fitted with it"))
            })
            .collect::<Result<_>>()?,
        None => table.columns().iter().collect(),
    };
    if columns.len() != expected.count() {
        return Err(Error::size("columns of the data", expected.count(), columns.len()));
    }
    let mut values = vec![0.0; table.rows() * columns.len()];
    for (j, column) in columns.iter().enumerate() {
        let Cells::Number(numbers) = &column.cells else {
            let why = format!("is of type {}, the model was fitted with numbers", column.cells.type_name());
            return Err(Error::data(Place::Column(column.name.clone()), why));
        };
        for (row, &x) in numbers.iter().enumerate() {
            values[row * columns.len() + j] = x;
        }
    }
    Points::dense(values, table.rows(), columns.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Column, Memory, Targets};

    fn named(names: &[&str]) -> Features {
        Features::named(names.iter().map(|n| n.to_string()).collect::<Vec<_>>())
    }

    fn aligned(data: &Dataset, expected: &Features) -> std::result::Result<Vec<f64>, String> {
        match align(data, expected, &Run::quiet(1)).map_err(|e| e.to_string())? {
            Inputs::Points(points) => Ok(points.to_dense(&Memory::unlimited()).unwrap().to_vec()),
            Inputs::Table(_) => Err("a table".into()),
        }
    }

    #[test]
    fn points_are_matched_by_name_or_width() {
        let points = Points::from_rows(&[[1.0, 2.0, 3.0]]).unwrap();
        let data = Dataset { features: named(&["a", "b", "c"]), ..Dataset::new(points, Targets::None) };
        let sparse = testkit::as_sparse(&data);
        for data in [&data, &sparse] {
            assert_eq!(aligned(data, &named(&["c", "a"])), Ok(vec![3.0, 1.0]));
            assert_eq!(aligned(data, &Features::unnamed(3)), Ok(vec![1.0, 2.0, 3.0]));
        }
        assert_eq!(aligned(&sparse, &Features::unnamed(2)), Ok(vec![1.0, 2.0]));
        assert_eq!(aligned(&sparse, &Features::unnamed(4)), Ok(vec![1.0, 2.0, 3.0, 0.0]));
        assert_eq!(aligned(&sparse, &named(&["c", "z"])), Ok(vec![3.0, 0.0]));
        assert!(aligned(&data, &Features::unnamed(2)).is_err());
        assert!(aligned(&data, &named(&["c", "z"])).unwrap_err().contains("column \"z\": is missing"));
    }

    #[test]
    fn a_table_of_numbers_may_stand_for_points() {
        let column = |name: &str, x: f64| Column { name: name.into(), cells: Cells::Number(vec![x].into()) };
        let table = Table::new(vec![column("b", 2.0), column("a", 1.0)]).unwrap();
        let data = Dataset::new(table, Targets::None);
        assert_eq!(aligned(&data, &named(&["a", "b"])), Ok(vec![1.0, 2.0]));
        assert_eq!(aligned(&data, &Features::unnamed(2)), Ok(vec![2.0, 1.0]));
        assert!(aligned(&data, &Features::unnamed(3)).is_err());
        assert!(aligned(&data, &named(&["q"])).is_err());
        let of_table = data.features.clone();
        assert_eq!(aligned(&data, &of_table), Err("a table".into()));
        assert!(aligned(&testkit::toy_classes(1), &of_table).unwrap_err().contains("the columns b, a"));
    }
}
