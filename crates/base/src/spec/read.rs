//! Text to specs; the grammar is at the top of `mod.rs`.

use super::{Spec, SpecPart};
use crate::settings::{meant, read_setting, renamed};
use crate::{Catalog, Error, Kind, Param, Result, Settings, Value};

/// Learners within learners, at most: each takes a place on the stack.
const DEEPEST: usize = 32;

impl Spec {
    /// Reads a learner, with or without steps before it, and checks names and settings.
    pub fn parse(text: &str, catalog: &dyn Catalog) -> Result<Spec> {
        let text = inside(text.trim())?;
        if depth(text) > DEEPEST {
            return Err(Error::parameter("machine", text, format!("at most {DEEPEST} parentheses inside each other")));
        }
        let (mut specs, mut rest) = (vec![], text);
        loop {
            let item = &rest[..end_of_item(rest)];
            let placed = |e: Error| match item.len() == text.len() {
                true => e,
                false => at(e, item.trim(), specs.len() + 1),
            };
            let (spec, used) = read_item(item, rest, catalog).map_err(placed)?;
            specs.push(spec);
            if used == rest.len() {
                break;
            }
            rest = &rest[used + 1..];
        }
        // The last is a learner, whatever it is to a list; a wrapping step is not, and the catalog says so.
        if let Some(last) = specs.last().filter(|last| last.before.is_empty()) {
            catalog.learner(&last.name)?;
        }
        Spec::joined(specs).ok_or_else(|| Error::parameter("machine", text, "is empty"))
    }

    /// Reads one item of a list of steps, wrapping steps among them.
    pub fn parse_step(text: &str, catalog: &dyn Catalog) -> Result<Spec> {
        read_item(text.trim(), text.trim(), catalog).map(|(spec, _)| spec)
    }
}

/// The items of a list of steps, without the blanks around them; empty ones are left out.
pub fn items(text: &str) -> Vec<&str> {
    let (mut all, mut rest) = (vec![], text);
    loop {
        let end = end_of_item(rest);
        all.push(rest[..end].trim());
        match rest.get(end + 1..) {
            Some(after) => rest = after,
            None => break,
        }
    }
    all.retain(|item| !item.is_empty());
    all
}

/// Reads the item that a text begins with: all of it for a learner proper, else up to the comma. Says how much it took.
fn read_item(item: &str, rest: &str, catalog: &dyn Catalog) -> Result<(Spec, usize)> {
    let start = item.len() - item.trim_start().len();
    if marked(&item[start..]).is_some_and(|end| item[start..].starts_with('(') && start + end == item.trim_end().len())
    {
        return Ok((Spec::parse(item, catalog)?, item.len()));
    }
    let head = item.find(['=', ':']).unwrap_or(item.len());
    let mut name = item[..head].trim().to_string();
    let mut behind = item[head..].starts_with('=').then(|| &item[head + 1..]);
    if let Some(value) = behind {
        let value = &value[..value.find(':').unwrap_or(value.len())];
        let whole = format!("{name}-{}", value.trim());
        if catalog.names().contains(&whole.as_str()) {
            name = whole;
            behind = None;
        }
    }
    let mut part = catalog.part(&name)?;
    let proper = matches!(part, SpecPart::Learner(_));
    let text = if proper { rest } else { item };
    let mut spec = Spec::named(part.name());
    let settings = part.settings();
    let mut after = &text[head..];
    match behind {
        Some(_) => {
            let params = settings.params();
            let Some(first) = params.first() else {
                return Err(Error::parameter(spec.name, behind.unwrap_or_default(), "has no settings"));
            };
            let (value, left) = read_value(&after[1..], first.kind, proper, &params);
            set(settings, &mut spec, first.name, value, catalog).map_err(|e| more_words(&name, e, catalog))?;
            spec.short = true;
            after = left;
        }
        // The word behind the name was part of it.
        None if after.starts_with('=') => after = &after[after.find(':').unwrap_or(after.len())..],
        None => {}
    }
    while !after.is_empty() {
        let params = settings.params();
        if after.starts_with(',') && !setting_follows(&after[1..], &params) {
            let must = format!("nothing comes after {}, which is not a step", spec.name);
            return Err(Error::parameter("machine", after[1..].trim(), must));
        }
        let setting = &after[1..];
        let end = setting.find(['=', ':', ',']).unwrap_or(setting.len());
        let key = setting[..end].trim();
        let (param, _) = meant(&params, key)?;
        let (value, left) = match setting[end..].starts_with('=') {
            true => read_value(&setting[end + 1..], param.kind, proper, &params),
            false => (Written::Plain("true".to_string()), &setting[end..]),
        };
        set(settings, &mut spec, key, value, catalog)?;
        after = left;
    }
    Ok((spec, text.len()))
}

/// A value as it was written.
enum Written {
    Plain(String),
    /// In quotation marks, which keep the blanks of a text.
    Quoted(String),
}

/// Changes a setting to what was written, and notes it as the learner has it.
fn set(settings: &mut dyn Settings, spec: &mut Spec, name: &str, value: Written, catalog: &dyn Catalog) -> Result<()> {
    let params = settings.params();
    spec.notes.extend(renamed(&params, name));
    let (name, value) = match (value, meant(&params, name)?.0) {
        (Written::Quoted(text), param) if matches!(param.kind, Kind::Text | Kind::ClassWeight) => {
            (param.name, Value::Text(text))
        }
        (Written::Plain(text) | Written::Quoted(text), _) => read_setting(&params, name, &text, catalog)?,
    };
    settings.set(name, value)?;
    let value = settings.get(name)?;
    match spec.settings.iter_mut().find(|(n, _)| n == name) {
        Some((_, old)) => *old = value,
        None => spec.settings.push((name.to_string(), value)),
    }
    Ok(())
}

/// The value that a text begins with, and what comes after it.
fn read_value<'a>(text: &'a str, kind: Kind, proper: bool, params: &[Param]) -> (Written, &'a str) {
    let blank = text.len() - text.trim_start().len();
    if let Some(end) = marked(&text[blank..]) {
        let (value, left) = text[blank..].split_at(end);
        let value = match value.starts_with('"') {
            true => Written::Quoted(value[1..end - 1].replace("\"\"", "\"")),
            // The parentheses stay: only a learner does without them.
            false => Written::Plain(value.to_string()),
        };
        return (value, left.trim_start());
    }
    // A comma within a text of a learner proper is part of it, and so is one that begins no setting.
    let ends = |(i, c): &(usize, char)| match c {
        ':' => true,
        ',' => !proper || (!matches!(kind, Kind::Text | Kind::ClassWeight) && setting_follows(&text[i + 1..], params)),
        _ => false,
    };
    let end = text.char_indices().find(ends).map_or(text.len(), |(i, _)| i);
    (Written::Plain(text[..end].to_string()), &text[end..])
}

/// Whether a text begins with the name of a setting and `=`.
fn setting_follows(text: &str, params: &[Param]) -> bool {
    let end = text.find(['=', ':', ',']).unwrap_or(text.len());
    text[end..].starts_with('=') && meant(params, text[..end].trim()).is_ok()
}

/// Where a value in parentheses or quotation marks ends, if it is one that stands alone.
fn marked(text: &str) -> Option<usize> {
    let end = match text.chars().next()? {
        '(' => closing(text)?,
        '"' => {
            let mut from = 1;
            loop {
                let quote = from + text[from..].find('"')?;
                match text[quote + 1..].starts_with('"') {
                    true => from = quote + 2,
                    false => break quote + 1,
                }
            }
        }
        _ => return None,
    };
    matches!(text[end..].trim_start().chars().next(), None | Some(',' | ':')).then_some(end)
}

/// Where the parenthesis that a text begins with is closed; what stands in quotation marks does not count.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quoted) = (0, false);
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 && !quoted {
            return Some(i + 1);
        }
    }
    None
}

/// Where the first item of a list ends.
fn end_of_item(text: &str) -> usize {
    let mut from = text.len() - text.trim_start().len();
    // A value in parentheses or quotation marks is passed over, wherever one may begin.
    let mut value = true;
    while let Some(c) = text[from..].chars().next() {
        if let Some(end) = marked(&text[from..]).filter(|_| value) {
            (from, value) = (from + end, false);
            continue;
        }
        if c == ',' {
            return from;
        }
        value = c == '=' || (value && c == ' ');
        from += c.len_utf8();
    }
    text.len()
}

/// How many parentheses stand inside each other.
fn depth(text: &str) -> usize {
    let (mut now, mut most) = (0usize, 0);
    for c in text.chars() {
        now = match c {
            '(' => now + 1,
            ')' => now.saturating_sub(1),
            _ => now,
        };
        most = most.max(now);
    }
    most
}

/// A text without the parentheses around all of it.
fn inside(mut text: &str) -> Result<&str> {
    while text.starts_with('(') {
        match closing(text) {
            None => return Err(Error::parameter("machine", text, "the parenthesis at its start is not closed")),
            Some(end) if end == text.len() => text = text[1..end - 1].trim(),
            Some(_) => break,
        }
    }
    Ok(text)
}

/// An error about one item of several.
fn at(error: Error, item: &str, place: usize) -> Error {
    match error {
        Error::Parameter { name, value, must } => {
            Error::Parameter { name, value, must: must.map(|must| format!("{must} (item {place}: {item})")) }
        }
        other => other,
    }
}

/// An error about the value behind a name, with the words that mean a step of their own there.
fn more_words(name: &str, error: Error, catalog: &dyn Catalog) -> Error {
    let start = format!("{name}-");
    let more: Vec<&str> = catalog.names().iter().filter_map(|known| known.strip_prefix(&start)).collect();
    match error {
        Error::Parameter { name, value, must } if !more.is_empty() => Error::Parameter {
            name,
            value,
            must: must.map(|must| format!("{must}, or a method of its own: {}", more.join(", "))),
        },
        other => other,
    }
}
