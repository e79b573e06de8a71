//! Explanations as files: pages of cards, galleries, pictures, folders of all of these.

use super::ending;
use crate::{Explanation, GalleryEntry, GalleryPage, GalleryRequest, Model, cards};
use base::{Dataset, Error, Result, Run};
use picture::{Look, PictureSize, pixels_png, png};
use std::path::Path;

/// Writes a page of cards, or a folder with the page, the numbers and a picture for each row.
pub(super) fn cards_to(
    path: &Path,
    (model, data, name): (&Model, &Dataset, &str),
    told: &Explanation,
    run: &Run<'_>,
) -> Result<()> {
    match ending(path) {
        "html" => {
            let (page, _) = cards(model, data, name, told, run)?;
            let html = page.to_html()?;
            files::write_whole(path, |out| out.write_all(html.as_bytes()))
        }
        "" => {
            let folder = files::Folder::begin(path)?;
            files::write_data(&path.join("relevance.csv"), &told.data(), run)?;
            let (page, all) = cards(model, data, name, told, run)?;
            let html = page.to_html()?;
            files::write_whole(&path.join("cards.html"), |out| out.write_all(html.as_bytes()))?;
            for (row, card) in told.rows.iter().zip(all) {
                let look = Look { size: PictureSize { width: 480.0, height: 0.0 }, ..Look::default() };
                let bytes = png(&card.drawing().to_svg(&look)?, 2.0)?;
                files::write_whole(&path.join(format!("row-{row}.png")), |out| out.write_all(&bytes))?;
            }
            folder.finish()
        }
        _ => Err(Error::parameter("output", path.display(), "must end in .html, .png, .npy or .csv, or be a folder")),
    }
}

/// Writes a gallery as a page, as one picture, or as a folder with the page, the numbers and the pixels of each view.
pub(super) fn gallery_to(
    path: &Path,
    hung: &GalleryPage,
    entry: &GalleryEntry,
    asking: &GalleryRequest<'_>,
    run: &Run<'_>,
) -> Result<()> {
    match ending(path) {
        "html" => {
            let html = hung.gallery.to_html()?;
            files::write_whole(path, |out| out.write_all(html.as_bytes()))
        }
        "png" => {
            let columns = hung.gallery.methods.len() + 1;
            let size = PictureSize { width: (260.0 + 150.0 * columns as f64).clamp(640.0, 4000.0), height: 0.0 };
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
