//! Which class wins where: a slice through the space of the inputs along two of its columns.
//!
//! The two number columns are those whose class means lie farthest apart for their spread (the F ratio of variances
//! between and within classes); all other columns are held at a typical row's values: medians of numbers, the commonest
//! level of categories. With two inputs in all, the picture is the whole truth, else one slice of it.

use base::{
    Cells, Column, Dataset, Features, Inputs, Machine, Meaning, Points, Prediction, Result, Run, Table, Targets,
};
use picture::{PlaneRegions, ScatterPlot};

/// Cells in a row and in a column of the grid.
const GRID: usize = 72;
/// Points drawn at most.
const POINTS: usize = 2000;
/// Columns looked at.
const COLUMNS: usize = 400;

/// The picture of the slice, if the machine gives classes and there are two number columns to draw.
pub fn region_picture(machine: &dyn Machine, data: &Dataset, run: &Run<'_>) -> Result<Option<ScatterPlot>> {
    let Targets::Classes(truth) = &data.targets else { return Ok(None) };
    if machine.outputs().meaning != Meaning::Classes || data.features.shape().is_some() || truth.names().len() > 12 {
        return Ok(None);
    }
    let columns = numbers(&data.inputs);
    let mut ratios: Vec<(f64, usize)> = columns
        .iter()
        .enumerate()
        .filter_map(|(i, c)| Some((f_ratio(&c.values, truth.codes(), truth.names().len())?, i)))
        .collect();
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let [(_, first), (_, second), ..] = ratios[..] else { return Ok(None) };
    let (x, y) = (&columns[first], &columns[second]);
    let (Some(xr), Some(yr)) = (range(&x.values), range(&y.values)) else { return Ok(None) };
    let at = |(low, high): (f64, f64), i: usize| low + (high - low) * (i as f64 + 0.5) / GRID as f64;
    let grid_x: Vec<f64> = (0..GRID * GRID).map(|i| at(xr, i % GRID)).collect();
    // The first row of the grid is at the top.
    let grid_y: Vec<f64> = (0..GRID * GRID).map(|i| at(yr, GRID - 1 - i / GRID)).collect();
    let slice = slice(&data.inputs, (x.place, grid_x), (y.place, grid_y))?;
    let cells = Prediction::of(machine, &slice, run)?.classes(run)?;
    let names = machine.outputs().names[..machine.outputs().main()].to_vec();
    let place = |name: &String| names.iter().position(|n| n == name);
    let step = data.len().div_ceil(POINTS).max(1);
    let shown: Vec<(usize, usize)> =
        (0..data.len()).step_by(step).filter_map(|i| Some((i, place(&truth.names()[truth.get(i)?])?))).collect();
    let others = data.inputs.columns().saturating_sub(2);
    let title = match others {
        0 => "Decision regions".to_string(),
        _ => format!("Decision regions: a slice, {others} other columns at typical values"),
    };
    Ok(Some(ScatterPlot {
        title,
        x_label: name(&data.inputs, &data.features, x.place),
        y_label: name(&data.inputs, &data.features, y.place),
        points: shown.iter().map(|&(i, _)| [x.values[i], y.values[i]]).collect(),
        classes: shown.iter().map(|&(_, c)| c).collect(),
        names,
        regions: Some(PlaneRegions {
            columns: GRID,
            rows: GRID,
            x: xr,
            y: yr,
            cells: picture::RegionCells::Classes(cells.iter().map(|&c| c as usize).collect()),
        }),
        square: true,
        ..ScatterPlot::default()
    }))
}

/// A column of numbers and where it stands.
struct Numbers {
    place: usize,
    values: Vec<f64>,
}

/// The columns of numbers, as far as they are looked at.
fn numbers(inputs: &Inputs) -> Vec<Numbers> {
    match inputs {
        Inputs::Table(table) => {
            let all = table.columns().iter().enumerate().filter_map(|(place, c)| match &c.cells {
                Cells::Number(values) => Some(Numbers { place, values: values.to_vec() }),
                _ => None,
            });
            all.take(COLUMNS).collect()
        }
        Inputs::Points(Points::Dense(dense)) if dense.columns() <= COLUMNS => {
            let mut columns: Vec<Numbers> =
                (0..dense.columns()).map(|place| Numbers { place, values: Vec::with_capacity(dense.len()) }).collect();
            for i in 0..dense.len() {
                dense.row(i).iter().zip(&mut columns).for_each(|(&v, c)| c.values.push(v));
            }
            columns
        }
        Inputs::Points(_) => vec![],
    }
}

fn name(inputs: &Inputs, features: &Features, place: usize) -> String {
    match inputs {
        Inputs::Table(table) => table.columns()[place].name.clone(),
        Inputs::Points(_) => features.name(place),
    }
}

/// Variance of the class means over the variance within classes; none for fewer than two present values or no spread.
fn f_ratio(values: &[f64], codes: &[u32], classes: usize) -> Option<f64> {
    let (mut count, mut sum) = (vec![0.0; classes], vec![0.0; classes]);
    let present = || values.iter().zip(codes).filter(|(v, c)| v.is_finite() && (**c as usize) < classes);
    for (v, &c) in present() {
        count[c as usize] += 1.0;
        sum[c as usize] += v;
    }
    let total: f64 = count.iter().sum();
    let mean = sum.iter().sum::<f64>() / total;
    let of_class = |c: usize| if count[c] > 0.0 { sum[c] / count[c] } else { mean };
    let between: f64 = (0..classes).map(|c| count[c] * (of_class(c) - mean).powi(2)).sum();
    let within: f64 = present().map(|(v, &c)| (v - of_class(c as usize)).powi(2)).sum();
    let all = between + within;
    (total >= 2.0 && all > 0.0).then(|| if within > 0.0 { between / within } else { f64::MAX })
}

/// The range of the present values, a little wider; none if there is no spread.
fn range(values: &[f64]) -> Option<(f64, f64)> {
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let pad = 0.05 * (high - low);
    (low < high && pad.is_finite()).then_some((low - pad, high + pad))
}

/// Rows that differ in two columns only.
fn slice(inputs: &Inputs, (a, x): (usize, Vec<f64>), (b, y): (usize, Vec<f64>)) -> Result<Inputs> {
    let rows = x.len();
    Ok(match inputs {
        Inputs::Table(table) => {
            let column = |(place, c): (usize, &Column)| {
                let cells = match place {
                    p if p == a => Cells::Number(x.clone().into()),
                    p if p == b => Cells::Number(y.clone().into()),
                    _ => typical(&c.cells, rows)?,
                };
                Ok(Column { name: c.name.clone(), cells })
            };
            Table::new(table.columns().iter().enumerate().map(column).collect::<Result<_>>()?)?.into()
        }
        Inputs::Points(points) => {
            let columns = numbers(inputs);
            let usual: Vec<f64> = columns.iter().map(|c| median(c.values.clone())).collect();
            let mut values: Vec<f64> = usual.iter().copied().cycle().take(rows * usual.len()).collect();
            for (i, row) in values.chunks_exact_mut(usual.len().max(1)).enumerate() {
                (row[a], row[b]) = (x[i], y[i]);
            }
            Points::dense(values, rows, points.columns())?.into()
        }
    })
}

/// The same typical cell in every row: the row that holds the median, or the commonest text.
fn typical(cells: &Cells, rows: usize) -> Result<Cells> {
    Ok(match cells {
        Cells::Number(v) => Cells::Number(vec![median(v.to_vec()); rows].into()),
        Cells::Date(v) => Cells::Date(vec![median(v.to_vec()); rows].into()),
        other => {
            let mut counts = std::collections::BTreeMap::<String, (usize, usize)>::new();
            for i in 0..other.len().min(10_000) {
                if let Some(text) = other.text(i) {
                    counts.entry(text).or_insert((0, i)).0 += 1;
                }
            }
            let row = counts.values().max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1))).map_or(0, |&(_, row)| row);
            let one = Table::new(vec![Column { name: String::new(), cells: other.clone() }])?;
            let repeated = one.select(&vec![row; rows])?;
            repeated.columns()[0].cells.clone()
        }
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.retain(|v| v.is_finite());
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Learner, Shared};
    use distance::NearestMean;

    #[test]
    fn the_columns_that_separate_are_drawn_and_the_regions_are_the_machines() {
        // Columns 1 and 3 separate, 0 and 2 are noise.
        let seed = base::Seed(4);
        let u = |i: usize, c: usize| seed.at(i).at(c).unit();
        let rows: Vec<[f64; 4]> = (0..90)
            .map(|i| [u(i, 0), (i % 3) as f64 + 0.2 * u(i, 1), u(i, 2), ((i % 3) as f64 - 1.0).abs() + 0.4 * u(i, 3)])
            .collect();
        let codes: Vec<u32> = (0..90).map(|i| i % 3).collect();
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let classes = base::Classes::new(codes, names).unwrap();
        let data = Dataset::new(Points::from_rows(&rows).unwrap(), Targets::Classes(classes));
        let run = Run::quiet(1);
        let machine = NearestMean::default().fit(&data, None, &run).unwrap().machine;
        let scatter = region_picture(&*machine, &data, &run).unwrap().unwrap();
        assert_eq!((scatter.x_label.as_str(), scatter.y_label.as_str()), ("1", "3"));
        assert_eq!(scatter.points[5], [rows[5][1], rows[5][3]]);
        let regions = scatter.regions.unwrap();
        let picture::RegionCells::Classes(cells) = &regions.cells else { panic!("classes") };
        // The cell a row falls into has the class the machine gives the row with the other columns at their medians.
        let usual = |c: usize| median(rows.iter().map(|r| r[c]).collect());
        for row in &rows {
            let place = |v: f64, (low, high): (f64, f64)| ((v - low) / (high - low) * GRID as f64) as usize;
            let (i, j) = (place(row[1], regions.x), GRID - 1 - place(row[3], regions.y));
            let middle = |i: usize, (low, high): (f64, f64)| low + (high - low) * (i as f64 + 0.5) / GRID as f64;
            let point = [usual(0), middle(i, regions.x), usual(2), middle(GRID - 1 - j, regions.y)];
            let said = Prediction::of(&*machine, &Points::from_rows(&[point]).unwrap().into(), &run).unwrap();
            assert_eq!(cells[j * GRID + i], said.classes(&run).unwrap()[0] as usize);
        }
    }

    #[test]
    fn typical_cells_and_data_that_cannot_be_drawn() {
        let words = Cells::categories(["x", "y", "y", "z"].map(Some).into_iter());
        assert_eq!(typical(&words, 2).unwrap().text(1).as_deref(), Some("y"));
        let numbers = Cells::Number(Shared::from(vec![5.0, f64::NAN, 1.0, 2.0]));
        assert_eq!(typical(&numbers, 1).unwrap().text(0).as_deref(), Some("2"));
        assert_eq!(range(&[1.0, 1.0]), None);
        assert_eq!(f_ratio(&[1.0, 1.0], &[0, 1], 2), None);
        let data = testkit::toy_values(1);
        let run = Run::quiet(1);
        let knn = distance::Knn::default().fit(&data, None, &run).unwrap().machine;
        assert!(region_picture(&*knn, &data, &run).unwrap().is_none());
    }
}
