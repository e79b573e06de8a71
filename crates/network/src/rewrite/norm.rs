//! Batch normalisation taken into the linear layer before or after it.
//!
//! With fixed mean and variance it is s x + t in each channel, s = scale / √(variance + ε), t = bias − mean s. After a
//! linear layer W x + b that nobody else uses it becomes sW x + (s b + t). Before one that alone uses it, W (s x + t) + b
//! becomes Ws x + (W t + b), provided that no window reaches into padding, where there is a 0 and not t; with t = 0 that
//! does not matter. New weights are computed in double precision.

use super::linear::{Channels, sees_all};
use super::rebuild::Parts;
use base::Result;
use base::graph::{Element, Graph, Op, Source, Tensor, Weight};
use std::collections::HashMap;

/// The graph with batch normalisations in the linear layers beside them, where that is exact.
pub fn fuse_batch_norm(graph: &Graph) -> Result<Graph> {
    // Nodes that lead nowhere would count as users.
    let mut parts = Parts::of(&Parts::of(graph).graph()?);
    let mut users = parts.users();
    for norm in 0..parts.nodes.len() {
        if let Some(affine) = Affine::of(&parts, norm) {
            before(&mut parts, &mut users, norm, &affine)?;
        }
    }
    for norm in (0..parts.nodes.len()).rev() {
        if let Some(affine) = Affine::of(&parts, norm) {
            after(&mut parts, &mut users, norm, &affine)?;
        }
    }
    parts.graph()
}

/// Which nodes use each source.
type Users = HashMap<Source, Vec<usize>>;

/// s x + t in each channel.
struct Affine {
    s: Vec<f64>,
    t: Vec<f64>,
}

impl Affine {
    /// What a node does, if it is a normalisation by weights.
    fn of(parts: &Parts, node: usize) -> Option<Self> {
        let Op::BatchNorm { epsilon } = parts.nodes[node].op else { return None };
        let of = |i: usize| parts.weight(node, i).filter(|w| w.tensor.element().is_real()).map(|w| w.tensor.to_f64());
        let (scale, bias, mean, variance) = (of(1)?, of(2)?, of(3)?, of(4)?);
        if [&bias, &mean, &variance].iter().any(|v| v.len() != scale.len()) {
            return None;
        }
        let s: Vec<f64> = scale.iter().zip(&variance).map(|(scale, v)| scale / (v + epsilon).sqrt()).collect();
        let t: Vec<f64> = (0..s.len()).map(|c| bias[c] - mean[c] * s[c]).collect();
        s.iter().chain(&t).all(|x| x.is_finite()).then_some(Affine { s, t })
    }
}

/// The weights and biases of a linear layer in double precision.
struct Linear {
    channels: Channels,
    weights: Vec<f64>,
    biases: Vec<f64>,
}

impl Linear {
    fn of(parts: &Parts, node: usize) -> Option<Self> {
        // Without a single weight the channels may be more than can be counted.
        let weight = &parts.weight(node, 1).filter(|w| !w.tensor.numbers().is_empty())?.tensor;
        let channels = Channels::of(&parts.nodes[node].op, weight.shape()).filter(|_| weight.element().is_real())?;
        let biases = match parts.input(node, 2) {
            None => vec![0.0; channels.out],
            Some(_) => parts.weight(node, 2).map(|b| b.tensor.to_f64()).filter(|b| b.len() == channels.out)?,
        };
        Some(Linear { channels, weights: weight.to_f64(), biases })
    }

    /// Puts the layer back with other numbers; weights that others share stay as they are.
    fn put(self, parts: &mut Parts, node: usize, norm: usize) -> Result<()> {
        let Some(old) = parts.weight(node, 1).cloned() else { return Ok(()) };
        let (layer, norm) = (parts.nodes[node].name.clone(), parts.nodes[norm].name.clone());
        let bias = parts.weight(node, 2).map_or(format!("{layer} bias"), |b| b.name.clone());
        let mut add = |name: String, shape: &[usize], values: Vec<f64>| -> Result<Option<Source>> {
            let tensor = match old.tensor.element() {
                Element::F32 => Tensor::f32(shape, values.iter().map(|&x| x as f32).collect())?,
                _ => Tensor::f64(shape, values)?,
            };
            Ok(Some(parts.add(Weight { name: format!("{name} + {norm}"), tensor, trained: old.trained })))
        };
        let weights = add(old.name.clone(), old.tensor.shape(), self.weights)?;
        let biases = add(bias, &[self.channels.out], self.biases)?;
        let inputs = &mut parts.nodes[node].inputs;
        inputs.resize(3, None);
        (inputs[1], inputs[2]) = (weights, biases);
        Ok(())
    }
}

/// Takes a normalisation into the layer before it, if nobody else uses that.
fn before(parts: &mut Parts, users: &mut Users, norm: usize, affine: &Affine) -> Result<()> {
    let Some(source @ Source::Node(layer, 0)) = parts.input(norm, 0) else { return Ok(()) };
    let alone = users.get(&source).is_some_and(|list| list[..] == [norm]);
    let Some(mut linear) = Linear::of(parts, layer).filter(|l| alone && l.channels.out == affine.s.len()) else {
        return Ok(());
    };
    let channels = &linear.channels;
    linear.weights.iter_mut().enumerate().for_each(|(i, w)| *w *= affine.s[channels.at(i).1]);
    linear.biases.iter_mut().enumerate().for_each(|(c, b)| *b = *b * affine.s[c] + affine.t[c]);
    linear.put(parts, layer, norm)?;
    let own = Source::Node(norm, 0);
    parts.replace(own, source);
    let theirs = users.remove(&own).unwrap_or_default();
    users.insert(source, theirs);
    Ok(())
}

/// Takes a normalisation into the layer after it, if there is one that alone uses it.
fn after(parts: &mut Parts, users: &mut Users, norm: usize, affine: &Affine) -> Result<()> {
    let own = Source::Node(norm, 0);
    let Some(&[layer]) = users.get(&own).map(Vec::as_slice) else { return Ok(()) };
    // The graph's outputs are users too, and a layer may use it for its weights.
    if layer >= parts.nodes.len() || parts.input(layer, 0) != Some(own) {
        return Ok(());
    }
    let op = &parts.nodes[layer].op;
    let exact = sees_all(op) || matches!(op, Op::Conv { .. }) && affine.t.iter().all(|&t| t == 0.0);
    let fits = |l: &Linear| exact && l.channels.into == affine.s.len();
    let (Some(mut linear), Some(x)) = (Linear::of(parts, layer).filter(fits), parts.input(norm, 0)) else {
        return Ok(());
    };
    for (i, w) in linear.weights.iter_mut().enumerate() {
        let (from, to) = linear.channels.at(i);
        linear.biases[to] += *w * affine.t[from];
        *w *= affine.s[from];
    }
    linear.put(parts, layer, norm)?;
    parts.nodes[layer].inputs[0] = Some(x);
    users.remove(&own);
    let theirs = users.entry(x).or_default();
    theirs.iter_mut().filter(|user| **user == norm).for_each(|user| *user = layer);
    Ok(())
}
