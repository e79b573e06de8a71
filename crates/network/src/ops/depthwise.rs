//! Convolution of each channel with one filter of its own: a loop, as there is no matrix to multiply.
//!
//! Forward, a plane is laid out so that each part of the window is a shift of it ([`Padded`]), and vectors of places are
//! summed in registers. Back, each part of the window adds a multiple of a line of gradients to a line. Images and
//! channels are independent, so they are the threads' pieces.

use crate::kernel::Context;
use crate::number::Number;
use crate::ops::correlate::{self, Sizes};
use crate::ops::padded::Padded;
use crate::ops::sliding::Sliding;
use crate::ops::sums::total_of;
use base::Result;
use numeric::{Finish, Real, Steps, each, each_chunk_mut, finish, tile_line};

/// Places that one thread computes in one go, about.
const PIECE: usize = 1 << 15;

/// Calls `f(k, place, element, count)` for each part k of the window and each line of places whose elements are inside:
/// `count` places from `place` on meet elements from `element` on, the window's stride apart.
fn each_line(sliding: &Sliding, mut f: impl FnMut(usize, usize, usize, usize)) {
    let [first, middle, last] = &sliding.axes;
    for p in 0..first.places {
        for q in 0..middle.places {
            let line = (p * middle.places + q) * last.places;
            for k in first.parts(p) {
                let Some(i) = first.element(p, k) else { continue };
                for l in middle.parts(q) {
                    let Some(j) = middle.element(q, l) else { continue };
                    for m in 0..last.kernel {
                        let valid = last.places_of(m);
                        let Some(at) = last.element(valid.start, m).filter(|_| !valid.is_empty()) else { continue };
                        let part = (k * middle.kernel + l) * last.kernel + m;
                        f(part, line + valid.start, (i * middle.size + j) * last.size + at, valid.len());
                    }
                }
            }
        }
    }
}

/// y = w ⋆ x, finished, plane by plane; bias one for each channel.
pub(crate) fn forward<T: Real + Number>(
    sliding: &Sliding,
    channels: usize,
    x: &[T],
    w: &[T],
    how: Finish<'_, T>,
    y: &mut [T],
    context: &Context<'_>,
) -> Result<()> {
    let (space, kernel, places) = (sliding.space(), sliding.kernel(), sliding.place_count());
    let layout = Padded::new(sliding, 0, 0..sliding.axes[0].places)?;
    if !layout.is_thrifty(sliding) {
        let images = y.len() / (channels * places).max(1);
        let sizes = Sizes { images, groups: channels, channels: 1, filters: 1, sliding: sliding.clone() };
        return correlate::forward(&sizes, x, w, how, y, context);
    }
    let (steps, pieces) = (Steps::new(layout.shifts()), layout.pieces(0..layout.reach));
    let planes = (PIECE / places.max(1)).max(1);
    each_chunk_mut(context.run, y, planes * places, |piece, y| {
        let mut padded = context.take::<T>(layout.channel + layout.slack::<T>())?;
        let mut out = context.take::<T>(layout.reach)?;
        padded.values[layout.channel..].fill(T::ZERO);
        for (i, y) in y.chunks_exact_mut(places).enumerate() {
            let plane = piece * planes + i;
            let channel = plane % channels;
            layout.fill(&x[plane * space..][..space], &mut padded.values[..layout.channel]);
            tile_line(&w[channel * kernel..][..kernel], &padded.values, &steps, &mut out.values)?;
            finish(&out.values, layout.reach, &pieces, &mut [y], how.part(channel..channel + 1));
        }
        Ok(())
    })
}

/// The transpose of [`forward`] applied to g, (+ bias).
pub(crate) fn to_inputs<T: Real + Number>(
    sliding: &Sliding,
    channels: usize,
    g: &[T],
    w: &[T],
    bias: Option<&[T]>,
    dx: &mut [T],
    context: &Context<'_>,
) -> Result<()> {
    let (places, kernel, stride) = (sliding.place_count(), sliding.kernel(), sliding.axes[2].stride);
    each_chunk_mut(context.run, dx, sliding.space(), |plane, dx| {
        let (channel, g) = (plane % channels, &g[plane * places..][..places]);
        let w = &w[channel * kernel..][..kernel];
        dx.fill(bias.map_or(T::ZERO, |b| b[channel]));
        each_line(sliding, |k, place, element, count| {
            let (w, g) = (w[k], &g[place..place + count]);
            match stride {
                1 => dx[element..element + count].iter_mut().zip(g).for_each(|(d, &g)| *d += w * g),
                _ => dx[element..].iter_mut().step_by(stride).zip(g).for_each(|(d, &g)| *d += w * g),
            }
        });
        Ok(())
    })
}

/// dw = Σ over images and places of g times the element under each part of the window.
pub(crate) fn to_filters<T: Real + Number>(
    sliding: &Sliding,
    channels: usize,
    x: &[T],
    g: &[T],
    dw: &mut [T],
    context: &Context<'_>,
) -> Result<()> {
    let (space, places, kernel, stride) =
        (sliding.space(), sliding.place_count(), sliding.kernel(), sliding.axes[2].stride);
    let planes = g.len() / places.max(1);
    let sums = each(context.run, channels, |channel| {
        let mut sums = vec![0.0f64; kernel];
        for plane in (channel..planes).step_by(channels) {
            let (x, g) = (&x[plane * space..][..space], &g[plane * places..][..places]);
            each_line(sliding, |k, place, element, count| {
                let g = &g[place..place + count];
                sums[k] += match stride {
                    1 => line_product(g, &x[element..element + count]),
                    _ => g.iter().zip(x[element..].iter().step_by(stride)).map(|(&g, &x)| (g * x).wide()).sum(),
                };
            });
        }
        Ok(sums)
    })?;
    dw.iter_mut().zip(sums.iter().flatten()).for_each(|(d, &s)| *d = T::narrow(s));
    Ok(())
}

/// Σ g x of one line.
fn line_product<T: Real>(g: &[T], x: &[T]) -> f64 {
    total_of(g.iter().zip(x).map(|(&g, &x)| (g * x).wide()))
}
