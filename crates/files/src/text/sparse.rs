//! Rows of `labels id:value id:value ...`: what LIBSVM, svmlight and XMC files have in common.
//!
//! Rows, entries and labels go straight to their place in the result: a first pass counts lines and colons, which
//! bounds both, a second reads all pieces at the same time, each into its own part; where something was left out
//! (zeros, comments, `qid:`), the parts are moved together. Each byte is looked at twice, no cell is allocated.
//!
//! Admitted: blanks after the colon, `# comment` to the end of the line, svmlight's `qid:n`, lines ended by LF, CRLF or
//! CR. Refused, with line and byte: ids that are negative, descend (unless they are to be sorted) or come twice,
//! values that are not finite numbers, NUL. Zeros are not stored: what is absent is 0.

use super::labels::{LabelList, Labels};
use super::number;
use super::source::{Source, shown};
use base::{Advice, Hold, Message, Points, Progress, Result, Run, Shared, Sparse};
use numeric::each;
use std::ops::Range;
use std::sync::Mutex;

/// What is asked of the rows.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    /// Whether ids count from 0; undecided, they count from 1 unless a 0 is met.
    pub zero_based: Option<bool>,
    /// Sorts the ids of a row instead of refusing a row that descends.
    pub sort: bool,
    /// What stands before the pairs.
    pub labels: Labels,
    /// Whether an empty line is a row without labels and entries; else it is passed over.
    pub blank_rows: bool,
    /// How many columns there are, where the file says so.
    pub columns: Option<u64>,
    /// Bytes of a piece of work.
    pub piece: usize,
}

/// Rows as read.
pub(crate) struct Rows {
    /// The entries; ids count from 0.
    pub points: Points,
    /// The original ids where they were too large and had to be renumbered.
    pub renumbered: Option<Vec<u64>>,
    /// One number a row, if labels are numbers.
    pub values: Vec<f64>,
    /// Labels a row, if they are lists.
    pub lists: LabelList,
    /// svmlight's groups.
    pub groups: Option<Vec<u32>>,
    /// Whether ids were found to count from 0.
    pub zero_based: bool,
}

/// What a piece found, besides what it wrote.
#[derive(Default)]
struct Part {
    rows: usize,
    entries: usize,
    columns: u64,
    zero_at: Option<usize>,
    groups: Vec<(usize, u64)>,
    lists: LabelList,
}

/// Why a piece could not be read as it was tried.
enum Stop {
    /// The file is wrong.
    Wrong(base::Error),
    /// An id does not fit the type of ids.
    TooLarge,
}

impl From<base::Error> for Stop {
    fn from(error: base::Error) -> Self {
        Stop::Wrong(error)
    }
}

/// The parts of the result that belong to one piece.
struct Place<'a, I> {
    ends: &'a mut [usize],
    values: &'a mut [f64],
    ids: &'a mut [I],
    labels: &'a mut [f64],
}

/// Reads the rows of `source` from byte `start` on.
pub(crate) fn read(source: &Source<'_>, start: usize, rules: &Rules, run: &Run<'_>) -> Result<Rows> {
    if let Some(whole) = read_as::<u32>(source, start, rules, run)? {
        return whole.rows(rules, None, run);
    }
    // Some id is beyond 32 bits: again with 64, then each distinct id gets a number.
    let Some(mut whole) = read_as::<u64>(source, start, rules, run)? else {
        return Err(source.error(start, 0, "an id does not fit 64 bits"));
    };
    let _hold = run.memory.take_for::<u64>(whole.ids.0.len(), "the distinct ids")?;
    let original = |id: u64| if whole.zero_based { id } else { id.wrapping_add(1) };
    if whole.shifted {
        whole.ids.0.iter_mut().for_each(|id| *id = id.wrapping_add(1));
    }
    let mut distinct = whole.ids.0.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let hold = run.memory.take_for::<u32>(whole.ids.0.len(), "renumbered ids")?;
    let place = |id: &u64| distinct.binary_search(id).unwrap_or(0) as u32;
    let ids = (whole.ids.0.iter().map(place).collect(), hold);
    let names = distinct.iter().map(|&id| original(id)).collect();
    let Whole { rows, lists, groups, columns, zero_based, starts, values, labels, .. } = whole;
    Whole { rows, lists, groups, columns, zero_based, shifted: false, starts, values, ids, labels }.rows(
        rules,
        Some(names),
        run,
    )
}

/// All pieces together.
struct Whole<I> {
    rows: usize,
    lists: Vec<LabelList>,
    groups: Option<Vec<u32>>,
    columns: u64,
    /// Whether ids count from 0.
    zero_based: bool,
    /// Whether ids are stored as if they counted from 1, but count from 0.
    shifted: bool,
    starts: (Vec<usize>, Hold),
    values: (Vec<f64>, Hold),
    ids: (Vec<I>, Hold),
    labels: (Vec<f64>, Hold),
}

/// Reads with ids of one type; `None` if one of them is too large for it.
fn read_as<I>(source: &Source<'_>, start: usize, rules: &Rules, run: &Run<'_>) -> Result<Option<Whole<I>>>
where
    I: TryFrom<u64> + Copy + Default + Send + Ord,
{
    let pieces = source.pieces(start, rules.piece);
    let counts = each(run, pieces.len(), |i| {
        let colons = memchr::memchr_iter(b':', &source.bytes[pieces[i].clone()]).count();
        Ok((source.lines_in(pieces[i].clone()), colons))
    })?;
    let (lines, colons): (Vec<usize>, Vec<usize>) = counts.into_iter().unzip();
    let (rows, entries): (usize, usize) = (lines.iter().sum(), colons.iter().sum());
    let labelled = rules.labels == Labels::Number;
    let mut starts = run.memory.filled(rows + 1, 0usize, "row starts")?;
    let mut values = run.memory.filled(entries, 0f64, "values")?;
    let mut ids = run.memory.filled(entries, I::default(), "ids")?;
    let mut labels = run.memory.filled(if labelled { rows } else { 0 }, 0f64, "labels")?;

    let mut places = Vec::with_capacity(pieces.len());
    {
        let (mut e, mut v, mut i, mut l) = (&mut starts.0[1..], &mut values.0[..], &mut ids.0[..], &mut labels.0[..]);
        for (&lines, &colons) in lines.iter().zip(&colons) {
            places.push(Mutex::new(Some(Place {
                ends: e.split_off_mut(..lines).unwrap_or_default(),
                values: v.split_off_mut(..colons).unwrap_or_default(),
                ids: i.split_off_mut(..colons).unwrap_or_default(),
                labels: l.split_off_mut(..if labelled { lines } else { 0 }).unwrap_or_default(),
            })));
        }
    }
    let parts = each(run, pieces.len(), |i| {
        run.report(&Progress::of("read", pieces[i].start as u64, source.bytes.len() as u64))?;
        let place = places[i].lock().ok().and_then(|mut slot| slot.take());
        Ok(place.map(|place| read_piece(source, pieces[i].clone(), rules, run, place)))
    })?;
    drop(places);
    // The first piece that could not be read decides, whatever came of those behind it.
    let mut read = Vec::with_capacity(parts.len());
    for part in parts.into_iter().flatten() {
        match part {
            Ok(part) => read.push(part),
            Err(Stop::Wrong(error)) => return Err(error),
            Err(Stop::TooLarge) => return Ok(None),
        }
    }
    let parts = read;

    let zero_at = parts.iter().find_map(|p| p.zero_at);
    if let Some(at) = zero_at.filter(|_| rules.zero_based == Some(false)) {
        return Err(source.error(at, 0, "the id 0, but ids count from 1 here"));
    }
    // Ends counted from the start of a piece become ends in the whole.
    let (mut from, mut before) = (1, 0);
    for (part, lines) in parts.iter().zip(&lines) {
        starts.0[from..from + part.rows].iter_mut().for_each(|end| *end += before);
        before += part.entries;
        from += lines;
    }
    let rows = || parts.iter().map(|p| p.rows);
    let entries = || parts.iter().map(|p| p.entries);
    close(&mut starts.0, [(1, 1)].into_iter().chain(lines.iter().copied().zip(rows())));
    close(&mut values.0, colons.iter().copied().zip(entries()));
    close(&mut ids.0, colons.iter().copied().zip(entries()));
    if labelled {
        close(&mut labels.0, lines.iter().copied().zip(rows()));
    }
    Ok(Some(Whole {
        rows: rows().sum(),
        groups: groups(&parts, rows().sum()),
        columns: parts.iter().map(|p| p.columns).max().unwrap_or(0),
        zero_based: rules.zero_based.unwrap_or(zero_at.is_some()),
        shifted: rules.zero_based.is_none() && zero_at.is_some(),
        lists: parts.into_iter().map(|p| p.lists).collect(),
        starts,
        values,
        ids,
        labels,
    }))
}

impl Whole<u32> {
    /// Rows with ids that count from 0.
    fn rows(mut self, rules: &Rules, renumbered: Option<Vec<u64>>, run: &Run<'_>) -> Result<Rows> {
        if self.shifted {
            // The id 0 was stored as the largest number; this turns it back.
            self.ids.0.iter_mut().for_each(|id| *id = id.wrapping_add(1));
            self.columns += 1;
        }
        let width = renumbered.as_ref().map_or(self.columns as usize, Vec::len);
        let points = Points::Sparse(Sparse::new(
            Shared::counted(self.starts.0, self.starts.1),
            Shared::counted(self.ids.0, self.ids.1),
            Shared::counted(self.values.0, self.values.1),
            width,
        )?);
        let lists = LabelList::join(rules.labels, self.lists, &run.memory)?;
        let (values, groups, zero_based) = (self.labels.0, self.groups, self.zero_based);
        Ok(Rows { points, renumbered, values, lists, groups, zero_based })
    }
}

/// Moves the used beginnings of parts together; each comes with its length and how much of it is used.
fn close<T: Copy>(all: &mut Vec<T>, parts: impl Iterator<Item = (usize, usize)>) {
    let (mut from, mut to) = (0, 0);
    for (length, used) in parts {
        if from != to {
            all.copy_within(from..from + used, to);
        }
        from += length;
        to += used;
    }
    all.truncate(to);
}

/// Group numbers by first appearance; a row without one is a group of its own.
fn groups(parts: &[Part], rows: usize) -> Option<Vec<u32>> {
    if parts.iter().all(|p| p.groups.is_empty()) {
        return None;
    }
    let mut numbers = std::collections::HashMap::new();
    let mut next = 0u32;
    let mut fresh = || {
        next += 1;
        next - 1
    };
    let mut groups = Vec::with_capacity(rows);
    for part in parts {
        let mut known = part.groups.iter().peekable();
        for row in 0..part.rows {
            groups.push(match known.next_if(|g| g.0 == row) {
                Some((_, group)) => *numbers.entry(*group).or_insert_with(&mut fresh),
                None => fresh(),
            });
        }
    }
    Some(groups)
}

/// Reads one piece into its place.
fn read_piece<I>(
    source: &Source<'_>,
    range: Range<usize>,
    rules: &Rules,
    run: &Run<'_>,
    place: Place<'_, I>,
) -> std::result::Result<Part, Stop>
where
    I: TryFrom<u64> + Copy + Ord,
{
    let bytes = &source.bytes[..range.end];
    let mut part = Part { lists: LabelList::new(rules.labels, &run.memory)?, ..Default::default() };
    let first = u64::from(rules.zero_based != Some(true));
    let mut at = range.start;
    while at < bytes.len() {
        at = match label(source, bytes, at, rules, &mut part, place.labels)? {
            Some(after) => after,
            None => {
                at = source.end_of_line(at) + 1;
                continue;
            }
        };
        let row_start = part.entries;
        let mut previous = None;
        let mut descends = false;
        loop {
            at = blanks(bytes, at);
            if at_end(source, bytes, at) {
                break;
            }
            let Some((id, length)) = number::natural(&bytes[at..]) else {
                at = group(source, bytes, at, &mut part)?;
                continue;
            };
            let colon = at + length;
            if bytes.get(colon) != Some(&b':') {
                return Err(source.error(at, 0, format!("{} is not an id:value pair", token(bytes, at))).into());
            }
            let from = blanks(bytes, colon + 1);
            let (value, length) = match number::prefix(&bytes[from..], b'.') {
                Some((value, length)) if value.is_finite() => (value, length),
                _ => return Err(no_value(source, bytes, from).into()),
            };
            let after = from + length;
            if !(bytes.get(after).is_none_or(|&b| is_blank(b)) || at_end(source, bytes, after)) {
                return Err(no_value(source, bytes, from).into());
            }
            if previous.is_some_and(|p| id <= p) {
                if !rules.sort || previous == Some(id) {
                    return Err(order(source, at, id, previous).into());
                }
                descends = true;
            }
            previous = Some(id);
            if id == 0 && first == 1 {
                part.zero_at = part.zero_at.or(Some(at));
            }
            let column = id.wrapping_sub(first);
            part.columns = part.columns.max(column.wrapping_add(1));
            if let Some(columns) = rules.columns.filter(|&c| column >= c) {
                return Err(source
                    .error(at, 0, format!("the id {id} is not below the declared {columns} features"))
                    .into());
            }
            // Where rows are sorted, zeros stay until then, so that an id that comes twice is seen.
            if value != 0.0 || rules.sort {
                // Room is there: each pair has its colon.
                place.values[part.entries] = value;
                place.ids[part.entries] = narrow(column)?;
                part.entries += 1;
            }
            at = after;
        }
        if rules.sort {
            let (ids, values) = (&mut place.ids[row_start..part.entries], &mut place.values[row_start..part.entries]);
            if descends {
                sort_row(source, at, ids, values)?;
            }
            part.entries = row_start + without_zeros(ids, values);
        }
        place.ends[part.rows] = part.entries;
        part.rows += 1;
        part.lists.end_row()?;
        at = source.end_of_line(at.min(bytes.len())) + 1;
    }
    Ok(part)
}

/// An id as stored. The id 0 where ids count from 1 wraps to the largest number of either type.
#[inline]
fn narrow<I: TryFrom<u64>>(column: u64) -> std::result::Result<I, Stop> {
    let stored = if column == u64::MAX && size_of::<I>() == 4 { u64::from(u32::MAX) } else { column };
    if size_of::<I>() == 4 && column == u64::from(u32::MAX) {
        return Err(Stop::TooLarge);
    }
    I::try_from(stored).map_err(|_| Stop::TooLarge)
}

/// Reads what stands before the pairs; `None` if the line is no row.
#[inline]
fn label(
    source: &Source<'_>,
    bytes: &[u8],
    at: usize,
    rules: &Rules,
    part: &mut Part,
    labels: &mut [f64],
) -> Result<Option<usize>> {
    let from = blanks(bytes, at);
    if at_end(source, bytes, from) {
        let comment = bytes.get(from) == Some(&b'#');
        return match rules.blank_rows && !comment {
            true => Ok(Some(from)),
            false => Ok(None),
        };
    }
    if rules.labels != Labels::Number {
        // A line that begins with a blank has no labels.
        return if from > at { Ok(Some(from)) } else { part.lists.read(source, bytes, at, rules.labels).map(Some) };
    }
    if let Some((value, length)) = number::prefix(&bytes[from..], b'.') {
        let after = from + length;
        if value.is_finite() && (bytes.get(after).is_none_or(|&b| is_blank(b)) || at_end(source, bytes, after)) {
            labels[part.rows] = value;
            return Ok(Some(after));
        }
    }
    let why = format!("the label {} is not a finite number", token(bytes, from));
    Err(source.error(from, 0, why))
}

/// Reads `qid:n`, the one thing among the pairs that is no pair.
#[cold]
fn group(source: &Source<'_>, bytes: &[u8], at: usize, part: &mut Part) -> Result<usize> {
    let found = bytes[at..].strip_prefix(b"qid:").and_then(number::natural);
    match found {
        Some((qid, length)) if part.groups.last().is_none_or(|g| g.0 != part.rows) => {
            part.groups.push((part.rows, qid));
            Ok(at + 4 + length)
        }
        _ if bytes[at] == b'-' => Err(source.error(at, 0, format!("the id of {} is negative", token(bytes, at)))),
        _ => Err(source.error(at, 0, format!("{} is not an id:value pair", token(bytes, at)))),
    }
}

#[cold]
fn no_value(source: &Source<'_>, bytes: &[u8], at: usize) -> base::Error {
    source.error(at, 0, format!("the value {} is not a finite number", token(bytes, at)))
}

#[cold]
fn order(source: &Source<'_>, at: usize, id: u64, previous: Option<u64>) -> base::Error {
    let why = match previous == Some(id) {
        true => Message::from(format!("the id {id} is duplicated")),
        false => Message::from(format!("the id {id} comes after {}; ids must ascend", previous.unwrap_or(0)))
            .with_effect(Advice::option("sort-ids", ""), "sorts them"),
    };
    source.error(at, 0, why)
}

/// Sorts a row by id; ids that come twice are refused.
fn sort_row<I: Copy + Ord>(source: &Source<'_>, at: usize, ids: &mut [I], values: &mut [f64]) -> Result<()> {
    let mut pairs: Vec<(I, f64)> = ids.iter().copied().zip(values.iter().copied()).collect();
    pairs.sort_by_key(|p| p.0);
    if pairs.windows(2).any(|w| w[0].0 == w[1].0) {
        return Err(source.error(at.min(source.bytes.len()), 0, "duplicate id in this row"));
    }
    for (i, (id, value)) in pairs.into_iter().enumerate() {
        (ids[i], values[i]) = (id, value);
    }
    Ok(())
}

/// Moves entries that are not 0 to the front and says how many there are.
fn without_zeros<I: Copy>(ids: &mut [I], values: &mut [f64]) -> usize {
    let mut kept = 0;
    for i in 0..values.len() {
        if values[i] != 0.0 {
            (ids[kept], values[kept]) = (ids[i], values[i]);
            kept += 1;
        }
    }
    kept
}

/// The token at `at`, as messages show it.
fn token(bytes: &[u8], at: usize) -> String {
    let rest = &bytes[at..];
    let end = rest.iter().position(|&b| is_blank(b) || b == b'\n' || b == b'\r').unwrap_or(rest.len());
    shown(&rest[..end])
}

#[inline]
pub(crate) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The first byte from `at` on that is no blank.
#[inline]
fn blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|&b| is_blank(b)) {
        at += 1;
    }
    at
}

/// Whether the line, or what counts of it, ends here.
#[inline]
pub(crate) fn at_end(source: &Source<'_>, bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        None | Some(b'#') => true,
        Some(b'\r') => source.line_end == b'\r' || bytes.get(at + 1).is_none_or(|&b| b == b'\n'),
        Some(&byte) => byte == source.line_end,
    }
}
