//! Pictures and series cut into overlapping windows: each is explained by a detector of windows, and the heat maps are
//! added up where they lie.
//!
//! Total outlierness is the sum over windows, O = Σ_t o_t, so R_t = o_t; each window's variables get their relevance, and
//! a pixel gets what all windows that cover it give it. What the windows leave unexplained is absorbed.
//!
//! **Cost.** That of one batch of windows; blocks of windows are cut, so memory does not grow with the picture.

use base::{Balance, Error, Explainer, Points, Result, Run, Shape};

/// How windows are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    /// What is cut.
    pub shape: Shape,
    /// Height and width of a window of a picture; its length and 1 for a series.
    pub size: (usize, usize),
    /// From one window to the next.
    pub stride: usize,
}

/// What is strange where.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// Relevance of each number of the picture or series.
    pub values: Vec<f64>,
    /// Outlierness of each window, row after row.
    pub windows: Vec<f64>,
    /// The accounts.
    pub balance: Balance,
}

/// Windows explained in one go.
const BLOCK: usize = 4096;

impl Windows {
    /// Windows that fit into the shape.
    pub fn new(shape: Shape, size: (usize, usize), stride: usize) -> Result<Self> {
        let (height, width) = sides(shape);
        if size.0 == 0 || size.1 == 0 || size.0 > height || size.1 > width || shape.count().is_none() {
            let most = format!("between 1 and {height} x {width}");
            return Err(Error::size("a window", most, format!("{} x {}", size.0, size.1)));
        }
        match stride {
            0 => Err(Error::parameter("stride", 0, "must be at least 1")),
            _ => Ok(Windows { shape, size, stride }),
        }
    }

    /// How many windows lie below each other and side by side.
    pub fn grid(&self) -> (usize, usize) {
        let (height, width) = sides(self.shape);
        ((height - self.size.0) / self.stride + 1, (width - self.size.1) / self.stride + 1)
    }

    /// How many windows.
    pub fn count(&self) -> usize {
        let (down, across) = self.grid();
        down * across
    }

    /// How many numbers a window has.
    pub fn numbers(&self) -> usize {
        self.size.0 * self.size.1 * self.channels()
    }

    fn channels(&self) -> usize {
        match self.shape {
            Shape::Image { channels, .. } | Shape::Series { channels, .. } => channels,
        }
    }

    /// The places of one window's numbers.
    fn places(&self, window: usize) -> impl Iterator<Item = usize> {
        let (_, width) = sides(self.shape);
        let (_, across) = self.grid();
        let (channels, (high, wide)) = (self.channels(), self.size);
        let (top, left) = (window / across * self.stride, window % across * self.stride);
        (0..high).flat_map(move |y| {
            let start = ((top + y) * width + left) * channels;
            start..start + wide * channels
        })
    }

    /// Some windows as rows.
    pub fn cut(&self, values: &[f64], windows: impl Iterator<Item = usize>) -> Result<Points> {
        if self.shape.count() != Some(values.len()) {
            return Err(Error::size("values of an image or time series", self.shape, values.len()));
        }
        let mut all = vec![];
        let mut rows = 0;
        for window in windows {
            if window >= self.count() {
                return Err(Error::size("window", format!("below {}", self.count()), window));
            }
            all.extend(self.places(window).map(|i| values[i]));
            rows += 1;
        }
        Points::dense(all, rows, self.numbers())
    }

    /// What is strange in a picture or series, for a detector of its windows that explains itself by column.
    pub fn heat_map(&self, detector: &dyn Explainer, method: &str, values: &[f64], run: &Run<'_>) -> Result<HeatMap> {
        let d = self.numbers();
        let mut map = HeatMap { values: vec![0.0; values.len()], windows: vec![], balance: Balance::default() };
        let count = self.count();
        for start in (0..count).step_by(BLOCK) {
            let range = start..count.min(start + BLOCK);
            let relevance = detector.explain(method, &self.cut(values, range.clone())?, 0, run)?;
            if relevance.values.columns() != d {
                return Err(Error::size("numbers of a window", d, relevance.values.columns()));
            }
            let told = relevance.values.to_dense(&run.memory)?;
            for (window, line) in range.zip(told.chunks_exact(d)) {
                self.places(window).zip(line).for_each(|(i, r)| map.values[i] += r);
            }
            for b in relevance.balance.iter().flatten() {
                map.windows.push(b.score);
                map.balance.score += b.score;
                map.balance.absorbed += b.absorbed;
            }
        }
        map.balance.sum = map.values.iter().sum();
        map.balance.lost = map.balance.score - map.balance.sum - map.balance.absorbed;
        Ok(map)
    }

    /// A map of each number as a map of each pixel or moment: channels added up.
    pub fn by_place(&self, values: &[f64]) -> Vec<f64> {
        values.chunks_exact(self.channels().max(1)).map(|c| c.iter().sum()).collect()
    }
}

/// Height and width; a series is a picture one pixel wide.
pub(crate) fn sides(shape: Shape) -> (usize, usize) {
    match shape {
        Shape::Image { height, width, .. } => (height, width),
        Shape::Series { length, .. } => (length, 1),
    }
}
