//! `pellucid explain --clusters`: explanations of many rows in groups, the strangest first.

use super::explain::ending;
use crate::arguments::Explain;
use crate::session::Terminal;
use crate::show::{self, Trouble};
use pellucid::explain::Question;
use pellucid::job::Explaining;
use pellucid::{Cluster, Clusters, Error, Grouping, Run, clusters, clusters_page, files};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// Finds the clusters and writes them.
pub(super) fn run(
    arguments: &Explain,
    begun: &Explaining,
    page: &Path,
    terminal: &Terminal,
    run: &Run<'_>,
) -> Result<ExitCode, Trouble> {
    if ending(page) != "html" {
        return Err(Error::parameter("clusters", page.display(), "must end in .html").into());
    }
    if begun.methods.len() > 1 || !arguments.also.is_empty() || arguments.output.is_some() {
        let must = "takes one method and one model, and writes to its own file alone";
        return Err(Error::parameter("clusters", page.display(), must).into());
    }
    let asked = (Question { method: begun.methods.first().copied(), output: begun.output }, &begun.tuning);
    let machine = &*begun.model.machine;
    let how = Grouping { side: arguments.places, ..Grouping::default() };
    let found = clusters(machine, &begun.data, &begun.rows, asked, &how, run)?;
    let source = arguments.data.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    let html = clusters_page(&begun.model, (&begun.data, &source), &found, asked, run)?.to_html()?;
    files::write_whole(page, |out| out.write_all(html.as_bytes()))?;
    terminal.clear();
    match arguments.running.json {
        true => show::say_json(&object(&found, page))?,
        false => show::say(&text(&found, page))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn text(found: &Clusters, page: &Path) -> String {
    let mut text = format!("method: {}, {} clusters, the strangest first\n", found.method, found.clusters.len());
    for (k, c) in found.clusters.iter().enumerate() {
        let rows: Vec<String> = c.examples.iter().map(usize::to_string).collect();
        text += &format!(
            "cluster {}: strangeness {:.2}, {} rows taken for {} ({:.1} % of them), such as {}\n",
            k + 1,
            c.strange,
            c.rows.len(),
            c.class,
            100.0 * c.share,
            rows.join(", ")
        );
    }
    text + &format!("written: {}\n", page.display())
}

fn object(found: &Clusters, page: &Path) -> Value {
    let cluster = |c: &Cluster| {
        let truths: Vec<Value> = c.truths.iter().map(|(name, count)| json!({ "class": name, "rows": count })).collect();
        json!({
            "class": c.class, "strangeness": show::number(c.strange), "share": show::number(c.share),
            "rows": c.rows, "truths": truths,
        })
    };
    let clusters: Vec<Value> = found.clusters.iter().map(cluster).collect();
    json!({ "method": found.method, "clusters": clusters, "file": page.display().to_string() })
}
