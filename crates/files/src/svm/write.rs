//! Writing: the lines in LIBSVM's own order.

use super::{SvmKernel, SvmModel, SvmType};
use base::{Error, Result, number_text};
use std::io::{self, Write};

/// Makes sure that the parts of a model go together, so that what is written can be read.
pub(super) fn check(model: &SvmModel) -> Result<()> {
    let classes = if model.kind.classifies() { model.labels.len() } else { 2 };
    let pairs = classes.saturating_mul(classes.saturating_sub(1)) / 2;
    let total = model.vectors.len();
    let listed = if model.kind.classifies() { classes } else { 0 };
    let probabilities = match model.kind {
        SvmType::CSvc | SvmType::NuSvc => model.prob_a.len() == model.prob_b.len(),
        SvmType::OneClass => model.prob_a.is_empty() && model.prob_b.is_empty(),
        _ => model.prob_b.is_empty(),
    };
    let fits = classes >= 2
        && model.rho.len() == pairs
        && model.labels.len() == listed
        && model.counts.len() == listed
        && (listed == 0 || model.counts.iter().try_fold(0usize, |s, &c| s.checked_add(c)) == Some(total))
        && Some(model.coefficients.len()) == total.checked_mul(model.width())
        && [&model.prob_a, &model.prob_b].iter().all(|p| p.is_empty() || p.len() == pairs)
        && probabilities
        && (model.marks.is_empty() || (model.marks.len() == 10 && model.kind == SvmType::OneClass));
    if !fits {
        return Err(Error::size("parts of a LIBSVM model", format!("{classes} classes, {total} vectors"), "others"));
    }
    if model.kernel == SvmKernel::Precomputed && (0..total).any(|i| model.vectors.row(i).0.len() != 1) {
        return Err(Error::size("columns of a support vector of a precomputed kernel", 1, "others"));
    }
    let kernel = match model.kernel {
        SvmKernel::Linear | SvmKernel::Precomputed => [0.0, 0.0],
        SvmKernel::Polynomial { gamma, coef0, .. } | SvmKernel::Sigmoid { gamma, coef0 } => [gamma, coef0],
        SvmKernel::Rbf { gamma } => [gamma, 0.0],
    };
    let lists: [&[f64]; 7] =
        [&kernel, &model.rho, &model.prob_a, &model.prob_b, &model.marks, &model.coefficients, model.vectors.values()];
    match lists.iter().all(|list| list.iter().all(|x| x.is_finite())) {
        true => Ok(()),
        false => Err(Error::data(base::Place::Whole, "a model with numbers that are not finite is not written")),
    }
}

pub(super) fn write(out: &mut dyn Write, model: &SvmModel) -> io::Result<()> {
    let list = |numbers: &[f64]| numbers.iter().map(|&x| format!(" {}", number_text(x))).collect::<String>();
    let mut head = format!("svm_type {}\nkernel_type {}\n", model.kind.word(), model.kernel.word());
    if let SvmKernel::Polynomial { degree, .. } = model.kernel {
        head += &format!("degree {degree}\n");
    }
    match model.kernel {
        SvmKernel::Polynomial { gamma, coef0, .. } | SvmKernel::Sigmoid { gamma, coef0 } => {
            head += &format!("gamma {}\ncoef0 {}\n", number_text(gamma), number_text(coef0));
        }
        SvmKernel::Rbf { gamma } => head += &format!("gamma {}\n", number_text(gamma)),
        SvmKernel::Linear | SvmKernel::Precomputed => {}
    }
    let classes = if model.kind.classifies() { model.labels.len() } else { 2 };
    head += &format!("nr_class {classes}\ntotal_sv {}\nrho{}\n", model.vectors.len(), list(&model.rho));
    let wholes = |texts: Vec<String>| texts.iter().map(|t| format!(" {t}")).collect::<String>();
    if model.kind.classifies() {
        head += &format!("label{}\n", wholes(model.labels.iter().map(i32::to_string).collect()));
    }
    for (key, numbers) in [("probA", &model.prob_a), ("probB", &model.prob_b), ("prob_density_marks", &model.marks)] {
        if !numbers.is_empty() {
            head += &format!("{key}{}\n", list(numbers));
        }
    }
    if model.kind.classifies() {
        head += &format!("nr_sv{}\n", wholes(model.counts.iter().map(usize::to_string).collect()));
    }
    head += "SV\n";
    out.write_all(head.as_bytes())?;
    let width = model.width();
    let mut line = String::new();
    for (i, coefficients) in (0..model.vectors.len()).zip(model.coefficients.chunks_exact(width.max(1))) {
        line.clear();
        coefficients.iter().for_each(|&c| {
            line.push_str(&number_text(c));
            line.push(' ');
        });
        let (ids, values) = model.vectors.row(i);
        for (&id, &value) in ids.iter().zip(values) {
            match model.kernel {
                SvmKernel::Precomputed => line.push_str(&format!("0:{} ", u64::from(id) + 1)),
                _ if value != 0.0 => line.push_str(&format!("{}:{} ", u64::from(id) + 1, number_text(value))),
                _ => {}
            }
        }
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}
