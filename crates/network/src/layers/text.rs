//! Layers as a short text: `conv 32 3x3 relu, pool 2, dense 128 relu, dropout 0.5`.
//!
//! Layers are separated by commas, words by spaces:
//!
//! | layer | words that may follow |
//! |---|---|
//! | `conv CHANNELS SIZE` | `stride N`, `dilation N`, `groups N` or `depthwise`, `valid` (no padding; else the size stays), `norm`, `dropconnect RATE`, an activation |
//! | `pool SIZE` | `stride N` (else the size), `average` or `lp N` (else the largest), `valid` is the rule |
//! | `pool all` | `average` (else the largest): one number for each channel |
//! | `dense UNITS` | `norm`, `dropconnect RATE`, an activation |
//! | `dropout RATE`, `norm`, `layer-norm`, `response` | |
//! | an activation | |
//!
//! SIZE is `3`, `3x3` or `5x1`; `norm` is batch normalisation between the weights and the activation; `leaky-relu` may be
//! followed by its slope. The last dense layer, to the outputs, is added by the learner.

use super::activation::{Activation, Unit};
use base::graph::Pooling;
use base::{Error, Result, Setting, nearest};

/// A layer.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    /// A convolution.
    Conv(Conv),
    /// Windows brought together.
    Pool {
        /// Their size.
        size: Vec<usize>,
        /// The steps between them.
        stride: usize,
        /// How.
        pooling: Pooling,
    },
    /// Each channel brought together; the largest or the mean.
    PoolAll {
        /// Whether the mean is meant.
        average: bool,
    },
    /// Every unit sees everything.
    Dense(DenseLayer),
    /// Units that are dropped while training.
    Dropout(f64),
    /// Batch normalisation.
    Norm,
    /// Normalisation of each row.
    LayerNorm,
    /// Local response normalisation.
    Response,
    /// An activation.
    Act(Unit),
}

/// A convolution.
#[derive(Debug, Clone, PartialEq)]
pub struct Conv {
    /// Channels that come out.
    pub channels: usize,
    /// The size of the window; one number is for all axes.
    pub size: Vec<usize>,
    /// Steps of the window.
    pub stride: usize,
    /// Distance of its elements.
    pub dilation: usize,
    /// Groups of channels; 0: each channel by itself.
    pub groups: usize,
    /// Whether the window stays inside.
    pub valid: bool,
    /// What follows the weights.
    pub after: After,
}

/// A dense layer.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseLayer {
    /// How many units.
    pub units: usize,
    /// What follows the weights.
    pub after: After,
}

/// What belongs to a layer with weights.
#[derive(Debug, Clone, PartialEq)]
pub struct After {
    /// Batch normalisation.
    pub norm: bool,
    /// The chance with which a weight is dropped while training.
    pub drop_connect: f64,
    /// The activation.
    pub unit: Unit,
}

impl Default for After {
    fn default() -> Self {
        After { norm: false, drop_connect: 0.0, unit: Activation::Identity.into() }
    }
}

/// The layers a text speaks of.
pub fn parse(text: &str) -> Result<Vec<Layer>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.enumerate().map(|(i, part)| Words::new(part, i + 1).layer()).collect()
}

/// The words of a layer that are not read yet.
struct Words<'a> {
    text: &'a str,
    number: usize,
    words: std::iter::Peekable<std::str::SplitWhitespace<'a>>,
}

const LAYERS: [&str; 7] = ["conv", "pool", "dense", "dropout", "norm", "layer-norm", "response"];

impl<'a> Words<'a> {
    fn new(text: &'a str, number: usize) -> Self {
        Words { text, number, words: text.split_whitespace().peekable() }
    }

    fn wrong(&self, why: impl Into<base::Message>) -> Error {
        Error::parameter("layers", format!("layer {} ({:?})", self.number, self.text), why)
    }

    fn layer(mut self) -> Result<Layer> {
        let word = self.words.next().unwrap_or("");
        let layer = match word {
            "conv" => self.conv()?,
            "pool" => self.pool()?,
            "dense" => {
                let units = self.count("the number of units")?;
                let mut after = After::default();
                while self.after(&mut after)? {}
                Layer::Dense(DenseLayer { units, after })
            }
            "dropout" => Layer::Dropout(self.share("the dropout probability")?),
            "norm" => Layer::Norm,
            "layer-norm" => Layer::LayerNorm,
            "response" => Layer::Response,
            other => match Activation::from_word(other) {
                Some(activation) => Layer::Act(self.unit(activation)?),
                None => return Err(self.unknown(other, &LAYERS)),
            },
        };
        match self.words.next() {
            None => Ok(layer),
            Some(rest) => {
                Err(self.unknown(rest, &["stride", "dilation", "groups", "depthwise", "valid", "norm", "average"]))
            }
        }
    }

    fn conv(&mut self) -> Result<Layer> {
        let channels = self.count("the number of channels")?;
        let size = self.size()?;
        let mut conv =
            Conv { channels, size, stride: 1, dilation: 1, groups: 1, valid: false, after: After::default() };
        loop {
            match self.words.peek().copied() {
                Some("stride") => conv.stride = self.named("the stride")?,
                Some("dilation") => conv.dilation = self.named("the dilation")?,
                Some("groups") => conv.groups = self.named("the number of groups")?,
                Some("depthwise") => {
                    self.words.next();
                    conv.groups = 0;
                }
                Some("valid") => {
                    self.words.next();
                    conv.valid = true;
                }
                _ => {
                    if !self.after(&mut conv.after)? {
                        return Ok(Layer::Conv(conv));
                    }
                }
            }
        }
    }

    fn pool(&mut self) -> Result<Layer> {
        if self.words.peek() == Some(&"all") {
            self.words.next();
            let average = self.words.peek() == Some(&"average");
            if average {
                self.words.next();
            }
            return Ok(Layer::PoolAll { average });
        }
        let size = self.size()?;
        let (mut stride, mut pooling) = (size[0], Pooling::Max);
        loop {
            match self.words.peek().copied() {
                Some("stride") => stride = self.named("the stride")?,
                Some("average") => {
                    self.words.next();
                    pooling = Pooling::Average;
                }
                Some("lp") => pooling = Pooling::Lp(self.named("the power")? as f64),
                _ => return Ok(Layer::Pool { size, stride, pooling }),
            }
        }
    }

    /// Reads one of the words that belong to every layer with weights; whether there was one.
    fn after(&mut self, after: &mut After) -> Result<bool> {
        match self.words.peek().copied() {
            Some("norm") => {
                self.words.next();
                after.norm = true;
            }
            Some("dropconnect") => {
                self.words.next();
                after.drop_connect = self.share("the fraction of weights that is dropped")?;
            }
            Some(word) => match Activation::from_word(word) {
                Some(activation) => {
                    self.words.next();
                    after.unit = self.unit(activation)?;
                }
                None => return Ok(false),
            },
            None => return Ok(false),
        }
        Ok(true)
    }

    fn unit(&mut self, activation: Activation) -> Result<Unit> {
        let mut unit = Unit::from(activation);
        if activation == Activation::LeakyRelu
            && let Some(leak) = self.words.peek().and_then(|word| word.parse::<f64>().ok())
        {
            self.words.next();
            if !(0.0..1.0).contains(&leak) {
                return Err(self.wrong(format!("the negative slope {leak} must lie in [0, 1)")));
            }
            unit.leak = leak;
        }
        Ok(unit)
    }

    /// The number after a word.
    fn named(&mut self, what: &str) -> Result<usize> {
        self.words.next();
        self.count(what)
    }

    fn count(&mut self, what: &str) -> Result<usize> {
        let word = self.words.next().unwrap_or("nothing");
        word.parse()
            .ok()
            .filter(|&n| n > 0)
            .ok_or_else(|| self.wrong(format!("{what} must be a whole number above 0, not {word}")))
    }

    fn share(&mut self, what: &str) -> Result<f64> {
        let word = self.words.next().unwrap_or("nothing");
        let share = word.parse().ok().filter(|share| (0.0..1.0).contains(share));
        share.ok_or_else(|| self.wrong(format!("{what} must lie in [0, 1), not {word}")))
    }

    fn size(&mut self) -> Result<Vec<usize>> {
        let word = self.words.next().unwrap_or("nothing");
        let sizes: Option<Vec<usize>> = word.split('x').map(|n| n.parse().ok().filter(|&n| n > 0)).collect();
        sizes.ok_or_else(|| self.wrong(format!("the size must look like 3 or 3x3, not {word}")))
    }

    fn unknown(&self, word: &str, known: &[&'static str]) -> Error {
        let activations = match Activation::KIND {
            base::Kind::Choice(words) => words,
            _ => &[],
        };
        let all = known.iter().chain(activations).copied();
        let hint = match nearest(word, all.clone()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("known are {}", all.collect::<Vec<_>>().join(", ")),
        };
        self.wrong(format!("{word:?} is not known here; {hint}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_layers() {
        let found = parse("conv 32 3x3 norm relu, pool 2, conv 8 5 stride 2 valid depthwise leaky-relu 0.25, pool all average, dropout 0.5, dense 10 dropconnect 0.5 tanh").unwrap();
        let relu = After { norm: true, drop_connect: 0.0, unit: Activation::Relu.into() };
        let leaky = Unit { leak: 0.25, ..Activation::LeakyRelu.into() };
        let expected = vec![
            Layer::Conv(Conv {
                channels: 32,
                size: vec![3, 3],
                stride: 1,
                dilation: 1,
                groups: 1,
                valid: false,
                after: relu,
            }),
            Layer::Pool { size: vec![2], stride: 2, pooling: Pooling::Max },
            Layer::Conv(Conv {
                channels: 8,
                size: vec![5],
                stride: 2,
                dilation: 1,
                groups: 0,
                valid: true,
                after: After { unit: leaky, ..After::default() },
            }),
            Layer::PoolAll { average: true },
            Layer::Dropout(0.5),
            Layer::Dense(DenseLayer {
                units: 10,
                after: After { norm: false, drop_connect: 0.5, unit: Activation::Tanh.into() },
            }),
        ];
        assert_eq!(found, expected);
        assert_eq!(parse(" , "), Ok(vec![]));
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        for (text, says) in [
            ("conv 32 3x3, pol 2", "layer 2 (\"pol 2\")"),
            ("pol 2", "did you mean pool?"),
            ("conv x 3", "the number of channels must be a whole number above 0, not x"),
            ("conv 3", "the size must look like 3 or 3x3, not nothing"),
            ("dense 0", "above 0, not 0"),
            ("dense 5 rellu", "did you mean relu?"),
            ("dropout 1", "must lie in [0, 1), not 1"),
            ("conv 3 3 stride", "the stride must be a whole number above 0, not nothing"),
            ("leaky-relu 2", "must lie in [0, 1)"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
