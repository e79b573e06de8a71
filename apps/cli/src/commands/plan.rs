//! `pellucid plan`: time and memory of a fit before it is started.
//!
//! The data are read and prepared as a fit would do it, and what that took is measured where the system tells (Linux);
//! what the machine takes on top comes from trials on some of the rows ([`estimate_on`]).

use crate::arguments::Plan;
use crate::session::{Terminal, resident, run as new_run, worked};
use crate::show::{self, Trouble};
use pellucid::job::apply_settings;
use pellucid::{Bytes, Catalog, KNOWN, Size, estimate_on, partly_prepared, plural};
use serde_json::json;
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &Plan) -> Result<ExitCode, Trouble> {
    let terminal = Terminal::new(&arguments.running);
    let run = new_run(&arguments.running, &terminal)?;
    let before = resident();
    let mut learner = KNOWN.learner(&arguments.machine)?;
    apply_settings(&mut *learner, &arguments.settings)?;
    let wanted = learner.traits().needs.targets;
    let loaded = arguments.target.source(&arguments.data, &arguments.reading)?.load(wanted, &run)?.data;
    // The machine meets the data as its preparation leaves them.
    let (met, learner) = partly_prepared(&arguments.prepare, &loaded, learner, &run)?;
    let size = Size::of(&met);
    let after = resident();
    let e = estimate_on(&*learner, &met, &worked, &run)?;
    terminal.clear();
    let bytes = match (before, after) {
        // What is held now is the table and the points made of it; reading may have taken more than the fit will.
        (Some((own, _)), Some((held, peak))) => {
            let beyond = (e.bytes - 8.0 * size.entries as f64).max(0.0) as u64;
            (held.saturating_sub(own) + beyond).max(peak.saturating_sub(own))
        }
        _ => e.bytes as u64,
    };
    let fits = bytes <= run.memory.limit();
    if arguments.running.json {
        show::say_json(&json!({
            "machine": arguments.machine, "rows": size.rows, "columns": size.columns, "entries": size.entries,
            "outputs": size.outputs, "fit_seconds": e.fit_seconds, "fit_seconds_between": [e.between.0, e.between.1],
            "tried_rows": e.tried, "predict_seconds_per_1000_rows": e.predict_seconds,
            "bytes": bytes, "fits_in_memory": fits, "advice": e.advice,
        }))?;
    } else {
        let mut text =
            format!("{} on {} x {}", arguments.machine, plural(size.rows, "row"), plural(size.columns, "column"));
        if size.outputs > 1 {
            text += &format!(", {} outputs", size.outputs);
        }
        text += &format!("\nfit: {}", about(e.fit_seconds));
        text += &match e.tried {
            0 => format!(
                ", estimated from the size alone; possible range {} to {}\n",
                duration(e.between.0),
                duration(e.between.1)
            ),
            tried if tried >= size.rows => " (measured on all rows)\n".into(),
            tried => format!(
                ", possible range {} to {}, since the number of steps depends on the data (measured on {tried} rows)\n",
                duration(e.between.0),
                duration(e.between.1)
            ),
        };
        text += &format!("prediction of 1000 rows: {}\n", about(e.predict_seconds));
        let room = if fits { "fits" } else { "does NOT fit" };
        text += &format!(
            "memory beyond the program itself: about {} at peak, {room} into {}\n",
            Bytes(bytes),
            Bytes(run.memory.limit())
        );
        if let Some(advice) = e.advice {
            text += &format!("advice: {advice}\n");
        }
        show::say(&text)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn about(seconds: f64) -> String {
    if seconds < 1e-3 { duration(seconds) } else { format!("about {}", duration(seconds)) }
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => "under 1 ms".into(),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.0} minutes", s / 60.0),
        s => format!("{:.1} hours", s / 3600.0),
    }
}
