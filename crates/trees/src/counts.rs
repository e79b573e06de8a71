//! Gini impurity and entropy, kept up to date row by row.
//!
//! With the weights l_k of the classes on the left, r_k on the right, sums L and R, the weighted decrease is up to a
//! constant Σl²/L + Σr²/R (Gini) and Σ l log l − L log L + Σ r log r − R log R (entropy). A row of class k changes one
//! l and one r, so a move costs O(1) whatever the number of classes. Sums of whole weights are exact.

use crate::criterion::Judge;

/// How the weight c of a class enters the sum over classes.
pub trait Term {
    /// The term of one class.
    fn term(c: f64) -> f64;
    /// The purity of a side with this sum of terms and this weight, times the weight.
    fn side(sum: f64, weight: f64) -> f64;
    /// The impurity of a node with this purity times weight.
    fn impurity(purity: f64, weight: f64) -> f64;
}

/// 1 − Σ p².
pub struct Gini;

/// −Σ p log₂ p.
pub struct Entropy;

impl Term for Gini {
    fn term(c: f64) -> f64 {
        c * c
    }
    fn side(sum: f64, weight: f64) -> f64 {
        sum / weight
    }
    fn impurity(purity: f64, weight: f64) -> f64 {
        1.0 - purity / weight
    }
}

impl Term for Entropy {
    fn term(c: f64) -> f64 {
        if c > 0.0 { c * c.log2() } else { 0.0 }
    }
    fn side(sum: f64, weight: f64) -> f64 {
        sum - Self::term(weight)
    }
    fn impurity(purity: f64, weight: f64) -> f64 {
        -purity / weight
    }
}

/// Class counts of a node.
pub struct Counts<'a, T: Term> {
    codes: &'a [u32],
    /// Number of each class within the node, [`ABSENT`] outside of it.
    local: Vec<u32>,
    /// The classes of the node.
    classes: Vec<u32>,
    /// Class and weight of each row of the node.
    rows: Vec<(u32, f64)>,
    sides: Vec<Class>,
    weight: f64,
    sum: f64,
    left: f64,
    left_sum: f64,
    right_sum: f64,
    term: std::marker::PhantomData<T>,
}

/// The weights of one class.
#[derive(Clone, Copy, Default)]
struct Class {
    left: f64,
    total: f64,
    left_term: f64,
    right_term: f64,
    total_term: f64,
}

const ABSENT: u32 = u32::MAX;

impl<'a, T: Term> Counts<'a, T> {
    /// For classes with these codes below `count`.
    pub fn new(codes: &'a [u32], count: usize) -> Self {
        Counts {
            codes,
            local: vec![ABSENT; count],
            classes: vec![],
            rows: vec![],
            sides: vec![],
            weight: 0.0,
            sum: 0.0,
            left: 0.0,
            left_sum: 0.0,
            right_sum: 0.0,
            term: std::marker::PhantomData,
        }
    }
}

impl<T: Term> Judge for Counts<'_, T> {
    fn load(&mut self, rows: &[u32], weights: &[f64]) {
        self.classes.iter().for_each(|&c| self.local[c as usize] = ABSENT);
        self.classes.clear();
        self.sides.clear();
        self.rows.clear();
        self.weight = 0.0;
        for &row in rows {
            let (code, weight) = (self.codes[row as usize], weights[row as usize]);
            let local = &mut self.local[code as usize];
            if *local == ABSENT {
                *local = self.classes.len() as u32;
                self.classes.push(code);
                self.sides.push(Class::default());
            }
            self.rows.push((*local, weight));
            self.sides[*local as usize].total += weight;
            self.weight += weight;
        }
        self.sum = 0.0;
        for side in &mut self.sides {
            side.total_term = T::term(side.total);
            self.sum += side.total_term;
        }
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn pure(&self) -> bool {
        self.classes.len() <= 1
    }

    fn impurity(&self) -> f64 {
        T::impurity(T::side(self.sum, self.weight), self.weight).max(0.0)
    }

    fn leaf(&self, out: &mut Vec<(u32, f64)>) {
        let start = out.len();
        out.extend(self.classes.iter().zip(&self.sides).map(|(&c, side)| (c, side.total / self.weight)));
        out[start..].sort_unstable_by_key(|&(c, _)| c);
    }

    fn reset(&mut self) {
        for side in &mut self.sides {
            side.left = 0.0;
            side.left_term = 0.0;
            side.right_term = side.total_term;
        }
        self.left = 0.0;
        self.left_sum = 0.0;
        self.right_sum = self.sum;
    }

    #[inline]
    fn add(&mut self, place: usize) {
        let (class, weight) = self.rows[place];
        let side = &mut self.sides[class as usize];
        side.left += weight;
        self.left += weight;
        let (left, right) = (T::term(side.left), T::term(side.total - side.left));
        self.left_sum += left - side.left_term;
        self.right_sum += right - side.right_term;
        (side.left_term, side.right_term) = (left, right);
    }

    fn left(&self) -> f64 {
        self.left
    }

    #[inline]
    fn score(&self) -> f64 {
        T::side(self.left_sum, self.left) + T::side(self.right_sum, self.weight - self.left)
    }

    fn tolerance(&self) -> f64 {
        1e-12 * self.weight
    }

    fn gain(&self, score: f64) -> f64 {
        (score - T::side(self.sum, self.weight)).max(0.0)
    }
}
