//! Reading: the head word by word, then the support vectors; every count is compared before it is trusted.

use super::{SvmKernel, SvmModel, SvmType};
use crate::heads::{Head, Layout, Words, finite};
use crate::text::{Source, encoding, number, quoted};
use base::{Hold, Progress, Result, Run, Shared, Sparse};

/// What stands in a head.
static LAYOUT: Layout = Layout {
    keys: &[
        "svm_type",
        "kernel_type",
        "degree",
        "gamma",
        "coef0",
        "nr_class",
        "total_sv",
        "rho",
        "label",
        "probA",
        "probB",
        "prob_density_marks",
        "nr_sv",
    ],
    counted: &["rho", "label", "probA", "probB", "nr_sv"],
    end: "SV",
    maker: "LIBSVM",
};
/// The most columns: ids are 32 bits.
const MOST: u64 = u32::MAX as u64;

pub(super) fn read(name: &str, bytes: &[u8], run: &Run<'_>) -> Result<SvmModel> {
    run.report(&Progress::of("read", 0, bytes.len() as u64))?;
    let text = encoding::decode(name, bytes, run)?;
    let source = Source::new(name, &text);
    source.refuse_nul()?;
    let (head, start) = Head::read(&source, &LAYOUT)?;
    head.model(&source, start, run)
}

impl Head<'_> {
    fn kernel(&self) -> Result<SvmKernel> {
        let (at, word) = self.word("kernel_type")?;
        let gamma = || self.number("gamma");
        let kernel = match word {
            b"linear" => SvmKernel::Linear,
            b"rbf" => SvmKernel::Rbf { gamma: gamma()? },
            b"sigmoid" => SvmKernel::Sigmoid { gamma: gamma()?, coef0: self.number("coef0")? },
            b"precomputed" => SvmKernel::Precomputed,
            b"polynomial" => {
                let (at, degree) = self.count("degree", 1)?;
                let degree = u32::try_from(degree)
                    .map_err(|_| self.source.error(at, 0, format!("degree is {degree}, which is too large")))?;
                SvmKernel::Polynomial { degree, gamma: gamma()?, coef0: self.number("coef0")? }
            }
            _ => {
                let why =
                    format!("{} is not a LIBSVM kernel: linear, polynomial, rbf, sigmoid or precomputed", quoted(word));
                return Err(self.source.error(at, 0, why));
            }
        };
        if let SvmKernel::Rbf { gamma } = kernel
            && gamma <= 0.0
        {
            let (at, _) = self.word("gamma")?;
            return Err(self.source.error(at, 0, format!("gamma is {gamma}, must be greater than 0")));
        }
        Ok(kernel)
    }

    fn model(&self, source: &Source<'_>, start: usize, run: &Run<'_>) -> Result<SvmModel> {
        let (at, word) = self.word("svm_type")?;
        let kind = std::str::from_utf8(word).ok().and_then(SvmType::from_word).ok_or_else(|| {
            let why = format!("{} is not a LIBSVM type: c_svc, nu_svc, one_class, epsilon_svr or nu_svr", quoted(word));
            source.error(at, 0, why)
        })?;
        let kernel = self.kernel()?;
        let (at, classes) = self.count("nr_class", 1)?;
        let fits = if kind.classifies() { classes >= 2 } else { classes == 2 };
        if !fits {
            let expected = if kind.classifies() { "at least 2" } else { "2" };
            return Err(source.error(at, 0, format!("nr_class is {classes}, expected {expected}")));
        }
        let too_many = || source.error(at, 0, format!("nr_class is {classes}, which is too large"));
        let pairs = classes.checked_mul(classes - 1).ok_or_else(too_many)? / 2;
        let rho = self.list("rho", pairs)?;
        let rho = rho.into_iter().map(|(at, word)| finite(source, at, word, "rho")).collect::<Result<Vec<_>>>()?;
        let (total_at, total) = self.count("total_sv", 0)?;
        let (mut labels, mut counts) = (vec![], vec![]);
        if kind.classifies() {
            (labels, counts) = self.classes(classes, total)?;
        } else if let Some((key, at)) = self.places.iter().find(|(k, _)| ["label", "nr_sv"].contains(k)) {
            return Err(source.error(*at, 0, format!("{key} in a model of type {}", kind.word())));
        }
        let prob_a = self.optional("probA", pairs)?;
        let prob_b = self.optional("probB", pairs)?;
        let coupled = if kind.classifies() { prob_a.len() == prob_b.len() } else { prob_b.is_empty() };
        if !coupled || (kind == SvmType::OneClass && !prob_a.is_empty()) {
            return Err(source.error(start, 0, "probA and probB do not go with each other and the type"));
        }
        let marks = match (self.has("prob_density_marks"), kind) {
            (false, _) => vec![],
            (true, SvmType::OneClass) => self.optional("prob_density_marks", 10)?,
            (true, _) => return Err(source.error(start, 0, "prob_density_marks are for one_class")),
        };
        let width = if kind.classifies() { classes - 1 } else { 1 };
        let rows = Rows { source, start, total, total_at, width, precomputed: kernel == SvmKernel::Precomputed };
        let (coefficients, vectors) = rows.read(run)?;
        Ok(SvmModel { kind, kernel, labels, counts, rho, prob_a, prob_b, marks, coefficients, vectors })
    }

    /// Labels and numbers of support vectors, which must make the total.
    fn classes(&self, classes: u64, total: u64) -> Result<(Vec<i32>, Vec<usize>)> {
        let labels = self.labels(classes)?;
        let mut counts = vec![];
        let mut sum = 0u64;
        let list = self.list("nr_sv", classes)?;
        let place = list.first().map_or(0, |(at, _)| *at);
        for (at, word) in list {
            let count = number::natural(word).filter(|&(_, taken)| taken == word.len()).map(|(x, _)| x);
            let Some(count) = count else {
                return Err(self.source.error(at, 0, format!("nr_sv has {}, expected a count", quoted(word))));
            };
            sum = sum.saturating_add(count);
            counts.push(usize::try_from(count).unwrap_or(usize::MAX));
        }
        match sum == total {
            true => Ok((labels, counts)),
            false => Err(self.source.error(place, 0, format!("nr_sv sums to {sum}, but total_sv is {total}"))),
        }
    }
}

/// The lines of support vectors.
struct Rows<'a> {
    source: &'a Source<'a>,
    start: usize,
    total: u64,
    total_at: usize,
    width: u64,
    precomputed: bool,
}

/// Support vectors as they are collected, counted as they grow.
#[derive(Default)]
struct Collected {
    starts: Vec<usize>,
    ids: Vec<u32>,
    values: Vec<f64>,
    columns: u64,
}

impl Rows<'_> {
    fn read(&self, run: &Run<'_>) -> Result<(Shared<f64>, Sparse)> {
        let bytes = self.source.bytes;
        // Every coefficient takes a digit and a blank or line end at least.
        let room = (bytes.len() - self.start) as u64 / 2 + 1;
        let needed = self.total.checked_mul(self.width);
        if needed.is_none_or(|n| n > room) {
            let why = format!(
                "total_sv is {}, but the {} bytes after SV cannot hold so many",
                self.total,
                bytes.len() - self.start
            );
            return Err(self.source.error(self.total_at, 0, why));
        }
        let (total, width) = (self.total as usize, self.width as usize);
        let pairs = memchr::memchr_iter(b':', &bytes[self.start..]).count();
        let hold = run.memory.take_for::<f64>(total * width, "coefficients")?;
        let starts_hold = run.memory.take_for::<usize>(total + 1, "support vectors")?;
        let ids_hold: Hold = run.memory.take_for::<u32>(pairs, "support vectors")?;
        let values_hold = run.memory.take_for::<f64>(pairs, "support vectors")?;
        let mut coefficients = Vec::with_capacity(total * width);
        let mut rows = Collected {
            starts: Vec::with_capacity(total + 1),
            ids: Vec::with_capacity(pairs),
            values: Vec::with_capacity(pairs),
            columns: 0,
        };
        rows.starts.push(0);
        let (mut at, mut found) = (self.start, 0);
        while at < bytes.len() {
            let mut words = Words::line(self.source, at);
            let end = words.end;
            let Some(first) = words.next() else {
                at = end + 1;
                continue;
            };
            if found == total {
                let why = format!("more support vectors than the {total} of total_sv");
                return Err(self.source.error(first.0, 0, why));
            }
            self.row(std::iter::once(first).chain(words), end, &mut coefficients, &mut rows)?;
            found += 1;
            if found % 4096 == 0 {
                run.report(&Progress::of("read", at as u64, bytes.len() as u64))?;
            }
            at = end + 1;
        }
        if found < total {
            let why = format!("{found} support vectors, but total_sv is {total}: the file is truncated");
            return Err(self.source.error(bytes.len(), 0, why));
        }
        let columns = usize::try_from(rows.columns).unwrap_or(usize::MAX);
        let vectors = Sparse::new(
            Shared::counted(rows.starts, starts_hold),
            Shared::counted(rows.ids, ids_hold),
            Shared::counted(rows.values, values_hold),
            columns,
        )?;
        Ok((Shared::counted(coefficients, hold), vectors))
    }

    fn row<'b>(
        &self,
        mut words: impl Iterator<Item = (usize, &'b [u8])>,
        end: usize,
        coefficients: &mut Vec<f64>,
        rows: &mut Collected,
    ) -> Result<()> {
        for i in 0..self.width {
            match words.next() {
                Some((at, word)) => coefficients.push(finite(self.source, at, word, "a coefficient")?),
                None => {
                    let why = format!("{i} coefficients, expected {}: the line is truncated", self.width);
                    return Err(self.source.error(end, 0, why));
                }
            }
        }
        let mut last = None;
        let mut count = 0;
        for (at, word) in words {
            let colon = memchr::memchr(b':', word);
            let id = colon.and_then(|c| number::natural(&word[..c]).filter(|&(_, taken)| taken == c));
            let (Some(colon), Some((id, _))) = (colon, id) else {
                return Err(self.source.error(at, 0, format!("{} is not an id:value pair", quoted(word))));
            };
            let value = finite(self.source, at + colon + 1, &word[colon + 1..], "a value")?;
            count += 1;
            if self.precomputed {
                self.serial(at, id, value, count, rows)?;
                continue;
            }
            if id == 0 || id > MOST {
                return Err(self.source.error(at, 0, format!("id {id}, must lie between 1 and {MOST}")));
            }
            if let Some(last) = last.filter(|&last| last >= id) {
                return Err(self.source.error(at, 0, format!("id {id} after {last}: ids must ascend")));
            }
            last = Some(id);
            rows.columns = rows.columns.max(id);
            rows.ids.push((id - 1) as u32);
            rows.values.push(value);
        }
        if self.precomputed && count == 0 {
            return Err(self.source.error(end, 0, "a support vector without 0:number of its training row"));
        }
        rows.starts.push(rows.ids.len());
        Ok(())
    }

    /// `0:serial`, the number of a training row from 1; what follows it is not used by LIBSVM.
    fn serial(&self, at: usize, id: u64, value: f64, count: usize, rows: &mut Collected) -> Result<()> {
        if count > 1 {
            return Ok(());
        }
        if id != 0 || value.fract() != 0.0 || !(1.0..=MOST as f64).contains(&value) {
            let why = "a support vector of a precomputed kernel is 0:number, its training row from 1";
            return Err(self.source.error(at, 0, why));
        }
        let serial = value as u64;
        rows.columns = rows.columns.max(serial);
        rows.ids.push((serial - 1) as u32);
        rows.values.push(1.0);
        Ok(())
    }
}
