//! A density behind the door for a machine's own explanations.
//!
//! The number explained is outlierness, except by `inlier-support`, which tells of g(x) itself. A machine that is a
//! density hands out [`METHODS`] and [`QUANTITY`] and makes a [`OneClass`] ready when it is asked.

use crate::OneClass;
use base::{Error, Explainer, Over, OwnMethod, Points, Quantity, References, Relevance, Result, Run, Scored};

/// What a density says of itself, the usual method first.
pub static METHODS: &[OwnMethod] = &[
    OwnMethod {
        name: OneClass::BY_INPUT,
        about: "outlierness per input, never negative, with what is left unexplained",
        over: Over::Columns,
        adds_up: true,
    },
    OwnMethod {
        name: OneClass::BY_SUPPORT,
        about: "outlierness, attributed to the support points near a row",
        over: Over::Support,
        adds_up: true,
    },
    OwnMethod {
        name: OneClass::INLIER_BY_SUPPORT,
        about: "inlierness, attributed to the support points near a row",
        over: Over::Support,
        adds_up: true,
    },
];

/// The number that is explained.
pub const QUANTITY: Quantity = Quantity { name: "outlierness", gradient: true, references: true };

impl Explainer for OneClass {
    fn explain(&self, method: &str, points: &Points, _output: usize, run: &Run<'_>) -> Result<Relevance> {
        match method {
            OneClass::BY_INPUT => self.by_input(points, run),
            OneClass::BY_SUPPORT => self.outlier_support(points, run),
            OneClass::INLIER_BY_SUPPORT => self.inlier_support(points, run),
            _ => {
                let known: Vec<&str> = METHODS.iter().map(|m| m.name).collect();
                Err(Error::parameter("method", method, format!("must be one of {}", known.join(", "))))
            }
        }
    }

    fn quantity(&self) -> Option<&dyn Scored> {
        Some(self)
    }

    fn references(&self) -> Option<&dyn References> {
        Some(self)
    }
}

impl Scored for OneClass {
    fn columns(&self) -> usize {
        OneClass::columns(self)
    }

    fn values(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        self.outlierness(points, run)
    }

    fn gradients(&self, points: &Points, run: &Run<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
        self.gradient(points, run)
    }
}

impl References for OneClass {
    fn points(&self) -> &Points {
        self.density().centres()
    }

    fn weights(&self) -> &[f64] {
        self.density().weights()
    }

    fn squared_distances(&self, points: &Points, run: &Run<'_>) -> Result<Vec<f64>> {
        OneClass::squared_distances(self, points, run)
    }

    fn value_at(&self, squares: &mut [f64]) -> f64 {
        self.outlierness_at(squares)
    }
}
