//! `pellucid explain` with several methods, models or views: a gallery as a page, as a picture, or as files of pixels.

use super::explain::{ending, judged, object, source, text, warn};
use crate::arguments::Explain;
use crate::session::Terminal;
use crate::show::{self, Trouble};
use pellucid::job::{Explaining, unbalanced};
use pellucid::picture::{Look, Size, View, pixels_png, png};
use pellucid::{Asking, Error, GalleryEntry, Hung, Looking, Model, Run, Watch, files, gallery};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// Explains, and writes what is asked for.
pub(super) fn run(
    arguments: &Explain,
    begun: &Explaining,
    terminal: &Terminal,
    run: &Run<'_>,
) -> Result<ExitCode, Trouble> {
    let choice = &arguments.looking;
    let views = choice.view.iter().filter_map(|word| View::from_word(word)).collect();
    let looking = Looking { views, root: choice.root, best: choice.best, sigma: choice.blur };
    let name = |path: &Path| path.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    let (model, data) = (begun.model.clone(), begun.data.clone());
    let mut entries = vec![GalleryEntry { name: name(&arguments.model), model, data }];
    for path in &arguments.also {
        // A model of our own knows how its inputs are scaled.
        let how = match files::format_of(path, run)? {
            files::Format::Onnx => arguments.network.reading(None, run)?,
            _ => pellucid::OnnxReading::default(),
        };
        let model = Model::load_with(path, &how, run)?;
        let (data, _) = source(arguments)?.rows_for(&model, run)?;
        entries.push(GalleryEntry { name: name(path), model, data });
    }
    let names: Vec<Option<String>> = begun.rows.iter().map(|&row| begun.names[row].clone()).collect();
    let asking = Asking {
        rows: &begun.rows,
        names: &names,
        methods: &begun.methods,
        output: begun.output,
        tuning: &begun.tuning,
        looking: &looking,
    };
    let hung = gallery(&entries, &asking, run)?;
    // Warnings come with what is told below.
    hung.notes.iter().filter(|note| !note.contains("Warning: ")).for_each(|note| terminal.note(note));
    let output = arguments.output.as_deref();
    if let Some(path) = output {
        write(path, &hung, &entries[0], &asking, run)?;
    }
    terminal.clear();
    hung.told.iter().for_each(warn);
    match arguments.running.json {
        true => {
            let mut objects: Vec<Value> = hung.told.iter().map(|told| object(told, &begun.data, output)).collect();
            // One method is told as it always was.
            let alone = objects.len() == 1 && arguments.also.is_empty();
            let file = output.map(|f| f.display().to_string());
            show::say_json(&if alone { objects.remove(0) } else { json!({ "methods": objects, "file": file }) })?;
        }
        false => {
            hung.told.iter().try_for_each(|told| show::say(&text(told, &begun.data, None)))?;
            if let Some(path) = output {
                show::say(&format!("written: {}", path.display()))?;
            }
        }
    }
    Ok(judged(arguments, hung.told.iter().find_map(unbalanced)))
}

fn write(path: &Path, hung: &Hung, entry: &GalleryEntry, asking: &Asking<'_>, run: &Run<'_>) -> Result<(), Error> {
    match ending(path) {
        "html" => {
            let html = hung.gallery.to_html()?;
            files::write_whole(path, |out| out.write_all(html.as_bytes()))
        }
        "png" => {
            let columns = hung.gallery.methods.len() + 1;
            let size = Size { width: (260.0 + 150.0 * columns as f64).clamp(640.0, 4000.0), height: 0.0 };
            let bytes = png(&hung.gallery.picture()?.to_svg(&Look { size, ..Look::default() })?, 2.0)?;
            files::write_whole(path, |out| out.write_all(&bytes))
        }
        "" => {
            let folder = files::Folder::begin(path)?;
            let html = hung.gallery.to_html()?;
            files::write_whole(&path.join("gallery.html"), |out| out.write_all(html.as_bytes()))?;
            for told in &hung.told {
                let method = &told.answer.relevance.method;
                files::write_data(&path.join(format!("{method}.csv")), &told.data(), run)?;
                for (k, &row) in told.rows.iter().enumerate() {
                    let pixels = asking.looking.pixels(&entry.data, &told.answer, (row, k), asking.tuning, run)?;
                    let Some((width, views)) = pixels else { continue };
                    for (view, pixels) in views {
                        let bytes = pixels_png(width, &pixels)?;
                        let name = format!("row-{row}-{method}-{}.png", view.word());
                        files::write_whole(&path.join(name), |out| out.write_all(&bytes))?;
                    }
                }
            }
            folder.finish()
        }
        _ => {
            let must = "must end in .html or .png, or be a folder; .npy and .csv take one method and one model";
            Err(Error::parameter("output", path.display(), must))
        }
    }
}
