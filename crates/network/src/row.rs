//! How a row of points goes into a graph: as it is, as a picture, as a series; channels first or last.

use crate::kernel::TensorForm;
use crate::number::Number;
use base::graph::{Draft, Element, Graph, Op, Tensor};
use base::{Error, Features, Place, Points, Result, Run, Shape, Shared};

/// How a row of points goes into the graph.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// The type of the input's numbers.
    pub element: Element,
    /// How many rows the graph was made for, if not for any number.
    pub fixed: Option<usize>,
    /// Sizes without the axis of rows.
    shape: Vec<usize>,
    /// Places and channels, where the graph wants the channels first.
    swapped: Option<(usize, usize)>,
    features: Features,
}

impl Row {
    /// How rows of these features go into the only input of a graph.
    pub fn of(graph: &Graph, features: &Features) -> Result<Self> {
        let [input] = graph.inputs() else {
            return Err(Error::size("inputs of the network of a machine", 1, graph.inputs().len()));
        };
        if features.table().is_some() {
            return Err(Error::size("inputs of a network", "points", "a table"));
        }
        let count = features.count();
        let mut forms = vec![(vec![count], None)];
        match features.shape() {
            Some(Shape::Image { height, width, channels }) => {
                forms.push((vec![channels, height, width], Some((height * width, channels))));
                forms.push((vec![height, width, channels], None));
                forms.extend((channels == 1).then_some((vec![height, width], None)));
            }
            Some(Shape::Series { length, channels }) => {
                forms.push((vec![channels, length], Some((length, channels))));
                forms.push((vec![length, channels], None));
            }
            None => {}
        }
        let fits = |shape: &[usize]| {
            input.shape.len() == shape.len() + 1
                && input.shape[1..].iter().zip(shape).all(|(expected, found)| expected.is_none_or(|e| e == *found))
        };
        let Some((shape, swapped)) = forms.into_iter().find(|(shape, _)| fits(shape)) else {
            let sizes: Vec<String> =
                input.shape.iter().map(|n| n.map_or("any".to_string(), |n| n.to_string())).collect();
            let found = features.shape().map_or(format!("{count} columns"), |shape| shape.to_string());
            return Err(Error::size(format!("input {:?} of the network", input.name), sizes.join(" x "), found));
        };
        if input.shape[0] == Some(0) {
            return Err(Error::size("rows of the network of a machine", "at least 1", 0));
        }
        let swapped = swapped.filter(|(_, channels)| *channels > 1);
        Ok(Row { element: input.element, shape, swapped, fixed: input.shape[0], features: features.clone() })
    }

    /// From (rows, columns) in double precision to what the graph takes.
    pub fn entrance(&self, columns: usize) -> Result<Graph> {
        let mut draft = Draft::rows(columns);
        let mut x = Draft::INPUT;
        if self.element != Element::F64 {
            x = draft.node("inputs in the network's type", Op::Cast { to: self.element }, &[x]);
        }
        let sizes = |sizes: &[usize]| std::iter::once(-1).chain(sizes.iter().map(|&n| n as i64)).collect::<Vec<_>>();
        if let Some((places, channels)) = self.swapped {
            let shape = draft.wholes("places and channels", &[3], sizes(&[places, channels]))?;
            x = draft.node("by places", Op::Reshape { zero: false }, &[x, shape]);
            x = draft.node("by channels", Op::Transpose { order: vec![0, 2, 1] }, &[x]);
        }
        if self.shape.len() > 1 {
            let shape = draft.wholes("shape of a row", &[self.shape.len() + 1], sizes(&self.shape))?;
            x = draft.node("in shape", Op::Reshape { zero: false }, &[x, shape]);
        }
        let (mut inputs, weights, nodes, outputs) = draft.graph(x)?.into_parts();
        inputs[0].shape[0] = self.fixed;
        Graph::new(inputs, weights, nodes, outputs)
    }

    /// The form of that many rows.
    pub fn form(&self, rows: usize) -> Result<TensorForm> {
        let form = TensorForm::new(self.element, [&[rows], &self.shape[..]].concat());
        form.count()?;
        Ok(form)
    }

    /// Where the number of a column goes.
    pub fn place(&self, column: usize) -> usize {
        match self.swapped {
            Some((places, channels)) => column % channels * places + column / channels,
            None => column,
        }
    }

    /// Some rows of points as the graph's input.
    pub fn tensor(&self, points: &Points, rows: &[usize], run: &Run<'_>) -> Result<Tensor> {
        match self.element {
            Element::F32 => self.filled(points, rows, run, |x, _| Ok(x as f32)),
            Element::F64 => self.filled(points, rows, run, |x, _| Ok(x)),
            Element::I64 => self.filled(points, rows, run, |x, place| match x.fract() == 0.0 {
                true => Ok(x as i64),
                false => Err(Error::data(place(), format!("{x} is not a whole number, which this network takes"))),
            }),
            Element::Bool => Err(Error::size("numbers of the input", "f32, f64 or i64", "bool")),
        }
    }

    fn filled<T: Number>(
        &self,
        points: &Points,
        rows: &[usize],
        run: &Run<'_>,
        number: impl Fn(f64, &dyn Fn() -> Place) -> Result<T>,
    ) -> Result<Tensor> {
        let width = self.features.count();
        let (mut values, hold) =
            run.memory.filled(rows.len().saturating_mul(width), T::default(), "rows of a network")?;
        let mut row = vec![0.0; width];
        for (&i, out) in rows.iter().zip(values.chunks_exact_mut(width.max(1))) {
            points.write_row(i, &mut row);
            for (c, &x) in row.iter().enumerate() {
                let place = || Place::Cell { row: i, column: self.features.name(c) };
                out[self.place(c)] = number(x, &place)?;
            }
        }
        Tensor::new(self.form(rows.len())?.shape, T::shared(Shared::counted(values, hold)))
    }
}
