//! Distances between rows with gaps, and the nearest rows that have what is asked for.
//!
//! The squared partial distance of x and y is (d / s) Σ (x_c − y_c)² over the s of d columns that both have; rows that
//! share none have no distance. With zeros for gaps and masks M it is (X∘X)Mᵀ + M(Y∘Y)ᵀ − 2XYᵀ, one product of
//! matrices 3d wide over centred columns. Products cancel, so each distance comes with a bound of its error; whatever may
//! be among the nearest by that bound is computed again term by term, and the order is by these numbers, then by place.
//!
//! **Cost.** 6 d operations for a pair by products, plus d for each candidate; 3 d numbers for each row kept.

use base::{Hold, Result, Run};
use numeric::{Mat, MatMut, Smallest, product, squared_norm};

/// Rows to search among, prepared for products.
pub struct Partial<'a> {
    values: &'a [f64],
    rows: usize,
    columns: usize,
    centre: Vec<f64>,
    /// Mask, squares and numbers of each row, side by side.
    stacked: Vec<f64>,
    /// Σ y² of each row.
    norms: Vec<f64>,
    /// A bit for each value that is there, `words` words a row.
    masks: Vec<u64>,
    words: usize,
    _hold: Hold,
}

/// A query with bounds of its squared distances to all rows; NaN where nothing is shared.
pub struct Query<'a> {
    row: &'a [f64],
    low: Vec<f64>,
    high: Vec<f64>,
}

/// Squared distances and places, nearest first.
pub type Found = Vec<(f64, usize)>;

impl<'a> Partial<'a> {
    /// Prepares `rows` rows of `columns` numbers, NaN where a gap is; `centre` is near the middle of each column.
    pub fn new(run: &Run<'_>, values: &'a [f64], columns: usize, centre: Vec<f64>) -> Result<Self> {
        let rows = values.len() / columns.max(1);
        let words = columns.div_ceil(64);
        let numbers = rows.saturating_mul(columns.saturating_mul(3).saturating_add(1 + words));
        let hold = run.memory.take_for::<f64>(numbers, "rows to search among")?;
        let mut partial = Partial {
            values,
            rows,
            columns,
            centre,
            stacked: vec![0.0; 3 * rows * columns],
            norms: vec![0.0; rows],
            masks: vec![0; rows * words],
            words,
            _hold: hold,
        };
        for (j, row) in values.chunks_exact(columns.max(1)).enumerate() {
            let line = &mut partial.stacked[3 * columns * j..3 * columns * (j + 1)];
            stack(row, &partial.centre, [0, 1, 2], 1.0, line);
            partial.norms[j] = squared_norm(&line[2 * columns..]);
            bits(row, &mut partial.masks[j * words..(j + 1) * words]);
        }
        Ok(partial)
    }

    /// How many queries to look at in one go: the distances of a block stay within some 32 MB.
    pub fn block(&self) -> usize {
        ((1 << 22) / self.rows.max(1)).clamp(1, 256)
    }

    /// (X∘X)Mᵀ + M(Y∘Y)ᵀ − 2XYᵀ of some queries, row after row, not yet scaled.
    pub fn products(&self, run: &Run<'_>, queries: &[&[f64]], out: &mut [f64]) -> Result<()> {
        let (m, wide) = (queries.len(), 3 * self.columns);
        let (mut left, _hold) = run.memory.filled(m.saturating_mul(wide), 0.0, "queries")?;
        for (row, line) in queries.iter().zip(left.chunks_exact_mut(wide.max(1))) {
            stack(row, &self.centre, [1, 0, 2], -2.0, line);
        }
        let right = Mat::new(&self.stacked, self.rows, wide)?.transposed();
        product(run, Mat::new(&left, m, wide)?, right, MatMut::new(out, m, self.rows)?, 1.0, false)
    }

    /// A query with its line of [`Partial::products`].
    pub fn query<'q>(&self, row: &'q [f64], products: &[f64]) -> Query<'q> {
        let d = self.columns;
        let away = row.iter().zip(&self.centre).filter(|(x, _)| !x.is_nan()).map(|(x, c)| (x - c) * (x - c));
        let norm: f64 = away.sum();
        let mut mask = vec![0; self.words];
        bits(row, &mut mask);
        let (mut low, mut high) = (vec![f64::NAN; self.rows], vec![f64::NAN; self.rows]);
        // 3d terms, each rounded three times, whose sizes add up to at most 2 (|x|² + |y|²); doubled for safety.
        let unit = 4.0 * (3.0 * d as f64 + 8.0) * f64::EPSILON;
        for j in 0..self.rows {
            let shared = self.masks[j * self.words..].iter().zip(&mask).map(|(a, b)| (a & b).count_ones()).sum::<u32>();
            if shared > 0 {
                let scale = d as f64 / f64::from(shared);
                let (middle, error) = (scale * products[j], scale * unit * (norm + self.norms[j]));
                // Numbers so large that their squares are infinite tell nothing: any such row may be near.
                let known = middle.is_finite() && error.is_finite();
                (low[j], high[j]) = if known { (middle - error, middle + error) } else { (f64::MIN, f64::INFINITY) };
            }
        }
        Query { row, low, high }
    }

    /// The mask of some columns.
    pub fn need(&self, columns: &[usize]) -> Vec<u64> {
        let mut need = vec![0; self.words];
        columns.iter().for_each(|c| need[c / 64] |= 1 << (c % 64));
        need
    }

    /// Whether row `j` has all that is needed.
    pub fn has(&self, j: usize, need: &[u64]) -> bool {
        self.masks[j * self.words..].iter().zip(need).all(|(mask, need)| mask & need == *need)
    }

    /// The `k` nearest rows that have all that is needed and share a column with the query; fewer if there are fewer.
    pub fn nearest(&self, query: &Query<'_>, need: &[u64], k: usize) -> Found {
        let donors = || (0..self.rows).filter(|&j| !query.low[j].is_nan() && self.has(j, need));
        let mut bound = Smallest::new(k);
        donors().for_each(|j| bound.push(query.high[j], j));
        let bound = bound.finish();
        let limit = if bound.len() == k { bound.last().map_or(f64::INFINITY, |b| b.0) } else { f64::INFINITY };
        let mut found = Smallest::new(k);
        donors().filter(|&j| query.low[j] <= limit).for_each(|j| found.push(self.exact(query.row, j), j));
        found.finish()
    }

    /// The squared partial distance, term by term.
    fn exact(&self, row: &[f64], j: usize) -> f64 {
        let (mut sum, mut shared) = (0.0, 0usize);
        for (x, y) in row.iter().zip(&self.values[j * self.columns..(j + 1) * self.columns]) {
            let away = x - y;
            if !away.is_nan() {
                sum += away * away;
                shared += 1;
            }
        }
        sum * (self.columns as f64 / shared as f64)
    }
}

/// Writes mask, squares and numbers (times `scale`) of a centred row to the given thirds of a line.
fn stack(row: &[f64], centre: &[f64], places: [usize; 3], scale: f64, line: &mut [f64]) {
    let d = row.len();
    for (c, (x, m)) in row.iter().zip(centre).enumerate().filter(|(_, (x, _))| !x.is_nan()) {
        let x = x - m;
        line[places[0] * d + c] = 1.0;
        line[places[1] * d + c] = x * x;
        line[places[2] * d + c] = scale * x;
    }
}

fn bits(row: &[f64], mask: &mut [u64]) {
    row.iter().enumerate().filter(|(_, x)| !x.is_nan()).for_each(|(c, _)| mask[c / 64] |= 1 << (c % 64));
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Seed, normal};

    /// By the definition, over all pairs and columns.
    fn slow(values: &[f64], d: usize, row: &[f64], columns: &[usize], k: usize) -> Found {
        let mut all: Found = vec![];
        for (j, other) in values.chunks(d).enumerate() {
            let shared: Vec<usize> = (0..d).filter(|&c| !row[c].is_nan() && !other[c].is_nan()).collect();
            if !shared.is_empty() && columns.iter().all(|&c| !other[c].is_nan()) {
                let sum: f64 = shared.iter().map(|&c| (row[c] - other[c]).powi(2)).sum();
                all.push((sum * (d as f64 / shared.len() as f64), j));
            }
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        all.truncate(k);
        all
    }

    #[test]
    fn the_nearest_are_those_of_the_definition_in_spite_of_cancellation() {
        let run = Run::quiet(1);
        for (seed, d, offset, spread) in [(1, 3, 0.0, 1.0), (2, 70, 5.0, 1.0), (3, 5, 1e7, 1e-3), (4, 4, 0.0, 1e160)] {
            let mut stream = Seed(seed).stream();
            let mut draw = |i: usize| {
                let x = offset + spread * normal(&mut stream);
                // Some numbers on a grid, so that ties occur.
                let x = if seed == 1 { (2.0 * x).round() } else { x };
                if Seed(seed).at(i).unit() < 0.3 { f64::NAN } else { x }
            };
            let values: Vec<f64> = (0..120 * d).map(&mut draw).collect();
            let partial = Partial::new(&run, &values, d, vec![0.3 * offset; d]).unwrap();
            let queries: Vec<&[f64]> = values.chunks(d).take(40).collect();
            let mut out = vec![0.0; 40 * 120];
            partial.products(&run, &queries, &mut out).unwrap();
            for (row, line) in queries.iter().zip(out.chunks(120)) {
                let query = partial.query(row, line);
                for columns in [vec![0], vec![d - 1], vec![0, d - 1], vec![]] {
                    for k in [1, 7, 200] {
                        let found = partial.nearest(&query, &partial.need(&columns), k);
                        assert_eq!(found, slow(&values, d, row, &columns, k));
                    }
                }
            }
        }
    }
}
