//! Pictures cut into square patches: all side by side in one row, or each a row of its own.
//!
//! A patch of side W lies at every `stride`-th place that leaves it inside the picture. **Order:** patches by their top
//! left pixel, row after row; in a patch its pixels row after row; in a pixel its channels. A picture of height H and
//! width B gives ⌊(H − W)/stride + 1⌋ · ⌊(B − W)/stride + 1⌋ patches of W · W · channels numbers.
//!
//! The step puts them side by side, so that rows stay rows. [`patch_rows`] makes each a row of its own, for dictionaries
//! and for learning what a patch looks like.

use super::resize::picture_of;
use base::{
    Buffer, Certificate, Dataset, Error, Facets, Features, Fitted, Gradient, Inputs, Learner, Machine, Missing, Needs,
    Outputs, Plan, Points, Record, Result, Run, Shape, Shared, Size, Traits, Wanted, Weighting, vjp_by_row,
};
use std::sync::Arc;

base::settings! {
    /// Settings of the cutting into patches.
    pub struct Patches {
        /// side of a patch in pixels
        pub side: usize = 2, in Range::AtLeast(1.0);
        /// stride in pixels
        pub stride: usize = 1, in Range::AtLeast(1.0);
    }
}

/// Rows of pictures in a unit of parallel work.
const BLOCK: usize = 64;

impl Learner for Patches {
    fn name(&self) -> &'static str {
        "patches"
    }

    fn traits(&self) -> Traits<'_> {
        Traits::new(Needs { targets: Wanted::Nothing, table: false, missing: true, weights: Weighting::Exact })
            .needs_shape()
    }

    fn learn(&self, data: &Dataset, _: Option<&Record>, run: &Run<'_>) -> Result<Fitted> {
        let machine = Patcher::new(data.features.clone(), self.side, self.stride, run)?;
        let mut certificate = Certificate::direct();
        certificate.fact("patches", machine.cut.count() as f64);
        Ok(Fitted { machine: Arc::new(machine), certificate })
    }

    fn plan(&self, size: &Size) -> Plan {
        let numbers = (size.columns * self.side * self.side / (self.stride * self.stride).max(1)) as f64;
        Plan { fit: 0.0, predict: numbers, bytes: 8.0 * size.rows as f64 * numbers, advice: None }
    }
}

/// Where patches lie in a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cut {
    height: usize,
    width: usize,
    channels: usize,
    side: usize,
    stride: usize,
}

impl Cut {
    fn new(features: &Features, side: usize, stride: usize) -> Result<Cut> {
        let (height, width, channels) = picture_of(features, "patches")?;
        if side == 0 || stride == 0 || side > height.min(width) {
            let must = format!("must be at least 1 and fit into images of {height} x {width}");
            return Err(Error::parameter("side", side, must));
        }
        Ok(Cut { height, width, channels, side, stride })
    }

    /// Patches along height and width.
    fn grid(&self) -> (usize, usize) {
        ((self.height - self.side) / self.stride + 1, (self.width - self.side) / self.stride + 1)
    }

    /// How many patches.
    fn count(&self) -> usize {
        self.grid().0.saturating_mul(self.grid().1)
    }

    /// How many numbers a patch has.
    fn length(&self) -> usize {
        self.side * self.side * self.channels
    }

    /// Where each number of each patch stands in the picture, in runs that lie side by side: patch, first place.
    fn runs(&self) -> impl Iterator<Item = usize> + '_ {
        let columns = self.grid().1;
        (0..self.count()).flat_map(move |patch| {
            let (top, left) = (patch / columns * self.stride, patch % columns * self.stride);
            (0..self.side).map(move |line| ((top + line) * self.width + left) * self.channels)
        })
    }

    /// Copies all patches of a picture to `out`, one after the other.
    fn write(&self, picture: &[f64], out: &mut [f64]) {
        let run = self.side * self.channels;
        for (first, out) in self.runs().zip(out.chunks_exact_mut(run)) {
            out.copy_from_slice(&picture[first..first + run]);
        }
    }
}

/// All patches of pictures, each a row of `side` · `side` · channels numbers: those of the first picture in their order,
/// then those of the second, and so on. `features` say the shape of the pictures.
pub fn patch_rows(points: &Points, features: &Features, side: usize, stride: usize, run: &Run<'_>) -> Result<Points> {
    let cut = Cut::new(features, side, stride)?;
    if points.columns() != features.count() {
        return Err(Error::size("columns of the points", features.count(), points.columns()));
    }
    written(points, cut, (points.len().saturating_mul(cut.count()), cut.length()), run)
}

/// All patches of all pictures, seen as so many rows and columns.
fn written(points: &Points, cut: Cut, (rows, columns): (usize, usize), run: &Run<'_>) -> Result<Points> {
    let each = cut.count().saturating_mul(cut.length());
    let (mut values, hold) = run.memory.filled(points.len().saturating_mul(each), 0.0, "patches")?;
    numeric::each_chunk_mut(run, &mut values, BLOCK.saturating_mul(each), |block, out| {
        let mut picture = vec![0.0; points.columns()];
        for (i, out) in out.chunks_exact_mut(each).enumerate() {
            points.write_row(block * BLOCK + i, &mut picture);
            cut.write(&picture, out);
        }
        Ok(())
    })?;
    Points::dense(Buffer::F64(Shared::counted(values, hold)), rows, columns)
}

/// Cuts each row, a picture, into patches side by side.
pub struct Patcher {
    features: Features,
    outputs: Outputs,
    cut: Cut,
}

impl Patcher {
    /// The kind of its record.
    pub const KIND: &'static str = "patcher";

    fn new(features: Features, side: usize, stride: usize, run: &Run<'_>) -> Result<Self> {
        let cut = Cut::new(&features, side, stride)?;
        let width = cut.count().saturating_mul(cut.length());
        let _room = run.memory.take_for::<[u8; 48]>(width, "the names of patches' pixels")?;
        let run_length = cut.side * cut.channels;
        let per_patch = cut.side;
        let name = |(k, first): (usize, usize)| {
            let (features, patch) = (&features, k / per_patch);
            (first..first + run_length).map(move |i| format!("{patch}:{}", features.name(i)))
        };
        let names: Arc<[String]> = cut.runs().enumerate().flat_map(name).collect();
        // Patches one after the other: a series of as many moments, the numbers of a patch its channels.
        let shape = Shape::Series { length: cut.count(), channels: cut.length() };
        let outputs = Outputs::features(names).shaped(shape)?;
        Ok(Patcher { features, outputs, cut })
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let features = Features::read(record.part("inputs")?)?;
        // What a model file claims is asked for within a gigabyte.
        let run = Run { memory: base::Memory::limited(1 << 30), ..Run::quiet(0) };
        Self::new(features, record.count("side")?, record.count("stride")?, &run)
    }
}

impl Machine for Patcher {
    crate::ends!();

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let points = inputs.points()?;
        written(points, self.cut, (points.len(), self.outputs.names.len()), run)
    }

    fn record(&self) -> Record {
        Record::new(Self::KIND, 2)
            .with("inputs", self.features.record())
            .with("side", self.cut.side)
            .with("stride", self.cut.stride)
    }

    fn facets(&self) -> Facets<'_> {
        Facets { missing: Missing::PASSED, gradient: Some(self), ..Facets::default() }
    }
}

impl Gradient for Patcher {
    fn vjp(&self, points: &Points, direction: &[f64], out: &mut [f64], run: &Run<'_>) -> Result<()> {
        vjp_by_row(points, direction, out, run, |_, direction, out| {
            out.fill(0.0);
            let run = self.cut.side * self.cut.channels;
            for (first, direction) in self.cut.runs().zip(direction.chunks_exact(run)) {
                out[first..first + run].iter_mut().zip(direction).for_each(|(o, d)| *o += d);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Targets;
    use testkit::Reads;

    fn pictures(height: usize, width: usize, channels: usize) -> Dataset {
        let columns = height * width * channels;
        let points = testkit::toy_points(12, columns, 3);
        let features = Features::unnamed(columns).shaped(Shape::Image { height, width, channels }).unwrap();
        Dataset { features, ..Dataset::new(points, Targets::None) }
    }

    #[test]
    fn keeps_the_promises() {
        let read = Reads(|r| Ok(Arc::new(Patcher::read(r)?)));
        testkit::check_learner(&Patches::default(), &pictures(3, 4, 1), &read);
        testkit::check_learner(&Patches { side: 2, stride: 2 }, &pictures(4, 5, 3), &read);
    }

    #[test]
    fn patches_are_where_the_definition_says() {
        let run = Run::quiet(1);
        for (height, width, channels, side, stride) in
            [(3, 4, 1, 2, 1), (5, 4, 3, 2, 2), (4, 4, 1, 4, 3), (5, 7, 2, 3, 2)]
        {
            let data = pictures(height, width, channels);
            let points = data.points().unwrap();
            let machine = Patches { side, stride }.fit(&data, None, &run).unwrap().machine;
            let wide = machine.compute(&data.inputs, &run).unwrap();
            let rows = patch_rows(points, &data.features, side, stride, &run).unwrap();
            assert_eq!(rows.columns(), side * side * channels);
            let (wide, tall) = (wide.to_dense(&run.memory).unwrap(), rows.to_dense(&run.memory).unwrap());
            assert_eq!(wide, tall);
            let mut at = 0;
            let mut picture = vec![0.0; points.columns()];
            for i in 0..points.len() {
                points.write_row(i, &mut picture);
                for top in (0..height).step_by(stride).filter(|t| t + side <= height) {
                    for left in (0..width).step_by(stride).filter(|l| l + side <= width) {
                        for (y, x) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
                            for c in 0..channels {
                                assert_eq!(wide[at], picture[((top + y) * width + left + x) * channels + c]);
                                at += 1;
                            }
                        }
                    }
                }
            }
            assert_eq!(at, wide.len());
        }
    }

    #[test]
    fn what_cannot_be_cut_is_named() {
        let run = Run::quiet(1);
        let says = |step: Patches, data: &Dataset| step.fit(data, None, &run).err().map(|e| e.to_string());
        let large = says(Patches { side: 5, stride: 1 }, &pictures(4, 9, 1)).unwrap();
        assert!(large.contains("side = 5") && large.contains("4 x 9"), "{large}");
        let plain = says(Patches::default(), &testkit::toy_classes(1)).unwrap();
        assert!(plain.contains("inputs other than images"), "{plain}");
        let tight = Run { memory: base::Memory::limited(100), ..Run::quiet(1) };
        let data = pictures(4, 4, 1);
        assert!(patch_rows(data.points().unwrap(), &data.features, 2, 1, &tight).is_err());
    }
}
