//! Several NumPy arrays in a zip archive, `.npz`.
//!
//! Points are the array named `X`, `x`, `data` or `features`, else the first of two or more dimensions; targets the
//! one named `y`, `target(s)` or `label(s)`, else the only other array of one dimension with as many rows. What is
//! taken without being named so is said aloud.

use crate::array::Layout;
use crate::reading::Reading;
use crate::window::Owner;
use crate::{npy, zip};
use base::{Dataset, Error, Inputs, Result, Run, Targets};
use std::io;

/// Heads of arrays are looked for in so many bytes.
const HEAD: u64 = 1 << 14;

/// An array of the archive that could be read, by its head.
struct Member<'a> {
    name: &'a str,
    entry: &'a zip::Entry,
    layout: Layout,
}

/// Points and targets of an archive.
pub(crate) fn read(name: &str, archive: &Owner, how: &Reading, run: &Run<'_>) -> Result<Dataset> {
    let bytes = (**archive).as_ref();
    let entries = zip::entries(name, bytes)?;
    let mut members = Vec::new();
    let mut unread = Vec::new();
    for entry in &entries {
        let Some(array) = entry.name.strip_suffix(".npy") else { continue };
        match npy::head(&format!("{name}: {array:?}"), &entry.peek(bytes, HEAD)) {
            Ok((layout, _)) => members.push(Member { name: array, entry, layout }),
            Err(error) => unread.push(error),
        }
    }
    if members.is_empty() {
        return Err(unread.pop().unwrap_or_else(|| Error::format(name, "has no NumPy arrays in it")));
    }
    unread.iter().for_each(|error| run.watch.advise(&error.to_message()));
    let open = |member: &Member<'_>| {
        let (owner, range) = member.entry.open(name, archive, run)?;
        npy::read(&format!("{name}: {:?}", member.name), &owner, range, run)
    };

    let points = points(name, &members, run)?;
    let mut data = open(points)?.into_dataset(name, how, run)?;
    if let Some(target) = target(&members, points, data.len(), run) {
        data.targets = open(target)?.into_targets(name, target.name, data.len())?;
    }
    Ok(data)
}

fn named<'a, 'b>(members: &'a [Member<'b>], names: &[&str]) -> Option<&'a Member<'b>> {
    names.iter().find_map(|name| members.iter().find(|m| m.name == *name))
}

fn points<'a, 'b>(name: &str, members: &'a [Member<'b>], run: &Run<'_>) -> Result<&'a Member<'b>> {
    if let Some(member) = named(members, &["X", "x", "data", "features"]) {
        return Ok(member);
    }
    let found = members.iter().find(|m| m.layout.shape.len() >= 2).or(match members {
        [only] => Some(only),
        _ => None,
    });
    match found {
        Some(member) => {
            run.watch.note(&format!("{name}: the array {:?} is taken as points", member.name));
            Ok(member)
        }
        None => {
            let names: Vec<&str> = members.iter().map(|m| m.name).collect();
            let why = format!("none of its arrays ({}) looks like points; name it X", names.join(", "));
            Err(Error::format(name, why))
        }
    }
}

fn target<'a, 'b>(
    members: &'a [Member<'b>],
    points: &Member<'_>,
    rows: usize,
    run: &Run<'_>,
) -> Option<&'a Member<'b>> {
    let other = |m: &&Member<'_>| m.name != points.name;
    if let Some(member) = named(members, &["y", "target", "targets", "label", "labels"]).filter(other) {
        return Some(member);
    }
    let mut fitting = members.iter().filter(other).filter(|m| m.layout.shape == [rows]);
    let (first, second) = (fitting.next()?, fitting.next());
    match second {
        None => {
            run.watch.note(&format!("the array {:?} is taken as target", first.name));
            Some(first)
        }
        Some(second) => {
            let (a, b) = (first.name, second.name);
            run.watch.note(&format!("{a:?} and {b:?} could both be targets; none is taken, name one of them y"));
            None
        }
    }
}

/// Writes points and targets as the arrays `X` and `y`; classes by their names, which are texts or numbers.
pub(crate) fn write(out: &mut dyn io::Write, data: &Dataset) -> io::Result<()> {
    let Inputs::Points(points) = &data.inputs else {
        return Err(io::Error::other("a table with typed columns is not an array"));
    };
    let mut entries: Vec<(String, zip::Fill<'_>)> =
        vec![("X.npy".to_string(), Box::new(|out| npy::write_points(out, points)))];
    let targets: Option<zip::Fill<'_>> = match &data.targets {
        Targets::None => None,
        Targets::Values(values) => {
            let columns = values.names().len();
            let rows = values.values().len() / columns.max(1);
            let shape = if columns == 1 { vec![rows] } else { vec![rows, columns] };
            let values = base::Buffer::from(values.values().to_vec());
            Some(Box::new(move |out| npy::write(out, &shape, &values)))
        }
        Targets::Classes(classes) => {
            let names: Option<Vec<f64>> = classes.names().iter().map(|n| n.parse::<f64>().ok()).collect();
            match names {
                // Classes that are called by numbers keep their numbers.
                Some(names) => {
                    let code = |&c: &u32| names.get(c as usize).copied().unwrap_or(f64::NAN);
                    let values: Vec<f64> = classes.codes().iter().map(code).collect();
                    Some(Box::new(move |out| npy::write(out, &[values.len()], &values.clone().into())))
                }
                None => {
                    let name = |i: usize| classes.get(i).map_or("", |c| classes.names()[c].as_str());
                    let texts: Vec<&str> = (0..data.len()).map(name).collect();
                    Some(Box::new(move |out| npy::write_texts(out, &texts)))
                }
            }
        }
        Targets::Sets(_) => return Err(io::Error::other("label sets are not written to NPZ; use LIBSVM's format")),
    };
    entries.extend(targets.map(|fill| ("y.npy".to_string(), fill)));
    zip::write(out, &entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Values;
    use base::{Buffer, Points};
    use std::sync::Arc;

    fn golden(name: &str) -> Owner {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden/npy/");
        Arc::new(std::fs::read(format!("{path}{name}")).unwrap())
    }

    #[test]
    fn every_type_and_order_that_numpy_writes() {
        let (archive, run) = (golden("arrays.npz"), Run::quiet(1));
        let mut seen = 0;
        for entry in zip::entries("arrays.npz", (*archive).as_ref()).unwrap() {
            let (owner, range) = entry.open("arrays.npz", &archive, &run).unwrap();
            let array = npy::read(&entry.name, &owner, range, &run).unwrap();
            let parts: Vec<&str> = entry.name.trim_end_matches(".npy").split('_').collect();
            let numbers = match array.values {
                Values::Texts(texts) => {
                    let third = if parts[0] == "S" { "a c" } else { "äö€𝄞" };
                    assert_eq!(texts, ["b", "", third, "long word"], "{}", entry.name);
                    continue;
                }
                Values::Numbers(numbers) => numbers,
            };
            let shape: &[usize] = [&[7][..], &[3, 4], &[2, 3, 4]][parts[3].parse::<usize>().unwrap() - 1];
            assert_eq!(array.shape, shape, "{}", entry.name);
            assert_eq!(matches!(numbers, Buffer::F32(_)), parts[0] == "f4", "{}", entry.name);
            for k in 0..numbers.len() {
                let expected = match &parts[0][..1] {
                    "f" => (k as f64 - 5.0) / 4.0,
                    "i" => k as f64 - 5.0,
                    "u" => k as f64,
                    _ => f64::from(u8::from(k % 3 == 0)),
                };
                assert_eq!(numbers.at(k), expected, "element {k} of {}", entry.name);
            }
            seen += 1;
        }
        assert_eq!(seen, 12 * 2 * 2 * 3);
    }

    #[test]
    fn versions_and_objects() {
        let run = Run::quiet(1);
        let read = |name: &str| {
            let owner = golden(name);
            let length = (*owner).as_ref().len();
            npy::read(name, &owner, 0..length, &run)
        };
        for name in ["version1.npy", "version2.npy", "version3.npy"] {
            let array = read(name).unwrap();
            assert_eq!(array.values, Values::Numbers(vec![0.5, -0.0, 1e300, 3.0].into()));
        }
        assert!(read("objects.npy").unwrap_err().to_string().contains("never loaded"));
    }

    #[test]
    fn written_as_numpy_writes() {
        let mut bytes = Vec::new();
        npy::write_points(&mut bytes, &Points::dense(vec![0.5, -0.0, 1e300, 3.0], 2, 2).unwrap()).unwrap();
        assert!(bytes == (*golden("version1.npy")).as_ref());
        let sparse = base::Sparse::new(vec![0, 1, 3], vec![0, 0, 1], vec![0.5, 1e300, 3.0], 2).unwrap();
        let mut bytes = Vec::new();
        npy::write_points(&mut bytes, &Points::Sparse(sparse)).unwrap();
        // The sparse one has 0 where the other has -0.
        let mut expected = (*golden("version1.npy")).as_ref().to_vec();
        expected[128 + 15] = 0;
        assert!(bytes == expected);
        let mut bytes = Vec::new();
        npy::write(&mut bytes, &[3], &vec![1.5f32, -2.0, 3.25].into()).unwrap();
        assert!(bytes == (*golden("single.npy")).as_ref());
    }

    #[test]
    fn names_choose_points_and_targets() {
        let (run, how) = (Run::quiet(1), Reading::default());
        let data = read("deflated.npz", &golden("deflated.npz"), &how, &run).unwrap();
        let Targets::Classes(classes) = &data.targets else { panic!("no classes") };
        assert_eq!((data.len(), data.inputs.columns(), classes.counts()), (50, 4, vec![25, 25]));
        let array = |shape: &[usize]| {
            let mut bytes = Vec::new();
            npy::write(&mut bytes, shape, &vec![1.0; shape.iter().product()].into()).unwrap();
            bytes
        };
        let read = |arrays: &[(&str, &[usize])]| {
            let entries: Vec<_> = arrays.iter().map(|(n, s)| (format!("{n}.npy"), array(s))).collect();
            let owner: Owner = Arc::new(zip::tests::archive(&entries));
            super::read("t", &owner, &how, &run).map(|d| (d.len(), d.inputs.columns(), d.targets.rows()))
        };
        assert_eq!(read(&[("a", &[2, 3]), ("X", &[4, 5]), ("y", &[4])]), Ok((4, 5, Some(4))));
        assert_eq!(read(&[("ids", &[4]), ("a", &[4, 3])]), Ok((4, 3, Some(4))));
        assert_eq!(read(&[("ids", &[4]), ("a", &[4, 3]), ("b", &[4])]), Ok((4, 3, None)));
        assert_eq!(read(&[("a", &[6])]), Ok((6, 1, None)));
        assert_eq!(read(&[("X", &[4, 3]), ("labels", &[4, 2])]), Ok((4, 3, Some(4))));
        assert!(read(&[("X", &[4, 3]), ("y", &[5])]).is_err());
        assert!(read(&[("a", &[4]), ("b", &[5])]).unwrap_err().to_string().contains("a, b"));
        assert!(read(&[]).is_err());
    }
}
