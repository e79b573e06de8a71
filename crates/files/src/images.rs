//! Pictures, PNG and JPEG: one, a folder of them, or many stacked in one.
//!
//! Gray has one channel, colour three; with opacity there are four (gray with opacity becomes colour with opacity).
//! Palettes are looked up. Values run from 0 to 255; 16 bits are scaled to that range and keep their fractions. Sizes
//! and memory are limited before a picture is unpacked.

use crate::door::recognise;
use crate::formats::Format;
use crate::reading::{Reading, file_error};
use crate::source::{self, shown};
use base::{Buffer, Cells, Column, Dataset, Error, Features, Image, Points, Progress, Result, Run};
use base::{Shape, Shared, Table, Targets, Texts};
use image::{ColorType, ImageDecoder, ImageReader, Limits};
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// The most rows or columns of pixels.
const SIDE_MOST: u32 = 1 << 22;
/// A picture so many times higher than wide is a stack of squares.
const STACK_FROM: usize = 8;
/// Folders inside folders, at most.
const DEPTH_MOST: usize = 16;

/// A picture as data: points if it is a stack, else a table with one row.
pub(crate) fn read(name: &str, bytes: &[u8], how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let picture = decode(name, bytes, run)?;
    match stacked(name, &picture, how)? {
        Some((height, width)) => {
            let (rows, channels) = (picture.height / height, picture.channels);
            let columns = height * width * channels;
            let what = format!("{name}: read as a stack of {rows} images of {height} x {width} pixels");
            run.watch.note(&what);
            let points = Points::dense(picture.values, rows, columns)?;
            let features = Features::unnamed(columns).shaped(Shape::Image { height, width, channels })?;
            Ok(Dataset { features, ..Dataset::new(points, Targets::None) })
        }
        None => {
            let cells = Cells::Image(vec![Some(picture)].into());
            let table = Table::new(vec![Column { name: "image".into(), cells }])?;
            Ok(Dataset::new(table, Targets::None))
        }
    }
}

/// Height and width of each picture of a stack, if it is one.
fn stacked(name: &str, picture: &Image, how: &Reading) -> Result<Option<(usize, usize)>> {
    let Image { height, width, .. } = *picture;
    match how.stack {
        Some((h, w)) if h > 0 && w == width && height.is_multiple_of(h) => Ok(Some((h, w))),
        Some((h, w)) => {
            let why = format!("is {height} x {width} pixels and cannot be a stack of images of {h} x {w}");
            Err(Error::format(name, why))
        }
        None => {
            let squares = height.is_multiple_of(width) && height / width >= STACK_FROM;
            Ok(squares.then_some((width, width)))
        }
    }
}

/// One picture.
pub(crate) fn decode(name: &str, bytes: &[u8], run: &Run<'_>) -> Result<Image> {
    let broken = |e: image::ImageError| match e {
        image::ImageError::Limits(e) => Error::format(name, format!("is too large an image: {e}")),
        e => Error::format(name, format!("is a corrupt image: {e}")),
    };
    let format = match recognise(name, bytes) {
        Some(Format::Png) => image::ImageFormat::Png,
        Some(Format::Jpeg) => image::ImageFormat::Jpeg,
        _ => return Err(Error::format(name, "is neither a PNG nor a JPEG image")),
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MOST);
    limits.max_image_height = Some(SIDE_MOST);
    limits.max_alloc = Some(run.memory.free());
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(broken)?;
    let (width, height) = decoder.dimensions();
    let (width, height) = (width as usize, height as usize);
    let (stored, channels) = match decoder.color_type() {
        ColorType::L8 | ColorType::L16 => (1, 1),
        ColorType::La8 | ColorType::La16 => (2, 4),
        ColorType::Rgb8 | ColorType::Rgb16 => (3, 3),
        ColorType::Rgba8 | ColorType::Rgba16 => (4, 4),
        other => return Err(Error::format(name, format!("has pixels of the unknown type {other:?}"))),
    };
    let total =
        usize::try_from(decoder.total_bytes()).map_err(|_| Error::size("bytes of an image", "64 bits", "more"))?;
    let count = height.checked_mul(width).and_then(|n| n.checked_mul(channels));
    let count = count.filter(|&n| n > 0).ok_or_else(|| Error::format(name, "is an image without pixels"))?;
    let wide = total / (count / channels * stored).max(1) == 2;
    let hold = run.memory.take_for::<f32>(count, "the pixels of an image")?;
    let (mut raw, _raw_hold) = run.memory.filled(total, 0u8, "an image being decompressed")?;
    decoder.read_image(&mut raw).map_err(broken)?;
    let mut values = Vec::with_capacity(count);
    let value = |b: &[u8]| f32::from(u16::from_ne_bytes([b[0], b[1]])) * (255.0 / 65535.0);
    match (wide, stored) {
        (false, 2) => raw.chunks_exact(2).for_each(|p| values.extend([p[0], p[0], p[0], p[1]].map(f32::from))),
        (false, _) => values.extend(raw.iter().map(|&x| f32::from(x))),
        (true, 2) => raw.chunks_exact(4).for_each(|p| {
            let (gray, opacity) = (value(&p[..2]), value(&p[2..]));
            values.extend([gray, gray, gray, opacity]);
        }),
        (true, _) => values.extend(raw.chunks_exact(2).map(value)),
    }
    Ok(Image { height, width, channels, values: Buffer::F32(Shared::counted(values, hold)) })
}

/// The pictures of a folder, in the order of their names: columns `image`, `file` and, where they lie in subfolders,
/// `class`.
pub(crate) fn read_folder(path: &Path, run: &Run<'_>) -> Result<Dataset> {
    let name = shown(path);
    let root = path.canonicalize().map_err(|e| file_error(&name, &e))?;
    let mut files = Vec::new();
    walk(&root, &root, 0, &mut files)?;
    let (mut images, mut ids, mut classes, mut others) = (Vec::new(), Texts::default(), Vec::new(), Vec::new());
    for (i, file) in files.iter().enumerate() {
        run.report(&Progress::of("images", i as u64, files.len() as u64))?;
        let parts: Vec<_> = file.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
        let id = parts.join("/");
        let called = format!("{name}/{id}");
        if !starts_like_a_picture(&root.join(file), &called)? {
            others.push(id);
            continue;
        }
        let content = source::open(&root.join(file), run).map_err(|e| renamed(e, &called))?;
        images.push(Some(decode(&called, &content, run)?));
        ids.push(Some(&id));
        classes.push((parts.len() > 1).then(|| parts[0].clone()));
    }
    if !others.is_empty() {
        let shown = others[..others.len().min(3)].join(", ");
        run.watch.note(&format!("{name}: files that are not images were skipped ({}): {shown}", others.len()));
    }
    if images.is_empty() {
        return Err(Error::format(name, "is a folder without PNG or JPEG images"));
    }
    let column = |name: &str, cells| Column { name: name.into(), cells };
    let mut columns = vec![column("image", Cells::Image(images.into())), column("file", Cells::Id(ids))];
    if classes.iter().any(Option::is_some) {
        columns.push(column("class", Cells::categories(classes.iter().map(Option::as_deref))));
    }
    Ok(Dataset::new(Table::new(columns)?, Targets::None))
}

/// Files below a folder, sorted by name, relative to the root. Hidden ones are skipped; links to files are followed
/// if they stay inside, links to folders are not.
fn walk(root: &Path, folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    if depth > DEPTH_MOST {
        return Err(Error::format(shown(folder), format!("lies deeper than {DEPTH_MOST} folders")));
    }
    let failed = |e: std::io::Error| file_error(&shown(folder), &e);
    let mut entries =
        std::fs::read_dir(folder).map_err(failed)?.collect::<std::io::Result<Vec<_>>>().map_err(failed)?;
    entries.sort_by_key(|e| e.file_name());
    for entry in entries {
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
        if kind.is_dir() {
            walk(root, &path, depth + 1, files)?;
            continue;
        }
        let inside = || path.canonicalize().is_ok_and(|target| target.starts_with(root) && target.is_file());
        if kind.is_file() || (kind.is_symlink() && inside()) {
            files.extend(path.strip_prefix(root).map(Path::to_path_buf));
        }
    }
    Ok(())
}

fn starts_like_a_picture(path: &Path, called: &str) -> Result<bool> {
    use std::io::Read;
    let mut head = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(16).read_to_end(&mut head))
        .map_err(|e| file_error(called, &e))?;
    Ok(matches!(recognise(called, &head), Some(Format::Png | Format::Jpeg)))
}

/// The error with the file called as the user called it.
fn renamed(error: Error, called: &str) -> Error {
    match error {
        Error::File { why, .. } => Error::File { file: called.into(), why },
        Error::Format { why, .. } => Error::Format { file: called.into(), why },
        other => other,
    }
}
