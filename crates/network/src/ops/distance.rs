//! Distances to centres: y_ij = ‖x_i − u_j‖^q with the Euclidean norm.
//!
//! Distances come from `numeric` in double precision, whatever the tensors hold: centred, and recomputed term by term
//! where they are small. With a_ij = g_ij · q · d_ij^(q−2) the gradients are dx_i = Σ_j a_ij (x_i − u_j) and
//! du_j = Σ_i a_ij (u_j − x_i), two products of matrices. At distance 0 the slope is 0 (for q < 2 it is not defined
//! there).

use crate::kernel::{Call, Context, Inputs, Kernel, Known, TensorForm, needed};
use crate::number::{Number, by_real, numbers};
use base::graph::Tensor;
use base::{Error, Points, Result};
use numeric::{Mat, MatMut, Real, product, squared_distances};

/// The power of a distance.
pub(crate) struct Distance {
    pub q: f64,
}

/// Rows of x, rows of u, columns of both.
fn sizes(x: &[usize], u: &[usize]) -> Result<(usize, usize, usize)> {
    match (x, u) {
        (&[rows, a], &[centres, b]) if a == b => Ok((rows, centres, a)),
        _ => Err(Error::size("points and centres", "two tables of as many columns", format!("{x:?} and {u:?}"))),
    }
}

/// The numbers of both in double precision, and their squared distances.
fn distances(x: &Tensor, u: &Tensor, context: &Context<'_>) -> Result<(Vec<f64>, Vec<f64>, crate::pool::Fresh<f64>)> {
    let (rows, centres, columns) = sizes(x.shape(), u.shape())?;
    let mut out = context.take::<f64>(rows * centres)?;
    // In double precision twice: as points, and to be given back.
    let _hold = context.run.memory.take_for::<f64>(2 * (rows + centres) * columns, "points and centres")?;
    let (xs, us) = (x.to_f64(), u.to_f64());
    let (a, b) = (Points::dense(xs.clone(), rows, columns)?, Points::dense(us.clone(), centres, columns)?);
    squared_distances(context.run, &a, &b, MatMut::new(&mut out.values, rows, centres)?)?;
    Ok((xs, us, out))
}

impl Kernel for Distance {
    fn forms(&self, inputs: &[Option<&Known>], _outputs: usize) -> Result<Vec<TensorForm>> {
        let (x, u) = (&needed(inputs, 0)?.form, &needed(inputs, 1)?.form);
        let (rows, centres, _) = sizes(&x.shape, &u.shape)?;
        if !(self.q > 0.0 && self.q.is_finite()) {
            return Err(Error::parameter("q", self.q, "must be greater than 0 and finite"));
        }
        match x.element == u.element && x.element.is_real() {
            true => Ok(vec![TensorForm::new(x.element, [rows, centres])]),
            false => Err(Error::size("centres", "f32 or f64, as the points", u.element.word())),
        }
    }

    fn run(&self, inputs: &Inputs<'_>, forms: &[TensorForm], context: &Context<'_>) -> Result<Vec<Tensor>> {
        fn go<T: Real + Number>(
            q: f64,
            inputs: &Inputs<'_>,
            form: &TensorForm,
            context: &Context<'_>,
        ) -> Result<Vec<Tensor>> {
            let (_, _, squares) = distances(needed(inputs, 0)?, needed(inputs, 1)?, context)?;
            let mut y = context.take::<T>(squares.values.len())?;
            let pairs = y.values.iter_mut().zip(&squares.values);
            match q {
                2.0 => pairs.for_each(|(y, &s)| *y = T::narrow(s)),
                1.0 => pairs.for_each(|(y, &s)| *y = T::narrow(s.sqrt())),
                q => pairs.for_each(|(y, &s)| *y = T::narrow(s.powf(q / 2.0))),
            }
            Ok(vec![y.tensor(form.shape.clone())?])
        }
        let form = needed(&[forms.first()], 0)?.to_owned();
        by_real!(needed(inputs, 0)?.element(), go(self.q, inputs, form, context))
    }

    fn pull(&self, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
        fn go<T: Real + Number>(q: f64, call: &Call<'_>, context: &Context<'_>) -> Result<Vec<Option<Tensor>>> {
            let mut pulled = vec![None; call.inputs.len()];
            let Some(gradient) = call.gradient() else { return Ok(pulled) };
            let (x, u) = (needed(call.inputs, 0)?, needed(call.inputs, 1)?);
            let (rows, centres, columns) = sizes(x.shape(), u.shape())?;
            let (mut xs, mut us, mut a) = distances(x, u, context)?;
            for (a, g) in a.values.iter_mut().zip(numbers::<T>(gradient)?) {
                let power = if q == 2.0 { 1.0 } else { a.powf(q / 2.0 - 1.0) };
                *a = if *a > 0.0 || a.is_nan() { g.wide() * q * power } else { 0.0 };
            }
            centre(&mut xs, &mut us, columns);
            let a = Mat::new(&a.values, rows, centres)?;
            let sides = [
                (x, Mat::new(&xs, rows, columns)?, Mat::new(&us, centres, columns)?, a),
                (u, Mat::new(&us, centres, columns)?, Mat::new(&xs, rows, columns)?, a.transposed()),
            ];
            for (i, (side, own, other, a)) in sides.into_iter().enumerate() {
                if call.wants(i) {
                    pulled[i] = Some(slope::<T>(own, other, a, side.shape(), context)?);
                }
            }
            Ok(pulled)
        }
        by_real!(needed(call.inputs, 0)?.element(), go(self.q, call, context))
    }
}

/// Σ_j a_ij (own_i − other_j) = own_i · Σ_j a_ij − (a · other)_i.
fn slope<T: Real + Number>(
    own: Mat<'_, f64>,
    other: Mat<'_, f64>,
    a: Mat<'_, f64>,
    shape: &[usize],
    context: &Context<'_>,
) -> Result<Tensor> {
    let (rows, columns) = (own.rows(), own.columns());
    let mut sums = context.take::<f64>(rows * columns)?;
    product(context.run, a, other, MatMut::new(&mut sums.values, rows, columns)?, 1.0, false)?;
    let mut out = context.take::<T>(rows * columns)?;
    for i in 0..if columns == 0 { 0 } else { rows } {
        let weight: f64 = (0..a.columns()).map(|j| a.get(i, j)).sum();
        let part = i * columns..(i + 1) * columns;
        let terms = own.line(i).iter().zip(&sums.values[part.clone()]);
        out.values[part].iter_mut().zip(terms).for_each(|(o, (x, s))| *o = T::narrow(weight * x - s));
    }
    out.tensor(shape)
}

/// Takes the centres' mean from both sides, so that differences lose fewer digits.
fn centre(x: &mut [f64], u: &mut [f64], columns: usize) {
    let count = u.len() / columns.max(1);
    for c in 0..if count == 0 { 0 } else { columns } {
        let mean = u.iter().skip(c).step_by(columns).sum::<f64>() / count as f64;
        x.iter_mut().skip(c).step_by(columns).for_each(|v| *v -= mean);
        u.iter_mut().skip(c).step_by(columns).for_each(|v| *v -= mean);
    }
}
