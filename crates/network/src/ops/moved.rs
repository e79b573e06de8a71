//! Operations whose result is made of elements of x at places of its own, axis by axis: run and pull back once for all.

use super::places::Places;
use super::shapes::{product, stretch};
use crate::kernel::{Call, Context, TensorForm};
use crate::number::{Number, by_any, by_real, numbers};
use base::Result;
use base::graph::Tensor;
use numeric::Real;

/// The elements of x at their places; in one piece they are shared.
pub(super) fn moved(
    x: &Tensor,
    places: &Places,
    fill: Option<&Tensor>,
    form: &TensorForm,
    context: &Context<'_>,
) -> Result<Tensor> {
    fn go<T: Number>(
        x: &Tensor,
        places: &Places,
        fill: Option<&Tensor>,
        form: &TensorForm,
        context: &Context<'_>,
    ) -> Result<Tensor> {
        let fill = fill.map(numbers::<T>).transpose()?.and_then(|f| f.first().copied()).unwrap_or_default();
        let mut y = context.take::<T>(form.count()?)?;
        places.copy(numbers::<T>(x)?, fill, &mut y.values, context.run)?;
        y.tensor(form.shape.clone())
    }
    match places.stretch() {
        Some(start) => stretch(x, start, form.shape.clone()),
        None => by_any!(x.element(), go(x, places, fill, form, context)),
    }
}

/// The gradient of x, and the sum of what came from nowhere.
pub(super) fn moved_back(x: &Tensor, places: &Places, g: &Tensor, context: &Context<'_>) -> Result<(Tensor, f64)> {
    fn go<T: Real + Number>(x: &Tensor, places: &Places, g: &Tensor, context: &Context<'_>) -> Result<(Tensor, f64)> {
        let mut dx = context.zeros::<T>(product(x.shape()))?;
        let outside = places.add_back(numbers::<T>(g)?, &mut dx.values);
        Ok((dx.tensor(x.shape())?, outside))
    }
    by_real!(x.element(), go(x, places, g, context))
}

/// The pull back of an operation with one input that has a slope.
pub(super) fn pull_moved(
    call: &Call<'_>,
    context: &Context<'_>,
    places: impl Fn(&Tensor) -> Result<Places>,
) -> Result<Vec<Option<Tensor>>> {
    let mut pulled = vec![None; call.inputs.len()];
    if let (Some(g), Some(Some(x)), true) = (call.gradient(), call.inputs.first(), call.wants(0)) {
        pulled[0] = Some(moved_back(x, &places(x)?, g, context)?.0);
    }
    Ok(pulled)
}
