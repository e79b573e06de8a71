//! All methods by name.

use base::{Error, Result, choices, nearest};

/// Names, words and what each method says, in a line; the order is that of the list people see.
macro_rules! methods {
    ($($(#[$doc:meta])* $variant:ident = $word:literal, $about:literal;)+) => {
        choices! {
            /// A way to explain.
            pub enum Method {
                $($(#[$doc])* $variant = $word,)+
            }
        }

        impl Method {
            /// All methods.
            pub const ALL: [Method; [$(Method::$variant),+].len()] = [$(Method::$variant),+];

            /// What it says, in a line.
            pub fn about(self) -> &'static str {
                match self { $(Method::$variant => $about,)+ }
            }
        }
    };
}

methods! {
    /// Deep Taylor decomposition of a detector's outlierness, by input.
    Dtd = "dtd", "outlierness by input, never negative, with what is left unexplained";
    /// The score by the training points it rests on.
    Support = "support", "the score by the training points it rests on";
    /// A detector's inlierness by support points.
    InlierSupport = "inlier-support", "how normal a row is, by the support points near it";
    /// Layer-wise relevance, α1β0 for convolutions and ε for dense layers.
    LrpComposite = "lrp-composite", "relevance by layers, alpha 1 beta 0 for convolutions, epsilon for dense";
    /// The same with z⁺ for convolutions.
    LrpEpsilonPlus = "lrp-epsilon-plus", "relevance by layers, z+ for convolutions, epsilon for dense";
    /// The same with the flat rule for the first convolution.
    LrpEpsilonPlusFlat = "lrp-epsilon-plus-flat", "the same, the first convolution flat";
    /// γ for convolutions, the first by bounds of its inputs.
    LrpEpsilonGammaBox = "lrp-epsilon-gamma-box", "gamma for convolutions, the first by bounds (low, high)";
    /// α2β1 for convolutions.
    LrpEpsilonAlpha2Beta1 = "lrp-epsilon-alpha2-beta1", "alpha 2 beta 1 for convolutions, epsilon for dense";
    /// The same with the flat rule for the first convolution.
    LrpEpsilonAlpha2Beta1Flat = "lrp-epsilon-alpha2-beta1-flat", "the same, the first convolution flat";
    /// What each input adds, layer by layer.
    LrpZ = "lrp-z", "what each input adds, layer by layer; input-gradient on rectified networks";
    /// The same, stabilised.
    LrpEpsilon = "lrp-epsilon", "what each input adds, layer by layer, weak contributions damped";
    /// What agrees with the sign of the output counts more.
    LrpGamma = "lrp-gamma", "what agrees with an output's sign counts more (gamma)";
    /// What pulls up and what pulls down, each by itself.
    LrpAlphaBeta = "lrp-alpha-beta", "alpha times what pulls up less beta times what pulls down";
    /// What pulls up.
    LrpZPlus = "lrp-zplus", "what pulls up, layer by layer";
    /// By the squares of the weights.
    LrpWSquare = "lrp-w-square", "by squared weights, layer by layer: looks at no input";
    /// Evenly.
    LrpFlat = "lrp-flat", "evenly to all that a unit sees: where it looks, not what for";
    /// Deep Taylor decomposition for inputs of any size.
    DeepTaylor = "deep-taylor", "deep Taylor decomposition, scores above 0 only";
    /// Deep Taylor decomposition for inputs between bounds.
    DeepTaylorBounded = "deep-taylor-bounded", "the same for inputs between bounds (low, high)";
    /// Winner probabilities.
    ExcitationBackprop = "excitation-backprop", "what excites each unit, positive weights only";
    /// Differences from a reference, by the rescale rule.
    DeepLift = "deep-lift", "the change of the score from a reference, layer by layer";
    /// Differences from a reference, what pulls up and down apart.
    DeepLiftRevealCancel = "deep-lift-reveal-cancel", "the same, what pulls up and what pulls down apart";
    /// What the output reads out, layer by layer.
    PatternNet = "pattern-net", "the signal the output reads out, by patterns fitted on the data";
    /// Attribution to that.
    PatternAttribution = "pattern-attribution", "how much each input adds to that signal";
    /// Gradients along the way from a reference.
    IntegratedGradients = "integrated-gradients", "the change of the score on the way from a reference";
    /// The gradient.
    Gradient = "gradient", "how the score would change";
    /// Its size.
    AbsGradient = "abs-gradient", "how much the score would change";
    /// The input times the gradient.
    InputGradient = "input-gradient", "the input times the gradient";
    /// The squared gradient.
    Sensitivity = "sensitivity", "the squared gradient";
    /// The mean gradient of noisy copies.
    SmoothGrad = "smoothgrad", "the mean gradient of noisy copies";
    /// The variance of the gradient over noisy copies.
    VarGrad = "vargrad", "how much the gradient varies over noisy copies";
    /// The gradient with rectifiers that look at what comes back only.
    DeconvNet = "deconvnet", "the gradient, what comes back rectified";
    /// The gradient with rectifiers that look both ways.
    GuidedBackprop = "guided-backprop", "the gradient, rectified both ways";
    /// The last convolution, weighted by its gradient.
    GradCam = "grad-cam", "where the last convolution saw what speaks for the output";
    /// What the score loses when a part is hidden.
    Occlusion = "occlusion", "what the score loses when a part is hidden";
    /// The same with what other rows have there.
    PredictionDifference = "prediction-difference", "what the score loses with other rows' values";
    /// A linear model around the row.
    Lime = "lime", "a linear model around the row, by hiding parts";
    /// Shapley values from samples.
    KernelShap = "kernel-shap", "Shapley values of parts from samples";
    /// Shapley values by counting.
    Shapley = "shapley", "Shapley values of up to 16 parts by counting all sets";
    /// Taylor's first order at a root.
    Taylor = "taylor", "the first order at the nearest root found";
    /// Squared differences from the nearest support point.
    Nearest = "nearest", "squared differences from the nearest support point";
    /// Squared differences from the mean of the support points.
    Expected = "expected", "squared differences from the mean of the support points";
    /// A diagonal Gaussian around the support points.
    Gaussian = "gaussian", "a diagonal Gaussian around the support points; explains its own score";
    /// The edges of a picture.
    Sobel = "sobel", "edges of the picture; knows nothing of the machine";
    /// A drawn order.
    Random = "random", "a drawn order; what every method must beat";
}

/// What a method asks of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// A detector that is a weighted sum of radial kernels.
    Density,
    /// Scores that are sums over training points.
    Support,
    /// A gradient.
    Slope,
    /// A network whose operations all have rules.
    Network,
    /// A network that ends in a convolution of a picture.
    LastConvolution,
    /// Scores, which every machine has.
    Score,
    /// Points to look for a root towards.
    Root,
    /// A picture.
    Picture,
    /// Nothing.
    Nothing,
}

/// What methods are called elsewhere.
const ALIASES: &[(&str, Method)] = &[
    ("shap", Method::KernelShap),
    ("ig", Method::IntegratedGradients),
    ("saliency", Method::AbsGradient),
    ("gradients", Method::Gradient),
    ("gradient-x-input", Method::InputGradient),
    ("input-x-gradient", Method::InputGradient),
    ("input-t-gradient", Method::InputGradient),
    ("lrp", Method::LrpComposite),
    ("deconvolution", Method::DeconvNet),
    ("guided-backpropagation", Method::GuidedBackprop),
    ("feature-ablation", Method::Occlusion),
    ("dtd-one-class", Method::Dtd),
];

/// A name without case, hyphens and underscores.
fn bare(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl Method {
    /// The method of that name, or of a name it has elsewhere; a slip is guessed.
    pub fn find(name: &str) -> Result<Method> {
        let usual = || ALIASES.iter().find(|(alias, _)| bare(alias) == bare(name)).map(|(_, method)| *method);
        let spelt = || Self::ALL.iter().copied().find(|m| bare(m.word()) == bare(name));
        Method::from_word(name).or_else(spelt).or_else(usual).ok_or_else(|| {
            let words: Vec<&str> = Self::ALL.iter().map(|m| m.word()).collect();
            let hint = nearest(name, words.iter().copied()).map_or(String::new(), |n| format!("; did you mean {n}?"));
            Error::parameter("method", name, format!("must be one of {}{hint}", words.join(", ")))
        })
    }

    /// Whether relevance is of support points, not of inputs.
    pub fn of_support(self) -> bool {
        matches!(self, Method::Support | Method::InlierSupport)
    }

    /// Whether it walks back through a network by rules.
    pub fn walks(self) -> bool {
        self.needs() == Needs::Network
    }

    /// Whether it explains scores above 0 only.
    pub fn above_zero(self) -> bool {
        matches!(self, Method::DeepTaylor | Method::DeepTaylorBounded)
    }

    /// Whether it looks at a setting of [`Tuning`](crate::Tuning).
    pub fn looks_at(self, setting: &str) -> bool {
        use Method::*;
        let layered = matches!(
            self,
            LrpComposite
                | LrpEpsilonPlus
                | LrpEpsilonPlusFlat
                | LrpEpsilonGammaBox
                | LrpEpsilonAlpha2Beta1
                | LrpEpsilonAlpha2Beta1Flat
        );
        let no_rules = matches!(self, DeconvNet | GuidedBackprop) || self.patterned() || self.lifts();
        match setting {
            "epsilon" => layered || self == LrpEpsilon,
            "gamma" => matches!(self, LrpGamma | LrpEpsilonGammaBox),
            "alpha" => self == LrpAlphaBeta,
            "signs" => {
                matches!(
                    self,
                    LrpGamma | LrpZPlus | LrpComposite | LrpEpsilonPlus | LrpEpsilonPlusFlat | LrpEpsilonGammaBox
                )
            }
            "stabiliser" => self.walks() && !no_rules && self != LrpZ,
            "batch_norm" => self.walks() && !no_rules,
            "low" | "high" => matches!(self, LrpEpsilonGammaBox | DeepTaylorBounded),
            "noise" | "copies" => matches!(self, SmoothGrad | VarGrad),
            "smoothed" => self == SmoothGrad,
            "steps" => self == IntegratedGradients,
            "patch" => matches!(self, Occlusion | PredictionDifference | Lime | KernelShap | Shapley),
            "samples" => matches!(self, Lime | KernelShap),
            "pieces" => matches!(self, Lime | KernelShap),
            "width" | "ridge" | "kernel_size" | "max_dist" | "ratio" => self == Lime,
            "reference" => {
                self.lifts() || matches!(self, IntegratedGradients | Occlusion | Lime | KernelShap | Shapley)
            }
            _ => false,
        }
    }

    /// Whether it fits patterns to data.
    pub(crate) fn patterned(self) -> bool {
        matches!(self, Method::PatternNet | Method::PatternAttribution)
    }

    /// Whether it tells differences from a reference.
    pub(crate) fn lifts(self) -> bool {
        matches!(self, Method::DeepLift | Method::DeepLiftRevealCancel)
    }

    /// Whether it pulls gradients back where it has no rule of its own, so that steps stop it.
    pub(crate) fn by_gradient(self) -> bool {
        self.lifts() || self.patterned() || matches!(self, Method::DeconvNet | Method::GuidedBackprop)
    }

    /// Whether what pulls up and what pulls down are shared out apart: what a unit without one of them was given is lost.
    pub(crate) fn by_two_signs(self) -> bool {
        use Method::*;
        matches!(self, LrpAlphaBeta | LrpEpsilonAlpha2Beta1 | LrpEpsilonAlpha2Beta1Flat)
    }

    /// Whether only what pulls up is shared out, which keeps the score where no unit is below 0.
    pub(crate) fn by_one_sign(self) -> bool {
        use Method::*;
        matches!(self, LrpZPlus | ExcitationBackprop | DeepTaylor | DeepTaylorBounded)
    }

    /// Whether dense layers share out by what each input adds, whatever its sign.
    pub(crate) fn dense_by_value(self) -> bool {
        use Method::*;
        matches!(self, LrpZ | LrpEpsilon | LrpComposite | LrpEpsilonPlus | LrpEpsilonGammaBox | LrpEpsilonAlpha2Beta1)
    }

    pub(crate) fn needs(self) -> Needs {
        match self {
            Method::Dtd | Method::InlierSupport | Method::Nearest | Method::Expected | Method::Gaussian => {
                Needs::Density
            }
            Method::Support => Needs::Support,
            Method::IntegratedGradients | Method::Gradient | Method::AbsGradient | Method::InputGradient => {
                Needs::Slope
            }
            Method::Sensitivity | Method::SmoothGrad | Method::VarGrad => Needs::Slope,
            Method::GradCam => Needs::LastConvolution,
            Method::Occlusion | Method::PredictionDifference | Method::Lime => Needs::Score,
            Method::KernelShap | Method::Shapley => Needs::Score,
            Method::Taylor => Needs::Root,
            Method::Sobel => Needs::Picture,
            Method::Random => Needs::Nothing,
            _ => Needs::Network,
        }
    }
}
