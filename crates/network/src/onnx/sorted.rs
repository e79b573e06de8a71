//! The order in which nodes of a file are read: each after those that give what goes into it.
//!
//! ONNX asks files for that order already, and nodes that have it keep it; not all writers do. A search in depth from every
//! node, in the file's order: a node is done when all that it needs is done. It keeps its own stack, so that nothing
//! recurses by the file's word. O(nodes + inputs).

use super::build::Builder;
use super::message::Node;
use super::wire::FILE;
use base::{Error, Result};
use std::collections::HashMap;

/// How far the search has come with a node.
#[derive(Clone, Copy, PartialEq)]
enum Seen {
    No,
    /// What it needs is being looked at.
    Open,
    Done,
}

/// The places of the nodes in an order to read them in; refused where a node needs what comes of it. What `known` says is
/// there before any node.
pub(super) fn sorted(
    nodes: &[Node<'_>],
    known: impl Fn(&str) -> bool,
    builder: &mut Builder<'_>,
) -> Result<Vec<usize>> {
    let outputs: usize = nodes.iter().map(|n| n.outputs.len()).sum();
    let each = size_of::<Seen>() + size_of::<usize>() + size_of::<(usize, usize)>();
    builder.count(nodes.len().saturating_mul(each).saturating_add(2 * outputs * size_of::<(&str, usize)>()))?;
    let mut givers = HashMap::with_capacity(outputs);
    for (i, node) in nodes.iter().enumerate() {
        for name in node.outputs.iter().filter(|name| !name.is_empty() && !known(name)) {
            // That a name is given twice is found where the second is read.
            givers.entry(*name).or_insert(i);
        }
    }
    let (mut seen, mut order) = (vec![Seen::No; nodes.len()], Vec::with_capacity(nodes.len()));
    let mut stack: Vec<(usize, usize)> = vec![];
    for start in 0..nodes.len() {
        if seen[start] == Seen::No {
            seen[start] = Seen::Open;
            stack.push((start, 0));
        }
        while let Some((i, next)) = stack.last_mut() {
            let i = *i;
            let Some(name) = nodes[i].inputs.get(*next) else {
                seen[i] = Seen::Done;
                order.push(i);
                stack.pop();
                continue;
            };
            *next += 1;
            let Some(&giver) = givers.get(name) else { continue };
            match seen[giver] {
                Seen::Done => {}
                Seen::No => {
                    seen[giver] = Seen::Open;
                    stack.push((giver, 0));
                }
                Seen::Open => {
                    let node = &nodes[giver];
                    let own = if node.name.is_empty() { *name } else { node.name };
                    let why = format!("node {own:?} ({}): its output {name:?} goes back into itself", node.op);
                    return Err(Error::format(FILE, why));
                }
            }
        }
    }
    Ok(order)
}
