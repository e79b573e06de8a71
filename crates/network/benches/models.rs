//! Forward passes of real models beside onnxruntime, prints milliseconds, ratio and the largest difference.
//!
//! The other side is a process that runs the model when asked to; runs of both alternate, and the fastest of each is
//! told, so that a busy machine slows both sides alike. `benches/run models` says where the models and the peer are.
//! `nodes MODEL BATCH THREADS` prints where our own time goes instead.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark talks to its reader and may stop")]

use base::graph::*;
use base::{Error, Progress, Run, Seed, Verdict, Watch};
use pellucid_network::{Network, read_onnx};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What is run: a model, the shape of an item, and whether batches other than 1 fit.
const MODELS: [(&str, [usize; 3], bool); 4] = [
    ("efficientnet-lite0.onnx", [3, 224, 224], true),
    ("squeezenet_snacks10.onnx", [3, 227, 227], true),
    ("mnist_cntk.onnx", [1, 28, 28], false),
    ("cnn_mnist_pytorch.onnx", [1, 28, 28], false),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let Ok(folder) = std::env::var("PELLUCID_MODELS").map(PathBuf::from) else {
        return println!("models: PELLUCID_MODELS must name the folder of the models; see benches/run");
    };
    let count = |i: usize| words.get(i).and_then(|w| w.parse().ok()).unwrap_or(1);
    if words.first().is_some_and(|w| w == "nodes") {
        let wanted = words.get(1).map_or(MODELS[0].0, String::as_str);
        for (name, item, _) in MODELS.iter().filter(|m| m.0 == wanted) {
            nodes(&network(&folder, name), &input(count(2), item), count(3));
        }
        return;
    }
    println!(
        "{:<26} {:>7} {:>5} {:>9} {:>11} {:>6} {:>10}",
        "model", "threads", "batch", "ms", "onnxruntime", "ratio", "difference"
    );
    for (name, item, batches) in MODELS.iter().filter(|(name, ..)| folder.join(name).exists()) {
        let network = network(&folder, name);
        for threads in [1, 2] {
            for batch in [1, 16].into_iter().filter(|&batch| batch == 1 || *batches) {
                beside(&network, &folder.join(name), &input(batch, item), threads);
            }
        }
    }
}

fn network(folder: &std::path::Path, name: &str) -> Network {
    let bytes = std::fs::read(folder.join(name)).unwrap();
    let none = |file: &str| Err(Error::format(file, "is not there"));
    Network::new(read_onnx(name, &bytes, &none, &Run::quiet(1)).unwrap().graph)
}

fn input(batch: usize, item: &[usize]) -> Tensor {
    let shape = [&[batch], item].concat();
    let values = (0..shape.iter().product()).map(|i| (2.0 * Seed(1).at(i).unit() - 1.0) as f32).collect();
    Tensor::f32(shape, values).unwrap()
}

/// The other side.
struct Peer {
    child: Child,
    ask: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    fn new(model: &std::path::Path, x: &Tensor, threads: usize) -> Self {
        let python = std::env::var("PELLUCID_PYTHON").unwrap_or("python3".into());
        let peer = std::env::var("PELLUCID_PEER").unwrap();
        let mut command = Command::new(python);
        command.arg(peer).arg(model).arg(threads.to_string()).args(x.shape().iter().map(usize::to_string));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut ask, answers) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let bytes: Vec<u8> = x.to_f64().iter().flat_map(|&v| (v as f32).to_le_bytes()).collect();
        ask.write_all(&bytes).unwrap();
        ask.flush().unwrap();
        Peer { child, ask, answers }
    }

    fn line(&mut self) -> f64 {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.trim().parse().unwrap()
    }

    fn outputs(&mut self) -> Vec<f64> {
        let mut bytes = vec![0; 4 * self.line() as usize];
        self.answers.read_exact(&mut bytes).unwrap();
        bytes.as_chunks::<4>().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect()
    }

    fn seconds(&mut self) -> f64 {
        self.ask.write_all(b"\n").unwrap();
        self.ask.flush().unwrap();
        self.line()
    }
}

fn beside(network: &Network, path: &std::path::Path, x: &Tensor, threads: usize) {
    let run = Run { threads, ..Run::quiet(1) };
    let mut peer = Peer::new(path, x, threads);
    let theirs = peer.outputs();
    let inputs = std::slice::from_ref(x);
    let ours = network.run(inputs, &run).unwrap().last().unwrap().to_f64();
    assert_eq!(ours.len(), theirs.len());
    let apart = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let (begin, mut best, mut rounds) = (Instant::now(), [f64::INFINITY; 2], 0);
    while rounds < 8 || begin.elapsed() < Duration::from_secs(4) && rounds < 2000 {
        let start = Instant::now();
        drop(network.run(inputs, &run).unwrap());
        best = [best[0].min(start.elapsed().as_secs_f64()), best[1].min(peer.seconds())];
        rounds += 1;
    }
    drop(peer.ask);
    peer.child.wait().unwrap();
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let (batch, [ours, theirs]) = (x.shape()[0], best.map(|s| 1e3 * s));
    println!("{name:<26} {threads:>7} {batch:>5} {ours:>9.3} {theirs:>11.3} {:>6.2} {apart:>10.1e}", theirs / ours);
}

/// When each node of a run began.
struct Clock(Mutex<Vec<Instant>>);

impl Watch for Clock {
    fn step(&self, progress: &Progress) -> Verdict {
        if progress.stage == "network" {
            self.0.lock().unwrap().push(Instant::now());
        }
        Verdict::GoOn
    }
}

/// Where our time goes, node by node; the fastest of some runs.
fn nodes(network: &Network, x: &Tensor, threads: usize) {
    let count = network.graph().nodes().len();
    let mut best = vec![f64::INFINITY; count];
    for _ in 0..20 {
        let clock = Clock(Mutex::default());
        let run = Run { threads, watch: &clock, ..Run::quiet(1) };
        network.run(std::slice::from_ref(x), &run).unwrap();
        let mut times = clock.0.into_inner().unwrap();
        times.push(Instant::now());
        for (best, pair) in best.iter_mut().zip(times.windows(2)) {
            *best = best.min((pair[1] - pair[0]).as_secs_f64());
        }
    }
    for (node, seconds) in network.graph().nodes().iter().zip(&best) {
        let weight = |s: &Option<Source>| match s {
            Some(Source::Weight(i)) => Some(network.weights()[*i].shape().to_vec()),
            _ => None,
        };
        let shapes: Vec<Vec<usize>> = node.inputs.iter().filter_map(weight).collect();
        println!("{:>9.4} {:<12} {:<40} {shapes:?}", 1e3 * seconds, node.op.word(), node.name);
    }
    println!("{:>9.4} in all", 1e3 * best.iter().sum::<f64>());
}
