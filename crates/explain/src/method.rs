//! The table of all methods: a line for each, with the entry that describes it.
//!
//! The order is that of the lists people see.

use crate::entry::{MethodEntry, MethodNeeds};
use crate::{attribution, deconvolution, grad_cam, lifting, lrp, own, patterns, support};
use base::{Error, Over, OwnMethod, Result, nearest};

macro_rules! methods {
    ($($variant:ident = $entry:path, $doc:literal;)+) => {
        /// A way to explain.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Method {
            $(#[doc = $doc] $variant,)+
            /// A machine's own, which the table does not name.
            Own(&'static OwnMethod),
        }

        impl Method {
            /// All methods of the table.
            pub const ALL: [Method; [$(Method::$variant),+].len()] = [$(Method::$variant),+];

            /// All that is known of it.
            pub fn entry(self) -> MethodEntry {
                match self {
                    $(Method::$variant => $entry,)+
                    Method::Own(method) => MethodEntry::own(method),
                }
            }
        }
    };
}

methods! {
    Dtd = own::DTD, "Deep Taylor decomposition of a detector's outlierness, per input.";
    Support = support::SUPPORT, "The score, attributed to training points.";
    InlierSupport = own::INLIER_SUPPORT, "A detector's inlierness by support points.";
    LrpComposite = lrp::COMPOSITE, "Layer-wise relevance, α1β0 for convolutions and ε for dense layers.";
    LrpEpsilonPlus = lrp::EPSILON_PLUS, "The same with z⁺ for convolutions.";
    LrpEpsilonPlusFlat = lrp::EPSILON_PLUS_FLAT, "The same with the flat rule for the first convolution.";
    LrpEpsilonGammaBox = lrp::EPSILON_GAMMA_BOX, "γ for convolutions, the first by bounds of its inputs.";
    LrpEpsilonAlpha2Beta1 = lrp::EPSILON_ALPHA2_BETA1, "α2β1 for convolutions.";
    LrpEpsilonAlpha2Beta1Flat = lrp::EPSILON_ALPHA2_BETA1_FLAT, "The same with the flat rule for the first convolution.";
    LrpZ = lrp::Z, "LRP-0: contributions, layer by layer.";
    LrpEpsilon = lrp::EPSILON, "The same, stabilised.";
    LrpGamma = lrp::GAMMA, "Contributions that agree with the sign of the output count more.";
    LrpAlphaBeta = lrp::ALPHA_BETA, "Positive and negative contributions, treated separately.";
    LrpZPlus = lrp::Z_PLUS, "Positive contributions only.";
    LrpWSquare = lrp::W_SQUARE, "By the squares of the weights.";
    LrpFlat = lrp::FLAT, "Evenly.";
    DeepTaylor = lrp::DEEP_TAYLOR, "Deep Taylor decomposition for inputs of any size.";
    DeepTaylorBounded = lrp::DEEP_TAYLOR_BOUNDED, "Deep Taylor decomposition for inputs between bounds.";
    ExcitationBackprop = lrp::EXCITATION_BACKPROP, "Winner probabilities.";
    DeepLift = lifting::DEEP_LIFT, "Differences from a reference, by the rescale rule.";
    DeepLiftRevealCancel = lifting::DEEP_LIFT_REVEAL_CANCEL, "Differences from a reference, positive and \
         negative contributions separately.";
    DeepShap = lifting::DEEP_SHAP, "The rescale rule, averaged over references from the data.";
    PatternNet = patterns::PATTERN_NET, "What the output reads out, layer by layer.";
    PatternAttribution = patterns::PATTERN_ATTRIBUTION, "Attribution to that.";
    IntegratedGradients = attribution::integrated::INTEGRATED_GRADIENTS, "Gradients along the way from a reference.";
    Gradient = attribution::gradients::GRADIENT, "The gradient.";
    AbsGradient = attribution::gradients::ABS_GRADIENT, "Its absolute value.";
    InputGradient = attribution::gradients::INPUT_GRADIENT, "The input times the gradient.";
    Sensitivity = attribution::gradients::SENSITIVITY, "The squared gradient.";
    SmoothGrad = attribution::smooth::SMOOTH_GRAD, "The mean gradient of noisy copies.";
    VarGrad = attribution::smooth::VAR_GRAD, "The variance of the gradient over noisy copies.";
    DeconvNet = deconvolution::DECONV_NET, "The gradient with rectifiers that look at what comes back only.";
    GuidedBackprop = deconvolution::GUIDED_BACKPROP, "The gradient with rectifiers that look both ways.";
    GradCam = grad_cam::GRAD_CAM, "The last convolution, weighted by its gradient.";
    Occlusion = attribution::occlusion::OCCLUSION, "What the score loses when a part is hidden.";
    PredictionDifference = attribution::occlusion::PREDICTION_DIFFERENCE, "The same with what other rows have there.";
    Lime = attribution::pieces::LIME, "A linear model around the row.";
    KernelShap = attribution::pieces::KERNEL_SHAP, "Shapley values from samples.";
    Shapley = attribution::pieces::SHAPLEY, "Shapley values by counting.";
    Taylor = attribution::taylor::TAYLOR, "Taylor's first order at a root.";
    Nearest = attribution::prototypes::NEAREST, "Squared differences from the nearest support point.";
    Expected = attribution::prototypes::EXPECTED, "Squared differences from the mean of the support points.";
    Gaussian = attribution::gaussian::GAUSSIAN, "A diagonal Gaussian around the support points.";
    Sobel = attribution::sobel::SOBEL, "The edges of an image.";
    Random = attribution::gradients::RANDOM, "A random order.";
}

/// A name without case, hyphens and underscores.
fn bare(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Those of a machine's own methods that the table does not name.
pub(crate) fn beside_table(own: &'static [OwnMethod]) -> impl Iterator<Item = Method> {
    own.iter().filter(|o| Method::ALL.iter().all(|m| m.word() != o.name)).map(Method::Own)
}

impl Method {
    /// The word a person writes.
    pub fn word(self) -> &'static str {
        self.entry().name
    }

    /// What it says, in a line.
    pub fn about(self) -> &'static str {
        self.entry().about
    }

    /// The method of that name in the table, or of a name it has elsewhere; a slip is guessed.
    pub fn find(name: &str) -> Result<Method> {
        Self::find_among(name, &[])
    }

    /// The same with a machine's own methods beside the table; one that the table names is the table's.
    pub(crate) fn find_among(name: &str, own: &'static [OwnMethod]) -> Result<Method> {
        let all: Vec<Method> = Self::ALL.into_iter().chain(beside_table(own)).collect();
        let of = |is: &dyn Fn(&MethodEntry) -> bool| all.iter().copied().find(|m| is(&m.entry()));
        let like = |other: &str| bare(other) == bare(name);
        let known = || of(&|e| e.name == name).or_else(|| of(&|e| like(e.name)));
        known().or_else(|| of(&|e| e.aliases.iter().any(|a| like(a)))).ok_or_else(|| {
            let words: Vec<&str> = all.iter().map(|m| m.word()).collect();
            let hint = nearest(name, words.iter().copied()).map_or(String::new(), |n| format!("; did you mean {n}?"));
            Error::parameter("method", name, format!("must be one of {}{hint}", words.join(", ")))
        })
    }

    /// Whether relevance is of support points, not of inputs.
    pub fn of_support(self) -> bool {
        self.entry().over == Over::Support
    }

    /// Whether it walks back through a network by rules.
    pub fn walks(self) -> bool {
        matches!(self.entry().needs, MethodNeeds::Network | MethodNeeds::SmoothNetwork)
    }

    /// Whether it explains scores above 0 only.
    pub fn above_zero(self) -> bool {
        self.entry().walk().is_some_and(|walk| walk.above_zero)
    }

    /// Whether it looks at a setting of [`Tuning`](crate::Tuning).
    pub fn looks_at(self, setting: &str) -> bool {
        self.entry().settings.contains(&setting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tuning;
    use base::Settings;

    #[test]
    fn names_are_told_apart_and_settings_are_known() {
        let names = |m: Method| std::iter::once(m.word()).chain(m.entry().aliases.iter().copied());
        let mut all: Vec<String> = Method::ALL.into_iter().flat_map(names).map(bare).collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "a name stands for two methods");
        let known = Tuning::default().params();
        for method in Method::ALL {
            for setting in method.entry().settings {
                assert!(known.iter().any(|p| p.name == *setting), "{} looks at {setting}", method.word());
            }
        }
    }
}
