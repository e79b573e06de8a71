//! Layers put into a graph, with weights drawn for a start.
//!
//! Weights are normal with variance 2 / (inputs of a unit) before ramps (He et al.) and 2 / (inputs + outputs) elsewhere
//! (Glorot and Bengio); offsets are 0. Each tensor is drawn from a seed of its own name.

use super::activation::Unit;
use super::text::{After, Conv, Layer};
use base::graph::{Binary, Draft, Element, Graph, Op, Padding, Reduction, Source, Tensor, Window};
use base::{Error, Features, Result, Seed, Shape, normal};

/// Added to the variance of normalisations.
const EPSILON: f64 = 1e-5;
/// Numbers of a layer's weights at most.
const MOST: usize = 1 << 31;

/// A graph that grows by layers.
pub struct Growth {
    draft: Draft,
    element: Element,
    seed: Seed,
    /// Where the last layer's values are, and their sizes without the axis of rows.
    at: Source,
    shape: Vec<usize>,
    layers: usize,
}

impl Growth {
    /// Begins with the features: rows of numbers, or pictures and series with their channels first if that is what
    /// they are and `in_space` asks for it.
    pub fn new(features: &Features, in_space: bool, element: Element, seed: Seed) -> Self {
        let shape = match features.shape().filter(|_| in_space) {
            Some(Shape::Image { height, width, channels }) => vec![channels, height, width],
            Some(Shape::Series { length, channels }) => vec![channels, length],
            None => vec![features.count()],
        };
        let mut draft = Draft::default();
        let sizes = std::iter::once(None).chain(shape.iter().map(|&n| Some(n))).collect();
        let at = draft.input("x", element, sizes);
        Growth { draft, element, seed, at, shape, layers: 0 }
    }

    /// The sizes of what the last layer gives, without the axis of rows.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Begins with (x − mean) / deviation, each one number or one for each column of rows.
    pub fn scale(&mut self, mean: &[f64], deviation: &[f64]) -> Result<()> {
        let sizes: &[usize] = if mean.len() == 1 { &[] } else { &self.shape };
        let inverse: Vec<f64> = deviation.iter().map(|d| 1.0 / d).collect();
        let (mean, inverse) = (self.tensor(sizes, mean.to_vec())?, self.tensor(sizes, inverse)?);
        let (mean, inverse) = (self.draft.constant("input mean", mean), self.draft.constant("input scale", inverse));
        self.node("centred", Op::Binary(Binary::Sub), &[mean]);
        self.node("scaled", Op::Binary(Binary::Mul), &[inverse]);
        Ok(())
    }

    /// Adds a layer.
    pub fn add(&mut self, layer: &Layer) -> Result<()> {
        self.layers += 1;
        let number = self.layers;
        match layer {
            Layer::Conv(conv) => self.conv(&format!("conv {number}"), conv)?,
            Layer::Dense(dense) => self.dense(&format!("dense {number}"), dense.units, &dense.after)?,
            Layer::Pool { size, stride, pooling } => {
                let window = self.window(number, size, *stride, 1)?;
                self.shape = self.slid(number, &window)?;
                self.node(&format!("pool {number}"), Op::Pool { pooling: *pooling, window }, &[]);
            }
            Layer::PoolAll { average } => {
                self.space(number)?;
                let reduction = if *average { Reduction::Mean } else { Reduction::Max };
                let axes = (2..=self.shape.len() as i64).collect();
                self.shape.truncate(1);
                self.node(&format!("pool {number}"), Op::Reduce { reduction, axes, keep: false }, &[]);
            }
            Layer::Dropout(rate) => self.node(&format!("dropout {number}"), Op::Dropout { rate: *rate }, &[]),
            Layer::Norm => self.norm(&format!("norm {number}"))?,
            Layer::LayerNorm => {
                let count = self.shape.iter().product();
                let scale = self.weight(&format!("norm {number} scale"), &self.shape.clone(), vec![1.0; count])?;
                let bias = self.weight(&format!("norm {number} bias"), &self.shape.clone(), vec![0.0; count])?;
                self.node(&format!("norm {number}"), Op::LayerNorm { axis: 1, epsilon: EPSILON }, &[scale, bias]);
            }
            Layer::Response => {
                self.space(number)?;
                let op = Op::LocalResponse { size: 5, alpha: 1e-4, beta: 0.75, bias: 1.0 };
                self.node(&format!("response {number}"), op, &[]);
            }
            Layer::Act(unit) => {
                self.at = unit.put(&mut self.draft, &format!("activation {number}"), self.element, self.at)?
            }
        }
        Ok(())
    }

    /// Adds the last layer: as many outputs, with names of its own.
    pub fn outputs(&mut self, count: usize, unit: Unit) -> Result<()> {
        self.dense("output", count, &After { unit, ..After::default() })
    }

    /// The graph.
    pub fn graph(self) -> Result<Graph> {
        self.draft.named("scores", self.at)
    }

    /// A node on what the last layer gives and some weights.
    fn node(&mut self, name: &str, op: Op, weights: &[Source]) {
        let inputs: Vec<Source> = std::iter::once(self.at).chain(weights.iter().copied()).collect();
        self.at = self.draft.node(name, op, &inputs);
    }

    fn tensor(&self, shape: &[usize], values: Vec<f64>) -> Result<Tensor> {
        match self.element {
            Element::F32 => Tensor::f32(shape, values.iter().map(|&x| x as f32).collect()),
            _ => Tensor::f64(shape, values),
        }
    }

    fn weight(&mut self, name: &str, shape: &[usize], values: Vec<f64>) -> Result<Source> {
        let tensor = self.tensor(shape, values)?;
        Ok(self.draft.trained(name, tensor))
    }

    /// Drawn weights of units with so many inputs each, perhaps dropped while training.
    fn drawn(&mut self, name: &str, shape: &[usize], inputs: usize, outputs: usize, after: &After) -> Result<Source> {
        let count = shape.iter().try_fold(1usize, |n, &s| n.checked_mul(s)).filter(|&n| n <= MOST);
        let count = count.ok_or_else(|| {
            Error::size(format!("weights of {name}"), format!("at most {MOST}"), format!("{shape:?}"))
        })?;
        let variance = if after.unit.is_ramp() { 2.0 / inputs as f64 } else { 2.0 / (inputs + outputs) as f64 };
        let mut stream = self.seed.fork(name).stream();
        let values = (0..count).map(|_| variance.sqrt() * normal(&mut stream)).collect();
        let weight = self.weight(&format!("{name} weights"), shape, values)?;
        Ok(match after.drop_connect > 0.0 {
            true => {
                self.draft.node(&format!("{name} dropconnect"), Op::Dropout { rate: after.drop_connect }, &[weight])
            }
            false => weight,
        })
    }

    fn dense(&mut self, name: &str, units: usize, after: &After) -> Result<()> {
        if self.shape.len() > 1 {
            let count = self.shape.iter().product();
            self.node(&format!("{name} flat"), Op::Flatten { axis: 1 }, &[]);
            self.shape = vec![count];
        }
        let inputs = self.shape[0];
        let weight = self.drawn(name, &[units, inputs], inputs.max(1), units, after)?;
        let offset = self.weight(&format!("{name} offsets"), &[units], vec![0.0; units])?;
        self.node(name, Op::Dense { transposed: true }, &[weight, offset]);
        self.shape = vec![units];
        self.finish(name, after)
    }

    fn conv(&mut self, name: &str, conv: &Conv) -> Result<()> {
        let number = self.layers;
        let channels = self.space(number)?;
        let groups = if conv.groups == 0 { channels } else { conv.groups };
        if !channels.is_multiple_of(groups) || !conv.channels.is_multiple_of(groups) {
            let why = format!("{channels} channels in and {} out must be multiples of {groups} groups", conv.channels);
            return Err(Error::parameter("layers", format!("layer {number}"), why));
        }
        let mut window = self.window(number, &conv.size, conv.stride, conv.dilation)?;
        let reach: Vec<usize> = window.kernel.iter().map(|k| conv.dilation * (k - 1)).collect();
        if !conv.valid {
            // Where it comes out even the padding is said in numbers, which every reader of the graph understands.
            window.padding = match conv.stride == 1 && reach.iter().all(|r| r % 2 == 0) {
                true => {
                    let half: Vec<usize> = reach.iter().map(|r| r / 2).collect();
                    Padding::Explicit { begin: half.clone(), end: half, up: false }
                }
                false => Padding::SameUpper,
            };
        }
        self.shape = self.slid(number, &window)?;
        self.shape[0] = conv.channels;
        let places: usize = window.kernel.iter().product();
        let inside = channels / groups * places;
        let shape = [&[conv.channels, channels / groups], &window.kernel[..]].concat();
        let weight = self.drawn(name, &shape, inside, conv.channels / groups * places, &conv.after)?;
        let offset = self.weight(&format!("{name} offsets"), &[conv.channels], vec![0.0; conv.channels])?;
        self.node(name, Op::Conv { window, groups }, &[weight, offset]);
        self.finish(name, &conv.after)
    }

    /// What belongs to a layer with weights and comes after them.
    fn finish(&mut self, name: &str, after: &After) -> Result<()> {
        if after.norm {
            self.norm(&format!("{name} norm"))?;
        }
        self.at = after.unit.put(&mut self.draft, &format!("{name} activation"), self.element, self.at)?;
        Ok(())
    }

    fn norm(&mut self, name: &str) -> Result<()> {
        let c = self.shape[0];
        let scale = self.weight(&format!("{name} scale"), &[c], vec![1.0; c])?;
        let bias = self.weight(&format!("{name} bias"), &[c], vec![0.0; c])?;
        let (zeros, ones) = (self.tensor(&[c], vec![0.0; c])?, self.tensor(&[c], vec![1.0; c])?);
        let mean = self.draft.constant(&format!("{name} mean"), zeros);
        let variance = self.draft.constant(&format!("{name} variance"), ones);
        self.node(name, Op::BatchNorm { epsilon: EPSILON }, &[scale, bias, mean, variance]);
        Ok(())
    }

    /// The channels, if there is space for a window to slide over.
    fn space(&self, number: usize) -> Result<usize> {
        match self.shape.len() > 1 {
            true => Ok(self.shape[0]),
            false => {
                let why = "needs images or time series: data with a shape, and no dense layer before it";
                Err(Error::parameter("layers", format!("layer {number}"), why))
            }
        }
    }

    /// A window over the axes of space; one size is for all of them.
    fn window(&self, number: usize, size: &[usize], stride: usize, dilation: usize) -> Result<Window> {
        self.space(number)?;
        let axes = self.shape.len() - 1;
        let kernel = match size {
            [one] => vec![*one; axes],
            sizes if sizes.len() == axes => sizes.to_vec(),
            sizes => {
                let why = format!("a window of {} sizes over {axes} axes", sizes.len());
                return Err(Error::parameter("layers", format!("layer {number}"), why));
            }
        };
        Ok(Window { dilations: vec![dilation; axes], ..Window::new(kernel).strides(vec![stride; axes]) })
    }

    /// The sizes after a window has slid over them.
    fn slid(&self, number: usize, window: &Window) -> Result<Vec<usize>> {
        let mut shape = vec![self.shape[0]];
        for (axis, &n) in self.shape[1..].iter().enumerate() {
            let (stride, reach) =
                (window.strides[axis], window.dilations[axis].saturating_mul(window.kernel[axis] - 1) + 1);
            let places = match &window.padding {
                Padding::Explicit { begin, end, .. } => {
                    (n + begin[axis] + end[axis]).checked_sub(reach).map(|r| r / stride + 1)
                }
                _ => Some(n.div_ceil(stride)),
            };
            let why = || format!("a window of {reach} does not fit into {n}; the image has become too small");
            shape.push(places.ok_or_else(|| Error::parameter("layers", format!("layer {number}"), why()))?);
        }
        Ok(shape)
    }
}
