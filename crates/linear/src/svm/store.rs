//! The weights of many classes while they are learned: feature after feature, each with what its classes have.
//!
//! A feature that no step has touched takes no room; one that few classes use is a sorted list of them; one that more than
//! [`DENSE`] of the classes use is an array over all classes, so that the scores of a sample for all classes are additions of
//! contiguous rows, four in one pass. The form of a feature depends on the data and the steps, never on the threads.
//!
//! Features are cut into parts of about equal work ([`Store::parts`]), fixed by the data: changes of a batch are applied part by
//! part, so that threads never meet and every weight gets its changes in the order of the samples.

use super::few::FEW;
use super::samples::{SampleRow, Samples};
use base::{Buffer, Error, Hold, Record, Result, Run};
use numeric::{Real, each_chunk_mut};
use ranks::bundle::{Bundle, Packer};

/// Fraction of the classes above which a feature is an array.
const DENSE: f64 = 0.125;
/// Parts into which the features are cut.
const PARTS: usize = 16;
/// Changes below which other threads are not woken.
const SMALL: usize = 1 << 15;
const KIND: &str = "weights by feature";

/// What one sample changes: each class with the multiple of the sample that its weights get.
pub(crate) struct Change {
    pub row: u32,
    pub classes: Vec<(u32, f64)>,
}

enum Feature<T> {
    Untouched,
    List(Vec<u32>, Vec<T>),
    Array(Box<[T]>),
}

/// Weights, feature by feature.
pub(crate) struct Store<T> {
    features: Vec<Feature<T>>,
    classes: usize,
    /// Where the parts begin, and the end.
    cuts: Vec<usize>,
    /// Bytes of lists and arrays.
    bytes: u64,
    hold: Hold,
}

impl<T: Real> Store<T> {
    /// No weights yet.
    pub fn new(samples: &Samples<'_>, classes: usize, run: &Run<'_>) -> Result<Self> {
        let width = samples.width();
        let bytes = width as u64 * size_of::<Feature<T>>() as u64;
        let hold = run.memory.take(bytes, "weights")?;
        let features = std::iter::repeat_with(|| Feature::Untouched).take(width).collect();
        Ok(Store { features, classes, cuts: cuts(samples), bytes, hold })
    }

    /// Adds the scores of a row of `samples` for all classes to `scores`.
    pub fn scores(&self, samples: &Samples<'_>, i: usize, scores: &mut [T]) {
        let (mut scales, mut rows, mut waiting) = ([T::ZERO; 4], [&[] as &[T]; 4], 0);
        samples.each(i, |j, x| match &self.features[j] {
            Feature::Untouched => {}
            Feature::List(classes, weights) => {
                let x = T::narrow(x);
                classes.iter().zip(weights).for_each(|(&c, &w)| scores[c as usize] += x * w);
            }
            Feature::Array(weights) => {
                (scales[waiting], rows[waiting]) = (T::narrow(x), weights);
                waiting += 1;
                if waiting == 4 {
                    T::add_four(scores, scales, rows);
                    waiting = 0;
                }
            }
        });
        for (&x, row) in scales.iter().zip(rows).take(waiting) {
            scores.iter_mut().zip(row).for_each(|(s, &w)| *s += x * w);
        }
    }

    /// Adds the scores of a row for some classes, which ascend, to `scores`.
    pub fn scores_of(&self, samples: &Samples<'_>, i: usize, classes: &[u32], scores: &mut [T]) {
        samples.each(i, |j, x| {
            let x = T::narrow(x);
            match &self.features[j] {
                Feature::Untouched => {}
                Feature::List(known, weights) => meet(known, weights, classes, |place, w| scores[place] += x * w),
                Feature::Array(weights) => {
                    scores.iter_mut().zip(classes).for_each(|(s, &c)| *s += x * weights[c as usize]);
                }
            }
        });
    }

    /// Makes the changes of a batch, in their order.
    pub fn apply(&mut self, samples: &Samples<'_>, changes: &[Change], run: &Run<'_>) -> Result<()> {
        let per_row = samples.entries() / samples.len().max(1) + 1;
        let work: usize = changes.iter().map(|c| c.classes.len() * per_row).sum();
        let classes = self.classes;
        let more = if work < SMALL || run.threads == 1 {
            changes.iter().map(|change| apply(&mut self.features, 0, samples, change, classes)).sum()
        } else {
            let mut parts = Vec::with_capacity(self.cuts.len());
            let mut rest = &mut self.features[..];
            for w in self.cuts.windows(2) {
                let (part, after) = rest.split_at_mut(w[1] - w[0]);
                parts.push((w[0], part, 0i64));
                rest = after;
            }
            each_chunk_mut(run, &mut parts, 1, |_, part| {
                for (start, features, more) in part {
                    *more = changes.iter().map(|change| apply(features, *start, samples, change, classes)).sum();
                }
                Ok(())
            })?;
            parts.iter().map(|(_, _, more)| more).sum::<i64>()
        };
        self.bytes = self.bytes.saturating_add_signed(more);
        if self.bytes > self.hold.bytes() {
            // In steps, so that the budget is not asked for every weight.
            self.hold.resize(self.bytes + (self.bytes >> 6), "weights")?;
        }
        Ok(())
    }

    /// Calls `f` with the weights of a feature that are not 0, their classes ascending.
    pub fn each(&self, feature: usize, mut f: impl FnMut(u32, f64)) {
        let mut f = |class: u32, w: T| {
            if w != T::ZERO {
                f(class, w.wide());
            }
        };
        match &self.features[feature] {
            Feature::Untouched => {}
            Feature::List(classes, weights) => {
                classes.iter().zip(weights).for_each(|(&c, &w)| f(c, w));
            }
            Feature::Array(weights) => {
                weights.iter().zip(0..).for_each(|(&w, c)| f(c, w));
            }
        }
    }

    /// The same weights in double precision.
    pub fn widened(self) -> Store<f64> {
        let wide = |w: T| w.wide();
        let features = self.features.into_iter().map(|feature| match feature {
            Feature::Untouched => Feature::Untouched,
            Feature::List(classes, weights) => Feature::List(classes, weights.into_iter().map(wide).collect()),
            Feature::Array(weights) => Feature::Array(weights.into_iter().map(wide).collect()),
        });
        let features = features.collect();
        Store { features, classes: self.classes, cuts: self.cuts, bytes: self.bytes, hold: self.hold }
    }

    /// The weights of the classes of `self` and of `other`, one after the other. Features go over one by one, so that hardly
    /// more is held at any time than before.
    pub fn joined(self, mut other: Store<T>, run: &Run<'_>) -> Result<Store<T>> {
        let mut joined = self.empty(self.classes + other.classes, run)?;
        let (first, mut moved) = (self.classes as u32, Moved::default());
        let (mut one, mut hold) = (self.features, self.hold);
        for (j, (own, others)) in one.iter_mut().zip(&mut other.features).enumerate() {
            moved.clear();
            moved.take(own, 0);
            moved.take(others, first);
            joined.push(&moved.classes, &moved.weights);
            moved.settle(j, [&mut hold, &mut other.hold], [&mut joined])?;
        }
        moved.end([&mut joined])?;
        Ok(joined)
    }

    /// The weights of the classes before `cut`, and those of the others, numbered from 0; features go over one by one.
    pub fn split(self, cut: u32, run: &Run<'_>) -> Result<(Store<T>, Store<T>)> {
        let (mut low, mut high) =
            (self.empty(cut as usize, run)?, self.empty(self.classes.saturating_sub(cut as usize), run)?);
        let (mut all, mut hold, mut moved) = (self.features, self.hold, Moved::default());
        for (j, feature) in all.iter_mut().enumerate() {
            moved.clear();
            moved.take(feature, 0);
            let at = moved.classes.partition_point(|&class| class < cut);
            low.push(&moved.classes[..at], &moved.weights[..at]);
            moved.classes[at..].iter_mut().for_each(|class| *class -= cut);
            high.push(&moved.classes[at..], &moved.weights[at..]);
            moved.settle(j, [&mut hold], [&mut low, &mut high])?;
        }
        moved.end([&mut low, &mut high])?;
        Ok((low, high))
    }

    /// No features yet, with room for as many as here.
    fn empty(&self, classes: usize, run: &Run<'_>) -> Result<Store<T>> {
        let room = self.width() as u64 * size_of::<Feature<T>>() as u64;
        let hold = run.memory.take(room, "weights of a bundle")?;
        Ok(Store { features: Vec::with_capacity(self.width()), classes, cuts: self.cuts.clone(), bytes: room, hold })
    }

    /// Writes the weights that are not 0, feature by feature.
    pub fn pack(&self, packer: &mut Packer) -> Result<()> {
        let mut entries = vec![];
        for j in 0..self.width() {
            entries.clear();
            self.each(j, |class, w| entries.push((class, w)));
            if !entries.is_empty() {
                packer.add(j as u64, entries.iter().copied())?;
            }
        }
        Ok(())
    }

    /// The weights of a bundle that [`Store::pack`] has written.
    pub fn unpack(samples: &Samples<'_>, classes: usize, bundle: &Bundle, run: &Run<'_>) -> Result<Store<T>> {
        let mut store = Store::new(samples, classes, run)?;
        let width = store.width();
        store.features.clear();
        for (id, classes, weights) in bundle.vectors() {
            let next = store.features.len() as u64;
            if id < next || id >= width as u64 {
                return Err(Error::size("features of a bundle", format!("{next} to {width}"), id));
            }
            store.features.resize_with(id as usize, || Feature::Untouched);
            let weights: Vec<T> = weights.iter().map(|&w| T::narrow(w)).collect();
            store.push(classes, &weights);
        }
        store.features.resize_with(width, || Feature::Untouched);
        store.hold.resize(store.bytes, "weights of a bundle")?;
        Ok(store)
    }

    /// Everything that is kept, in the form that it is kept in, zeros of lists included.
    pub fn record(&self) -> Record {
        let (mut forms, mut counts) = (vec![], vec![]);
        let (mut classes, mut weights) = (Vec::<u32>::new(), Vec::<T>::new());
        for feature in &self.features {
            let (form, count) = match feature {
                Feature::Untouched => (0u32, 0),
                Feature::List(ids, w) => {
                    classes.extend(ids);
                    weights.extend(w);
                    (1, w.len())
                }
                Feature::Array(w) => {
                    weights.extend(w.iter());
                    (2, w.len())
                }
            };
            forms.push(form);
            counts.push(count as u32);
        }
        let count = weights.len();
        Record::new(KIND, 1).with("forms", forms).with("counts", counts).with("classes", classes).with_array(
            "weights",
            &[count],
            buffer(weights),
        )
    }

    /// Reads what [`Store::record`] wrote of the same samples and as many classes.
    pub fn read(record: &Record, samples: &Samples<'_>, classes: usize, run: &Run<'_>) -> Result<Store<T>> {
        record.expect(KIND, 1)?;
        let (forms, counts, ids) = (record.ids("forms")?, record.ids("counts")?, record.ids("classes")?);
        let (_, weights) = record.array("weights")?;
        let mut store = Store::new(samples, classes, run)?;
        let width = store.width();
        if forms.len() != width || counts.len() != width {
            return Err(Error::size("features of a checkpoint", width, forms.len()));
        }
        store.hold.resize(store.bytes + weights.bytes() + 4 * ids.len() as u64, "weights")?;
        let (mut ids, mut at) = (&ids[..], 0usize);
        for ((feature, form), &count) in store.features.iter_mut().zip(forms.iter()).zip(counts.iter()) {
            let count = count as usize;
            let values = at..at + count;
            let fits = values.end <= weights.len();
            let values = || values.clone().map(|i| T::narrow(weights.at(i)));
            *feature = match form {
                0 if count == 0 => Feature::Untouched,
                1 if fits && count <= ids.len() => {
                    let (own, rest) = ids.split_at(count);
                    ids = rest;
                    if !own.windows(2).all(|w| w[0] < w[1]) || own.last().is_some_and(|&c| c as usize >= classes) {
                        return Err(record.broken("classes of a feature must ascend"));
                    }
                    Feature::List(own.to_vec(), values().collect())
                }
                2 if fits && count == classes => Feature::Array(values().collect()),
                _ => return Err(record.broken(format!("a feature of {count} weights in form {form}"))),
            };
            at += count;
            store.bytes += feature.bytes() as u64;
        }
        store.hold.resize(store.bytes, "weights")?;
        Ok(store)
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Weights from the classes and weights of every feature, in any order.
    pub fn of(samples: &Samples<'_>, classes: usize, entries: Vec<Vec<(u32, f64)>>, run: &Run<'_>) -> Result<Store<T>> {
        let mut store = Store::new(samples, classes, run)?;
        store.features.clear();
        for mut feature in entries {
            feature.sort_unstable_by_key(|&(class, _)| class);
            let (ids, weights): (Vec<u32>, Vec<T>) = feature.into_iter().map(|(c, w)| (c, T::narrow(w))).unzip();
            store.push(&ids, &weights);
        }
        store.hold.resize(store.bytes, "weights")?;
        Ok(store)
    }

    /// Adds a feature with these weights at the end.
    fn push(&mut self, ids: &[u32], weights: &[T]) {
        let feature = if ids.is_empty() {
            Feature::Untouched
        } else if self.classes <= FEW || ids.len() as f64 > DENSE * self.classes as f64 {
            let mut all = vec![T::ZERO; self.classes];
            ids.iter().zip(weights).for_each(|(&c, &w)| all[c as usize] = w);
            Feature::Array(all.into())
        } else {
            Feature::List(ids.to_vec(), weights.to_vec())
        };
        self.bytes += feature.bytes() as u64;
        self.features.push(feature);
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many features there are, the constant one included.
    pub fn width(&self) -> usize {
        self.features.len()
    }
}

/// Numbers of either precision, bit by bit.
fn buffer<T: Real>(weights: Vec<T>) -> Buffer {
    match size_of::<T>() == size_of::<f32>() {
        true => weights.into_iter().map(|w| w.wide() as f32).collect::<Vec<f32>>().into(),
        false => weights.into_iter().map(T::wide).collect::<Vec<f64>>().into(),
    }
}

/// Weights of a feature on their way from one store to another.
struct Moved<T> {
    classes: Vec<u32>,
    weights: Vec<T>,
    /// Bytes that have left their store since memory was counted last.
    left: u64,
}

impl<T> Default for Moved<T> {
    fn default() -> Self {
        Moved { classes: vec![], weights: vec![], left: 0 }
    }
}

impl<T: Real> Moved<T> {
    /// Features after which memory is counted again.
    const OFTEN: usize = 256;

    fn clear(&mut self) {
        self.classes.clear();
        self.weights.clear();
    }

    /// Takes the weights that are not 0 out of a feature; its classes are numbered from `first` on.
    fn take(&mut self, feature: &mut Feature<T>, first: u32) {
        self.left += feature.bytes() as u64;
        let mut keep = |class: u32, w: T| {
            if w != T::ZERO {
                self.classes.push(first + class);
                self.weights.push(w);
            }
        };
        match std::mem::replace(feature, Feature::Untouched) {
            Feature::Untouched => {}
            Feature::List(classes, weights) => classes.iter().zip(weights).for_each(|(&c, w)| keep(c, w)),
            Feature::Array(weights) => weights.iter().zip(0..).for_each(|(&w, c)| keep(c, w)),
        }
    }

    /// Counts what has left some stores and come to others, every now and then.
    fn settle<const A: usize, const B: usize>(
        &mut self,
        feature: usize,
        from: [&mut Hold; A],
        to: [&mut Store<T>; B],
    ) -> Result<()> {
        if !feature.is_multiple_of(Self::OFTEN) {
            return Ok(());
        }
        for hold in from {
            let less = self.left.min(hold.bytes());
            hold.resize(hold.bytes() - less, "weights of a bundle")?;
            self.left -= less;
        }
        self.end(to)
    }

    fn end<const B: usize>(&mut self, to: [&mut Store<T>; B]) -> Result<()> {
        to.into_iter().try_for_each(|store| store.hold.resize(store.bytes, "weights of a bundle"))
    }
}

/// Where the features are cut so that the parts have about the same number of entries.
fn cuts(samples: &Samples<'_>) -> Vec<usize> {
    let width = samples.width();
    let mut counts = vec![1u64; width];
    for i in 0..samples.len() {
        match samples.row(i) {
            SampleRow::Dense(_) => break,
            SampleRow::Sparse(ids, _) => ids.iter().for_each(|&id| counts[id as usize] += 1),
        }
    }
    let total: u64 = counts.iter().sum();
    let (mut cuts, mut sum) = (vec![0], 0);
    for (j, count) in counts.iter().enumerate() {
        if sum * PARTS as u64 >= total * cuts.len() as u64 && cuts.len() < PARTS {
            cuts.push(j);
        }
        sum += count;
    }
    cuts.push(width);
    cuts.dedup();
    cuts
}

/// Adds a change to the features from `start` on; answers with the bytes that came on top.
fn apply<T: Real>(
    features: &mut [Feature<T>],
    start: usize,
    samples: &Samples<'_>,
    change: &Change,
    classes: usize,
) -> i64 {
    let (i, end) = (change.row as usize, start + features.len());
    let mut more = 0;
    let mut add = |j: usize, x: f64| more += features[j - start].add(&change.classes, x, classes);
    match samples.row(i) {
        SampleRow::Dense(row) => {
            let columns = start..end.min(row.len());
            row[columns.clone()].iter().zip(columns).filter(|(x, _)| **x != 0.0).for_each(|(&x, j)| add(j, x));
        }
        SampleRow::Sparse(ids, values) => {
            let from = ids.partition_point(|&id| (id as usize) < start);
            let to = ids.partition_point(|&id| (id as usize) < end);
            ids[from..to].iter().zip(&values[from..to]).for_each(|(&id, &x)| add(id as usize, x));
        }
    }
    if samples.bias() != 0.0 && end > samples.columns() {
        add(samples.columns(), samples.bias());
    }
    more
}

impl<T: Real> Feature<T> {
    /// Adds x times each change; answers with the bytes that came on top.
    fn add(&mut self, changes: &[(u32, f64)], x: f64, classes: usize) -> i64 {
        let before = self.bytes();
        if let Feature::Untouched = self {
            *self = match classes <= FEW {
                true => Feature::Array(vec![T::ZERO; classes].into()),
                false => Feature::List(vec![], vec![]),
            };
        }
        if let Feature::List(known, weights) = self {
            for &(class, change) in changes {
                match known.binary_search(&class) {
                    Ok(place) => weights[place] += T::narrow(x * change),
                    Err(place) => {
                        known.insert(place, class);
                        weights.insert(place, T::narrow(x * change));
                    }
                }
            }
            if known.len() as f64 > DENSE * classes as f64 {
                let mut all = vec![T::ZERO; classes];
                known.iter().zip(&*weights).for_each(|(&c, &w)| all[c as usize] = w);
                *self = Feature::Array(all.into());
            }
        } else if let Feature::Array(weights) = self {
            changes.iter().for_each(|&(class, change)| weights[class as usize] += T::narrow(x * change));
        }
        self.bytes() - before
    }

    fn bytes(&self) -> i64 {
        match self {
            Feature::Untouched => 0,
            Feature::List(classes, weights) => (4 * classes.capacity() + size_of::<T>() * weights.capacity()) as i64,
            Feature::Array(weights) => (size_of::<T>() * weights.len()) as i64,
        }
    }
}

/// Calls `f` with the place among `wanted` and the weight of each class that both have; both ascend.
fn meet<T: Real>(known: &[u32], weights: &[T], wanted: &[u32], mut f: impl FnMut(usize, T)) {
    if known.len() > 16 * wanted.len() {
        for (place, class) in wanted.iter().enumerate() {
            if let Ok(at) = known.binary_search(class) {
                f(place, weights[at]);
            }
        }
        return;
    }
    let mut place = 0;
    for (class, &w) in known.iter().zip(weights) {
        while place < wanted.len() && wanted[place] < *class {
            place += 1;
        }
        if place == wanted.len() {
            return;
        }
        if wanted[place] == *class {
            f(place, w);
        }
    }
}
