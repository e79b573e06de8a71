//! Another end for a graph: at a node within, or one of its outputs.

use super::rebuild::Parts;
use base::graph::{Graph, Source};
use base::{Error, Result, nearest};

/// The graph up to a node: what the node gives is what comes out, under the node's name.
pub fn cut(graph: &Graph, node: &str) -> Result<Graph> {
    let mut parts = Parts::of(graph);
    let Some(at) = parts.nodes.iter().position(|n| n.name == node) else {
        let known = nearest(node, parts.nodes.iter().map(|n| n.name.as_str()));
        let instead = known.map_or("no name is like it".to_string(), |k| format!("did you mean {k:?}?"));
        return Err(Error::parameter("node", node, format!("is not a node of this network; {instead}")));
    };
    let name = |port: usize| if port == 0 { node.to_string() } else { format!("{node} {port}") };
    parts.outputs = (0..parts.nodes[at].outputs).map(|port| (name(port), Source::Node(at, port))).collect();
    parts.graph()
}

/// The graph with one of its outputs, and only what leads there.
pub fn only_output(graph: &Graph, index: usize) -> Result<Graph> {
    let mut parts = Parts::of(graph);
    if index >= parts.outputs.len() {
        return Err(Error::size("outputs of a network", format!("more than {index}"), parts.outputs.len()));
    }
    parts.outputs = vec![parts.outputs.swap_remove(index)];
    parts.graph()
}
