//! Points that are pictures, brought to another size: the machine behind `resize` for data that are numbers already.

use super::Resample;
use base::{
    Buffer, Certificate, Dataset, Error, Facets, Features, Fitted, Gradient, Inputs, Machine, Outputs, Points, Record,
    Result, Run, Shape, Shared, vjp_by_row,
};
use std::sync::Arc;

/// Rows of pictures in a unit of parallel work.
const BLOCK: usize = 64;

/// Learns the resizing of points whose columns are pixels to (height, width).
pub(crate) fn fit_points(data: &Dataset, size: (usize, usize)) -> Result<Fitted> {
    let machine = Resizer::new(data.features.clone(), size)?;
    Ok(Fitted { machine: Arc::new(machine), certificate: Certificate::direct() })
}

/// Height, width and channels of features that are pixels, or an error that names who asks.
pub(super) fn picture_of(features: &Features, step: &str) -> Result<(usize, usize, usize)> {
    match features.shape() {
        Some(Shape::Image { height, width, channels }) if features.count() > 0 => Ok((height, width, channels)),
        _ => Err(Error::unsupported(
            "inputs other than images",
            step,
            "images come from a folder, IDX, a stack, or points with a shape",
        )),
    }
}

/// The names of pixels: row, column and, if there are several, channel.
pub(crate) fn pixel_names(height: usize, width: usize, channels: usize) -> Arc<[String]> {
    let name = |i: usize| {
        let (pixel, channel) = (i / channels.max(1), i % channels.max(1));
        match channels {
            1 => format!("{}.{}", pixel / width, pixel % width),
            _ => format!("{}.{}.{channel}", pixel / width, pixel % width),
        }
    };
    (0..height * width * channels).map(name).collect()
}

/// Brings each row, a picture, to another size.
pub struct Resizer {
    features: Features,
    outputs: Outputs,
    map: Resample,
    size: (usize, usize),
}

impl Resizer {
    /// The kind of its record.
    pub const KIND: &'static str = "resizer";

    /// A machine for features that are pixels; the size is (height, width).
    pub fn new(features: Features, size: (usize, usize)) -> Result<Self> {
        let (height, width, channels) = picture_of(&features, "resize")?;
        let shape = Shape::Image { height: size.0, width: size.1, channels };
        const MOST: usize = 1 << 24;
        if shape.count().is_none_or(|count| count == 0 || count.max(features.count()) > MOST) {
            return Err(Error::parameter("size", format!("{}x{}", size.1, size.0), "is not an image size"));
        }
        let outputs = Outputs::features(pixel_names(size.0, size.1, channels)).shaped(shape)?;
        Ok(Resizer { map: Resample::new((height, width), size, channels), features, outputs, size })
    }

    /// The machine a record speaks of.
    pub fn read(record: &Record) -> Result<Self> {
        record.expect_within(Self::KIND, 2..=2)?;
        let features = Features::read(record.part("inputs")?)?;
        Self::new(features, (record.count("height")?, record.count("width")?))
    }
}

impl Machine for Resizer {
    crate::ends!();

    fn apply(&self, inputs: &Inputs, run: &Run<'_>) -> Result<Points> {
        let points = inputs.points()?;
        let (from, to) = (points.columns(), self.outputs.names.len());
        let (mut values, hold) = run.memory.filled(points.len().saturating_mul(to), 0.0, "resized images")?;
        numeric::each_chunk_mut(run, &mut values, BLOCK * to, |block, rows| {
            let mut picture = vec![0.0; from];
            for (i, out) in rows.chunks_exact_mut(to).enumerate() {
                points.write_row(block * BLOCK + i, &mut picture);
                out.copy_from_slice(&self.map.apply(&picture));
            }
            Ok(())
        })?;
        Points::dense(Buffer::F64(Shared::counted(values, hold)), points.len(), to)
    }

    fn record(&self) -> Record {
        Record::new(Self::KIND, 2)
            .with("inputs", self.features.record())
            .with("height", self.size.0)
            .with("width", self.size.1)
    }

    fn facets(&self) -> Facets<'_> {
        Facets { gradient: Some(self), ..Facets::default() }
    }
}

impl Gradient for Resizer {
    fn vjp(&self, points: &Points, direction: &[f64], out: &mut [f64], run: &Run<'_>) -> Result<()> {
        vjp_by_row(points, direction, out, run, |_, direction, out| {
            self.map.pull(direction, out);
        })
    }
}
