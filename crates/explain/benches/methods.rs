//! Explanation methods on two networks: prints `net method threads ms set-up` with milliseconds an image (a run of the
//! network included) of the fastest of some rounds, and the milliseconds that binding the rules took.
//!
//! The networks are those of the rivals' script: `vgg` (eleven layers, 3 x 224 x 224, 1000 outputs) and `cnn` (28 x 28,
//! ten outputs), single precision, drawn weights, eight images. `benches/run explain` runs this beside them.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use base::graph::*;
use base::{Run, Seed};
use network::Network;
use pellucid_explain::composites::{Basis, begun_by, everywhere, gradients, layered};
use pellucid_explain::{Begin, Composite, Given, LinearRule, RectifyRule, Walker};
use std::time::Instant;

const BATCH: usize = 8;

fn drawn(shape: &[usize], scale: f32, seed: u64) -> Tensor {
    // A cheap generator: a hundred million weights are drawn.
    let mut state = Seed(seed).unit().to_bits() | 1;
    let values = (0..shape.iter().product()).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        scale * ((state >> 40) as f32 / (1u64 << 23) as f32 - 1.0)
    });
    Tensor::f32(shape, values.collect()).unwrap()
}

/// A network put together layer by layer.
struct Layers {
    draft: Draft,
    at: Source,
    count: usize,
}

impl Layers {
    fn weights(&mut self, shapes: [&[usize]; 2], reach: usize) -> [Source; 2] {
        let scale = (1.0 / reach as f32).sqrt();
        shapes.map(|shape| {
            self.count += 1;
            self.draft.trained(&format!("w{}", self.count), drawn(shape, scale, self.count as u64))
        })
    }

    fn put(&mut self, op: Op, more: &[Source]) {
        self.count += 1;
        let inputs: Vec<Source> = std::iter::once(self.at).chain(more.iter().copied()).collect();
        self.at = self.draft.node(&format!("{} {}", op.word(), self.count), op, &inputs);
    }

    fn conv(&mut self, into: usize, out: usize, pad: usize) {
        let parts = self.weights([&[out, into, 3, 3], &[out]], into * 9);
        self.put(Op::Conv { window: Window::new([3, 3]).pads([pad, pad]), groups: 1 }, &parts);
        self.put(Op::Unary(Unary::Relu), &[]);
    }

    fn dense(&mut self, into: usize, out: usize, relu: bool) {
        let parts = self.weights([&[out, into], &[out]], into);
        self.put(Op::Dense { transposed: true }, &parts);
        if relu {
            self.put(Op::Unary(Unary::Relu), &[]);
        }
    }

    fn pool(&mut self) {
        self.put(Op::Pool { pooling: Pooling::Max, window: Window::new([2, 2]).strides([2, 2]) }, &[]);
    }
}

fn network(name: &str) -> (Network, Tensor) {
    let shape = if name == "vgg" { [BATCH, 3, 224, 224] } else { [BATCH, 1, 28, 28] };
    let mut draft = Draft::default();
    let sizes = std::iter::once(None).chain(shape[1..].iter().map(|n| Some(*n))).collect();
    let at = draft.input("x", Element::F32, sizes);
    let mut l = Layers { draft, at, count: 0 };
    if name == "vgg" {
        let mut channels = 3;
        for width in [64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0] {
            match width {
                0 => l.pool(),
                _ => {
                    l.conv(channels, width, 1);
                    channels = width;
                }
            }
        }
        l.put(Op::Flatten { axis: 1 }, &[]);
        l.dense(512 * 49, 4096, true);
        l.dense(4096, 4096, true);
        l.dense(4096, 1000, false);
    } else {
        l.conv(1, 32, 0);
        l.conv(32, 64, 0);
        l.pool();
        l.put(Op::Flatten { axis: 1 }, &[]);
        l.dense(64 * 144, 128, true);
        l.dense(128, 10, false);
    }
    (Network::new(l.draft.graph(l.at).unwrap()), drawn(&shape, 1.0, 99))
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let [name, rest @ ..] = &words[..] else { return println!("methods: name vgg or cnn, then the number of threads") };
    let threads = rest.first().and_then(|w| w.parse().ok()).unwrap_or(1);
    let steps: usize = rest.get(1).and_then(|w| w.parse().ok()).unwrap_or(32);
    let run = Run { threads, ..Run::quiet(1) };
    let (network, x) = network(name);
    let (basis, e) = (Basis::default(), 1e-6);
    let epsilon = || LinearRule::epsilon(e);
    let bounds = || LinearRule::z_box(Given::Fixed(vec![-3.0]), Given::Fixed(vec![3.0]), e);
    let plus = || layered(epsilon(), LinearRule::z_plus(true, e), basis);
    let methods: Vec<(&str, Composite, Begin, usize)> = vec![
        ("gradient", gradients(None), Begin::One, 1),
        ("guided_backprop", gradients(Some(RectifyRule { guided: true })), Begin::One, 1),
        ("deconv", gradients(Some(RectifyRule { guided: false })), Begin::One, 1),
        ("integrated_gradients", gradients(None), Begin::One, steps),
        ("smoothgrad", gradients(None), Begin::One, steps),
        ("lrp_epsilon", everywhere(epsilon(), basis), Begin::Score, 1),
        ("lrp_composite_eps_plus_flat", begun_by(LinearRule::flat(e), true, plus()), Begin::Score, 1),
        (
            "lrp_composite_eps_gamma_box",
            begun_by(bounds(), false, layered(epsilon(), LinearRule::gamma(0.25, e), basis)),
            Begin::Score,
            1,
        ),
        ("lrp_alpha2beta1", layered(epsilon(), LinearRule::alpha_beta(2.0, 1.0, e), basis), Begin::Score, 1),
        ("deep_taylor_zplus", everywhere(LinearRule::z_plus(true, e), basis), Begin::Score, 1),
    ];
    let rounds = if name == "vgg" { 3 } else { 10 };
    let best = |f: &mut dyn FnMut()| {
        f();
        let time = |_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64()
        };
        (0..rounds).map(time).fold(f64::INFINITY, f64::min) * 1e3 / BATCH as f64
    };
    let input = std::slice::from_ref(&x);
    let forward = best(&mut || drop(network.run(input, &run).unwrap()));
    println!("{name} forward {threads} {forward:.3} 0");
    let start = network.graph().outputs()[0].1;
    for (method, composite, begin, repeats) in methods {
        let clock = Instant::now();
        let walker = Walker::new(&network, start, &[Source::Input(0)], &composite).unwrap();
        let made = clock.elapsed().as_secs_f64() * 1e3;
        // Along a way or over noisy copies it is the same work as often; once is enough to time the large network.
        let once = if name == "vgg" { 1 } else { repeats };
        let taken = best(&mut || {
            for _ in 0..once {
                let tape = network.tape(input, &run).unwrap();
                drop(walker.walk(&tape, &[0; BATCH], begin, &run).unwrap());
            }
        });
        println!("{name} {method} {threads} {:.3} {made:.1}", taken * repeats as f64 / once as f64);
    }
}
