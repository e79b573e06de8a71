//! Where training is: all that is needed to go on from there as if nothing had happened.

use super::rule::{Optimizer, zeros};
use crate::network::Network;
use base::graph::{Element, Numbers, Tensor};
use base::{Buffer, Record, Result};
use std::collections::VecDeque;

const KIND: &str = "training";

/// Where training is, at the end of an epoch.
#[derive(Debug, Clone)]
pub(crate) struct State {
    /// Epochs that are done.
    pub epoch: usize,
    /// Steps that are done.
    pub steps: u64,
    /// What the rule remembers of each trained weight.
    pub slots: Vec<Vec<Tensor>>,
    /// The mean of the trained weights over all steps, if that is asked for.
    pub mean: Vec<Tensor>,
    /// The trained weights after the last steps, if their mean is asked for.
    pub recent: VecDeque<Vec<Tensor>>,
    /// The lowest cost that counted, and all weights then.
    pub best: Option<(f64, Vec<Tensor>)>,
    /// Epochs since then.
    pub waited: usize,
    /// The mean cost of the rows in each epoch, while it went on.
    pub costs: Vec<f64>,
    /// The mean cost of the rows kept aside after each epoch.
    pub aside: Vec<f64>,
    /// The share of those whose class was right.
    pub right: Vec<f64>,
}

impl State {
    /// Before the first step.
    pub fn new(rule: Optimizer, network: &Network, trained: &[usize]) -> Result<Self> {
        let empty = |&i: &usize| (0..rule.slots()).map(|_| zeros(&network.weights()[i])).collect();
        Ok(State {
            epoch: 0,
            steps: 0,
            slots: trained.iter().map(empty).collect::<Result<_>>()?,
            mean: vec![],
            recent: VecDeque::new(),
            best: None,
            waited: 0,
            costs: vec![],
            aside: vec![],
            right: vec![],
        })
    }

    /// The state as plain data, with the weights that training goes on from.
    pub fn record(&self, network: &Network) -> Record {
        let slots: Vec<Record> = self.slots.iter().map(|s| tensors(s)).collect();
        let recent: Vec<Record> = self.recent.iter().map(|s| tensors(s)).collect();
        let curve =
            |record: Record, name: &str, values: &[f64]| record.with_array(name, &[values.len()], values.to_vec());
        let mut record = Record::new(KIND, 1)
            .with("epoch", self.epoch)
            .with("steps", self.steps as usize)
            .with("waited", self.waited)
            .with("weights", tensors(network.weights()))
            .with("slots", slots)
            .with("mean", tensors(&self.mean))
            .with("recent", recent);
        for (name, values) in [("costs", &self.costs), ("aside", &self.aside), ("right", &self.right)] {
            record = curve(record, name, values);
        }
        match &self.best {
            Some((cost, weights)) => record.with("best cost", *cost).with("best", tensors(weights)),
            None => record,
        }
    }

    /// A state of the same network, whose weights are put into it.
    pub fn read(record: &Record, rule: Optimizer, network: &mut Network, trained: &[usize]) -> Result<Self> {
        record.expect(KIND, 1)?;
        let all = network.weights().to_vec();
        let own: Vec<Tensor> = trained.iter().map(|&i| all[i].clone()).collect();
        let curve = |name: &str| record.array(name).map(|(_, values)| values.get(0..values.len()).into_owned());
        let parts = record.parts("slots")?;
        if parts.len() != trained.len() {
            return Err(record.broken("it is of another network"));
        }
        let slots =
            parts.iter().zip(&own).map(|(part, weight)| read_tensors(part, &vec![weight.clone(); rule.slots()]));
        let mean = record.part("mean")?;
        let best = match record.has("best cost") {
            true => {
                // Without rows aside the weights of the best epoch are not kept.
                let part = record.part("best")?;
                let none = part.parts("tensors")?.is_empty();
                Some((record.number("best cost")?, if none { vec![] } else { read_tensors(part, &all)? }))
            }
            false => None,
        };
        let state = State {
            epoch: record.count("epoch")?,
            steps: record.count("steps")? as u64,
            waited: record.count("waited")?,
            slots: slots.collect::<Result<_>>()?,
            mean: if mean.parts("tensors")?.is_empty() { vec![] } else { read_tensors(mean, &own)? },
            recent: record.parts("recent")?.iter().map(|part| read_tensors(part, &own)).collect::<Result<_>>()?,
            best,
            costs: curve("costs")?,
            aside: curve("aside")?,
            right: curve("right")?,
        };
        for (i, tensor) in read_tensors(record.part("weights")?, &all)?.into_iter().enumerate() {
            network.put_weight(i, tensor);
        }
        Ok(state)
    }
}

/// Tensors as plain data; whole numbers are constants and need not be told.
fn tensors(list: &[Tensor]) -> Record {
    let one = |tensor: &Tensor| {
        let record = Record::new("tensor", 1);
        let put = |values: Buffer| record.clone().with_array("values", tensor.shape(), values);
        match tensor.numbers() {
            Numbers::F32(v) => put(Buffer::F32(v.clone())),
            Numbers::F64(v) => put(Buffer::F64(v.clone())),
            _ => record,
        }
    };
    Record::new("tensors", 1).with("tensors", list.iter().map(one).collect::<Vec<_>>())
}

/// Tensors of the forms of others.
fn read_tensors(record: &Record, like: &[Tensor]) -> Result<Vec<Tensor>> {
    record.expect("tensors", 1)?;
    let parts = record.parts("tensors")?;
    if parts.len() != like.len() {
        return Err(record.broken(format!("{} tensors, not {}", parts.len(), like.len())));
    }
    let one = |(part, like): (&Record, &Tensor)| {
        if !like.element().is_real() {
            return Ok(like.clone());
        }
        let (shape, values) = part.array("values")?;
        let numbers = match (values, like.element()) {
            (Buffer::F32(v), Element::F32) => Numbers::F32(v.clone()),
            (Buffer::F64(v), Element::F64) => Numbers::F64(v.clone()),
            _ => return Err(part.broken("it has another precision")),
        };
        match shape == like.shape() {
            true => Tensor::new(shape, numbers),
            false => Err(part.broken(format!("a tensor of shape {shape:?}, not {:?}", like.shape()))),
        }
    };
    parts.iter().zip(like).map(one).collect()
}
