//! Explanation methods on two networks: prints `net method threads ms set-up` with milliseconds an image (a run of the
//! network included) of the fastest of some rounds, and the milliseconds that binding the rules took.
//!
//! After the name of the network: threads, steps, and the name of the only method to be timed. With `IMAGES=512` in the
//! environment three methods are asked for so many images instead: seconds until the first eight are told beyond what
//! eight take later (set-up: rules bound, weights made ready), seconds for all, and the most memory that was used.
//!
//! The networks are those of the rivals' script: `vgg` (eleven layers, 3 x 224 x 224, 1000 outputs) and `cnn` (28 x 28,
//! ten outputs), single precision, drawn weights, eight images. `benches/run explain` runs this beside them.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use base::graph::*;
use base::{Features, Outputs, Points, Run, Seed};
use network::{Network, NetworkMachine};
use pellucid_explain::attribution::{IntegrationSteps, NoiseOptions, integrated_gradients, smooth_grad};
use pellucid_explain::composites::{Stabilisers, begun_by, everywhere, gradients, layered};
use pellucid_explain::{Begin, Composite, Given, LinearRule, RectifyRule, ScoreOf, Smoothed, Walker};
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

/// The most memory this process used, in MB; 0 where the system does not tell.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let [name, rest @ ..] = &words[..] else { return println!("methods: name vgg or cnn, then the number of threads") };
    let threads = rest.first().and_then(|w| w.parse().ok()).unwrap_or(1);
    let steps: usize = rest.get(1).and_then(|w| w.parse().ok()).unwrap_or(32);
    let only = rest.get(2);
    let run = Run { threads, ..Run::quiet(1) };
    let (network, x) = network(name);
    let (basis, e) = (Stabilisers::default(), 1e-6);
    let epsilon = || LinearRule::epsilon(e);
    let bounds = || LinearRule::z_box(Given::Fixed(vec![-3.0]), Given::Fixed(vec![3.0]), e);
    let plus = || layered(epsilon(), LinearRule::z_plus(true, e), basis);
    let methods: Vec<(&str, Composite, Begin)> = vec![
        ("gradient", gradients(None), Begin::One),
        ("guided_backprop", gradients(Some(RectifyRule { guided: true })), Begin::One),
        ("deconv", gradients(Some(RectifyRule { guided: false })), Begin::One),
        ("lrp_epsilon", everywhere(epsilon(), basis), Begin::Score),
        ("lrp_composite_eps_plus_flat", begun_by(LinearRule::flat(e), true, plus()), Begin::Score),
        (
            "lrp_composite_eps_gamma_box",
            begun_by(bounds(), false, layered(epsilon(), LinearRule::gamma(0.25, e), basis)),
            Begin::Score,
        ),
        ("lrp_alpha2beta1", layered(epsilon(), LinearRule::alpha_beta(2.0, 1.0, e), basis), Begin::Score),
        ("deep_taylor_zplus", everywhere(LinearRule::z_plus(true, e), basis), Begin::Score),
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
    if let Some(images) = std::env::var("IMAGES").ok().and_then(|w| w.parse::<usize>().ok()) {
        let asked = ["deconv", "lrp_epsilon", "lrp_alpha2beta1"];
        for (method, composite, begin) in methods.into_iter().filter(|m| asked.contains(&m.0)) {
            let mut taken = vec![];
            let clock = Instant::now();
            let start = network.graph().outputs()[0].1;
            let walker = Walker::new(&network, start, &[Source::Input(0)], &composite).unwrap();
            for _ in 0..images.div_ceil(BATCH) {
                let tape = network.tape(input, &run).unwrap();
                drop(walker.walk(&tape, &[0; BATCH], begin, &run).unwrap());
                taken.push(clock.elapsed().as_secs_f64());
            }
            let later = taken.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min);
            let (setup, all) = ((taken[0] - later).max(0.0), taken[taken.len() - 1]);
            println!(
                "{name} {method} threads {threads}: {images} images {all:.2} s, set-up {setup:.3} s, peak {} MB",
                peak()
            );
        }
        return;
    }
    let forward = best(&mut || drop(network.run(input, &run).unwrap()));
    println!("{name} forward {threads} {forward:.3} 0");
    let start = network.graph().outputs()[0].1;
    for (method, composite, begin) in methods.into_iter().filter(|m| only.is_none_or(|o| o == m.0)) {
        let clock = Instant::now();
        let walker = Walker::new(&network, start, &[Source::Input(0)], &composite).unwrap();
        let made = clock.elapsed().as_secs_f64() * 1e3;
        let taken = best(&mut || {
            let tape = network.tape(input, &run).unwrap();
            drop(walker.walk(&tape, &[0; BATCH], begin, &run).unwrap());
        });
        println!("{name} {method} {threads} {taken:.3} {made:.1}");
    }
    // What asks for many gradients is timed as it is asked for, rows in double precision included.
    let (columns, width) = (x.numbers().len() / BATCH, if name == "vgg" { 1000 } else { 10 });
    let graph = network.graph().clone();
    let shape = base::Shape::Image { height: x.shape()[2], width: x.shape()[3], channels: x.shape()[1] };
    let names: Vec<String> = (0..width).map(|i| i.to_string()).collect();
    let machine =
        NetworkMachine::new(graph, Features::unnamed(columns).shaped(shape).unwrap(), Outputs::values(names.into()));
    let machine = machine.unwrap();
    let score = ScoreOf::new(&machine, 0, &Run::quiet(0)).unwrap();
    let points = Points::dense(x.to_f64(), BATCH, columns).unwrap();
    let wanted = |method: &str| only.is_none_or(|o| o == method);
    if wanted("integrated_gradients") {
        let reference = vec![0.0; columns];
        let exactly = IntegrationSteps { tolerance: 0.0, most: steps };
        let taken = best(&mut || drop(integrated_gradients(&score, &points, &reference, exactly, &run).unwrap()));
        println!("{name} integrated_gradients {threads} {taken:.3} 0");
    }
    if wanted("smoothgrad") {
        let noise = NoiseOptions { share: 0.1, copies: steps, of: Smoothed::Plain };
        let taken = best(&mut || drop(smooth_grad(&score, &points, noise, &run).unwrap()));
        println!("{name} smoothgrad {threads} {taken:.3} 0");
    }
}
