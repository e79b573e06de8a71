//! Files beside a model: numbers that it keeps elsewhere, from its own folder only.
//!
//! A model names other files in its own words, so the name is not to be trusted: it may only go down from the model's
//! folder. Absolute names, `..` and names of devices are refused, and so is every part of the way that is a link,
//! because links lead out. That the file opened is the one looked at is made sure of afterwards, where the system can
//! tell files apart.

use crate::source::{self, Content, shown};
use base::{Error, Result, Run};
use std::path::{Component, Path, PathBuf};

/// The bytes of a file that a model refers to, which must lie in the model's folder or below.
pub fn open_beside(model: &Path, name: &str, run: &Run<'_>) -> Result<Content> {
    let path = path_beside(model, name)?;
    let before = about(&path)?;
    let content = source::open_plain(&path, run)?;
    match same_file(&before, &about(&path)?) {
        true => Ok(content),
        false => Err(refused(model, name, "was replaced while it was opened")),
    }
}

/// Where such a file lies, if it may be read.
fn path_beside(model: &Path, name: &str) -> Result<PathBuf> {
    if name.is_empty() || name.contains(['\0', '\\', ':']) {
        return Err(refused(model, name, "is not a plain file name"));
    }
    let mut path = model.parent().unwrap_or(Path::new("")).to_path_buf();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => continue,
            _ => return Err(refused(model, name, "leaves the model's folder")),
        }
        if about(&path)?.file_type().is_symlink() {
            return Err(refused(model, name, "is reached through a link"));
        }
    }
    match about(&path)?.is_file() {
        true => Ok(path),
        false => Err(refused(model, name, "is not a file")),
    }
}

fn about(path: &Path) -> Result<std::fs::Metadata> {
    std::fs::symlink_metadata(path).map_err(|e| crate::reading::file_error(&shown(path), &e))
}

#[cfg(unix)]
fn same_file(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino(), b.is_file()) == (b.dev(), b.ino(), true)
}

#[cfg(not(unix))]
fn same_file(a: &std::fs::Metadata, b: &std::fs::Metadata) -> bool {
    b.is_file() && a.len() == b.len() && a.created().ok() == b.created().ok()
}

fn refused(model: &Path, name: &str, why: &str) -> Error {
    let why = format!("keeps numbers in {name:?}, which {why}; such files must lie in the model's own folder");
    Error::format(shown(model), why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_models_own_folder_is_read() {
        let root = std::env::temp_dir().join(format!("pellucid-beside-{}", std::process::id()));
        let folder = root.join("model");
        std::fs::create_dir_all(folder.join("deep")).unwrap();
        for (place, text) in [("secret", "s"), ("model/w.bin", "w"), ("model/deep/v.bin", "v")] {
            std::fs::write(root.join(place), text).unwrap();
        }
        let (model, run) = (folder.join("m.onnx"), Run::quiet(1));
        let open = |name: &str| open_beside(&model, name, &run).map(|c| c.to_vec());
        assert_eq!(open("w.bin"), Ok(b"w".to_vec()));
        assert_eq!(open("./deep/v.bin"), Ok(b"v".to_vec()));
        let absolute = root.join("secret").display().to_string();
        let escaping = [
            "../secret",
            "deep/../../secret",
            "deep/../w.bin",
            "..",
            "",
            "deep",
            absolute.as_str(),
            "w.bin\0",
            "C:\\secret",
            "..\\secret",
        ];
        for name in escaping {
            let error = open(name).unwrap_err().to_string();
            assert!(error.contains("own folder"), "{name}: {error}");
        }
        assert!(open("absent").unwrap_err().to_string().contains("absent: "));
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(root.join("secret"), folder.join("link")).unwrap();
            symlink(&root, folder.join("way")).unwrap();
            symlink(folder.join("w.bin"), folder.join("inside")).unwrap();
            for name in ["link", "way/secret", "inside"] {
                assert!(open(name).unwrap_err().to_string().contains("through a link"), "{name}");
            }
        }
        std::fs::remove_dir_all(&root).unwrap();
    }
}
