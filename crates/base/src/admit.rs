//! What happens at the door of a fit: data are held against what the learner needs, once and in one place.

use crate::{Classes, Dataset, Error, Inputs, Needs, Place, Result, Targets, Values, Wanted, Weighting, agree, plural};
use std::borrow::Cow;

/// Makes sure that data fit the needs; answers with the rows that stay and what was changed.
pub(crate) fn admit<'a>(name: &str, needs: Needs, data: &'a Dataset) -> Result<(Cow<'a, Dataset>, Vec<String>)> {
    data.check()?;
    let mut changes = vec![];
    let mut data = Cow::Borrowed(data);

    let zero = |i: usize| data.weights.as_ref().is_some_and(|w| w[i] == 0.0);
    let blank = |i: usize| needs.targets != Wanted::Nothing && !data.targets.known(i);
    let wants_targets = needs.targets != Wanted::Nothing;
    if wants_targets {
        check_targets(name, needs.targets, &data.targets)?;
    }
    let (weightless, unknown) =
        ((0..data.len()).filter(|&i| zero(i)).count(), (0..data.len()).filter(|&i| !zero(i) && blank(i)).count());
    if weightless + unknown > 0 {
        let keep: Vec<usize> = (0..data.len()).filter(|&i| !zero(i) && !blank(i)).collect();
        data = Cow::Owned(data.select(&keep)?);
        if weightless > 0 {
            changes.push(format!(
                "{} of weight 0 {} left out",
                plural(weightless, "row"),
                agree(weightless, "was", "were")
            ));
        }
        if unknown > 0 {
            changes.push(format!(
                "{} without a target {} left out",
                plural(unknown, "row"),
                agree(unknown, "was", "were")
            ));
        }
    }
    if data.is_empty() && unknown > 0 {
        let found = format!("{} without one", plural(unknown, "row"));
        return Err(Error::size(format!("rows for {name}"), "at least 1 with a target", found));
    }
    if data.is_empty() {
        return Err(Error::size(format!("rows for {name}"), "at least 1", 0));
    }
    if let (Wanted::Classes(least) | Wanted::ClassesOrLabels(least), Targets::Classes(classes)) =
        (needs.targets, &data.targets)
    {
        let found = classes.counts().iter().filter(|&&n| n > 0).count();
        if found < least {
            return Err(too_few_classes(&format!("rows for {name}"), least, found));
        }
    }
    if needs.weights == Weighting::None
        && let Some(row) = data.weights.as_ref().and_then(|w| w.iter().position(|&w| w != 1.0))
    {
        let place = Place::Cell { row, column: "weight".into() };
        return Err(Error::data(place, format!("{name} takes no weights other than 0 and 1")));
    }
    match &data.inputs {
        Inputs::Points(points) => points.check(needs.missing, |c| data.features.name(c))?,
        Inputs::Table(_) if !needs.table => data.points().map(|_| ())?,
        Inputs::Table(_) => {}
    }
    if data.inputs.columns() == 0 {
        return Err(Error::size(format!("columns for {name}"), "at least 1", 0));
    }
    Ok((data, changes))
}

/// The error for rows of fewer classes than a learner can do with.
pub fn too_few_classes(what: &str, least: usize, found: usize) -> Error {
    Error::size(what, format!("at least {}", plural(least, "class")), plural(found, "class"))
}

fn check_targets(name: &str, wanted: Wanted, targets: &Targets) -> Result<()> {
    let expected = match (wanted, targets) {
        (Wanted::Nothing, _)
        | (Wanted::Classes(_) | Wanted::Either, Targets::Classes(_))
        | (Wanted::Values | Wanted::Either, Targets::Values(_))
        | (Wanted::Labels, Targets::Sets(_))
        | (Wanted::ClassesOrLabels(_), Targets::Classes(_) | Targets::Sets(_)) => return Ok(()),
        (Wanted::Classes(_), _) => "classes",
        (Wanted::Labels, _) => "sets of labels",
        (Wanted::Values, _) => "values",
        (Wanted::Either, _) => "classes or values",
        (Wanted::ClassesOrLabels(_), _) => "classes or sets of labels",
    };
    Err(Error::size(format!("targets for {name}"), expected, targets.type_name()))
}

/// The classes of data whose targets [`crate::Learner::fit`] has checked.
pub fn classes_of(data: &Dataset) -> Result<&Classes> {
    match &data.targets {
        Targets::Classes(classes) => Ok(classes),
        other => Err(Error::size("targets", "classes", other.type_name())),
    }
}

/// The values of data whose targets [`crate::Learner::fit`] has checked.
pub fn values_of(data: &Dataset) -> Result<&Values> {
    match &data.targets {
        Targets::Values(values) => Ok(values),
        other => Err(Error::size("targets", "values", other.type_name())),
    }
}
