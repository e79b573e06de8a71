//! Grad-CAM: where the last convolution saw what speaks for the output.
//!
//! With A the channels of the last convolution (after its rectifier, if it has one) and α_c the mean over space of
//! ∂score/∂A_c, the map is max(0, Σ_c α_c A_c), brought to the size of the picture (linear between places) and told to
//! each pixel in equal shares of its channels.
//!
//! **Cost.** One run and a pull back down to that convolution. Source: R. Selvaraju et al., ICCV 2017.

use crate::attribution::relevance_of;
use crate::entry::{Explain, MethodEntry, MethodNeeds};
use crate::net::Net;
use crate::rows::Rows;
use crate::walk::{Begin, seed};
use base::graph::{Op, Source, Unary};
use base::{Error, Relevance, Result, Run, Shape};

pub(crate) static GRAD_CAM: MethodEntry = MethodEntry::new(
    "grad-cam",
    "Grad-CAM: where the last convolution saw evidence for the output",
    MethodNeeds::LastConvolution,
    Explain::Rows(grad_cam),
);

/// Where the map is taken: the rectifier after the last convolution, or that convolution.
fn layer(net: &Net) -> Result<Source> {
    let nodes = net.network.graph().nodes();
    let Some(last) = nodes.iter().rposition(|n| matches!(n.op, Op::Conv { .. })) else {
        return Err(Error::unsupported("grad-cam", "this network", "it has no convolution"));
    };
    let own = Some(Source::Node(last, 0));
    let after = nodes.iter().position(|n| matches!(n.op, Op::Unary(Unary::Relu) | Op::Clip) && n.inputs[0] == own);
    Ok(Source::Node(after.unwrap_or(last), 0))
}

/// The map of each row.
fn grad_cam(rows: &Rows<'_>, outputs: &[usize], run: &Run<'_>) -> Result<Relevance> {
    let Some(Shape::Image { height, width, channels }) = rows.subject.shape() else {
        return Err(Error::unsupported("grad-cam", "these inputs", "they are not an image of known size"));
    };
    let lent = rows.subject.lent(true, run)?;
    let (net, points) = (&*lent.net, rows.points);
    let at = layer(net)?;
    let d = points.columns();
    let (mut all, _hold) = run.memory.filled(points.len().saturating_mul(d), 0.0, "relevance")?;
    net.blocks(points, outputs, run, |tape, rows, columns| {
        let (ones, _) = seed(tape.value(net.start)?, columns, Begin::One)?;
        let pulled = tape.pull(&[(net.start, ones)], &[at], run)?;
        let (a, Some(Some(slope))) = (tape.value(at)?, pulled.first()) else { return Ok(()) };
        let &[_, maps, h, w] = a.shape() else {
            return Err(Error::size("axes of the last convolution", 4, a.shape().len()));
        };
        let (a, slope) = (a.to_f64(), slope.to_f64());
        for (k, i) in rows.enumerate() {
            let mut map = vec![0.0; h * w];
            for c in 0..maps {
                let plane = (k * maps + c) * h * w..(k * maps + c + 1) * h * w;
                let weight = slope[plane.clone()].iter().sum::<f64>() / (h * w).max(1) as f64;
                numeric::add_scaled(&mut map, weight, &a[plane]);
            }
            map.iter_mut().for_each(|m| *m = m.max(0.0));
            let out = &mut all[i * d..(i + 1) * d];
            for (p, pixel) in out.chunks_exact_mut(channels.max(1)).enumerate() {
                let value = between(&map, (h, w), (p / width, p % width), (height, width));
                pixel.fill(value / channels.max(1) as f64);
            }
        }
        Ok(())
    })?;
    relevance_of(all, (points.len(), d), None, "grad-cam")
}

/// The value of a map at a pixel of a larger picture, linear between the middles of its places.
fn between(map: &[f64], (h, w): (usize, usize), (y, x): (usize, usize), (height, width): (usize, usize)) -> f64 {
    let along = |at: usize, small: usize, large: usize| {
        let place = ((at as f64 + 0.5) * small as f64 / large as f64 - 0.5).clamp(0.0, small.max(1) as f64 - 1.0);
        let low = place.floor() as usize;
        (low, (low + 1).min(small.saturating_sub(1)), place - place.floor())
    };
    let ((y0, y1, v), (x0, x1, u)) = (along(y, h, height), along(x, w, width));
    let line = |y: usize| map[y * w + x0] * (1.0 - u) + map[y * w + x1] * u;
    line(y0) * (1.0 - v) + line(y1) * v
}
