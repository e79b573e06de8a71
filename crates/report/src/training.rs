//! How training went, as curves, and what a network looks for, as pictures of its first weights.

use crate::Block;
use base::graph::{Graph, Op, Source, Tensor};
use base::{Certificate, Fact, Features, Shape};
use picture::{ImageGrid, ImagePlot, LinePlot, Picture, Pixels, Series};

/// Filters shown at most.
const MOST: usize = 64;

/// The curves of a certificate, those of a kind (`… by epoch`) and of like size in one picture.
pub fn curve_pictures(certificate: &Certificate) -> Option<Block> {
    let mut kinds: Vec<(&str, &str, Vec<Series>)> = vec![];
    for (name, fact) in &certificate.facts {
        let Fact::Curve(values) = fact else { continue };
        if values.len() < 2 || values.iter().any(|x| !x.is_finite()) {
            continue;
        }
        let (what, along) = name.rsplit_once(" by ").unwrap_or((name, "step"));
        // `cost` and `validation cost` belong together, `validation accuracy` does not.
        let stem = what.strip_prefix("validation ").unwrap_or(what);
        let stem = stem.split(' ').next().unwrap_or(stem);
        let series = Series {
            name: what.to_string(),
            x: (1..=values.len()).map(|i| i as f64).collect(),
            y: values.clone(),
            ..Series::default()
        };
        match kinds.iter_mut().find(|kind| (kind.0, kind.1) == (stem, along)) {
            Some(kind) => kind.2.push(series),
            None => kinds.push((stem, along, vec![series])),
        }
    }
    let picture = |(stem, along, series): (&str, &str, Vec<Series>)| -> Box<dyn Picture> {
        Box::new(LinePlot {
            title: format!("{stem} by {along}"),
            x_label: along.to_string(),
            y_label: stem.to_string(),
            series,
            ..LinePlot::default()
        })
    };
    let pictures: Vec<Box<dyn Picture>> = kinds.into_iter().map(picture).collect();
    (!pictures.is_empty()).then(|| Block::Pictures(pictures))
}

/// The weights of the first layer: filters of a convolution, or the picture that each dense unit looks for.
pub fn filter_picture(graph: &Graph, features: &Features) -> Option<ImageGrid> {
    let weight = |source: Option<Source>| match source {
        Some(Source::Weight(i)) => Some(&graph.weights()[i].tensor),
        _ => None,
    };
    let layer = graph.nodes().iter().find(|node| matches!(node.op, Op::Conv { .. } | Op::Dense { .. }))?;
    let tensor = weight(layer.inputs.get(1).copied().flatten())?;
    let (title, images) = match &layer.op {
        Op::Conv { .. } => ("Filters of the first convolution", filters(tensor)?),
        Op::Dense { transposed } => ("Weights of the first hidden units", units(tensor, *transposed, features)?),
        _ => return None,
    };
    Some(ImageGrid { title: title.into(), images, columns: 8, shared: true })
}

fn image(name: String, rows: usize, columns: usize, values: Vec<f64>) -> ImagePlot {
    ImagePlot { title: name, columns, rows, pixels: Pixels::Signed { values, limit: 0.0 } }
}

/// The mean over the channels of each filter (units, channels, height, width).
fn filters(tensor: &Tensor) -> Option<Vec<ImagePlot>> {
    let &[count, channels, rows, columns] = tensor.shape() else { return None };
    let (values, size) = (tensor.to_f64(), rows * columns);
    let mean = |k: usize, p: usize| {
        (0..channels).map(|c| values[(k * channels + c) * size + p]).sum::<f64>() / channels.max(1) as f64
    };
    let one = |k: usize| image(format!("{}", k + 1), rows, columns, (0..size).map(|p| mean(k, p)).collect());
    Some((0..count.min(MOST)).map(one).collect())
}

/// The weights of each unit where the inputs make a picture; channels are averaged.
fn units(tensor: &Tensor, transposed: bool, features: &Features) -> Option<Vec<ImagePlot>> {
    let Some(Shape::Image { height, width, channels }) = features.shape() else { return None };
    let &[first, second] = tensor.shape() else { return None };
    let (units, inputs) = if transposed { (first, second) } else { (second, first) };
    if inputs != height * width * channels {
        return None;
    }
    let values = tensor.to_f64();
    let at = |unit: usize, i: usize| if transposed { values[unit * inputs + i] } else { values[i * units + unit] };
    let pixel =
        |unit: usize, p: usize| (0..channels).map(|c| at(unit, p * channels + c)).sum::<f64>() / channels as f64;
    let one = |k: usize| image(format!("{}", k + 1), height, width, (0..height * width).map(|p| pixel(k, p)).collect());
    Some((0..units.min(MOST)).map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::graph::{GraphInput, Node, Weight, Window};

    fn network(op: Op, shape: &[usize], values: Vec<f64>) -> Graph {
        let input = GraphInput { name: "x".into(), element: base::graph::Element::F64, shape: vec![None; 2] };
        let weight = Weight { name: "w".into(), tensor: Tensor::f64(shape, values).unwrap(), trained: true };
        let inputs = vec![Some(Source::Input(0)), Some(Source::Weight(0))];
        let node = Node { name: "n".into(), op, inputs, outputs: 1 };
        Graph::new(vec![input], vec![weight], vec![node], vec![("y".into(), Source::Node(0, 0))]).unwrap()
    }

    fn values(image: &ImagePlot) -> &[f64] {
        match &image.pixels {
            Pixels::Signed { values, .. } => values,
            _ => &[],
        }
    }

    #[test]
    fn first_weights_become_pictures() {
        let conv = Op::Conv { window: Window::new([1, 2]), groups: 1 };
        let found = filter_picture(&network(conv, &[1, 2, 1, 2], vec![1.0, 2.0, 3.0, 6.0]), &Features::unnamed(4));
        let found = found.unwrap();
        assert_eq!((found.images.len(), values(&found.images[0])), (1, &[2.0, 4.0][..]));
        let features = Features::unnamed(4).shaped(Shape::Image { height: 2, width: 1, channels: 2 }).unwrap();
        for (transposed, weights) in [(true, vec![1.0, 3.0, 5.0, 7.0]), (false, vec![1.0, 3.0, 5.0, 7.0])] {
            let shape: &[usize] = if transposed { &[1, 4] } else { &[4, 1] };
            let found = filter_picture(&network(Op::Dense { transposed }, shape, weights), &features).unwrap();
            assert_eq!(values(&found.images[0]), [2.0, 6.0]);
        }
        let plain = network(Op::Dense { transposed: true }, &[1, 4], vec![0.0; 4]);
        assert_eq!(filter_picture(&plain, &Features::unnamed(4)), None, "columns are no picture");
    }

    #[test]
    fn curves_of_a_kind_share_a_picture() {
        let mut certificate = Certificate::default();
        for name in ["cost by epoch", "validation cost by epoch", "validation accuracy by epoch", "gap by step"] {
            certificate.facts.insert(name.into(), Fact::Curve(vec![2.0, 1.0]));
        }
        certificate.facts.insert("odd".into(), Fact::Curve(vec![f64::NAN, 1.0]));
        let Some(Block::Pictures(pictures)) = curve_pictures(&certificate) else { panic!() };
        let titles: Vec<&str> = pictures.iter().map(|p| p.title()).collect();
        assert_eq!(titles, ["cost by epoch", "gap by step", "accuracy by epoch"]);
        assert!(curve_pictures(&Certificate::default()).is_none());
    }
}
