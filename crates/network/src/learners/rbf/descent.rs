//! Centres and linear layer of an RBF network together, downhill from what clusters and least squares gave.
//!
//! Minimises Σ_i w_i e(x_i) + ½γ‖W‖² over centres, W and offsets by L-BFGS, with e half the squared error for values and
//! the cross entropy for classes; spreads stay. The start is the best layer for its centres, so the end is never worse.
//!
//! **Cost.** Each step some three times a prediction of all rows. **Limits.** The objective is not convex: a stationary
//! point near the clusters is found, no more.

use crate::Network;
use base::graph::{Graph, Source, Tensor};
use base::{Dataset, Error, Result, Run, Targets, classes_of, values_of};
use numeric::{Lbfgs, Minimum};

/// Rows that go through at once.
const ROWS: usize = 1024;
/// The weights that move.
const MOVED: [&str; 4] = ["centres", "mapped centres", "readout weights", "readout offsets"];

/// The graph at the end of at most `steps` steps; the certificate's numbers are those of the minimum.
pub(super) fn descend(
    graph: Graph,
    data: &Dataset,
    gamma: f64,
    steps: usize,
    run: &Run<'_>,
) -> Result<(Graph, Minimum)> {
    let moved: Vec<usize> =
        (0..graph.weights().len()).filter(|&i| MOVED.contains(&graph.weights()[i].name.as_str())).collect();
    let penalised = graph.weights().iter().position(|w| w.name == "readout weights");
    let output = graph.outputs().first().map(|o| o.1).ok_or_else(|| Error::size("outputs of a network", 1, 0))?;
    let start: Vec<f64> = moved.iter().flat_map(|&i| graph.weights()[i].tensor.to_f64()).collect();
    let shapes: Vec<Vec<usize>> = moved.iter().map(|&i| graph.weights()[i].tensor.shape().to_vec()).collect();
    let wanted: Vec<Source> = moved.iter().map(|&i| Source::Weight(i)).collect();
    let mut network = Network::new(graph);
    let points = data.points()?;
    let (n, d) = (points.len(), points.columns());
    let mut objective = |at: &[f64], gradient: &mut [f64]| -> Result<f64> {
        put(&mut network, &moved, &shapes, at)?;
        gradient.fill(0.0);
        let mut value = 0.0;
        for from in (0..n).step_by(ROWS) {
            let rows = from..n.min(from + ROWS);
            let mut x = vec![0.0; rows.len() * d];
            rows.clone().zip(x.chunks_exact_mut(d.max(1))).for_each(|(i, x)| points.write_row(i, x));
            let tape = network.tape(&[Tensor::f64([rows.len(), d], x)?], run)?;
            let scores = tape.value(output)?;
            let (cost, slope) = pay(data, rows, &scores.to_f64())?;
            value += cost;
            let pulled = tape.pull(&[(output, Tensor::f64(scores.shape(), slope)?)], &wanted, run)?;
            let mut rest = &mut gradient[..];
            for (found, shape) in pulled.iter().zip(&shapes) {
                let (own, after) = rest.split_at_mut(shape.iter().product());
                if let Some(found) = found {
                    own.iter_mut().zip(found.to_f64()).for_each(|(g, f)| *g += f);
                }
                rest = after;
            }
        }
        let mut offset = 0;
        for (&i, shape) in moved.iter().zip(&shapes) {
            let own = offset..offset + shape.iter().product::<usize>();
            if Some(i) == penalised {
                value += 0.5 * gamma * numeric::dot(&at[own.clone()], &at[own.clone()]);
                numeric::add_scaled(&mut gradient[own.clone()], gamma, &at[own.clone()]);
            }
            offset = own.end;
        }
        Ok(value)
    };
    let total: f64 = data.weights.as_ref().map_or(n as f64, |w| w.iter().sum());
    let found = Lbfgs { tolerance: 1e-6 * total, steps, ..Lbfgs::default() }.minimise(run, &start, &mut objective)?;
    put(&mut network, &moved, &shapes, &found.point)?;
    Ok((network.trained_graph()?, found))
}

/// Puts the numbers of all moved weights into the network.
fn put(network: &mut Network, moved: &[usize], shapes: &[Vec<usize>], at: &[f64]) -> Result<()> {
    let mut offset = 0;
    for (&i, shape) in moved.iter().zip(shapes) {
        let count: usize = shape.iter().product();
        network.set_weight(i, Tensor::f64(shape.clone(), at[offset..offset + count].to_vec())?)?;
        offset += count;
    }
    Ok(())
}

/// Σ w e of some rows, and its slope along their scores.
fn pay(data: &Dataset, rows: std::ops::Range<usize>, scores: &[f64]) -> Result<(f64, Vec<f64>)> {
    let (width, weight) = (scores.len() / rows.len().max(1), |i: usize| data.weight(i));
    let (mut slope, mut value) = (vec![0.0; scores.len()], 0.0);
    let lines = rows.zip(scores.chunks_exact(width.max(1)).zip(slope.chunks_exact_mut(width.max(1))));
    match &data.targets {
        Targets::Classes(_) => {
            let (classes, place) = (classes_of(data)?, places(data)?);
            for (i, (s, g)) in lines {
                let top = s.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = s.iter().map(|s| (s - top).exp()).sum();
                let own = place.get(classes.codes()[i] as usize).copied().unwrap_or(usize::MAX);
                value += weight(i) * (top + sum.ln() - s.get(own).copied().unwrap_or(0.0));
                for (k, (g, s)) in g.iter_mut().zip(s).enumerate() {
                    *g = weight(i) * ((s - top).exp() / sum - f64::from(u8::from(k == own)));
                }
            }
        }
        _ => {
            let values = values_of(data)?;
            for (i, (s, g)) in lines {
                for ((g, s), y) in g.iter_mut().zip(s).zip(values.row(i)) {
                    *g = weight(i) * (s - y);
                    value += 0.5 * weight(i) * (s - y) * (s - y);
                }
            }
        }
    }
    Ok((value, slope))
}

/// The output of each class: those without rows have none.
fn places(data: &Dataset) -> Result<Vec<usize>> {
    let mut next = 0;
    let place = |&count: &usize| match count {
        0 => usize::MAX,
        _ => {
            next += 1;
            next - 1
        }
    };
    Ok(classes_of(data)?.counts().iter().map(place).collect())
}
