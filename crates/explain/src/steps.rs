//! Where a score follows its inputs, and where it moves in steps.
//!
//! Votes, places of the nearest rows and comparisons change in jumps: their gradient is 0 almost everywhere. A method that
//! looks at gradients sees nothing where every way from the inputs to the score has such a step, and misses a part of the
//! score where some have. The condition of a choice (`Where`) is not counted: what is chosen has gradients of its own, and
//! functions written in pieces mostly meet where they change.

use base::graph::{Graph, Passes, Source};

/// How a score follows its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Follows {
    /// Some way from the inputs to the score has a gradient.
    pub somewhere: bool,
    /// Some way has a step.
    pub in_steps: bool,
}

impl Follows {
    /// Whether gradients account for all that changes.
    pub fn everywhere(self) -> bool {
        self.somewhere && !self.in_steps
    }

    fn join(self, other: Follows) -> Follows {
        Follows { somewhere: self.somewhere || other.somewhere, in_steps: self.in_steps || other.in_steps }
    }
}

/// How the score at `start` follows the first input of a graph.
pub(crate) fn follows(graph: &Graph, start: Source) -> Follows {
    let mut known: Vec<[Follows; 2]> = vec![];
    let whole = Follows { somewhere: true, in_steps: false };
    let at = |known: &[[Follows; 2]], source: Source| match source {
        Source::Input(_) => whole,
        Source::Weight(_) => Follows::default(),
        Source::Node(i, port) => known.get(i).map_or(Follows::default(), |ports| ports[port.min(1)]),
    };
    for node in graph.nodes() {
        let mut found = [Follows::default(); 2];
        for (k, source) in node.inputs.iter().enumerate().filter_map(|(k, s)| s.map(|s| (k, s))) {
            let own = at(&known, source);
            if own == Follows::default() {
                continue;
            }
            for (port, found) in found.iter_mut().enumerate() {
                let passed = match node.op.passes(k, port) {
                    Passes::Gradient => own,
                    Passes::Step => Follows { somewhere: false, in_steps: true },
                    Passes::Jumps => Follows { in_steps: true, ..own },
                    Passes::Nothing => Follows::default(),
                };
                *found = found.join(passed);
            }
        }
        known.push(found);
    }
    at(&known, start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::graph::{Binary, Draft, Op, Unary};

    fn of(build: impl Fn(&mut Draft) -> Source) -> Follows {
        let mut draft = Draft::rows(3);
        let y = build(&mut draft);
        let graph = draft.graph(y).unwrap();
        let start = graph.outputs()[0].1;
        follows(&graph, start)
    }

    #[test]
    fn steps_on_the_way_are_found() {
        let node = |draft: &mut Draft, name: &str, op: Unary, x: Source| draft.node(name, Op::Unary(op), &[x]);
        assert!(of(|d| node(d, "a", Unary::Tanh, Draft::INPUT)).everywhere());
        let votes = of(|d| node(d, "a", Unary::Sign, Draft::INPUT));
        assert_eq!(votes, Follows { somewhere: false, in_steps: true });
        // A step on the side.
        let both = of(|d| {
            let (a, b) = (node(d, "a", Unary::Sign, Draft::INPUT), node(d, "b", Unary::Tanh, Draft::INPUT));
            d.node("c", Op::Binary(Binary::Add), &[a, b])
        });
        assert_eq!(both, Follows { somewhere: true, in_steps: true });
        let nothing = of(|d| {
            let w = d.weight("w", &[1, 3], vec![1.0; 3]).unwrap();
            let shape = d.node("s", Op::Shape { start: 0, end: None }, &[Draft::INPUT]);
            let wide = d.node("w2", Op::Expand, &[w, shape]);
            node(d, "y", Unary::Tanh, wide)
        });
        assert_eq!(nothing, Follows::default());
    }
}
