//! Single or double precision: what the arithmetic here is written for.

use crate::vector::{add_four_f32, add_four_f64};
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// f32 or f64. Sealed: products and factorisations are made for these two.
pub trait Real:
    faer::traits::RealField
    + Copy
    + Debug
    + Default
    + PartialOrd
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Send
    + Sync
    + 'static
    + sealed::Sealed
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// From double precision, rounded.
    fn narrow(x: f64) -> Self;
    /// To double precision, exactly.
    fn wide(self) -> f64;
    /// The square root.
    fn root(self) -> Self;
    /// y ← y + Σ sᵢ·xᵢ over four vectors of the length of y: one pass over y in place of four.
    fn add_four(y: &mut [Self], s: [Self; 4], x: [&[Self]; 4]);
}

impl Real for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    #[inline]
    fn narrow(x: f64) -> Self {
        x as f32
    }
    #[inline]
    fn wide(self) -> f64 {
        f64::from(self)
    }
    #[inline]
    fn root(self) -> Self {
        self.sqrt()
    }
    fn add_four(y: &mut [Self], s: [Self; 4], x: [&[Self]; 4]) {
        add_four_f32(y, s, x);
    }
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    #[inline]
    fn narrow(x: f64) -> Self {
        x
    }
    #[inline]
    fn wide(self) -> f64 {
        self
    }
    #[inline]
    fn root(self) -> Self {
        self.sqrt()
    }
    fn add_four(y: &mut [Self], s: [Self; 4], x: [&[Self]; 4]) {
        add_four_f64(y, s, x);
    }
}

pub(crate) mod sealed {
    use crate::exp::Slices;
    use crate::finish::{Every, Finishes};
    use crate::passes::WorkingSetPasses;
    use crate::tile::Tiles;
    use crate::winograd::Transforms;

    /// Keeps the trait to ourselves, and says which functions over slices and which innermost loops a precision has.
    pub trait Sealed: Slices + Tiles + Finishes + Every + WorkingSetPasses + Transforms {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}
