//! Text: how wide it is, how to cut it, how to write it into XML.
//!
//! The width of a text is the sum of the advance widths of its characters in the embedded font (DejaVu Sans without
//! kerning), so what is measured here is what [`crate::png`] draws. Browsers that lack the font take Helvetica or
//! Arial, which are narrower, so that text does not grow beyond its place. Characters the font lacks are counted as one em, those beyond
//! the basic plane (emoji, mostly) as 1.4 em.

use crate::widths::RUNS;

/// Height of the tallest letters above the base line, in em.
pub(crate) const ASCENT: f64 = 1901.0 / 2048.0;
/// Depth of the deepest letters below the base line, in em.
#[cfg(test)]
pub(crate) const DESCENT: f64 = 483.0 / 2048.0;
/// From one base line to the next, in em.
pub(crate) const LINE: f64 = 1.3;
/// Half the height of a figure: a text whose base line lies this far below a point is centred on it. In em.
pub(crate) const HALF_FIGURE: f64 = 0.36;

/// The families asked for, the embedded one first.
pub(crate) const FAMILY: &str = "DejaVu Sans,Helvetica,Arial,sans-serif";

/// The width of a character in em.
fn advance(c: char) -> f64 {
    let code = u32::from(c);
    let run = RUNS.partition_point(|&(first, _)| first <= code).checked_sub(1).map(|i| &RUNS[i]);
    let known = run.and_then(|(first, widths)| widths.get((code - first) as usize));
    known.map_or(if code > 0xFFFF { 1.4 } else { 1.0 }, |&w| f64::from(w) / 2048.0)
}

/// The width of a text set at a size, in the unit of the size.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// A text made printable: line breaks and tabs become spaces, what XML cannot hold becomes U+FFFD, and marks that turn
/// the direction of the text around are left out, so that a name cannot disguise its neighbours.
pub(crate) fn clean(text: &str) -> String {
    let keep = |c: char| match c {
        '\n' | '\r' | '\t' => Some(' '),
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' => None,
        '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' | '\u{FFFE}' | '\u{FFFF}' => Some('\u{FFFD}'),
        _ => Some(c),
    };
    text.chars().filter_map(keep).collect()
}

/// The text if it fits the room, else its beginning with an ellipsis; `None` if not even one letter would fit.
pub(crate) fn fit(text: &str, size: f64, room: f64) -> Option<String> {
    if width(text, size) <= room {
        return Some(text.into());
    }
    let mut left = room - advance('…') * size;
    let mut cut = String::new();
    for c in text.chars() {
        left -= advance(c) * size;
        if left < 0.0 {
            break;
        }
        cut.push(c);
    }
    let cut = cut.trim_end();
    (!cut.is_empty()).then(|| format!("{cut}…"))
}

/// The text broken at spaces into at most `lines` lines; what does not fit into the last one is cut.
///
/// The second value says whether something was cut.
pub(crate) fn wrap(text: &str, size: f64, room: f64, lines: usize) -> (Vec<String>, bool) {
    let mut done: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut words = text.split(' ').filter(|w| !w.is_empty()).peekable();
    while let Some(word) = words.next() {
        let longer = if line.is_empty() { word.to_string() } else { format!("{line} {word}") };
        let last = done.len() + 1 >= lines;
        if width(&longer, size) <= room {
            line = longer;
        } else if last || line.is_empty() {
            // No further line, or a word wider than a line: cut here.
            let rest = words.by_ref().fold(longer, |all, w| all + " " + w);
            done.extend(fit(&rest, size, room));
            return (done, true);
        } else {
            done.push(std::mem::replace(&mut line, word.to_string()));
            if width(&line, size) > room {
                let rest = words.by_ref().fold(line, |all, w| all + " " + w);
                done.extend(fit(&rest, size, room));
                return (done, true);
            }
        }
    }
    if !line.is_empty() {
        done.push(line);
    }
    (done, false)
}

/// Text as XML content or as the value of an attribute in double quotes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Names one after the other; of many the first ten and how many more there are.
pub(crate) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.filter(|n| !n.is_empty()).collect();
    let shown = names[..names.len().min(10)].join(", ");
    if names.len() > 10 { format!("{shown} and {} more", names.len() - 10) } else { shown }
}

/// `1 point`, `2 points`: a count with its noun.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{} {many}", crate::number::whole(n as u64)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_and_wraps_within_the_room() {
        let long = "the quick brown fox jumps over the lazy dog and a Donaudampfschifffahrtsgesellschaft";
        for room in [5.0, 20.0, 50.0, 77.0, 200.0, 1000.0] {
            if let Some(cut) = fit(long, 12.0, room) {
                assert!(width(&cut, 12.0) <= room, "{cut}");
                assert!(cut.ends_with('…') != (cut == long));
            }
            for lines in 1..4 {
                let (parts, cut) = wrap(long, 12.0, room, lines);
                assert!(parts.len() <= lines && parts.iter().all(|p| width(p, 12.0) <= room));
                assert_eq!(cut, parts.join(" ") != long, "{parts:?}");
            }
        }
        assert_eq!(fit("ab", 12.0, 3.0), None);
        assert_eq!(wrap("", 12.0, 100.0, 2), (vec![], false));
        assert_eq!(list(["a", "", "b"].into_iter()), "a, b");
        assert_eq!(list(["x"; 12].into_iter()), "x, x, x, x, x, x, x, x, x, x and 2 more");
    }

    #[test]
    fn escapes_and_cleans() {
        assert_eq!(escape("a<b & \"c\" 'd'>\n\u{0}e\u{202E}"), "a&lt;b &amp; &quot;c&quot; &#39;d&#39;&gt; \u{FFFD}e");
    }

    #[test]
    fn widths_are_those_of_the_font() {
        // From the font's hmtx table: A 1401, i 569, α 1350, narrow space 409 of 2048.
        assert_eq!(width("Aiα\u{202F}", 2048.0), 1401.0 + 569.0 + 1350.0 + 409.0);
        assert_eq!(width("漢", 10.0), 10.0);
        assert_eq!(width("😀", 10.0), 14.0);
        assert!(RUNS.windows(2).all(|w| w[0].0 + (w[0].1.len() as u32) <= w[1].0));
    }
}
