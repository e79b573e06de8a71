//! A kernel of your own: the spectrum kernel of strings, in a support vector machine and in a detector.
//!
//! Two strings are alike if they share short pieces: k(s, t) = Σ over short pieces p of (times p is in s) · (times p
//! is in t), divided by the lengths of both in that space. A string comes as a row of its characters' numbers, filled up
//! with −1; the kernel is all that knows what they mean.
#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use pellucid::kernels::{Expansion, Kernel, KernelFunction, OneClassSvm, Svc, WithKernel, mercer};
use pellucid::{Classes, Dataset, Learner, Points, Prediction, Record, Result, Run, Targets};
use std::collections::HashMap;

#[derive(Debug)]
struct Spectrum {
    length: usize,
}

impl Spectrum {
    /// How often each piece occurs.
    fn pieces(&self, row: &[f64]) -> HashMap<Vec<u32>, f64> {
        let letters: Vec<u32> = row.iter().take_while(|x| **x >= 0.0).map(|x| *x as u32).collect();
        let mut counts = HashMap::new();
        letters.windows(self.length).for_each(|piece| *counts.entry(piece.to_vec()).or_insert(0.0) += 1.0);
        counts
    }
}

impl KernelFunction for Spectrum {
    fn name(&self) -> &str {
        "spectrum"
    }

    fn value(&self, x: &[f64], u: &[f64]) -> f64 {
        let (a, b) = (self.pieces(x), self.pieces(u));
        let norm = |m: &HashMap<Vec<u32>, f64>| m.values().map(|c| c * c).sum::<f64>().sqrt();
        let shared: f64 = a.iter().map(|(piece, count)| count * b.get(piece).unwrap_or(&0.0)).sum();
        // A string too short for any piece is like no other.
        if norm(&a) * norm(&b) > 0.0 { shared / (norm(&a) * norm(&b)) } else { 0.0 }
    }

    fn parameters(&self) -> Record {
        Record::new("spectrum", 1).with("length", self.length)
    }
}

const ITALIAN: &str = "buongiorno grazie prego arrivederci domenica settimana giovedi mercoledi cucchiaio forchetta bicchiere \
    finestra ragazza ragazzo mangiare giardino";
const GERMAN: &str = "guten danke bitte wiedersehen sonntag woche donnerstag mittwoch loeffel gabel becher fenster maedchen \
    junge schlafen schmetterling";

fn rows(words: &[&str]) -> Result<Points> {
    let width = 20;
    let row = |word: &&str| {
        let letters = word.chars().map(|c| f64::from(u32::from(c))).chain(std::iter::repeat(-1.0)).take(width);
        letters.collect::<Vec<f64>>()
    };
    Points::from_rows(&words.iter().map(row).collect::<Vec<_>>())
}

fn main() -> Result<()> {
    let run = Run::quiet(1);
    let words: Vec<&str> = ITALIAN.split_whitespace().chain(GERMAN.split_whitespace()).collect();
    let italian = ITALIAN.split_whitespace().count();
    let names: Vec<Option<&str>> =
        (0..words.len()).map(|i| Some(if i < italian { "italian" } else { "german" })).collect();
    let data = Dataset::new(rows(&words)?, Targets::Classes(Classes::from_names(&names)));

    let kernel = Kernel::new(Spectrum { length: 2 });
    println!("Mercer's condition on these words: {:?}", mercer(&kernel, data.points()?, &run)?);

    let fitted = WithKernel { learner: Svc::default(), kernel: kernel.clone() }.fit(&data, None, &run)?;
    // A record keeps the kernel's name; reading it needs the kernel itself.
    let machine = Expansion::read_with(&fitted.machine.record(), Some(&kernel))?;
    let new = ["ragazzina", "schlafzimmer", "bicchierino", "sonnenfenster"];
    let answers = Prediction::of(&machine, &rows(&new)?.into(), &run)?;
    for (word, class) in new.iter().zip(answers.classes(&run)?) {
        println!("{word}: {}", answers.outputs.names[class as usize]);
    }

    let only = data.select(&(0..italian).collect::<Vec<_>>())?;
    let watch = WithKernel { learner: OneClassSvm { nu: 0.2, ..Default::default() }, kernel }.fit(&only, None, &run)?;
    let strangeness = watch.machine.compute(&rows(&new)?.into(), &run)?.to_dense(&run.memory)?;
    for (word, score) in new.iter().zip(strangeness.chunks(watch.machine.outputs().names.len())) {
        println!("{word}: outlier score among Italian words {:.3}", score[0]);
    }
    Ok(())
}
