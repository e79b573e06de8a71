//! Cross-validation as `-v` has it: stratified folds, all rows judged together.

use super::{agreement, general};
use base::{Dataset, Error, Fits, Fitted, Inputs, Learner, Points, Prediction, Result, Run, Targets, fit_many};
use evaluate::Splitting;

/// Held-out predictions of all rows: decisions of the first pair, values, or places of classes.
pub fn held_out<T: Clone + Default>(
    learner: &dyn Learner,
    data: &Dataset,
    folds: usize,
    run: &Run<'_>,
    read: impl Fn(&Fitted, &Points) -> Result<Vec<T>>,
) -> Result<Vec<T>> {
    let splits = Splitting::Folds { n: folds, repeats: 1, stratified: true }.of(data, run.seed.fork("svm-train"))?;
    let mut all = vec![T::default(); data.len()];
    let rows: Vec<Vec<usize>> = splits.iter().map(|s| s.train.clone()).collect();
    // The folds share kernel values, where the learner can.
    fit_many(learner, &Fits { settings: &[vec![]], rows: Some(&rows), data }, run, &mut |_, fold, fitted| {
        let test = &splits[fold].test;
        let found = read(&fitted, &data.points()?.select(test)?)?;
        test.iter().zip(found).for_each(|(&row, x)| all[row] = x);
        Ok(())
    })?;
    Ok(all)
}

/// Targets and held-out predictions of a regression.
pub fn values(learner: &dyn Learner, data: &Dataset, folds: usize, run: &Run<'_>) -> Result<Vec<(f64, f64)>> {
    let Targets::Values(truth) = &data.targets else {
        return Err(Error::size("targets", "values", data.targets.type_name()));
    };
    let predict = |fitted: &Fitted, points: &Points| {
        let scores = fitted.machine.compute(&Inputs::Points(points.clone()), run)?;
        Ok(scores.to_dense(&run.memory)?.to_vec())
    };
    let found = held_out(learner, data, folds, run, predict)?;
    Ok(truth.values().iter().copied().zip(found).collect())
}

/// The accuracy on held-out rows, in percent.
pub fn held_out_accuracy(learner: &dyn Learner, data: &Dataset, folds: usize, run: &Run<'_>) -> Result<f64> {
    let predict = |fitted: &Fitted, points: &Points| {
        Prediction::of(&*fitted.machine, &Inputs::Points(points.clone()), run)?.classes(run)
    };
    let found = held_out(learner, data, folds, run, predict)?;
    let right = found.iter().zip(base::classes_of(data)?.codes()).filter(|(f, c)| f == c).count();
    Ok(100.0 * right as f64 / data.len().max(1) as f64)
}

/// What a cross-validation prints.
pub fn cross_validation(learner: &dyn Learner, data: &Dataset, folds: usize, run: &Run<'_>) -> Result<String> {
    match &data.targets {
        Targets::Classes(_) => {
            let share = held_out_accuracy(learner, data, folds, run)?;
            Ok(format!("Cross Validation Accuracy = {}%\n", general(share)))
        }
        Targets::Values(_) => {
            let pairs = values(learner, data, folds, run)?;
            let (error, correlation) = agreement(&pairs);
            Ok(format!(
                "Cross Validation Mean squared error = {}\nCross Validation Squared correlation coefficient = {}\n",
                general(error),
                general(correlation)
            ))
        }
        _ => Err(Error::unsupported("-v", "a machine of one class", "there is nothing to compare with")),
    }
}
