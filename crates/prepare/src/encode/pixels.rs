//! Pictures: their pixels as they are, or brought to one size first.
//!
//! As they are, all pictures must have the size and channels of the first. Resized, each is brought to the size given
//! or to the commonest one, and to the commonest number of channels. A picture that is not there is refused with its
//! row: there is nothing to put in its place.

use super::part::{Encoded, Part, believable};
use crate::picture::{Resample, recolour};
use crate::schema;
use base::{Advice, Cells, Column, Error, Image, Message, Place, Record, Result, Run, Shape};
use std::borrow::Cow;
use std::collections::BTreeMap;

base::settings! {
    /// Settings for columns of images.
    pub struct Pictures {
        /// common image size as WIDTHxHEIGHT, or most-common; if empty, all images must have the same size
        pub size: String = String::new(), in Range::Any;
    }
}

/// A size as people write it, 32x24 or 32 for a square, as (height, width).
pub(crate) fn size_of(text: &str) -> Result<(usize, usize)> {
    const SIDE_MOST: usize = 1 << 14;
    let side = |t: &str| t.trim().parse::<usize>().ok().filter(|n| (1..=SIDE_MOST).contains(n));
    let (width, height) = text.trim().split_once(['x', 'X']).unwrap_or((text, text));
    match (side(width), side(height)) {
        (Some(width), Some(height)) => Ok((height, width)),
        _ => Err(Error::parameter("size", text, "must be WIDTHxHEIGHT in pixels, such as 32x24, or most-common")),
    }
}

/// The sizes of pictures, (height, width, channels), with how many have each.
fn sizes(images: &[Option<Image>]) -> BTreeMap<(usize, usize, usize), usize> {
    let mut sizes = BTreeMap::new();
    images.iter().flatten().for_each(|i| *sizes.entry((i.height, i.width, i.channels)).or_default() += 1);
    sizes
}

/// The key with the largest count, of equals the smallest.
fn commonest<K: Copy + Ord>(counts: impl IntoIterator<Item = (K, usize)>) -> Option<K> {
    let mut sums: BTreeMap<K, usize> = BTreeMap::new();
    counts.into_iter().for_each(|(key, n)| *sums.entry(key).or_default() += n);
    sums.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0))).map(|(key, _)| key)
}

impl Pictures {
    /// Height, width and channels that these pictures will have; none if there are none, or of several sizes without
    /// a word on which.
    pub fn form(&self, images: &[Option<Image>]) -> Result<Option<(usize, usize, usize)>> {
        let sizes = sizes(images);
        let each = || sizes.iter().map(|(size, n)| (*size, *n));
        let Some(channels) = commonest(each().map(|((_, _, c), n)| (c, n))) else { return Ok(None) };
        let size = match self.size.trim() {
            "" if sizes.len() > 1 => None,
            "" | "most-common" | "commonest" => commonest(each().map(|((h, w, _), n)| ((h, w), n))),
            text => Some(size_of(text)?),
        };
        Ok(size.map(|(height, width)| (height, width, channels)))
    }

    /// The part for a column of pictures.
    pub(crate) fn part(&self, column: &Column, images: &[Option<Image>]) -> Result<Box<dyn Part>> {
        let refuse =
            |row: usize, why: &str| Err(Error::data(Place::Cell { row, column: column.name.clone() }, why.to_string()));
        if let Some(row) = images.iter().position(Option::is_none) {
            return refuse(row, "has no image; leave the row out");
        }
        match (self.form(images)?.map(CalibrationForm::of), self.size.trim()) {
            (Some(form), "") => Ok(Box::new(Pixels(form))),
            (Some(form), _) => Ok(Box::new(Resized(form))),
            (None, _) => {
                let most = commonest(sizes(images));
                let row = images.iter().position(|i| i.as_ref().map(form_of) != most).unwrap_or(0);
                let why = Message::from("differs in size or channels from most others")
                    .with_effect(Advice::prepare("resize"), "gives all the most common size")
                    .with_effect(Advice::prepare("resize=WxH"), "another");
                Err(Error::data(Place::Cell { row, column: column.name.clone() }, why))
            }
        }
    }
}

fn form_of(image: &Image) -> (usize, usize, usize) {
    (image.height, image.width, image.channels)
}

/// Height, width and channels of the pictures that come out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CalibrationForm {
    pub height: usize,
    pub width: usize,
    pub channels: usize,
}

impl CalibrationForm {
    fn of((height, width, channels): (usize, usize, usize)) -> Self {
        CalibrationForm { height, width, channels }
    }

    fn shape(&self) -> Shape {
        Shape::Image { height: self.height, width: self.width, channels: self.channels }
    }

    /// How many numbers a picture has.
    pub fn count(&self) -> usize {
        self.shape().count().unwrap_or(usize::MAX)
    }

    fn names(&self, column: &str) -> Vec<String> {
        (0..self.count()).map(|i| format!("{column}.{i}")).collect()
    }

    fn read(record: &Record) -> Result<Self> {
        let form = CalibrationForm::of((record.count("height")?, record.count("width")?, record.count("channels")?));
        match believable(record, form.shape().count())? {
            0 => Err(record.broken("an image without pixels")),
            _ => Ok(form),
        }
    }

    fn record(&self, kind: &str) -> Record {
        Record::new(kind, 1).with("height", self.height).with("width", self.width).with("channels", self.channels)
    }

    /// Pictures of this form, row after row.
    fn restore(&self, values: &[f64]) -> Cells {
        let CalibrationForm { height, width, channels } = *self;
        let image = |row: &[f64]| Some(Image { height, width, channels, values: row.to_vec().into() });
        Cells::Image(values.chunks_exact(self.count().max(1)).map(image).collect())
    }

    /// The pixels of a picture in this form.
    pub fn pixels<'a>(&self, image: &'a Image) -> Cow<'a, [f64]> {
        let pixels = recolour(image.values.get(0..image.values.len()), image.channels, self.channels);
        match (image.height, image.width) == (self.height, self.width) {
            true => pixels,
            false => {
                let (from, to) = ((image.height, image.width), (self.height, self.width));
                Cow::Owned(Resample::new(from, to, self.channels).apply(&pixels))
            }
        }
    }

    /// The pictures of a column, each of which `admits` has looked at.
    fn encode<'a>(&self, column: &'a Column, admits: impl Fn(&Image) -> bool) -> Result<Encoded<'a>> {
        let Cells::Image(images) = &column.cells else {
            return Err(schema::wrong_type(column, "picture", &column.cells));
        };
        for (row, image) in images.iter().enumerate() {
            if !image.as_ref().is_some_and(&admits) {
                let found = image.as_ref().map(|i| format!("{}x{}x{}", i.height, i.width, i.channels));
                let CalibrationForm { height, width, channels } = self;
                let found = found.as_deref().unwrap_or("none");
                let why = format!("expected an image of {height}x{width}x{channels}, found {found}");
                return Err(Error::data(Place::Cell { row, column: column.name.clone() }, why));
            }
        }
        Ok(Encoded::Pictures(images, *self))
    }
}

/// Whether the numbers of a picture are as many as its size says, and its channels known.
fn is_sound(image: &Image) -> bool {
    let shape = Shape::Image { height: image.height, width: image.width, channels: image.channels };
    shape.count().is_some_and(|n| n > 0 && n == image.values.len())
}

/// The pixels of pictures of one size.
pub(crate) struct Pixels(CalibrationForm);

impl Pixels {
    pub fn read(record: &Record) -> Result<Self> {
        record.expect("pixels", 1)?;
        CalibrationForm::read(record).map(Pixels)
    }
}

impl Part for Pixels {
    fn width(&self) -> usize {
        self.0.count()
    }

    fn names(&self, column: &str) -> Vec<String> {
        self.0.names(column)
    }

    fn encode<'a>(&self, column: &'a Column, _: &Run<'_>) -> Result<Encoded<'a>> {
        self.0.encode(column, |image| is_sound(image) && CalibrationForm::of(form_of(image)) == self.0)
    }

    fn record(&self) -> Record {
        self.0.record("pixels")
    }

    fn shape(&self) -> Option<Shape> {
        Some(self.0.shape())
    }

    fn apart(&self) -> bool {
        true
    }

    fn restore(&self, values: &[f64]) -> Cells {
        self.0.restore(values)
    }
}

/// The pixels of pictures brought to one size.
pub(crate) struct Resized(CalibrationForm);

impl Resized {
    pub fn new(size: (usize, usize, usize)) -> Result<Self> {
        let form = CalibrationForm::of(size);
        match form.shape().count() {
            Some(1..=super::encoder::MOST_COLUMNS) => Ok(Resized(form)),
            _ => Err(Error::size("pixels of an image", format!("1 to {}", super::encoder::MOST_COLUMNS), form.count())),
        }
    }

    pub fn read(record: &Record) -> Result<Self> {
        record.expect("resized", 1)?;
        CalibrationForm::read(record).map(Resized)
    }
}

impl Part for Resized {
    fn width(&self) -> usize {
        self.0.count()
    }

    fn names(&self, column: &str) -> Vec<String> {
        self.0.names(column)
    }

    fn encode<'a>(&self, column: &'a Column, _: &Run<'_>) -> Result<Encoded<'a>> {
        let known = |channels: usize| channels == self.0.channels || [1, 3, 4].contains(&channels);
        self.0.encode(column, |image| is_sound(image) && known(image.channels))
    }

    fn record(&self) -> Record {
        self.0.record("resized")
    }

    fn shape(&self) -> Option<Shape> {
        Some(self.0.shape())
    }

    fn apart(&self) -> bool {
        true
    }

    fn restore(&self, values: &[f64]) -> Cells {
        self.0.restore(values)
    }
}
