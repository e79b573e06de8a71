//! Layers x · W + b, dense or convolutions: every rule that shares relevance out by products of inputs and weights.
//!
//! A rule is a sum of groups. In a group each term brings a part of the inputs together with a part of the weights, the
//! terms and a part of the bias make the whole z, and with t = c R / (z + ε sign z)
//!
//! R_i = Σ terms ± x_part_i · Σ_k w_part_ik t_k,
//!
//! so that a term costs one pass forward and one pull back of the layer itself, whatever kind of layer it is.
//!
//! | rule | groups: c; terms (inputs, weights); bias |
//! |---|---|
//! | z, ε | 1; (x, w); b |
//! | γ | outputs > 0: 1; (x⁺, w + γw⁺), (x⁻, w + γw⁻); b + γb⁺. Outputs < 0: 1; (x⁺, w + γw⁻), (x⁻, w + γw⁺); b + γb⁻ |
//! | αβ | α; (x⁺, w⁺), (x⁻, w⁻); b⁺. −β; (x⁺, w⁻), (x⁻, w⁺); b⁻ |
//! | z⁺ | αβ with α = 1, β = 0 |
//! | γ, z⁺ by the signs of weights | 1; (x, w + γw⁺) or (x, w⁺); b |
//! | z-box | 1; (x, w), −(low, w⁺), −(high, w⁻); none |
//! | w² | 1; (1, w²); b² or none |
//! | flat | 1; (1, 1); none |
//!
//! Terms whose part of the inputs is empty because inputs are known to be non-negative are left out, and z, ε take the
//! whole from the layer's own output. **Cost.** Passes of the layer: z, ε 1; z⁺ 2; γ, αβ 4; z-box 6; twice that with
//! inputs of both signs (γ, αβ, z⁺).
//!
//! Sources: S. Bach et al., PLoS ONE 10(7), 2015 (z, ε, αβ); G. Montavon et al., Pattern Recognition 65, 2017 (z⁺, z-box,
//! w²; z-box with x·w, not x·w⁺, in its numerator); G. Montavon et al., *LRP: an overview*, 2019, and L. Andéol et al. 2021
//! for inputs of both signs (γ); S. Lapuschkin et al. 2019 (flat).

use super::ratio::{Layout, Ratio, Side};
use crate::parts::WeightPart;
use crate::rule::{Back, Call, Rule};
use crate::walk::row_sums;
use base::graph::{Element, Op, Tensor};
use base::{Result, Run};
use network::Formula;
use numeric::Real;

/// A part of what goes in.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// A part of the inputs themselves.
    Inputs(WeightPart),
    /// These numbers, one for all or one for each channel.
    Fixed(Vec<f64>),
    /// The least number of each row, at most 0.
    Least,
    /// The largest number of each row, at least 0.
    Largest,
}

/// Inputs and weights that are brought together.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The part of the inputs.
    pub given: Given,
    /// The part of the weights.
    pub weights: WeightPart,
    /// Whether it is taken away.
    pub negated: bool,
}

/// Terms that relevance is shared out among.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The share of relevance, c.
    pub share: f64,
    /// The outputs it is for.
    pub side: Side,
    /// What is added up.
    pub terms: Vec<Term>,
    /// The part of the bias that belongs to the whole.
    pub bias: Option<WeightPart>,
}

/// A rule for layers with weights.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearRule {
    word: &'static str,
    groups: Vec<Group>,
    epsilon: f64,
}

fn term(given: WeightPart, weights: WeightPart) -> Term {
    Term { given: Given::Inputs(given), weights, negated: false }
}

fn group(share: f64, terms: Vec<Term>, bias: Option<WeightPart>) -> Group {
    Group { share, side: Side::Both, terms, bias }
}

impl LinearRule {
    /// What each input adds, stabilised by ε ≥ 0; with 0 the z rule.
    pub fn epsilon(epsilon: f64) -> Self {
        let word = if epsilon == 0.0 { "z" } else { "epsilon" };
        LinearRule {
            word,
            groups: vec![group(1.0, vec![term(WeightPart::Same, WeightPart::Same)], Some(WeightPart::Same))],
            epsilon,
        }
    }

    /// What agrees with the sign of the output counts γ times more.
    pub fn gamma(gamma: f64, epsilon: f64) -> Self {
        let (up, down) = (WeightPart::BoostedUp(gamma), WeightPart::BoostedDown(gamma));
        let one = |side, same, other| Group {
            share: 1.0,
            side,
            terms: vec![term(WeightPart::Positive, same), term(WeightPart::Negative, other)],
            bias: Some(same),
        };
        LinearRule { word: "gamma", groups: vec![one(Side::Above, up, down), one(Side::Below, down, up)], epsilon }
    }

    /// α times what pulls up less β times what pulls down, each shared out by itself.
    pub fn alpha_beta(alpha: f64, beta: f64, epsilon: f64) -> Self {
        let up =
            vec![term(WeightPart::Positive, WeightPart::Positive), term(WeightPart::Negative, WeightPart::Negative)];
        let down =
            vec![term(WeightPart::Positive, WeightPart::Negative), term(WeightPart::Negative, WeightPart::Positive)];
        let mut groups = vec![group(alpha, up, Some(WeightPart::Positive))];
        if beta != 0.0 {
            groups.push(group(-beta, down, Some(WeightPart::Negative)));
        }
        LinearRule { word: "alpha-beta", groups, epsilon }
    }

    /// What pulls up; without the bias it is the rule of deep Taylor decomposition for inputs that are not negative.
    pub fn z_plus(bias: bool, epsilon: f64) -> Self {
        let up =
            vec![term(WeightPart::Positive, WeightPart::Positive), term(WeightPart::Negative, WeightPart::Negative)];
        LinearRule { word: "z+", groups: vec![group(1.0, up, bias.then_some(WeightPart::Positive))], epsilon }
    }

    /// γ by the signs of weights alone; the same as [`LinearRule::gamma`] for inputs, biases and outputs that are not
    /// negative, with a bias that is not boosted.
    pub fn gamma_of_weights(gamma: f64, epsilon: f64) -> Self {
        let terms = vec![term(WeightPart::Same, WeightPart::BoostedUp(gamma))];
        LinearRule { word: "gamma of weights", groups: vec![group(1.0, terms, Some(WeightPart::Same))], epsilon }
    }

    /// z⁺ by the signs of weights alone; the same as [`LinearRule::z_plus`] for inputs and biases that are not negative.
    pub fn z_plus_of_weights(epsilon: f64) -> Self {
        let terms = vec![term(WeightPart::Same, WeightPart::Positive)];
        LinearRule { word: "z+ of weights", groups: vec![group(1.0, terms, Some(WeightPart::Same))], epsilon }
    }

    /// For inputs known to lie between two bounds, fixed ones or each row's own.
    pub fn z_box(low: Given, high: Given, epsilon: f64) -> Self {
        let bound = |given, weights| Term { given, weights, negated: true };
        let terms = vec![
            term(WeightPart::Same, WeightPart::Same),
            bound(low, WeightPart::Positive),
            bound(high, WeightPart::Negative),
        ];
        LinearRule { word: "z-box", groups: vec![group(1.0, terms, None)], epsilon }
    }

    /// By the squares of the weights; with the bias, its square absorbs a share.
    pub fn w_square(bias: bool, epsilon: f64) -> Self {
        let terms = vec![term(WeightPart::Ones, WeightPart::Square)];
        LinearRule { word: "w-square", groups: vec![group(1.0, terms, bias.then_some(WeightPart::Square))], epsilon }
    }

    /// The same for all inputs.
    pub fn flat(epsilon: f64) -> Self {
        LinearRule {
            word: "flat",
            groups: vec![group(1.0, vec![term(WeightPart::Ones, WeightPart::Ones)], None)],
            epsilon,
        }
    }

    /// Groups of one's own.
    pub fn new(word: &'static str, groups: Vec<Group>, epsilon: f64) -> Self {
        LinearRule { word, groups, epsilon }
    }
}

/// Inputs, weights and how the layer is laid out.
struct Layer<'c, 'a> {
    call: &'c Call<'a>,
    /// The place of what carries relevance, and of the weights.
    x: usize,
    w: usize,
    layout: Layout,
    bias: Option<Vec<f64>>,
}

impl<'c, 'a> Layer<'c, 'a> {
    fn of(call: &'c Call<'a>) -> Result<Self> {
        let x = call.only()?;
        let fits = match call.node.op {
            Op::MatMul => true,
            Op::Dense { .. } | Op::Conv { .. } | Op::ConvTranspose { .. } => x == 0,
            _ => return Err(call.refuse("it is not a layer with weights")),
        };
        if !fits {
            return Err(call.refuse("the weights must be constants"));
        }
        let layout = match call.node.op {
            Op::MatMul => Layout::by_last(call.output.shape()),
            _ => Layout::by_channel(call.output.shape()),
        };
        let bias = call.inputs.get(2).copied().flatten().map(Tensor::to_f64);
        Ok(Layer { call, x, w: 1 - x, layout, bias })
    }

    /// The constant the node has as its weights, in a part.
    fn weights(&self, part: WeightPart, run: &Run<'_>) -> Result<Tensor> {
        let (call, tensor) = (self.call, self.call.input(self.w)?);
        match call.node.inputs[self.w] {
            Some(source) => call.parts.part(source, tensor, part, call.network, run),
            None => Err(call.refuse("its weights are absent")),
        }
    }

    /// The part of the inputs that a term takes; none if there is nothing in it.
    fn given(&self, given: &Given, run: &Run<'_>) -> Result<Option<Tensor>> {
        let (call, x) = (self.call, self.call.input(self.x)?);
        Ok(match given {
            Given::Inputs(WeightPart::Same) => Some(x.clone()),
            Given::Inputs(WeightPart::Positive) if call.nonnegative[self.x] => Some(x.clone()),
            Given::Inputs(WeightPart::Negative) if call.nonnegative[self.x] => None,
            Given::Inputs(part) => Some(call.network.each([x], part, run)?),
            Given::Fixed(numbers) if numbers.iter().all(|n| *n == 0.0) => None,
            Given::Fixed(numbers) => Some(self.fixed(x, numbers)?),
            Given::Least => Some(self.bounds(x, |m, x| m.min(x))?),
            Given::Largest => Some(self.bounds(x, |m, x| m.max(x))?),
        })
    }

    /// One number for all elements, or one for each channel.
    fn fixed(&self, x: &Tensor, numbers: &[f64]) -> Result<Tensor> {
        let layout = match self.call.node.op {
            Op::MatMul => Layout::by_last(x.shape()),
            _ => Layout::by_channel(x.shape()),
        };
        if numbers.len() != 1 && numbers.len() != layout.channels {
            let why = format!("{} bounds for {} channels", numbers.len(), layout.channels);
            return Err(self.call.refuse(&why));
        }
        let length = layout.length.max(1);
        filled(x, |i| numbers[layout.channel(i / length, i % length) % numbers.len()])
    }

    /// The bound of each row's own numbers and 0.
    fn bounds(&self, x: &Tensor, bound: impl Fn(f64, f64) -> f64) -> Result<Tensor> {
        let values = x.to_f64();
        let width = (values.len() / self.call.rows.max(1)).max(1);
        let bounds: Vec<f64> = values.chunks(width).map(|row| row.iter().copied().fold(0.0, &bound)).collect();
        filled(x, |i| bounds[i / width])
    }

    /// The node's inputs with other ones in the place of inputs, weights and bias.
    fn with<'t>(&self, x: &'t Tensor, w: &'t Tensor, bias: Option<&'t Tensor>) -> Vec<Option<&'t Tensor>> {
        let mut all = vec![None; self.call.inputs.len()];
        (all[self.x], all[self.w]) = (Some(x), Some(w));
        if let (Some(place), Some(bias)) = (all.get_mut(2), bias) {
            *place = Some(bias);
        }
        all
    }

    /// What goes back through one group, added to what went before.
    fn back(
        &self,
        group: &Group,
        epsilon: f64,
        before: Option<Tensor>,
        back: &mut Back,
        run: &Run<'_>,
    ) -> Result<Option<Tensor>> {
        let (call, network) = (self.call, self.call.network);
        let bias = match (group.bias, &self.bias) {
            (Some(part), Some(bias)) => Some(bias.iter().map(|b| part.of_number(*b)).collect::<Vec<f64>>()),
            _ => None,
        };
        let own = [term(WeightPart::Same, WeightPart::Same)];
        let itself = group.terms == own && (group.bias == Some(WeightPart::Same) || self.bias.is_none());
        let mut pairs = vec![];
        for t in &group.terms {
            if let Some(given) = self.given(&t.given, run)? {
                pairs.push((t, given, self.weights(t.weights, run)?));
            }
        }
        let mut whole = if itself { Some(call.output.clone()) } else { None };
        if !itself {
            let shift = match &bias {
                None => None,
                Some(bias) => Some(match call.output.element() {
                    Element::F32 => Tensor::f32([bias.len()], bias.iter().map(|b| *b as f32).collect())?,
                    _ => Tensor::f64([bias.len()], bias.clone())?,
                }),
            };
            for (k, (t, x, w)) in pairs.iter().enumerate() {
                let z = network.apply(&call.node.op, &self.with(x, w, shift.as_ref().filter(|_| k == 0)), run)?;
                whole = Some(match whole {
                    None => z,
                    Some(sum) if t.negated => network.each([&sum, &z], &Minus, run)?,
                    Some(sum) => network.sum(&sum, &z, run)?,
                });
            }
        }
        let Some(whole) = whole else {
            // No term has anything in it: nobody can be given this share.
            let lost = row_sums(call.relevance, call.rows).into_iter().map(|r| group.share * r).collect::<Vec<_>>();
            add_to(&mut back.lost, &lost);
            return Ok(before);
        };
        let ratio = Ratio { share: group.share, epsilon, bias: bias.as_deref(), layout: self.layout, side: group.side };
        let divided = ratio.divide([call.relevance, &whole, call.output], call.rows, network, run)?;
        drop(whole);
        add_to(&mut back.absorbed, &divided.absorbed);
        add_to(&mut back.lost, &divided.lost);
        let mut sum = before;
        let gradients = [Some(divided.ratios)];
        for (t, x, w) in pairs {
            let inputs = self.with(&x, &w, None);
            let mut pulled = network.pull_back(&call.node.op, &inputs, &[], &gradients, call.wanted, run)?;
            let Some(pulled) = pulled[self.x].take() else { continue };
            let ones = t.given == Given::Inputs(WeightPart::Ones);
            sum = Some(match sum {
                None if ones && !t.negated => pulled,
                None => network.each([&x, &pulled], &Times { sign: if t.negated { -1.0 } else { 1.0 } }, run)?,
                Some(sum) => {
                    network.each([&x, &pulled, &sum], &Times { sign: if t.negated { -1.0 } else { 1.0 } }, run)?
                }
            });
        }
        Ok(sum)
    }
}

/// A tensor of the form of another, number by number.
fn filled(x: &Tensor, at: impl Fn(usize) -> f64) -> Result<Tensor> {
    let count = x.numbers().len();
    match x.element() {
        Element::F32 => Tensor::f32(x.shape(), (0..count).map(|i| at(i) as f32).collect()),
        _ => Tensor::f64(x.shape(), (0..count).map(at).collect()),
    }
}

/// Adds numbers, to nothing at first.
pub(super) fn add_to(sums: &mut Vec<f64>, more: &[f64]) {
    sums.resize(more.len().max(sums.len()), 0.0);
    sums.iter_mut().zip(more).for_each(|(s, m)| *s += m);
}

/// a − b.
struct Minus;

impl Formula<2> for Minus {
    fn of<T: Real>(&self, [a, b]: [T; 2]) -> T {
        a - b
    }
}

/// ±a·b, and that added to c.
pub(super) struct Times {
    pub sign: f64,
}

impl Formula<2> for Times {
    fn of<T: Real>(&self, [a, b]: [T; 2]) -> T {
        T::narrow(self.sign) * a * b
    }
}

impl Formula<3> for Times {
    fn of<T: Real>(&self, [a, b, c]: [T; 3]) -> T {
        c + T::narrow(self.sign) * a * b
    }
}

impl Rule for LinearRule {
    fn word(&self) -> &'static str {
        self.word
    }

    fn back(&self, call: &Call<'_>, run: &Run<'_>) -> Result<Back> {
        let layer = Layer::of(call)?;
        let mut back = Back::default();
        let mut sum = None;
        for group in &self.groups {
            sum = layer.back(group, self.epsilon, sum, &mut back, run)?;
        }
        if let Some(sum) = sum {
            back.inputs = call.one(layer.x, sum);
        }
        Ok(back)
    }
}
