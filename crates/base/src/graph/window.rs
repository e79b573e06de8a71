//! Windows that slide over the space axes of pictures, series and volumes.

use crate::choices;

/// A window over the axes after batch and channels, one number for each of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    /// Size of the window.
    pub kernel: Vec<usize>,
    /// Steps between places of the window.
    pub strides: Vec<usize>,
    /// Distance of neighbouring elements of the window.
    pub dilations: Vec<usize>,
    /// What is added around.
    pub padding: Padding,
}

impl Window {
    /// A window of that size that moves by one and stays inside.
    pub fn new(kernel: impl Into<Vec<usize>>) -> Self {
        let kernel = kernel.into();
        let n = kernel.len();
        let padding = Padding::Explicit { begin: vec![0; n], end: vec![0; n], up: false };
        Window { kernel, strides: vec![1; n], dilations: vec![1; n], padding }
    }

    /// The same with other steps.
    pub fn strides(self, strides: impl Into<Vec<usize>>) -> Self {
        Window { strides: strides.into(), ..self }
    }

    /// The same with as much added before and after.
    pub fn pads(self, pads: impl Into<Vec<usize>>) -> Self {
        let begin = pads.into();
        Window { padding: Padding::Explicit { end: begin.clone(), begin, up: false }, ..self }
    }
}

/// What is added around the space axes before a window slides over them.
#[derive(Debug, Clone, PartialEq)]
pub enum Padding {
    /// These numbers of elements before and after, axis by axis.
    Explicit {
        /// Before the first.
        begin: Vec<usize>,
        /// After the last.
        end: Vec<usize>,
        /// Whether a window that starts inside may reach past the end (the number of places is rounded up).
        up: bool,
    },
    /// As much as makes size / stride places, rounded up; an odd one goes to the end.
    SameUpper,
    /// The same; an odd one goes to the beginning.
    SameLower,
}

choices! {
    /// What padded elements hold.
    pub enum Filling {
        /// One value for all.
        Constant = "constant",
        /// The elements mirrored at the edge, which is not repeated.
        Reflect = "reflect",
        /// The element at the edge.
        Edge = "edge",
        /// The elements from the other side.
        Wrap = "wrap",
    }
}

choices! {
    /// How a resized tensor takes its numbers from the old one.
    pub enum Resizing {
        /// The nearest element; halves go down.
        Nearest = "nearest",
        /// Between two neighbours along each axis.
        Linear = "linear",
        /// A cubic through four neighbours along each axis.
        Cubic = "cubic",
    }
}
