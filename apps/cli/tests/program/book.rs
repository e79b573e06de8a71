//! What the README and the book show is what the program prints, and the book's pictures are what it draws.
//!
//! Every `console` block is run, the commands of a page one after the other in a folder of its own that holds the
//! project's `data`. What follows a command must be what it prints, standard output and standard error together; a last
//! line `...` leaves the rest out. Files that commands write to `pictures/` are the pictures of `docs/src/pictures`.
//!
//! `BOOK_PAGE=README.md` runs that page alone.
//!
//! `BOOK_UPDATE=1 cargo test -p pellucid-cli --test program -- book reference` writes what the program prints and draws today into
//! the pages, and the tables of `docs/src/reference`. Look at the difference before you commit it.

use crate::Folder;
use pellucid::{Cells, Inputs, KNOWN, Run, files};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// The project's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Whether pages are to be written anew.
pub fn updating() -> bool {
    std::env::var_os("BOOK_UPDATE").is_some()
}

/// The README and all pages of the book but those that are generated.
fn pages() -> Vec<String> {
    let mut found = vec!["README.md".to_string()];
    let mut folders = vec!["docs/src".to_string()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            match entry.path().is_dir() {
                true if path == "docs/src/reference" => {}
                true => folders.push(path),
                false if path.ends_with(".md") => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

/// A command of a page, with the lines of the page that are said to come of it.
#[derive(Debug, PartialEq)]
struct Shown {
    line: usize,
    command: String,
    from: usize,
    to: usize,
}

fn shown(lines: &[&str]) -> Vec<Shown> {
    let mut found: Vec<Shown> = vec![];
    let mut inside = false;
    for (i, &line) in lines.iter().enumerate() {
        let goes_on = found.last().is_some_and(|s| inside && s.to == i && s.from == i && s.command.ends_with('\\'));
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) if line.starts_with("$ ") => {
                found.push(Shown { line: i + 1, command: line[2..].into(), from: i + 1, to: i + 1 });
            }
            (true, line) => {
                let last = found.last_mut().unwrap_or_else(|| panic!("line {}: output without a command", i + 1));
                last.to = i + 1;
                if goes_on {
                    last.command = format!("{}\n{line}", last.command);
                    last.from = i + 1;
                }
            }
            _ => {}
        }
    }
    found
}

/// Stands for a word that is left out of the comparison.
const HEDGE: &str = "\0";

/// A line without what differs from run to run and from computer to computer: times, amounts of memory, the version, and
/// the last digits of long numbers.
pub fn steady(line: &str) -> String {
    let line = line.replace("less than a millisecond", "1 ms").replace("under 1 ms", "1 ms");
    let line = line.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let mut words: Vec<String> = line.split(' ').map(str::to_string).collect();
    for i in 1..words.len() {
        let unit = words[i].trim_end_matches([',', '.', ':', ')']).to_string();
        if ["s", "ms", "MB", "GB", "kB"].contains(&unit.as_str()) && words[i - 1].parse::<f64>().is_ok() {
            words[i - 1] = "#".into();
            words[i] = words[i].replacen(&unit, "unit", 1);
            // "about 1 ms" on one run is "under 1 ms" on the next.
            if i >= 2 && words[i - 2] == "about" {
                words[i - 2] = HEDGE.into();
            }
        }
    }
    words.retain(|w| w != HEDGE);
    words.iter().map(|w| rounded(w)).collect::<Vec<_>>().join(" ")
}

/// A word whose numbers of more than ten digits are cut to eight, and whose numbers next to 0 are 0: rounding errors and
/// residuals differ between processors.
fn rounded(word: &str) -> String {
    let round = |part: &str| match part.parse::<f64>() {
        Ok(x) if x.abs() < 1e-5 && part.contains('e') => "0".to_string(),
        Ok(x) if part.chars().filter(char::is_ascii_digit).count() > 10 => format!("{x:.7e}"),
        _ => part.to_string(),
    };
    word.split(',').map(round).collect::<Vec<_>>().join(",")
}

/// Whether a page shows what was printed; `...` as the last line stands for the rest.
fn agree(page: &[&str], printed: &[&str]) -> bool {
    let steady = |lines: &[&str]| lines.iter().map(|l| steady(l)).collect::<Vec<_>>();
    match page.split_last() {
        Some((&"...", shown)) => printed.len() > shown.len() && steady(shown) == steady(&printed[..shown.len()]),
        _ => steady(page) == steady(printed),
    }
}

/// What a page should show of what was printed: all of it, or as many lines as it has before `...`.
fn shortened<'a>(page: &[&str], printed: &[&'a str]) -> Vec<&'a str> {
    match page.split_last() {
        Some((&"...", shown)) if printed.len() > shown.len() => [&printed[..shown.len()], &["..."]].concat(),
        _ => printed.to_vec(),
    }
}

/// Runs a page: what differs, how many commands it has, and the pictures it made.
fn run(page: &str, path: &str) -> (Vec<String>, usize, Vec<String>) {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let commands = shown(&lines);
    let folder = Folder::new(&format!("book-{}", page.replace(['/', '.'], "-")));
    std::fs::create_dir_all(folder.file("data")).unwrap();
    std::fs::create_dir_all(folder.file("pictures")).unwrap();
    std::fs::copy(root().join("data/penguins.csv"), folder.file("data/penguins.csv")).unwrap();
    let mut wrong = vec![];
    let mut renewed: Vec<(usize, usize, Vec<String>)> = vec![];
    for Shown { line, command, from, to } in &commands {
        let shell = format!("({command}\n) 2>&1");
        let ran = Command::new("sh").arg("-c").arg(&shell).current_dir(folder.file("")).env("PATH", path).output();
        let said = String::from_utf8(ran.unwrap().stdout).unwrap();
        let (ours, wanted) = (said.lines().collect::<Vec<_>>(), &lines[*from..*to]);
        if !agree(wanted, &ours) {
            wrong.push(format!("{page}:{line}: {command}\nprints\n{said}\nand the page says\n{}", wanted.join("\n")));
            renewed.push((*from, *to, shortened(wanted, &ours).into_iter().map(String::from).collect()));
        }
    }
    if updating() && !renewed.is_empty() {
        let mut all: Vec<String> = lines.iter().map(|l| l.to_string()).collect();
        for (from, to, output) in renewed.into_iter().rev() {
            all.splice(from..to, output);
        }
        std::fs::write(root().join(page), all.join("\n") + "\n").unwrap();
        wrong.clear();
    }
    let mut pictures = vec![];
    for entry in std::fs::read_dir(folder.file("pictures")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        wrong.extend(picture(page, &name, &folder.file("pictures").join(&name)));
        pictures.push(name);
    }
    (wrong, commands.len(), pictures)
}

/// What is wrong with a picture of the book, beside the one that was just drawn.
fn picture(page: &str, name: &str, drawn: &Path) -> Option<String> {
    let kept = root().join("docs/src/pictures").join(name);
    let same = kept.exists() && alike(&kept, drawn);
    match same {
        false if updating() => std::fs::copy(drawn, &kept).err().map(|e| e.to_string()),
        false => Some(format!("{page}: docs/src/pictures/{name} is not what its command draws")),
        true => None,
    }
}

/// Whether two pictures look alike: PNG files by their pixels, of which one in a hundred may differ visibly (the last bits
/// of a number move the end of a bar), others by their text.
fn alike(a: &Path, b: &Path) -> bool {
    if a.extension().is_none_or(|e| e != "png") {
        let steady = |path: &Path| std::fs::read_to_string(path).unwrap().lines().map(steady).collect::<Vec<_>>();
        return steady(a) == steady(b);
    }
    let run = Run { catalog: &KNOWN, ..Run::quiet(1) };
    let pixels = |path: &Path| {
        let data = files::read(path, &files::Reading::default(), &run).unwrap();
        let Inputs::Table(table) = &data.inputs else { panic!("{} is not read as an image", path.display()) };
        let Cells::Image(images) = &table.columns()[0].cells else { panic!("{} is no image", path.display()) };
        let image = images[0].clone().unwrap();
        let count = image.height * image.width * image.channels;
        ((image.height, image.width), image.values.get(0..count).into_owned())
    };
    let ((size, ours), (other_size, others)) = (pixels(a), pixels(b));
    let far = ours.iter().zip(&others).filter(|(x, y)| (*x - *y).abs() > 24.0).count();
    size == other_size && ours.len() == others.len() && far * 100 <= ours.len()
}

#[test]
fn examples_print_what_the_program_prints() {
    let program: PathBuf = env!("CARGO_BIN_EXE_pellucid").into();
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let asked = std::env::var("BOOK_PAGE").ok();
    let mut pages = pages();
    pages.retain(|page| asked.as_ref().is_none_or(|asked| asked == page));
    assert!(!pages.is_empty(), "the book has no page {asked:?}");
    let next = Mutex::new(pages.iter());
    let results = Mutex::new((vec![], 0, BTreeSet::new()));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let Some(page) = next.lock().unwrap().next() else { break };
                    let (wrong, commands, pictures) = run(page, &path);
                    let mut all = results.lock().unwrap();
                    all.0.extend(wrong);
                    all.1 += commands;
                    all.2.extend(pictures);
                }
            });
        }
    });
    let (mut wrong, commands, made) = results.into_inner().unwrap();
    for entry in std::fs::read_dir(root().join("docs/src/pictures")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if asked.is_none() && !made.contains(&name) && !FROM_REAL_DATA.contains(&name.as_str()) {
            wrong.push(format!("docs/src/pictures/{name}: no command of the book draws it"));
        }
    }
    assert!(wrong.is_empty(), "{}\n\nBOOK_UPDATE=1 writes what the program does today", wrong.join("\n\n"));
    println!("{commands} commands, {} pictures", made.len());
    assert!(asked.is_some() || commands >= 100, "{commands} commands");
}

/// Pictures of data sets that do not come with the project; their pages name the command that draws them.
const FROM_REAL_DATA: &[&str] = &["flipping.png", "panels.png"];

#[test]
fn what_differs_is_seen() {
    let lines: Vec<&str> = "a\n```console\n$ echo 1 \\\n  2\n1 2\n$ true\n```\n".lines().collect();
    let found = shown(&lines);
    assert_eq!(found[0], Shown { line: 3, command: "echo 1 \\\n  2".into(), from: 4, to: 5 });
    assert_eq!(found[1], Shown { line: 6, command: "true".into(), from: 6, to: 6 });
    assert!(agree(&["fitted in 0.01 s", "b"], &["fitted in 2.00 s", "b"]));
    assert!(agree(&["fit: about less than a millisecond"], &["fit: about 3 ms"]));
    assert!(agree(&["fit: under 1 ms (measured)"], &["fit: about 1 ms (measured)"]));
    assert!(!agree(&["  fit: 1 ms"], &["fit: 1 ms"]));
    assert!(agree(&["3733.60460395272,9"], &["3733.60460395279,9"]));
    assert!(agree(&["0.9 absorbed + 0 lost"], &["0.9 absorbed + -1.3e-15 lost"]));
    assert!(agree(&["differ by at most 2.5e-6"], &["differ by at most 3.1e-7"]));
    assert!(!agree(&["gap 1.1e-3"], &["gap 1.2e-3"]));
    assert!(!agree(&["3733.6046,9"], &["3733.6047,9"]));
    assert!(!agree(&["fitted in 0.01 s"], &["fitted after 0.01 s"]));
    assert!(agree(&["a", "..."], &["a", "b", "c"]));
    assert!(!agree(&["b", "..."], &["a", "b", "c"]));
    assert!(!agree(&["a"], &["a", "b"]) && !agree(&["a", "b"], &["a"]) && !agree(&["a", "..."], &["a"]));
    assert_eq!(shortened(&["x", "..."], &["a", "b", "c"]), ["a", "..."]);
    assert_eq!(shortened(&["x"], &["a", "b"]), ["a", "b"]);
}
