//! A kernel written here and nowhere else works in everything a built-in one works in.
#![allow(clippy::unwrap_used, reason = "a test speaks by panicking")]

use pellucid::graph::{Binary, Draft, Op, Source, Tensor, Unary};
use pellucid::kernels::{
    Against, Expansion, Kernel, KernelBasis, KernelFunction, KernelGradient, OfDistances, OneClassSvm, RadialKernel,
    Svc, Svr, WithKernel, gram, mercer,
};
use pellucid::network::Network;
use pellucid::{Inputs, Learner, Machine, Points, Prediction, Record, Result, Run, Settings};
use std::sync::Arc;
use testkit::{Reads, as_sparse, assert_close, check_learner, check_slope, gradient_at, toy_classes, toy_values};

/// The rational quadratic kernel of order 1, k(x, u) = c / (c + ‖x − u‖²), with all that a kernel may declare.
#[derive(Debug)]
struct Rational {
    c: f64,
}

impl KernelFunction for Rational {
    fn name(&self) -> &str {
        "rational"
    }

    fn value(&self, x: &[f64], u: &[f64]) -> f64 {
        self.c / (self.c + x.iter().zip(u).map(|(x, u)| (x - u) * (x - u)).sum::<f64>())
    }

    fn basis(&self) -> KernelBasis<'_> {
        KernelBasis::Distances(self)
    }

    fn gradient(&self) -> Option<&dyn KernelGradient> {
        Some(self)
    }

    fn parameters(&self) -> Record {
        Record::new("rational", 1).with("c", self.c)
    }

    fn diagonal(&self) -> Option<f64> {
        Some(1.0)
    }

    fn single_error(&self, error: f64) -> f64 {
        error / self.c
    }

    fn graph(&self, draft: &mut Draft, centres: Source) -> Result<Option<Source>> {
        let squares = draft.node("squares", Op::Distance { q: 2.0 }, &[Draft::INPUT, centres]);
        let c = draft.number("c", self.c)?;
        let scaled = draft.node("scaled", Op::Binary(Binary::Div), &[squares, c]);
        let one = draft.number("one", 1.0)?;
        let below = draft.node("below", Op::Binary(Binary::Add), &[scaled, one]);
        Ok(Some(draft.node("kernel", Op::Unary(Unary::Reciprocal), &[below])))
    }
}

impl OfDistances for Rational {
    fn finish(&self, squares: &mut [f64]) {
        squares.iter_mut().for_each(|s| *s = self.c / (self.c + *s));
    }

    fn radial(&self) -> Option<RadialKernel> {
        Some(RadialKernel::Student { a: 1.0, gamma: 1.0 / self.c, q: 2.0 })
    }
}

impl KernelGradient for Rational {
    fn add(&self, x: &[f64], u: &[f64], along: f64, out: &mut [f64]) {
        let k = self.value(x, u);
        out.iter_mut().zip(x).zip(u).for_each(|((o, x), u)| *o -= along * 2.0 * k * k / self.c * (x - u));
    }
}

/// The same kernel with nothing but its name and value, which is not made for points without coordinates.
#[derive(Debug)]
struct Bare;

impl KernelFunction for Bare {
    fn name(&self) -> &str {
        "bare"
    }

    fn value(&self, x: &[f64], u: &[f64]) -> f64 {
        let rest: f64 = x[1..].iter().zip(&u[1..]).map(|(x, u)| (x - u) * (x - u)).sum();
        3.0 / (3.0 + rest + (x[0] - u[0]) * (x[0] - u[0]))
    }
}

/// A kernel that has taken a name that is not free.
#[derive(Debug)]
struct Pretender;

impl KernelFunction for Pretender {
    fn name(&self) -> &str {
        "linear"
    }

    fn value(&self, x: &[f64], u: &[f64]) -> f64 {
        2.0 * x.iter().zip(u).map(|(x, u)| x * u).sum::<f64>()
    }
}

fn rational() -> Kernel {
    Kernel::new(Rational { c: 3.0 })
}

fn with<L: Learner + Default>(kernel: Kernel) -> WithKernel<L> {
    let mut learner = L::default();
    learner.set_text("tolerance", "1e-11").unwrap();
    WithKernel { learner, kernel }
}

/// Reads machines of either kernel.
const OWN: Reads = Reads(|record| {
    let read = |kernel: &Kernel| Expansion::read_with(record, Some(kernel));
    Ok(Arc::new(read(&rational()).or_else(|_| read(&Kernel::new(Bare)))?) as Arc<dyn Machine>)
});

#[test]
fn learners_with_kernels_of_ones_own_keep_every_promise() {
    for kernel in [rational(), Kernel::new(Bare)] {
        check_learner(&with::<Svc>(kernel.clone()), &toy_classes(3), &OWN);
        check_learner(&with::<Svr>(kernel.clone()), &toy_values(3), &OWN);
        check_learner(&with::<OneClassSvm>(kernel), &toy_classes(3), &OWN);
    }
}

#[test]
fn kernels_of_ones_own_are_fitted_predicted_and_stored() {
    let run = Run::quiet(1);
    let data = toy_classes(3);
    let fitted = with::<Svc>(rational()).fit(&data, None, &run).unwrap();
    assert!(fitted.certificate.converged);
    let answers = Prediction::of(&*fitted.machine, &data.inputs, &run).unwrap();
    let classes = pellucid::classes_of(&data).unwrap();
    let right = answers
        .classes(&run)
        .unwrap()
        .iter()
        .enumerate()
        .filter(|(i, c)| classes.get(*i) == Some(**c as usize))
        .count();
    assert!(right * 10 >= data.len() * 9, "{right} of {}", data.len());

    // Blocks say what single pairs say, and so does the same kernel without blocks.
    let bare = with::<Svc>(Kernel::new(Bare)).fit(&data, None, &run).unwrap();
    let scores = |machine: &dyn Machine, inputs: &Inputs| {
        machine.compute(inputs, &run).unwrap().to_dense(&run.memory).unwrap().to_vec()
    };
    let ours = scores(&*fitted.machine, &data.inputs);
    assert_close(&scores(&*bare.machine, &data.inputs), &ours, 1e-6, "blocks and pairs");
    let sparse = as_sparse(&data);
    assert_close(&scores(&*fitted.machine, &sparse.inputs), &ours, 1e-12, "sparse rows");
    let of_sparse = with::<Svc>(rational()).fit(&sparse, None, &run).unwrap();
    assert_close(&scores(&*of_sparse.machine, &data.inputs), &ours, 1e-8, "a fit on sparse rows");

    let record = fitted.machine.record();
    let back = Expansion::read_with(&record, Some(&rational())).unwrap();
    assert_eq!((scores(&back, &data.inputs), back.record()), (ours, record.clone()));
    for other in [None, Some(Kernel::new(Rational { c: 4.0 })), Some(Kernel::new(Bare))] {
        let error = Expansion::read_with(&record, other.as_ref()).err().unwrap().to_string();
        assert!(error.contains("the kernel \"rational\"") && error.contains("that kernel is known"), "{error}");
    }
}

#[test]
fn machines_have_what_their_kernel_declares() {
    let run = Run::quiet(1);
    let (data, rows) = (toy_values(3), toy_classes(5));
    let points = rows.points().unwrap();
    let fitted = with::<Svr>(rational()).fit(&data, None, &run).unwrap();
    let mut x = vec![0.0; 4];
    for i in 0..5 {
        points.write_row(i, &mut x);
        let f = |x: &[f64]| {
            let row = Points::dense(x.to_vec(), 1, 4).unwrap();
            fitted.machine.compute(&Inputs::Points(row), &run).unwrap().to_dense(&run.memory).unwrap()[0]
        };
        check_slope(f, &gradient_at(&*fitted.machine, &x, &[1.0]), &x);
    }

    let graph = fitted.machine.to_graph(&run).unwrap().expect("has a form as a network");
    let input = Tensor::f64([points.len(), 4], points.to_dense(&run.memory).unwrap().to_vec()).unwrap();
    let theirs = Network::new(graph).run(&[input], &run).unwrap().remove(0).to_f64();
    let ours = fitted.machine.compute(&rows.inputs, &run).unwrap().to_dense(&run.memory).unwrap();
    assert_close(&theirs, &ours, 1e-12, "the form as a network");

    // A function of the distance of a known family makes a detector that can be explained in closed form.
    let detector = with::<OneClassSvm>(rational()).fit(&rows, None, &run).unwrap().machine;
    assert!(detector.facets().explains.is_some());

    // Declarations hold: a flat diagonal, positive definiteness, values in single precision.
    let values = gram(&rational(), points, &run).unwrap();
    assert!((0..points.len()).all(|i| values[i * points.len() + i] == 1.0));
    assert!(mercer(&rational(), points, &run).unwrap().holds());
    let mut single = with::<Svr>(rational());
    single.set_text("precision", "f32").unwrap();
    single.set_text("tolerance", "1e-6").unwrap();
    let single = single.fit(&data, None, &run).unwrap().machine.compute(&rows.inputs, &run).unwrap();
    assert_close(&single.to_dense(&run.memory).unwrap(), &ours, 1e-3, "single precision");
}

#[test]
fn a_name_and_a_value_are_enough() {
    let run = Run::quiet(1);
    let machine = with::<Svc>(Kernel::new(Bare)).fit(&toy_classes(3), None, &run).unwrap().machine;
    assert!(machine.facets().gradient.is_none());
    assert!(machine.to_graph(&run).unwrap().is_none());
    assert!(machine.facets().explains.is_none());
    // The record that kernels written in code have always had.
    let record = Kernel::new(Bare).record();
    assert_eq!((record.kind(), record.part("own")), ("kernel-bare", Ok(&Record::new("own-kernel", 1))));
}

#[test]
fn a_kernel_with_the_name_of_another_is_not_taken_for_it() {
    let run = Run::quiet(1);
    let kernel = Kernel::new(Pretender);
    assert!(Kernel::read(&kernel.record(), None).is_err());
    assert_eq!(Kernel::read(&kernel.record(), Some(&kernel)), Ok(kernel.clone()));
    let points = Points::dense(vec![1.0, 2.0], 1, 2).unwrap();
    let mut out = [0.0];
    Against::new(&kernel, &points, &run).unwrap().block(&points, &mut out, &run).unwrap();
    assert_eq!(out, [10.0]);
}
