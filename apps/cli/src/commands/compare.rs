//! `pellucid compare`: machines on the same held-out rows.

use crate::arguments::Compare;
use crate::session::{Terminal, run as new_run};
use crate::show::{self, Trouble};
use pellucid::evaluate::{Comparison, Splitting};
use pellucid::report::Compared;
use pellucid::{Error, job, plural};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Compare) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let several = !arguments.also.is_empty();
    let all = job(arguments)?.run_telling(&run, &mut |compared| -> Result<(), Trouble> {
        terminal.clear();
        if arguments.running.json {
            return Ok(());
        }
        let title =
            if several { format!("{}, {}\n", compared.data, plural(compared.rows, "row")) } else { String::new() };
        show::say(&format!("{title}{}{}", table(&compared.comparison, compared.splits), chosen(compared)))
    })?;
    match (&arguments.output, arguments.running.json) {
        (_, true) if !several => show::say_json(&object(&all[0]))?,
        (_, true) => {
            let named = |c: &Compared| (c.data.clone(), object(c));
            show::say_json(&Value::Object(all.iter().map(named).collect()))?;
        }
        (Some(output), false) => show::say(&format!("report: {}", output.display()))?,
        (None, false) => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// What the options ask for.
fn job(arguments: &Compare) -> Result<job::Compare, Error> {
    let source = arguments.target.source(&arguments.data, &arguments.reading)?;
    let source = job::DataSource { groups: arguments.groups.clone(), ..source };
    Ok(job::Compare {
        also: arguments.also.clone(),
        prepare: arguments.prepare.clone(),
        splitting: match arguments.rolling {
            Some(n) => Splitting::Rolling { n },
            None => Splitting::Folds { n: arguments.folds, repeats: arguments.repeats, stratified: true },
        },
        grid: arguments.grid.clone(),
        grid_folds: arguments.grid_folds,
        measure: arguments.measure.clone(),
        output: arguments.output.clone(),
        ..job::Compare::new(source, arguments.machines.clone())
    })
}

/// What was chosen where settings were: in the folds, and with all rows.
fn chosen(compared: &Compared) -> String {
    let mut text = String::new();
    for (k, validation) in compared.comparison.validations.iter().enumerate() {
        let choices = validation.choices();
        if choices.is_empty() {
            continue;
        }
        let folds: Vec<String> = choices.iter().map(|(settings, n)| format!("{settings} ({n})")).collect();
        text += &format!("{} chose {}", compared.comparison.names[k], folds.join("; "));
        text += &compared.whole[k].as_ref().map_or("\n".into(), |w| format!("; on all rows {w}\n"));
    }
    text
}

fn table(result: &Comparison, splits: usize) -> String {
    let width = result.names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(7);
    let mut order: Vec<usize> = (0..result.names.len()).collect();
    order.sort_by(|&a, &b| result.ranks[a].total_cmp(&result.ranks[b]).then(a.cmp(&b)));
    let mut text = format!(
        "{:width$}  {:>10}  {:>9}  {:>5}  {:>8}  {:>8}\n",
        "machine", result.measure, "std dev", "rank", "p (t)", "p (McN)"
    );
    for k in order {
        let mc = result.mc_nemar[k].map_or("-".to_string(), |p| format!("{p:.4}"));
        let (t, mc) = if k == result.best {
            ("best".to_string(), "best".to_string())
        } else {
            (format!("{:.4}", result.t_test[k]), mc)
        };
        text += &format!(
            "{:width$}  {:>10}  {:>9}  {:>5.2}  {t:>8}  {mc:>8}\n",
            result.names[k],
            show::short(result.means[k]),
            show::short(result.deviations[k]),
            result.ranks[k],
        );
    }
    text += &format!(
        "over {}; p: corrected paired t-test and McNemar's test against {}\n",
        plural(splits, "split"),
        result.names[result.best]
    );
    text
}

fn object(compared: &Compared) -> Value {
    let result = &compared.comparison;
    let machines: Vec<Value> = (0..result.names.len())
        .map(|k| {
            json!({
                "machine": result.names[k], "mean": show::number(result.means[k]),
                "deviation": show::number(result.deviations[k]), "rank": result.ranks[k],
                "p_t": result.t_test[k], "p_mcnemar": result.mc_nemar[k],
                "folds": result.validations[k].all(&result.measure),
                "chosen": result.validations[k].chosen, "chosen_with_all_rows": compared.whole[k],
            })
        })
        .collect();
    json!({ "measure": result.measure, "best": result.names[result.best], "machines": machines })
}
