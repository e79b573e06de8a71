//! How good explanations of a model are: methods ranked by what they say of the same rows.

use super::fit::apply_settings;
use super::rows::{rows_of, rows_to_judge};
use super::source::DataSource;
use super::{ModelSource, guard_inputs};
use crate::{judged_page, judged_pictures};
use base::{Advice, Cells, Error, Machine, Message, Place, Result, Run, Settings, find_setting};
use evaluate::Grid;
use explain::judging::{Frame, judge};
use explain::{Candidate, EvalData, Judged, Judging, Measure, Method, Subject, Tuning, split};
use picture::{Look, Panels, Picture, PictureSize, png};
use std::path::{Path, PathBuf};

/// Rows judged by when nobody says which.
const USUAL: usize = 100;

/// What is to be judged by what.
#[derive(Clone)]
pub struct Judge {
    /// The model that is explained.
    pub model: ModelSource,
    /// The rows.
    pub source: DataSource,
    /// Which of them, as `0,5-9`; if not given a detector's most anomalous ones, else some evenly over the data.
    pub rows: Option<String>,
    /// The methods by name; none: those worth comparing for the model.
    pub methods: Vec<String>,
    /// The measures by name; none: the usual one of the model.
    pub measures: Vec<String>,
    /// Settings of the measures, as `name=value`.
    pub measure_settings: Vec<String>,
    /// Settings of the methods, as `name=value`.
    pub settings: Vec<String>,
    /// Settings of the methods to compare, as `name=a,b,c`.
    pub grid: Vec<String>,
    /// A file with a box for each row, in columns top, left, bottom, right.
    pub boxes: Option<PathBuf>,
    /// Where curves and tables are written: .html, or the pictures alone as .png or .svg.
    pub output: Option<PathBuf>,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct JudgeResult {
    /// A ranking for each measure.
    pub judged: Vec<Judged>,
    /// By how many rows.
    pub rows: usize,
    /// What the outputs of the model are called.
    pub classes: Vec<String>,
}

impl Judge {
    /// All that is usual for a model on a source.
    pub fn new(model: impl Into<ModelSource>, source: DataSource) -> Self {
        Judge {
            model: model.into(),
            source,
            rows: None,
            methods: vec![],
            measures: vec![],
            measure_settings: vec![],
            settings: vec![],
            grid: vec![],
            boxes: None,
            output: None,
        }
    }

    /// Does it, and writes the page or the pictures.
    pub fn run(&self, run: &Run<'_>) -> Result<JudgeResult> {
        let read = [self.model.path(), Some(&*self.source.path), self.boxes.as_deref()];
        guard_inputs(self.output.as_deref(), &read)?;
        let measures = self.measures.iter().map(|m| Measure::find(m.trim())).collect::<Result<Vec<_>>>()?;
        let (mut how, mut tuning) = (Judging::default(), Tuning::default());
        apply_settings(&mut how, &self.measure_settings)?;
        apply_settings(&mut tuning, &self.settings)?;
        let model = self.model.load(run)?;
        let machine = &*model.machine;
        let subject = Subject::new(machine);
        let methods = match self.methods.is_empty() {
            true => subject.usual_methods(),
            false => self.methods.iter().map(|m| subject.method(m.trim())).collect::<Result<Vec<_>>>()?,
        };
        let measures = if measures.is_empty() { usual_measures(machine) } else { measures };
        let contestants = contestants(&methods, &self.grid, &tuning)?;
        let data = self.source.inputs_for(&model, run)?;
        let rows = match &self.rows {
            Some(text) => rows_of(text, data.len())?,
            None => rows_to_judge(machine, &data, USUAL, run)?,
        };
        let frames = match &self.boxes {
            Some(file) => frames(file, data.len(), run)?,
            None if measures.contains(&Measure::Localisation) => {
                let must = Message::from("localisation needs a box for each row").with(Advice::option("boxes", "FILE"));
                return Err(Error::parameter("measures", "localisation", must));
            }
            None => vec![],
        };
        let frames: Vec<Frame> = rows.iter().filter_map(|&i| frames.get(i).copied()).collect();
        let ground = EvalData { data: &data.inputs, frames: &frames };
        let judged = judge(machine, &data.inputs.select(&rows)?, &contestants, (&measures, &how), ground, run)?;
        let classes = split(machine).machine().outputs().names.to_vec();
        let result = JudgeResult { judged, rows: rows.len(), classes };
        if let Some(path) = &self.output {
            result.write(path)?;
        }
        Ok(result)
    }
}

impl JudgeResult {
    /// Writes the page (.html) or the pictures alone (.png, .svg).
    fn write(&self, path: &Path) -> Result<()> {
        let svg = || {
            let pictures: Vec<Box<dyn Picture>> = self.judged.iter().flat_map(|j| judged_pictures(j, "")).collect();
            let width = if pictures.len() > 1 { 960.0 } else { 640.0 };
            let look = Look { size: PictureSize { width, height: 0.0 }, ..Look::default() };
            Panels { title: "Evaluation of explanations".into(), pictures, columns: 0 }.to_svg(&look)
        };
        let bytes = match path.extension().and_then(|e| e.to_str()).unwrap_or("") {
            "png" => png(&svg()?, 2.0)?,
            "svg" => svg()?.into_bytes(),
            "html" => judged_page(&self.judged, self.rows, &self.classes).to_html()?.into_bytes(),
            _ => return Err(Error::parameter("output", path.display(), "must end in .html, .png or .svg")),
        };
        files::write_whole(path, |out| out.write_all(&bytes))
    }
}

/// What explanations of this machine are judged by where nobody says.
fn usual_measures(machine: &dyn Machine) -> Vec<Measure> {
    let measured = Subject::new(machine).quantity().is_some_and(|q| q.references);
    vec![if measured { Measure::Flipping } else { Measure::Perturbation }]
}

/// Methods with every combination of those settings of a grid (`noise=0.05,0.1`) that they look at.
fn contestants(methods: &[Method], grid: &[String], tuning: &Tuning) -> Result<Vec<Candidate>> {
    for axis in grid {
        let name = axis.split('=').next().unwrap_or("").trim();
        find_setting(&tuning.params(), name)?;
        if !methods.iter().any(|m| m.looks_at(name)) {
            let able: Vec<&str> = Method::ALL.iter().filter(|m| m.looks_at(name)).map(|m| m.word()).collect();
            let must = format!("none of the methods uses it; {} would", able.join(", "));
            return Err(Error::parameter("grid", axis, must));
        }
    }
    let mut all: Vec<Candidate> = vec![];
    for &method in methods {
        let own = |axis: &&String| axis.split('=').next().is_some_and(|name| method.looks_at(name.trim()));
        let axes = grid.iter().filter(own).try_fold(Grid::default(), |g, axis| g.with(axis, tuning))?;
        for combination in axes.combinations() {
            let (mut name, mut tuning) = (method.word().to_string(), tuning.clone());
            for (setting, value) in combination {
                name += &format!(" {setting}={value}");
                tuning.set(&setting, value)?;
            }
            if all.iter().any(|c| c.name == name) {
                return Err(Error::parameter("methods", name, "is named twice"));
            }
            all.push(Candidate { name, method, tuning });
        }
    }
    Ok(all)
}

/// One box for each row of the data, from columns top, left, bottom, right.
fn frames(path: &Path, count: usize, run: &Run<'_>) -> Result<Vec<Frame>> {
    let mut data = files::read(path, &files::Reading::default(), run)?;
    let mut numbers = |name: &str| -> Result<Vec<usize>> {
        let wrong = |why: String| Error::data(Place::Column(name.into()), format!("{}: {why}", path.display()));
        let Cells::Number(values) = data.take_column(name)? else { return Err(wrong("must hold numbers".into())) };
        let whole = |x: &f64| match *x >= 0.0 && x.fract() == 0.0 && *x < 1e9 {
            true => Ok(*x as usize),
            false => Err(wrong(format!("{x} is not a pixel position"))),
        };
        match values.len() == count {
            true => values.iter().map(whole).collect(),
            false => Err(wrong(format!("{} boxes for {count} rows", values.len()))),
        }
    };
    let sides = [numbers("top")?, numbers("left")?, numbers("bottom")?, numbers("right")?];
    let frame = |i: usize| Frame { top: sides[0][i], left: sides[1][i], bottom: sides[2][i], right: sides[3][i] };
    Ok((0..count).map(frame).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_for_the_methods_that_look_at_them() {
        let methods = [Method::SmoothGrad, Method::Gradient, Method::IntegratedGradients];
        let grid = ["noise=0.05,0.2", "steps=8,32"].map(String::from);
        let names: Vec<String> =
            contestants(&methods, &grid, &Tuning::default()).unwrap().into_iter().map(|c| c.name).collect();
        let expected = [
            "smoothgrad noise=0.05",
            "smoothgrad noise=0.2",
            "gradient",
            "integrated-gradients steps=8",
            "integrated-gradients steps=32",
        ];
        assert_eq!(names, expected);
        let two =
            contestants(&[Method::SmoothGrad], &["noise=0.1,0.2".into(), "copies=4,8".into()], &Tuning::default());
        let two = two.unwrap();
        assert_eq!((two.len(), two[1].name.as_str(), two[1].tuning.copies), (4, "smoothgrad noise=0.1 copies=8", 8));
        let said = |methods: &[Method], axis: &str| {
            contestants(methods, &[axis.to_string()], &Tuning::default()).unwrap_err().to_string()
        };
        assert!(
            said(&[Method::Gradient], "noise=1").contains("smoothgrad"),
            "{}",
            said(&[Method::Gradient], "noise=1")
        );
        assert!(said(&methods, "nose=1").contains("noise") && said(&methods, "noise").contains("a,b,c"));
        assert!(said(&methods, "noise=-1").contains("at least 0") && said(&methods, "noise=1,1").contains("twice"));
    }

    /// A grid over references of integrated gradients and the noise of SmoothGrad: each is judged as if it were asked for
    /// alone, and the ranks are those of the means.
    #[test]
    fn grids_over_references_and_noise_are_judged_one_by_one_and_ranked() {
        use base::Catalog;
        let run = Run { catalog: &crate::KNOWN, ..Run::quiet(1) };
        let data = testkit::toy_classes(3);
        let mut learner = crate::KNOWN.learner("mlp").unwrap();
        learner.set_text("epochs", "20").unwrap();
        let machine = learner.fit(&data, None, &run).unwrap().machine;
        let methods = [Method::IntegratedGradients, Method::SmoothGrad];
        let grid = ["reference=0,2,-2", "noise=0.05,0.5"].map(String::from);
        let all = contestants(&methods, &grid, &Tuning::default()).unwrap();
        let names: Vec<&str> = all.iter().map(|c| c.name.as_str()).collect();
        let expected = [
            "integrated-gradients reference=0",
            "integrated-gradients reference=2",
            "integrated-gradients reference=-2",
            "smoothgrad noise=0.05",
            "smoothgrad noise=0.5",
        ];
        assert_eq!(names, expected);
        let rows = data.inputs.slice(0..12).unwrap();
        let ground = EvalData { data: &data.inputs, frames: &[] };
        let by = |contestants: &[Candidate]| {
            let measures = (&[Measure::Perturbation][..], &Judging::default());
            judge(&*machine, &rows, contestants, measures, ground, &run).unwrap().remove(0)
        };
        let together = by(&all);
        let value = |judged: &Judged, name: &str| {
            judged.standings.iter().find(|s| s.name == name).unwrap_or_else(|| panic!("{name}")).values.clone()
        };
        for one in &all {
            let mut tuning = Tuning::default();
            match one.method {
                Method::SmoothGrad => tuning.noise = one.name.rsplit('=').next().unwrap().parse().unwrap(),
                _ => tuning.reference = vec![one.name.rsplit('=').next().unwrap().parse().unwrap()],
            }
            let alone = Candidate { name: "alone".into(), method: one.method, tuning };
            assert_eq!(value(&by(&[alone]), "alone"), value(&together, &one.name), "{}", one.name);
        }
        // Other settings give other explanations, and so other numbers.
        for (a, b) in [(0, 1), (1, 2), (3, 4)] {
            assert_ne!(value(&together, expected[a]), value(&together, expected[b]), "{}", expected[a]);
        }
        assert_eq!(together.standings.len(), 6, "random relevance takes part");
        let means: Vec<f64> = together.standings.iter().map(|s| s.mean.mean).collect();
        assert!(means.is_sorted_by(|a, b| a >= b) || means.is_sorted(), "{means:?}");
        for s in &together.standings {
            let before = together
                .standings
                .iter()
                .filter(|o| if means[0] >= means[5] { o.mean.mean > s.mean.mean } else { o.mean.mean < s.mean.mean });
            assert_eq!(s.rank, before.count() + 1, "{}", s.name);
        }
    }
}
