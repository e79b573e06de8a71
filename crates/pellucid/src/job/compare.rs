//! Machines compared on the same held-out rows, on one or several data sets.

use super::guard;
use super::source::{DataSource, file_name, note_unstratified};
use crate::{KNOWN, LEARNERS, prepared, suits};
use base::{
    Catalog, Dataset, Error, Learner, Result, Run, Spec, Targets, Wanted, meant_setting, nearest, renamed_setting,
};
use evaluate::{Contender, Grid, Measures, Splitting, Tuned, compare};
use report::{Compared, comparison_page};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The word that stands for every machine that can take part.
const ALL: &str = "all";

/// What is to be compared on what.
#[derive(Debug, Clone)]
pub struct Compare {
    /// The rows.
    pub source: DataSource,
    /// Further data, as `FILE` or `FILE@TARGET`; all else is as for the first.
    pub also: Vec<String>,
    /// The machines with settings and steps before them, such as `knn:k=1` or `pca=2,knn`; `all` for all that fit.
    pub machines: Vec<String>,
    /// The steps of preparation before each: `auto`, `none`, or a list.
    pub prepare: String,
    /// How rows are held out.
    pub splitting: Splitting,
    /// Settings to choose from inside each split, as `name=a,b,c` or `machine:name=a,b,c`.
    pub grid: Vec<String>,
    /// The folds that they are compared on.
    pub grid_folds: usize,
    /// The measure; the usual one of the targets if not given.
    pub measure: Option<String>,
    /// Where the page is written.
    pub output: Option<PathBuf>,
}

/// A learner and how it is shown.
type Named = (String, Box<dyn Learner>);

/// Takes each comparison as soon as it is done.
pub type Taker<'a, E> = dyn FnMut(&Compared) -> std::result::Result<(), E> + 'a;

impl Compare {
    /// Machines by ten folds of a source, prepared automatically.
    pub fn new(source: DataSource, machines: Vec<String>) -> Self {
        Compare {
            source,
            also: vec![],
            machines,
            prepare: "auto".into(),
            splitting: Splitting::Folds { n: 10, repeats: 1, stratified: true },
            grid: vec![],
            grid_folds: 5,
            measure: None,
            output: None,
        }
    }

    /// Compares on all data and writes the page.
    pub fn run(&self, run: &Run<'_>) -> Result<Vec<Compared>> {
        self.run_telling(run, &mut |_| Ok(()))
    }

    /// The same; each comparison is handed on as soon as it is done.
    pub fn run_telling<E: From<Error>>(
        &self,
        run: &Run<'_>,
        tell: &mut Taker<'_, E>,
    ) -> std::result::Result<Vec<Compared>, E> {
        // All machines are looked at before any data, so that a slip does not cost the time of reading.
        let given = self.machines.iter().filter(|m| *m != ALL).map(|m| parsed(m)).collect::<Result<Vec<_>>>()?;
        self.grids_are_taken(&given)?;
        self.note_earlier_names(&given, run);
        let sources: Vec<DataSource> =
            std::iter::once(self.source.clone()).chain(self.also.iter().map(|text| self.beside(text))).collect();
        if let Some(output) = &self.output {
            guard(output, &sources.iter().map(|source| source.path.as_path()).collect::<Vec<_>>())?;
        }
        let mut all = vec![];
        for source in &sources {
            let compared = self.one(source, &given, run).map_err(|e| match (sources.len(), e) {
                (1, e) | (_, e @ (Error::Cancelled | Error::File { .. } | Error::Format { .. })) => e,
                (_, e) => Error::format(source.path.display().to_string(), e.to_message()),
            })?;
            tell(&compared)?;
            all.push(compared);
        }
        if all.windows(2).any(|pair| pair[0].comparison.names != pair[1].comparison.names) {
            let must = "must all be classes or all be numeric, so that the same machines can be compared";
            return Err(Error::parameter("also", "targets", must).into());
        }
        if let Some(output) = &self.output {
            write_comparison(output, &all, &self.repeat(run))?;
        }
        Ok(all)
    }

    /// `wine.csv@quality` as further data; a file of exactly that name comes first.
    fn beside(&self, text: &str) -> DataSource {
        match text.rsplit_once('@') {
            Some((file, column)) if !Path::new(text).exists() => {
                DataSource { path: file.into(), target: Some(column.to_string()), ..self.source.clone() }
            }
            _ => DataSource { path: text.into(), ..self.source.clone() },
        }
    }

    /// The comparison on one data set.
    fn one(&self, source: &DataSource, given: &[Named], run: &Run<'_>) -> Result<Compared> {
        let data = source.load(wanted(given), run)?.data;
        let mut learners = given.to_vec();
        if self.machines.iter().any(|m| m == ALL) {
            let fits = |w: Wanted| match data.targets {
                Targets::Classes(_) => matches!(w, Wanted::Classes(_) | Wanted::ClassesOrLabels(_) | Wanted::Either),
                Targets::Sets(_) => matches!(w, Wanted::Labels | Wanted::ClassesOrLabels(_)),
                _ => matches!(w, Wanted::Values | Wanted::Either),
            };
            let known = LEARNERS.iter().map(|e| (e.name.to_string(), (e.make)()));
            let fits = |name: &str, l: &dyn Learner| fits(l.traits().needs.targets) && suits(name, &data);
            learners.extend(known.filter(|(name, l)| fits(name, &**l) && given.iter().all(|(n, _)| n != name)));
        }
        let contenders = learners
            .into_iter()
            .map(|(name, learner)| self.contender(name, learner, &data))
            .collect::<Result<Vec<_>>>()?;
        let name = source.name();
        let name = name.split('.').next().filter(|n| !n.is_empty()).unwrap_or(&name);
        compare_on((&data, name), &contenders, self.splitting, self.measure.as_deref(), run)
    }

    /// A machine with its preparation, which chooses its settings itself where the grid has some for it.
    fn contender(&self, name: String, learner: Box<dyn Learner>, data: &Dataset) -> Result<Contender> {
        let mut grid = Grid::default();
        for axis in &self.grid {
            if let Some(axis) = axis_for(axis, &*learner) {
                grid = grid.with(axis, &*learner)?;
            }
        }
        let (_, pipeline) = prepared(&self.prepare, data, learner)?;
        if grid.axes.is_empty() {
            return Ok(Contender { name, learner: pipeline });
        }
        // Rows in the order of time are held out in it by the choice too.
        let splitting = match self.splitting {
            Splitting::Rolling { .. } => Splitting::Rolling { n: self.grid_folds },
            _ => Splitting::Folds { n: self.grid_folds, repeats: 1, stratified: true },
        };
        let measure = self.measure.clone();
        let tuned = Tuned { learner: pipeline, settings: grid.combinations(), splitting, measure };
        Ok(Contender { name: format!("{name} (tuned)"), learner: Box::new(tuned) })
    }

    /// An axis of the grid that no machine takes is a slip.
    fn grids_are_taken(&self, given: &[Named]) -> Result<()> {
        let all = self.machines.iter().any(|m| m == ALL);
        let mut learners: Vec<Box<dyn Learner>> = given.iter().map(|(_, l)| l.boxed()).collect();
        learners.extend(LEARNERS.iter().filter(|_| all).map(|e| (e.make)()));
        for axis in &self.grid {
            let Some((head, _)) = axis.split_once('=') else {
                return Err(Error::parameter("grid", axis, "must be name=a,b,c or machine:name=a,b,c"));
            };
            if learners.iter().any(|l| axis_for(axis, &**l).is_some()) {
                continue;
            }
            let (machine, name) = head.split_once(':').map_or((None, head), |(m, n)| (Some(m), n));
            if let Some(machine) = machine {
                let named = KNOWN.learner(machine.trim())?;
                if learners.iter().all(|l| l.name() != named.name()) {
                    return Err(Error::parameter("grid", axis, format!("{} is not among the machines", named.name())));
                }
            }
            let params: Vec<&str> = learners.iter().flat_map(|l| l.params()).map(|p| p.name).collect();
            let near = nearest(name.trim(), params.iter().copied());
            let renamed = learners.iter().find_map(|l| {
                renamed_setting(&l.params(), name.trim()).map(|note| format!("; {note} ({}:{})", l.name(), name.trim()))
            });
            let hint = renamed.or(near.map(|n| format!("; did you mean {n}?"))).unwrap_or_default();
            let must = format!("no machine here has a setting {:?}{hint}", name.trim());
            return Err(Error::parameter("grid", axis, must));
        }
        Ok(())
    }

    /// Tells earlier names of settings, each once.
    fn note_earlier_names(&self, given: &[Named], run: &Run<'_>) {
        let written = self.machines.iter().filter(|m| *m != ALL);
        let specs = written.filter_map(|m| Spec::parse(m, &KNOWN).ok()).flat_map(|spec| spec.told());
        let axes = self.grid.iter().flat_map(|axis| given.iter().filter_map(|(_, l)| earlier(axis, &**l)));
        specs.chain(axes).collect::<BTreeSet<String>>().iter().for_each(|note| run.watch.note(note));
    }

    /// The command that makes the same page.
    fn repeat(&self, run: &Run<'_>) -> String {
        let mut text = format!("pellucid compare {}", self.source.name());
        self.machines.iter().for_each(|m| text += &format!(" {m}"));
        self.also.iter().for_each(|file| text += &format!(" --also {}", file_name(Path::new(file))));
        self.grid.iter().for_each(|axis| text += &format!(" --grid {axis}"));
        text += &match self.splitting {
            Splitting::Rolling { n } => format!(" --rolling {n}"),
            Splitting::Folds { n, repeats, .. } => format!(" --folds {n} --repeats {repeats}"),
            // The program has no words for the others.
            _ => String::new(),
        };
        if !self.grid.is_empty() {
            text += &format!(" --grid-folds {}", self.grid_folds);
        }
        let task = self.source.task.map(|task| task.word().to_string());
        let options = [
            ("measure", &self.measure),
            ("groups", &self.source.groups),
            ("target", &self.source.target),
            ("task", &task),
            ("positive", &self.source.positive),
        ];
        options.iter().filter_map(|(n, v)| Some((n, v.as_ref()?))).for_each(|(n, v)| text += &format!(" --{n} {v}"));
        if !self.source.ignore.is_empty() {
            text += &format!(" --ignore {}", self.source.ignore.join(","));
        }
        text + &format!(" --prepare {} --seed {} -o report.html", self.prepare, run.seed.0)
    }
}

/// Compares learners on data at hand, `name` being what they are called.
pub fn compare_on(
    (data, name): (&Dataset, &str),
    contenders: &[Contender],
    splitting: Splitting,
    measure: Option<&str>,
    run: &Run<'_>,
) -> Result<Compared> {
    let splits = splitting.of(data, run.seed)?;
    if matches!(splitting, Splitting::Folds { .. } | Splitting::MonteCarlo { .. }) {
        note_unstratified(data, run);
    }
    let measure = measure.map_or(Measures::usual(&data.targets), Measures::current_name);
    let comparison = compare(contenders, data, &splits, measure, run)?;
    if comparison.means.iter().all(|m| m.is_nan()) {
        let folds = comparison.validations.iter().flat_map(|v| &v.folds);
        let known: BTreeSet<&str> = folds.flat_map(|f| f.values.iter().map(|(n, _)| *n)).collect();
        let known: Vec<&str> = known.into_iter().collect();
        let must = format!("none of these machines gives it; the measures are {}", known.join(", "));
        return Err(Error::parameter("measure", measure, must));
    }
    // What each choosing machine chooses with all rows to learn from.
    let whole = contenders.iter().zip(&comparison.validations).map(|(contender, validation)| {
        match validation.chosen.iter().any(Option::is_some) {
            true => match contender.learner.fit(data, None, run) {
                // The comparison is done; only what all rows would choose is not known.
                Err(Error::Stopped { .. }) => Ok(None),
                other => Ok(other?.certificate.choice.map(|c| c.settings().into())),
            },
            false => Ok(None),
        }
    });
    let whole = whole.collect::<Result<Vec<Option<String>>>>()?;
    Ok(Compared { data: name.to_string(), rows: data.len(), splits: splits.len(), comparison, whole })
}

/// Writes the page of comparisons, whole or not at all; `repeat` is what makes it again.
pub fn write_comparison(output: &Path, all: &[Compared], repeat: &str) -> Result<()> {
    let html = comparison_page(all, repeat)?.to_html()?;
    files::write_whole(output, |out| out.write_all(html.as_bytes()))
}

/// `knn:k=1:weighting=distance` or `pca=2,knn` as a learner, with how it is shown.
fn parsed(text: &str) -> Result<Named> {
    Ok((text.replace(':', " "), Spec::parse(text, &KNOWN)?.build(&KNOWN)?))
}

/// The targets that all machines take.
fn wanted(learners: &[Named]) -> Wanted {
    let all = || learners.iter().map(|(_, l)| l.traits().needs.targets);
    all().find(|w| !matches!(w, Wanted::Either)).unwrap_or(Wanted::Either)
}

/// The axis `name=a,b,c` of a grid, if it is for this learner: `machine:name=a,b,c` is for that machine alone.
fn axis_for<'g>(axis: &'g str, learner: &dyn Learner) -> Option<&'g str> {
    let (head, _) = axis.split_once('=')?;
    let axis = match head.split_once(':') {
        Some((machine, _)) => {
            let named = KNOWN.learner(machine.trim()).ok()?;
            (named.name() == learner.name()).then(|| &axis[machine.len() + 1..])?
        }
        None => axis,
    };
    let (params, name) = (learner.params(), axis.split('=').next()?.trim());
    // What has no machine before it goes to whoever calls it so today: an earlier name may mean something else to others.
    let known = match head.contains(':') {
        true => meant_setting(&params, name).is_ok(),
        false => params.iter().any(|p| p.name == name),
    };
    known.then_some(axis)
}

/// What to say of an earlier name in an axis of the grid that is for this learner.
fn earlier(axis: &str, learner: &dyn Learner) -> Option<String> {
    let name = axis_for(axis, learner)?.split('=').next()?;
    renamed_setting(&learner.params(), name.trim())
}
