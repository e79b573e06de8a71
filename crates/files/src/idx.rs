//! IDX files, the format of MNIST: two zeros, a type, a count of dimensions, sizes (u32, big-endian), elements
//! (big-endian, the last index moving fastest).
//!
//! - Y. LeCun, C. Cortes, C. J. C. Burges: *The MNIST database of handwritten digits*, section on file formats.

use crate::array::{Array, Element, Layout};
use crate::window::Owner;
use base::{Error, Result, Run};
use std::path::{Path, PathBuf};

/// The array in the owner's bytes.
pub(crate) fn read(name: &str, owner: &Owner, run: &Run<'_>) -> Result<Array> {
    let bytes = (**owner).as_ref();
    let broken = |why: String| Error::format(name, why);
    let &[0, 0, code, dimensions, ref rest @ ..] = bytes else { return Err(broken("is not an IDX file".into())) };
    let element = match code {
        0x08 => Element::U8,
        0x09 => Element::I8,
        0x0b => Element::I16,
        0x0c => Element::I32,
        0x0d => Element::F32,
        0x0e => Element::F64,
        _ => return Err(broken(format!("has elements of the unknown type {code:#04x}"))),
    };
    if !(1..=8).contains(&dimensions) {
        return Err(broken(format!("has {dimensions} dimensions; 1 to 8 are supported")));
    }
    let head = 4 * usize::from(dimensions);
    let Some(sizes) = rest.get(..head) else { return Err(broken("is truncated in its header".into())) };
    let size = |b: &[u8]| b.iter().fold(0usize, |n, &b| n << 8 | usize::from(b));
    let shape = sizes.chunks_exact(4).map(size).collect();
    let layout = Layout { element, big_endian: true, first_fastest: false, shape, single: true };
    layout.read(name, owner, 4 + head..bytes.len(), run)
}

/// Where the labels of a file of images lie by the custom of MNIST: `train-images-idx3-ubyte` beside
/// `train-labels-idx1-ubyte`.
pub(crate) fn labels_beside(images: &Path) -> Option<PathBuf> {
    let name = images.file_name()?.to_str()?;
    let pairs = [("-images-idx3", "-labels-idx1"), ("-images.idx3", "-labels.idx1")];
    let beside = pairs.iter().find(|(from, _)| name.contains(from)).map(|(from, to)| name.replacen(from, to, 1))?;
    // The images may be packed and the labels not, or the other way round.
    let other = match beside.strip_suffix(".gz") {
        Some(plain) => plain.to_string(),
        None => format!("{beside}.gz"),
    };
    [beside, other].into_iter().map(|name| images.with_file_name(name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Values;
    use base::Buffer;
    use std::sync::Arc;

    fn parse(bytes: &[u8]) -> Result<Array> {
        let owner: Owner = Arc::new(bytes.to_vec());
        read("a", &owner, &Run::quiet(1))
    }

    #[test]
    fn every_type_is_read() {
        let one = |code: u8, element: &[u8]| [&[0, 0, code, 1, 0, 0, 0, 1], element].concat();
        let table: [(u8, &[u8], Buffer); 6] = [
            (0x08, &[200], vec![200f32].into()),
            (0x09, &[200], vec![-56f32].into()),
            (0x0b, &[0xff, 0xfe], vec![-2f32].into()),
            (0x0c, &[0x7f, 0xff, 0xff, 0xff], vec![2_147_483_647.0f64].into()),
            (0x0d, &1.5f32.to_be_bytes(), vec![1.5f32].into()),
            (0x0e, &(-1e300f64).to_be_bytes(), vec![-1e300].into()),
        ];
        for (code, element, expected) in table {
            assert_eq!(parse(&one(code, element)).unwrap().values, Values::Numbers(expected));
        }
        for bad in
            [one(0x0a, &[0]), one(8, &[0, 0]), one(8, &[]), vec![0, 0, 8, 0], vec![0, 0, 8, 9], vec![0, 0, 8, 2, 0]]
        {
            assert!(parse(&bad).is_err());
        }
        let huge = [&[0, 0, 14, 4][..], &[0xff; 16]].concat();
        assert!(parse(&huge).unwrap_err().to_string().contains("too large"));
    }
}
