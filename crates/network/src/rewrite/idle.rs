//! What does nothing while predicting, and what leads nowhere.

use super::rebuild::Parts;
use base::Result;
use base::graph::{Graph, Op, Source, Unary};

/// The graph without dropout and identity, without nodes that lead to no output, and without weights nobody uses.
pub fn without_idle(graph: &Graph) -> Result<Graph> {
    let mut parts = Parts::of(graph);
    for i in 0..parts.nodes.len() {
        let idle = matches!(parts.nodes[i].op, Op::Dropout { .. } | Op::Unary(Unary::Identity));
        if let (true, 1, Some(source)) = (idle, parts.nodes[i].outputs, parts.input(i, 0)) {
            parts.replace(Source::Node(i, 0), source);
        }
    }
    parts.graph()
}
