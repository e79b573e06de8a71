//! The rising curve nearest to numbers in the sense of least squares, by pooling neighbours that fall.
//!
//! Equal places are averaged first. Between its steps the curve is a straight line, beyond its ends it is flat.
//! O(n log n).
//!
//! - R. Barlow, D. Bartholomew, J. Bremner, H. Brunk: *Statistical Inference under Order Restrictions.* Wiley 1972.

/// A curve of points with places strictly ascending and values that never fall.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Isotone {
    /// Where.
    pub places: Vec<f64>,
    /// How high.
    pub values: Vec<f64>,
}

/// The block of neighbours that share a value.
struct Block {
    from: f64,
    to: f64,
    sum: f64,
    weight: f64,
}

impl Isotone {
    /// The curve of (place, value, weight); places are finite.
    pub fn fit(mut points: Vec<(f64, f64, f64)>) -> Self {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut blocks: Vec<Block> = vec![];
        for (place, value, weight) in points.into_iter().filter(|p| p.2 > 0.0) {
            match blocks.last_mut() {
                Some(last) if last.from == place => {
                    last.sum += weight * value;
                    last.weight += weight;
                }
                _ => blocks.push(Block { from: place, to: place, sum: weight * value, weight }),
            }
        }
        let mut pooled: Vec<Block> = vec![];
        for block in blocks {
            pooled.push(block);
            while let [.., before, last] = &mut pooled[..] {
                if before.sum / before.weight < last.sum / last.weight {
                    break;
                }
                before.to = last.to;
                before.sum += last.sum;
                before.weight += last.weight;
                pooled.pop();
            }
        }
        let mut curve = Isotone::default();
        for block in pooled {
            let value = block.sum / block.weight;
            curve.places.push(block.from);
            curve.values.push(value);
            if block.to > block.from {
                curve.places.push(block.to);
                curve.values.push(value);
            }
        }
        curve
    }

    /// The curve at a place.
    pub fn at(&self, place: f64) -> f64 {
        let right = self.places.partition_point(|&p| p < place);
        match (right.checked_sub(1), self.places.get(right)) {
            (None, None) => 0.0,
            (None, Some(_)) => self.values[0],
            (Some(left), None) => self.values[left],
            (Some(left), Some(&end)) => {
                let (start, low, high) = (self.places[left], self.values[left], self.values[right]);
                low + (high - low) * ((place - start) / (end - start))
            }
        }
    }

    /// Whether places ascend, values do not fall, and both are finite.
    pub fn is_sound(&self) -> bool {
        self.places.len() == self.values.len()
            && self.places.windows(2).all(|w| w[0] < w[1])
            && self.values.windows(2).all(|w| w[0] <= w[1])
            && self.places.iter().chain(&self.values).all(|x| x.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_that_fall_are_pooled() {
        let points =
            [(1.0, 1.0, 1.0), (2.0, 0.0, 1.0), (3.0, 2.0, 1.0), (3.0, 4.0, 1.0), (4.0, 2.5, 3.0), (5.0, 9.0, 0.0)];
        let curve = Isotone::fit(points.to_vec());
        // (3, 3) of weight 2 and (4, 2.5) of weight 3 pool to 2.7.
        assert_eq!(curve, Isotone { places: vec![1.0, 2.0, 3.0, 4.0], values: vec![0.5, 0.5, 2.7, 2.7] });
        assert_eq!([0.0, 1.5, 2.5, 9.0].map(|x| curve.at(x)), [0.5, 0.5, 1.6, 2.7]);
        assert_eq!(Isotone::fit(vec![]).at(3.0), 0.0);
    }

    /// Against the definition: among all rising sequences on a grid none is nearer.
    #[test]
    fn no_rising_sequence_is_nearer() {
        let values = [3.0, 1.0, 2.0, 0.0, 4.0];
        let curve = Isotone::fit(values.iter().enumerate().map(|(i, &v)| (i as f64, v, 1.0)).collect());
        let cost = |s: &[f64]| s.iter().zip(&values).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let ours = cost(&(0..5).map(|i| curve.at(i as f64)).collect::<Vec<_>>());
        let grid: Vec<f64> = (0..=16).map(|i| f64::from(i) / 4.0).collect();
        let mut best = f64::INFINITY;
        for code in 0..17usize.pow(5) {
            let s: Vec<f64> = (0..5).map(|i| grid[code / 17usize.pow(i) % 17]).collect();
            if s.windows(2).all(|w| w[0] <= w[1]) {
                best = best.min(cost(&s));
            }
        }
        assert!((ours - best).abs() < 1e-12, "{ours} {best}");
    }
}
