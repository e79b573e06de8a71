//! What a kernel expansion says of itself to those who explain it: its form as a density, and how much each centre adds.
//!
//! A detector with a radial kernel and coefficients of one sign is g(x) = Σ_j α_j k(‖x − u_j‖) up to a factor and an
//! offset, which change neither the order of rows nor their explanation. A decision f = Σ_j c_j k(x, u_j) + b is a sum
//! over centres as it stands. Scores of pairs of classes are votes, which are no such sum: told is the sum of margins of
//! a class, by which votes are ordered.
//!
//! **Cost.** One block of kernel values; rows x centres numbers.

use crate::expansion::{Decisions, Expansion, pair};
use crate::kernel::Kernel;
use base::{
    Buffer, BySupport, Contributions, Error, Explainer, Explains, Machine, OwnMethod, Points, Quantity, Result, Run,
    Shared,
};
use density::{Density, METHODS, OneClass, QUANTITY};

/// What the coefficients of a detector are multiplied by to be those of g.
fn sign(reading: Decisions) -> Option<f64> {
    match reading {
        Decisions::Outlier => Some(1.0),
        // k(x, x) − 2 Σ α k: the coefficients are those of −g.
        Decisions::Sphere => Some(-1.0),
        Decisions::Pairs | Decisions::Rest | Decisions::Values => None,
    }
}

/// Whether these are the parts of a density.
pub(crate) fn is_density(kernel: &Kernel, reading: Decisions, coefficients: &[f64]) -> bool {
    match (kernel.radial(), sign(reading)) {
        (Some(radial), Some(sign)) => Density::is_one(coefficients.iter().map(|c| sign * c), radial),
        _ => false,
    }
}

/// The form as a density, for detectors that are one.
pub(crate) fn density(machine: &Expansion) -> Result<Density> {
    let (Some(radial), Some(sign)) = (machine.kernel().radial(), sign(machine.reading())) else {
        return Err(Error::unsupported("a density", "this machine", "it is for detectors with a radial kernel"));
    };
    let weights: Vec<f64> = machine.coefficients().iter().map(|c| sign * c).collect();
    if weights.iter().all(|w| *w != 0.0) {
        return Density::new(machine.centres().clone(), weights, radial);
    }
    // Rows of no weight stay in a density estimate and say nothing.
    let used: Vec<usize> = (0..weights.len()).filter(|&j| weights[j] != 0.0).collect();
    let weights = used.iter().map(|&j| weights[j]).collect();
    Density::new(machine.centres().select(&used)?, weights, radial)
}

impl Explains for Expansion {
    fn methods(&self) -> &'static [OwnMethod] {
        METHODS
    }

    fn quantity(&self) -> Option<Quantity> {
        Some(QUANTITY)
    }

    fn ready(&self, run: &Run<'_>) -> Result<Box<dyn Explainer>> {
        Ok(Box::new(OneClass::new(&density(self)?, run)?))
    }
}

impl BySupport for Expansion {
    fn contributions(&self, points: &Points, output: usize, run: &Run<'_>) -> Result<Contributions> {
        let (n, m, classes) = (points.len(), self.centres().len(), self.outputs().names.len());
        if output >= self.outputs().main() {
            return Err(Error::size("output to explain", format!("below {}", self.outputs().main()), output));
        }
        let (mut values, hold) = run.memory.filled(n.saturating_mul(m), 0.0, "contributions of centres")?;
        self.against(run)?.block(points, &mut values, run)?;
        let (factors, offset) = match self.reading() {
            Decisions::Rest | Decisions::Values | Decisions::Sphere => {
                let width = self.width();
                let column = if width > 1 { output } else { 0 };
                ((0..m).map(|j| self.coefficients()[j * width + column]).collect(), self.offsets()[column])
            }
            // Strangeness falls where the decision grows.
            Decisions::Outlier => (self.coefficients().iter().map(|c| -c).collect::<Vec<f64>>(), -self.offsets()[0]),
            Decisions::Pairs => self.margins(output, classes),
        };
        for line in values.chunks_exact_mut(m.max(1)) {
            line.iter_mut().zip(&factors).for_each(|(v, f)| *v *= f);
        }
        Ok(Contributions { values: Points::dense(Buffer::F64(Shared::counted(values, hold)), n, m)?, offset })
    }

    fn points(&self) -> &Points {
        self.centres()
    }
}

impl Expansion {
    /// The factor of each centre in the sum of a class's margins, and the offsets' part of it.
    fn margins(&self, class: usize, classes: usize) -> (Vec<f64>, f64) {
        let width = self.width();
        // Above 0 means the first of a pair.
        let sign = |first: usize| if first == class { 1.0 } else { -1.0 };
        let mut factors = vec![0.0; self.centres().len()];
        for own in 0..classes {
            for centre in self.centres_of(own) {
                for slot in 0..width {
                    let other = slot + usize::from(slot >= own);
                    if own == class || other == class {
                        factors[centre] += sign(own.min(other)) * self.coefficients()[centre * width + slot];
                    }
                }
            }
        }
        let offsets = (0..classes).filter(|&other| other != class).map(|other| {
            let (a, b) = (class.min(other), class.max(other));
            sign(a) * self.offsets()[pair(a, b, classes)]
        });
        (factors, offsets.sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExpansionParts;
    use crate::functions::{Linear, Polynomial, Student};
    use base::{Features, Inputs, Seed};
    use density::RadialKernel;

    fn drawn(n: usize, d: usize, seed: u64) -> Points {
        let mut s = Seed(seed).stream();
        Points::dense((0..n * d).map(|_| base::normal(&mut s)).collect::<Vec<f64>>(), n, d).unwrap()
    }

    fn machine(reading: Decisions, names: &[&str], counts: Vec<usize>, kernel: Kernel, positive: bool) -> Expansion {
        let (m, k) = (12, names.len());
        let (width, decisions) = match reading {
            Decisions::Pairs => (k - 1, k * (k - 1) / 2),
            Decisions::Rest | Decisions::Values => (k, k),
            _ => (1, 1),
        };
        let mut s = Seed(8).stream();
        let sign = |x: f64| if positive { x.abs() } else { x };
        Expansion::new(ExpansionParts {
            kernel,
            reading,
            inputs: Features::unnamed(3),
            names: names.iter().map(|n| n.to_string()).collect(),
            centres: drawn(m, 3, 1),
            coefficients: (0..m * width).map(|_| sign(base::normal(&mut s))).collect(),
            offsets: (0..decisions).map(|_| -0.1 * base::normal(&mut s).abs()).collect(),
            counts,
            rows: None,
            seen: vec![],
        })
        .unwrap()
    }

    #[test]
    fn contributions_sum_to_the_scores() {
        let run = Run::quiet(1);
        let (gaussian, points) = (Kernel::gaussian(1.3), drawn(7, 3, 2));
        let sums = |machine: &Expansion, output: usize| -> Vec<f64> {
            let told = machine.contributions(&points, output, &run).unwrap();
            let values = told.values.to_dense(&run.memory).unwrap();
            values.chunks_exact(12).map(|line| line.iter().sum::<f64>() + told.offset).collect()
        };
        for machine in [
            machine(Decisions::Rest, &["a", "b", "c"], vec![], gaussian.clone(), false),
            machine(Decisions::Values, &["y"], vec![], Kernel::new(Linear), false),
            machine(Decisions::Pairs, &["a", "b"], vec![5, 7], gaussian.clone(), false),
            machine(
                Decisions::Outlier,
                &[],
                vec![],
                Kernel::new(Polynomial { gamma: 1.0, coef0: 1.0, degree: 2 }),
                true,
            ),
        ] {
            let scores = machine.compute(&Inputs::Points(points.clone()), &run).unwrap();
            let width = scores.columns();
            let scores = scores.to_dense(&run.memory).unwrap();
            for output in 0..machine.outputs().main() {
                let own: Vec<f64> = scores.iter().skip(output).step_by(width).copied().collect();
                testkit::assert_close(&sums(&machine, output), &own, 1e-12, machine.reading().word());
            }
            assert!(machine.contributions(&points, 9, &run).is_err());
            assert!(machine.facets().explains.is_none() && density(&machine).is_err());
        }
        // Three classes: the sum of a class's margins.
        let three = machine(Decisions::Pairs, &["a", "b", "c"], vec![4, 3, 5], gaussian, false);
        let raw = three.decisions(&points, &run).unwrap();
        for (class, signs) in [[1.0, 1.0, 0.0], [-1.0, 0.0, 1.0], [0.0, -1.0, -1.0]].iter().enumerate() {
            let margins: Vec<f64> =
                raw.chunks_exact(3).map(|r| r.iter().zip(signs).map(|(r, s)| r * s).sum()).collect();
            testkit::assert_close(&sums(&three, class), &margins, 1e-12, "margins");
        }
    }

    #[test]
    fn detectors_with_radial_kernels_are_densities() {
        let outlier = machine(Decisions::Outlier, &[], vec![], Kernel::exponential(2.0, 1.0), true);
        let found = density(&outlier).unwrap();
        assert!(outlier.facets().explains.is_some_and(|own| own.quantity() == Some(QUANTITY)));
        assert_eq!(found.kernel(), RadialKernel::Exponential { gamma: 0.5, q: 1.0 });
        assert!((found.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let student = Kernel::new(Student { a: 1.0, gamma: 2.0, q: 2.0 });
        assert!(density(&machine(Decisions::Outlier, &[], vec![], student.clone(), true)).is_ok());
        let negative = machine(Decisions::Outlier, &[], vec![], student, false);
        assert!(negative.facets().explains.is_none() && density(&negative).is_err(), "a negative coefficient");
    }
}
