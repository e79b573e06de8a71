//! Advice of the library in the words of Python: estimators and keyword arguments.

use crate::settings::python_name;
use pellucid::{Advice, Catalog, KNOWN, Param, STEPS, Spec, SpecPart, Value, WRAPPERS};

/// The call or argument that does what is advised; none where Python has no word for it.
pub fn calls(advice: &Advice) -> Option<String> {
    match advice {
        Advice::Prepare(steps) => estimators(steps),
        Advice::Option { name, value } if value.is_empty() => Some(format!("{}=True", name.replace('-', "_"))),
        Advice::Option { name, value } => Some(format!("{}={value:?}", name.replace('-', "_"))),
        Advice::Set { name, value } => Some(format!("{name}={value}")),
    }
}

/// Steps as estimators, such as `SimpleImputer(strategy="mean")`; none where one of them has no class of its own.
fn estimators(steps: &str) -> Option<String> {
    let each = steps.split(',').filter(|step| *step != "auto").map(|step| {
        let spec = Spec::parse_step(step, &KNOWN).ok()?;
        let steps = STEPS.iter().map(|e| (e.name, e.python));
        let all = steps.chain(WRAPPERS.iter().map(|e| (e.name, e.python)));
        let (_, class) = all.clone().find(|(name, _)| *name == spec.name)?.1.first()?;
        let params = params_of(&spec.name)?;
        let given: Vec<String> = spec.settings.iter().map(|(name, value)| argument(&params, name, value)).collect();
        Some(format!("{class}({})", given.join(", ")))
    });
    let all: Vec<String> = each.collect::<Option<_>>()?;
    (!all.is_empty()).then(|| all.join(" and "))
}

fn params_of(name: &str) -> Option<Vec<Param>> {
    Some(match KNOWN.part(name).ok()? {
        SpecPart::Learner(learner) | SpecPart::Step(learner) => learner.params(),
        SpecPart::Wrapper(wrapper) => wrapper.params(),
    })
}

/// `name=value` as Python writes it.
fn argument(params: &[Param], name: &str, value: &Value) -> String {
    let python = params.iter().find(|p| p.name == name).map_or(name, |p| python_name(p).0);
    match value {
        Value::Text(text) => format!("{python}={text:?}"),
        other => format!("{python}={other}"),
    }
}
