//! Pruning of a trained network by rounds: the weights of least saliency go, the others are trained again.
//!
//! In each round a tenth of what is to go goes; retraining takes a fifth of the epochs. Offsets stay.

use crate::Network;
use crate::diagnose::{Mask, Pruning, Saliency};
use crate::train::{Ask, Examples, Lesson, Trained, Training, train};
use base::graph::{Element, Graph, Tensor};
use base::{Certificate, Dataset, Error, Result, Run};

base::choices! {
    /// Which weights go after training.
    pub enum Prune {
        /// None.
        None = "none",
        /// Those of least h w², with h the diagonal of the Hessian: optimal brain damage.
        Obd = "obd",
        /// Those of least w² / (H⁻¹), and the others make up for them: optimal brain surgeon.
        Obs = "obs",
    }
}

/// The graph with a share of its weights left, and what that did.
pub(crate) fn pruned(
    graph: Graph,
    (data, ask): (&Dataset, Ask),
    (prune, keep): (Prune, f64),
    training: &Training,
    certificate: &mut Certificate,
    run: &Run<'_>,
) -> Result<Graph> {
    let saliency = match prune {
        Prune::None => return Ok(graph),
        Prune::Obd => Saliency::Damage,
        Prune::Obs => Saliency::Surgeon,
    };
    if training.precision.element() == Element::F32 {
        return Err(Error::parameter(
            "precision",
            "f32",
            "must be f64 where weights are pruned: curvatures are differences",
        ));
    }
    let examples = Examples::new(&graph, &data.features, data, ask)?;
    let mut network = Network::new(graph);
    let lesson = Lesson::new(&network, &examples, training);
    let rows: Vec<usize> = (0..examples.len()).collect();
    let loss = |outputs: &Tensor| {
        let (paid, slope) = lesson.pay(outputs, &rows, rows.len() as f64)?;
        Ok((paid.mean(), slope))
    };
    let inputs = [examples.inputs(&rows, run)?];
    let total = network.parameters().len();
    let matrices: usize =
        network.parameter_ranges().iter().filter(|(i, _)| is_matrix(&network, *i)).map(|(_, r)| r.len()).sum();
    let gone = ((1.0 - keep) * matrices as f64).round() as usize;
    let pruning = Pruning { saliency, remove: gone.div_ceil(10).max(1), least: total - gone, ..Pruning::default() };
    let again = Training { epochs: (training.epochs / 5).max(1), validation: 0.0, ..training.clone() };
    let mut retrain = |network: &mut Network, mask: &Mask| {
        // Nothing is kept on the way: a checkpoint of a pruned network could not tell which weights are gone.
        let nothing = |_: Graph| Err(Error::unsupported("a checkpoint", "pruning", "wait for its end"));
        let quiet = Run { checkpoint: None, ..run.clone() };
        let masks = mask.tensors(network)?;
        let Trained { graph, .. } = train(network.trained_graph()?, &examples, &again, &masks, None, &nothing, &quiet)?;
        graph.weights().iter().enumerate().for_each(|(i, w)| network.put_weight(i, w.tensor.clone()));
        Ok(())
    };
    // Away from a minimum curvatures may be negative: the inverse then needs more on its diagonal.
    let start = network.parameters();
    let mut found = pruning.prune(&mut network, (&inputs, &loss), &mut retrain, run);
    for damping in [1e-4, 1e-2, 1.0] {
        if !matches!(&found, Err(Error::Parameter { name, .. }) if name == "damping") {
            break;
        }
        network.set_parameters(&start)?;
        found = Pruning { damping, ..pruning.clone() }.prune(&mut network, (&inputs, &loss), &mut retrain, run);
    }
    let found = found?;
    certificate.fact("weights pruned", (total - found.mask.count()) as f64);
    if let (Some(first), Some(last)) = (found.rounds.first(), found.rounds.last()) {
        certificate.fact("cost before pruning", first.before);
        certificate.objective = Some(last.retrained);
    }
    network.trained_graph()
}

fn is_matrix(network: &Network, weight: usize) -> bool {
    network.weights()[weight].shape().len() > 1
}
