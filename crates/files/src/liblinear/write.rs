//! Writing: the lines in LIBLINEAR's own order.

use super::LinearModel;
use base::{Error, Result, number_text};
use std::io::{self, Write};

/// Makes sure that the parts of a model go together, so that what is written can be read.
pub(super) fn check(model: &LinearModel) -> Result<()> {
    let (classes, width) = (model.labels.len(), model.vectors());
    let fits = (if model.solver.classifies() { classes >= 2 } else { classes == 0 })
        && model.weights.columns() == width
        && model.features() >= 1
        && (model.rho == 0.0 || model.solver == super::LinearSolver::OneClass);
    if !fits {
        let found = format!("{classes} classes, {} x {} weights", model.weights.len(), model.weights.columns());
        return Err(Error::size("parts of a LIBLINEAR model", format!("{width} weights per feature"), found));
    }
    let bias = model.bias.unwrap_or(0.0);
    match model.weights.values().iter().chain([&model.rho]).all(|x| x.is_finite()) && bias.is_finite() && bias >= 0.0 {
        true => Ok(()),
        false => Err(Error::data(base::Place::Whole, "a model with numbers that are not finite is not written")),
    }
}

pub(super) fn write(out: &mut dyn Write, model: &LinearModel) -> io::Result<()> {
    let classes = if model.solver.classifies() { model.labels.len() } else { 2 };
    let mut head = format!("solver_type {}\nnr_class {classes}\n", model.solver.word());
    if model.solver.classifies() {
        head += "label";
        model.labels.iter().for_each(|label| head += &format!(" {label}"));
        head.push('\n');
    }
    head += &format!("nr_feature {}\nbias {}\n", model.features(), number_text(model.bias.unwrap_or(-1.0)));
    if model.solver == super::LinearSolver::OneClass {
        head += &format!("rho {}\n", number_text(model.rho));
    }
    head += "w\n";
    out.write_all(head.as_bytes())?;
    let mut line = String::new();
    for j in 0..model.weights.len() {
        line.clear();
        let (ids, values) = model.weights.row(j);
        let mut there = ids.iter().zip(values).peekable();
        for vector in 0..model.vectors() {
            match there.next_if(|(id, _)| **id as usize == vector) {
                Some((_, &weight)) => line.push_str(&number_text(weight)),
                None => line.push('0'),
            }
            line.push(' ');
        }
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}
