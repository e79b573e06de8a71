//! Breaks promises on purpose and sees whether what `./check` runs notices.
//!
//! Each [`Breakage`] replaces one passage of one file (code, a page, a manifest) by a plausible fault and names the command
//! that must turn red. The work tree is not touched: the project is copied to `target/sabotage/tree`, which has a target
//! folder of its own, so that a run that is stopped leaves nothing broken behind. Before the breakages of a command are
//! tried, the command is run on the copy as it is: a test that is red anyway proves nothing. What is printed names the
//! tests that noticed.
//!
//! `cargo xtask sabotage` tries all of them (the first build of the copy takes minutes, each breakage after it the
//! rebuild of what stands on it); `cargo xtask sabotage WORD` those whose names contain the word. Commands are tried
//! from the top of the project down: a file that was put back is younger than what was built from it, and after a
//! breakage at the bottom every command above would build the whole project again. The copy is built with little
//! optimisation, because it is built more often than it is run, and of the book the broken page alone is run.

use crate::files;
use crate::layers::LAYERS;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A promise, how it is broken and who must notice.
struct Breakage {
    /// What would be wrong.
    name: &'static str,
    file: &'static str,
    /// Stands exactly once in the file.
    from: &'static str,
    to: &'static str,
    /// Arguments of `cargo` that must fail.
    /// One target: with several packages at work, no target would mean all tests of all.
    noticed_by: &'static str,
}

const fn breakage(
    name: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
    noticed_by: &'static str,
) -> Breakage {
    Breakage { name, file, from, to, noticed_by }
}

const TIDY: &str = "test -p xtask";
const BOOK: &str = "test -p pellucid-cli --features parquet --test program -- book";
const REFERENCE: &str = "test -p pellucid-cli --features parquet --test program -- reference";
const SNAPSHOTS: &str = "test -p pellucid-cli --features parquet --test program -- snapshots";
const NEAREST_MEAN: &str = "test -p pellucid-distance --test learners";
const SPLITS: &str = "test -p pellucid-evaluate --lib";
const KERNELS: &str = "test -p pellucid-kernels --lib";
const GRAPHS: &str = "test -p pellucid --test graphs";

const PRINCIPAL: &str = "test -p pellucid-prepare --lib principal";
const ORDERS: &str = "test -p pellucid-network --lib settings";
const TRAINING: &str = "test -p pellucid-network --test training rules";

/// The page of the book that is broken.
const PAGE: &str = "README.md";

const MEAN: &str = "crates/distance/src/nearest_mean.rs";

#[rustfmt::skip]
const BREAKAGES: &[Breakage] = &[
    // Rules of the project.
    breakage("a crate uses one above it", "crates/picture/Cargo.toml",
        "base = { workspace = true }", "base = { workspace = true }\nlinear = { workspace = true }", TIDY),
    breakage("a coverage row names a test that does not exist", "docs/coverage.md",
        "peers.rs::ridge_minimises_its_objective`", "peers.rs::ridge_minimises_everything`", TIDY),
    breakage("a message in words that are not the field's", MEAN,
        "has no rows and is never predicted\"", "has no rows and is no class\"", TIDY),
    breakage("a dead link in the book", "docs/src/SUMMARY.md", "(introduction.md)", "(introductions.md)", TIDY),
    breakage("a machine without its row in the book", "docs/src/machines/index.md",
        "| [nearest-mean](nearest-mean.md) | classes | exact | no | no |\n", "", TIDY),
    breakage("an exception without a reason", MEAN,
        "/// The means of the classes.\n", "/// The means of the classes.\n#[allow(dead_code)]\n", TIDY),
    breakage("a file with unsafe code that the architecture does not name", "crates/numeric/src/pool.rs",
        "//!", "#![allow(unsafe_code, reason = \"a second one\")]\n//!", TIDY),
    // Put together, so that this file does not trip over the rule itself.
    breakage("a stub", "crates/evaluate/src/split.rs",
        "fn cut(rows: usize, held: impl Fn(usize) -> bool) -> Split {\n",
        concat!("fn cut(rows: usize, held: impl Fn(usize) -> bool) -> Split {\n    if rows == 7 { to", "do!() }\n"), TIDY),
    // What people read.
    breakage("a page that lies about what the program prints", PAGE,
        "knn on 344 rows x 11 columns, 3 outputs", "knn on 345 rows x 11 columns, 3 outputs", BOOK),
    breakage("a reference table edited by hand", "docs/src/reference/machines.md",
        "## nearest-mean\n", "## nearest-mean\n\nThe best of all machines.\n", REFERENCE),
    breakage("help that is worded differently without review", "apps/cli/src/arguments/running.rs",
        "Number of threads, 0 for all cores;", "How many threads, 0 for all cores;", SNAPSHOTS),
    // Data.
    breakage("a data set that is missing and skipped in silence", "crates/testkit/src/shared.rs",
        "assert!(!required, ", "assert!(!required || !is_there, ", "test -p pellucid-testkit --lib"),
    breakage("a test that looks for its data in the wrong place", "crates/files/tests/real.rs",
        "mnist/train-images-idx3-ubyte.gz", "mnist/train-images.gz", "test -p pellucid-files --test real"),
    breakage("a failed write that replaces the old file", "crates/files/src/whole.rs",
        "    fill(&file, write)?;\n", "    let _ = fill(&file, write);\n", "test -p pellucid-files --test whole"),
    breakage("temporary files that stay behind", "crates/files/src/whole.rs",
        "if !self.placed {", "if self.placed {", "test -p pellucid-files --test whole"),
    breakage("records of any version are read", "crates/base/src/record.rs",
        "_ if versions.contains(&version) => Ok(()),", "_ if version < u32::MAX => Ok(()),", "test -p pellucid-base --lib"),
    breakage("infinite inputs reach a learner", "crates/base/src/admit.rs",
        "points.check(needs.missing, |c| data.features.name(c))?,", "{ let _ = points; }", "test -p pellucid-linear --test promises"),
    breakage("an error of a fit that names a wrong line", "crates/pellucid/src/job/fit.rs",
        "let row = counted.then(|| learned(&train, wanted).nth(row)).flatten()?;",
        "let row = counted.then_some(row)?;", "test -p pellucid --test jobs what_a_fit_cannot"),
    // Memory.
    breakage("a budget that is never exceeded", "crates/base/src/memory.rs",
        ".filter(|&sum| sum <= budget.limit)", "", "test -p pellucid-base --lib memory"),
    breakage("a hold that gives nothing back", "crates/base/src/memory.rs",
        "impl Drop for Hold {\n    fn drop(&mut self) {\n        self.budget.0.used.fetch_sub(self.bytes, Relaxed);",
        "impl Drop for Hold {\n    fn drop(&mut self) {\n        self.budget.0.used.fetch_sub(0, Relaxed);",
        "test -p pellucid-base --lib memory"),
    // Learners.
    breakage("a learner that ignores weights", MEAN,
        "let weight = |i: usize| data.weight(i);", "let weight = |_: usize| 1.0;", NEAREST_MEAN),
    breakage("a record that forgets which class a mean is of", MEAN,
        ".with(\"present\", self.owners.clone());", ".with(\"present\", vec![0u32; self.owners.len()]);", NEAREST_MEAN),
    breakage("scores that are nearly those of the definition", MEAN,
        "*score = score.max(-distance);", "*score = score.max(-distance * 1.001);", NEAREST_MEAN),
    breakage("folds whose training rows contain the held-out ones", "crates/evaluate/src/split.rs",
        "let (test, train) = (0..rows).partition(|&i| held(i));",
        "let (test, _): (Vec<usize>, Vec<usize>) = (0..rows).partition(|&i| held(i));\n    let train = (0..rows).collect();",
        SPLITS),
    breakage("groups that are torn apart by folds", "crates/evaluate/src/split.rs",
        "Some(groups) => members(groups),", "Some(groups) => (0..groups.len()).map(|i| vec![i]).collect(),", SPLITS),
    breakage("data that were scaled as a whole are validated", "crates/evaluate/src/split.rs",
        "fn check_raw(data: &Dataset) -> Result<()> {\n", "fn check_raw(data: &Dataset) -> Result<()> {\n    if !data.is_empty() { return Ok(()); }\n",
        SPLITS),
    breakage("a kernel that is not its formula", "crates/kernels/src/functions/exponential.rs",
        "let factor = T::narrow(-self.gamma);", "let factor = T::narrow(-1.01 * self.gamma);", KERNELS),
    breakage("a kernel that claims a wrong diagonal", "crates/kernels/src/functions/exponential.rs",
        "Some(1.0)\n", "Some(1.5)\n", KERNELS),
    breakage("a form as a network that is not the machine", "crates/linear/src/machine.rs",
        "let offsets = draft.weight(\"offsets\", &[k], self.offsets.clone())?;",
        "let offsets = draft.weight(\"offsets\", &[k], vec![0.0; k])?;", GRAPHS),
    breakage("a learner that does not ask for its memory", "crates/prepare/src/principal.rs",
        "let (mut x, _hold) = run.memory.filled(n.saturating_mul(d), 0.0, \"centred points\")?;",
        "let mut x = vec![0.0; n.saturating_mul(d)];", PRINCIPAL),
    breakage("memory that is given back before it is used", "crates/prepare/src/principal.rs",
        "let (mut x, _hold) = run.memory.filled(n.saturating_mul(d), 0.0, \"centred points\")?;",
        "let (mut x, _) = run.memory.filled(n.saturating_mul(d), 0.0, \"centred points\")?;", PRINCIPAL),
    breakage("a search that looks at the rows it is judged by", "crates/evaluate/src/search.rs",
        "let train = data.select(&split.train)?;", "let train = data.clone();", "test -p pellucid-evaluate --test validation nested"),
    breakage("rows sampled with replacement that are shuffled", "crates/network/src/train/settings.rs",
        "Order::Random => (0..n).map(|i| rows[((seed.at(i).unit() * n as f64) as usize).min(n - 1)]).collect(),",
        "Order::Random => seed.permutation(n).into_iter().map(|i| rows[i]).collect(),", ORDERS),
    breakage("mini-batches that forget the last rows", "crates/network/src/train/trainer.rs",
        "for (i, rows) in order.chunks(batch).enumerate() {", "for (i, rows) in order.chunks_exact(batch).enumerate() {", TRAINING),
    breakage("a factor of Makram-Ebeid that does not grow", "crates/network/src/train/trainer.rs",
        "self.lesson.price.gamma = (epoch + 1) as f64 / settings.epochs as f64;", "self.lesson.price.gamma = 1.0;", TRAINING),
    breakage("the least distance for any quantile", "crates/kernels/src/bandwidth.rs",
        "let at = fraction * last as f64;", "let at = 0.0 * fraction * last as f64;", KERNELS),
    breakage("deep Taylor with another rule at the inputs", "crates/explain/src/lrp.rs",
        "composites::deep_taylor(LinearRule::w_square(false, t.stabiliser), basis(t))",
        "composites::deep_taylor(LinearRule::flat(t.stabiliser), basis(t))", "test -p pellucid-explain --test nets deep_taylor"),
    breakage("a forest that ignores weights", "crates/trees/src/forest.rs",
        "weights.iter_mut().zip(given).for_each(|(w, g)| *w *= g);", "weights.iter_mut().zip(given).for_each(|(w, g)| *w *= g.min(1.0));",
        "test -p pellucid --lib catalog::tests::weights"),
    breakage("parts of support points that are not the score", "crates/kernels/src/contributions.rs",
        "((0..m).map(|j| self.coefficients()[j * width + column]).collect(), self.offsets()[column])",
        "((0..m).map(|j| self.coefficients()[j * width + column]).collect(), -self.offsets()[column])",
        "test -p pellucid --lib catalog::tests::every_learner"),
    breakage("sums that depend on how work is cut", "crates/numeric/src/pool.rs",
        "let count = rows.div_ceil(block.max(1)).max(1);",
        "let block = block / run.threads.max(1) + 1;\n    let count = rows.div_ceil(block.max(1)).max(1);", "test -p pellucid-numeric --lib pool"),
];

/// Tries the breakages whose names contain the word; answers with what went unnoticed or could not be tried.
pub fn try_all(root: &Path, word: &str) -> Vec<String> {
    let chosen: Vec<&Breakage> = BREAKAGES.iter().filter(|b| b.name.contains(word)).collect();
    if chosen.is_empty() {
        return vec![format!("sabotage: no breakage whose name contains {word:?}")];
    }
    let folder = root.join("target/sabotage");
    let tree = folder.join("tree");
    if let Err(error) = copy(root, &tree) {
        return vec![format!("sabotage: the project cannot be copied to {}: {error}", tree.display())];
    }
    let mut wrong = vec![];
    let mut noticed = 0;
    let began = Instant::now();
    for (command, breakages) in grouped(chosen.iter().copied()) {
        if let Err(red) = run(&tree, command) {
            wrong.push(format!("sabotage: cargo {command} fails on the project as it is: {}", red.join(", ")));
            continue;
        }
        println!("{:>5} s  cargo {command} passes on the project as it is", began.elapsed().as_secs());
        for b in breakages {
            let before = wrong.len();
            match broken(&tree, b) {
                Ok(Err(by)) => {
                    noticed += 1;
                    let seconds = began.elapsed().as_secs();
                    println!("{seconds:>5} s  noticed: {} ({}) by {}", b.name, b.file, by.join(", "));
                }
                Ok(Ok(())) => wrong.push(format!("UNNOTICED: {} ({}) by cargo {command}", b.name, b.file)),
                Err(why) => wrong.push(format!("sabotage: {}: {why}", b.name)),
            }
            // What is wrong is said at the end; who watches sees it at once.
            if wrong.len() > before {
                println!("{:>5} s  {}", began.elapsed().as_secs(), wrong[before]);
            }
        }
    }
    println!("{noticed} of {} breakages noticed", chosen.len());
    wrong
}

/// The breakages of each command, those of one file together; commands of the program first, then of the crates from the
/// top of the project down, at the end its rules, which build nothing of it.
fn grouped<'b>(chosen: impl Iterator<Item = &'b Breakage>) -> Vec<(&'static str, Vec<&'b Breakage>)> {
    let depth = |command: &str| {
        let package = command.split(' ').skip_while(|word| *word != "-p").nth(1).unwrap_or("");
        let name = package.strip_prefix("pellucid-").unwrap_or(package);
        match LAYERS.iter().rev().position(|(layer, _)| *layer == name) {
            Some(place) => 1 + place,
            None if package == "pellucid-cli" => 0,
            None => usize::MAX,
        }
    };
    let mut commands: BTreeMap<(usize, &str), Vec<&Breakage>> = BTreeMap::new();
    for b in chosen {
        commands.entry((depth(b.noticed_by), b.noticed_by)).or_default().push(b);
    }
    commands.values_mut().for_each(|breakages| breakages.sort_by_key(|b| b.file));
    commands.into_iter().map(|((_, command), breakages)| (command, breakages)).collect()
}

/// What the command says with a promise broken; the file is put back. A fault that does not compile is no trial.
fn broken(tree: &Path, b: &Breakage) -> Result<Result<(), Vec<String>>, String> {
    let path = tree.join(b.file);
    let text = std::fs::read_to_string(&path).map_err(|e| e.to_string())?;
    if !text.contains(b.from) {
        return Err(format!("{:?} does not stand in {}", b.from, b.file));
    }
    std::fs::write(&path, text.replacen(b.from, b.to, 1)).map_err(|e| e.to_string())?;
    let build = format!("{} --no-run", b.noticed_by.split(" -- ").next().unwrap_or(""));
    let builds = b.noticed_by == TIDY || run(tree, &build).is_ok();
    let said = if builds { Ok(run(tree, b.noticed_by)) } else { Err("does not compile".into()) };
    std::fs::write(&path, &text).map_err(|e| e.to_string())?;
    said
}

/// Runs the command; if it fails, with the names of the tests that failed.
fn run(tree: &Path, command: &str) -> Result<(), Vec<String>> {
    let mut cargo = Command::new("cargo");
    // Crates of others keep the profile of the project, so that a target folder copied from it is a warm start.
    for (name, _) in LAYERS.iter().filter(|(name, _)| *name != "pellucid") {
        cargo.arg("--config").arg(format!("profile.dev.package.pellucid-{name}.opt-level=1"));
    }
    cargo.args(["--config", "profile.dev.package.pellucid.opt-level=1"]);
    // With the program among the packages all commands resolve the same features, and nothing is built twice.
    if command != TIDY && !command.contains("-p pellucid-cli ") {
        cargo.args(["test", "-p", "pellucid-cli", "--features", "pellucid-cli/parquet"]);
    }
    let rest = command.split(' ').skip(usize::from(cargo.get_args().any(|a| a == "test")));
    cargo.current_dir(tree).args(rest).env("CARGO_TARGET_DIR", tree.with_file_name("target"));
    cargo.env("INSTA_UPDATE", "no").env("PELLUCID_DATA", "required").env("BOOK_PAGE", PAGE).env_remove("BOOK_UPDATE");
    match cargo.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(failed(&String::from_utf8_lossy(&output.stdout), command)),
        Err(error) => Err(vec![format!("cargo {command}: {error}")]),
    }
}

/// The tests that failed by what the harness printed; the command itself where it came to no test.
fn failed(printed: &str, command: &str) -> Vec<String> {
    let test = |line: &str| Some(line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?.to_string());
    let mut tests: Vec<String> = printed.lines().filter_map(test).collect();
    if tests.is_empty() {
        tests.push(format!("cargo {command}"));
    }
    tests
}

/// Brings the copy to what the project is now. Files that are equal keep their time, so that they are not built again.
fn copy(root: &Path, tree: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(tree)?;
    let wanted: BTreeSet<PathBuf> = files(root).into_iter().collect();
    for old in files(tree) {
        if !wanted.contains(&old) {
            std::fs::remove_file(tree.join(old))?;
        }
    }
    for file in &wanted {
        let (from, to) = (root.join(file), tree.join(file));
        let content = std::fs::read(&from)?;
        if std::fs::read(&to).is_ok_and(|old| old == content) {
            continue;
        }
        to.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::copy(&from, &to)?;
    }
    // Tests look for the shared data beside the project.
    let (shared, link) = (root.join("../shared"), tree.with_file_name("shared"));
    if shared.exists() && !link.exists() {
        #[cfg(unix)]
        std::os::unix::fs::symlink(shared.canonicalize()?, link)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breakages_can_be_made() {
        assert!(BREAKAGES.len() >= 25, "{} breakages", BREAKAGES.len());
        let mut names = BTreeSet::new();
        for b in BREAKAGES {
            assert!(names.insert(b.name), "{} is there twice", b.name);
            assert_ne!(b.from, b.to);
            let text =
                std::fs::read_to_string(crate::root().join(b.file)).unwrap_or_else(|e| panic!("{}: {e}", b.file));
            let found = text.matches(b.from).count();
            // In documents that tests compare, the first place is as good as any.
            let many = b.file.ends_with(".md") || b.from == "//!" || b.from == "Some(1.0)\n";
            assert!(found == 1 || (many && found > 1), "{}: {:?} stands {found} times in {}", b.name, b.from, b.file);
        }
    }

    #[test]
    fn commands_go_from_the_top_down_and_lose_no_breakage() {
        let groups = grouped(BREAKAGES.iter());
        assert_eq!(groups.iter().map(|(_, breakages)| breakages.len()).sum::<usize>(), BREAKAGES.len());
        assert!(groups.iter().all(|(command, breakages)| breakages.iter().all(|b| b.noticed_by == *command)));
        let place = |command: &str| groups.iter().position(|(c, _)| *c == command);
        let order = [BOOK, GRAPHS, KERNELS, SPLITS, "test -p pellucid-base --lib", TIDY].map(place);
        assert!(order.is_sorted() && order[0].is_some(), "{order:?}");
        let printed = "running 2 tests\ntest a::one ... ok\ntest a::two ... FAILED\n";
        assert_eq!(failed(printed, "test"), ["a::two"]);
        assert_eq!(failed("error: no such package", "test -p x"), ["cargo test -p x"]);
    }

    #[test]
    fn equal_files_of_the_copy_are_left_alone() {
        let folder = std::env::temp_dir().join(format!("pellucid-sabotage-{}", std::process::id()));
        let (root, tree) = (folder.join("a/project"), folder.join("b/tree"));
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::create_dir_all(&tree).unwrap();
        std::fs::write(root.join("src/one.rs"), "1").unwrap();
        std::fs::write(tree.join("old.rs"), "0").unwrap();
        copy(&root, &tree).unwrap();
        let time = |path: &Path| std::fs::metadata(path).unwrap().modified().unwrap();
        let before = time(&tree.join("src/one.rs"));
        std::fs::write(root.join("src/two.rs"), "2").unwrap();
        copy(&root, &tree).unwrap();
        assert_eq!(before, time(&tree.join("src/one.rs")));
        assert_eq!(files(&tree), [PathBuf::from("src/one.rs"), PathBuf::from("src/two.rs")]);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
