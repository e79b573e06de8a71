//! Methods that walk back through a network: each is a composite of rules and what its walk begins with. Several walks
//! share each run of the network.

use crate::attribution::relevance_of;
use crate::entry::MethodEntry;
use crate::net::Net;
use crate::patterns::{self, Patterns};
use crate::rows::Rows;
use crate::rule::Composite;
use crate::tuning::Tuning;
use crate::walk::{Begin, Walker};
use base::graph::Source;
use base::{Balance, Error, Place, Relevance, Result, Run};

/// A walk back through a network.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// Which rule is taken where.
    pub rules: Rules,
    /// What it begins with.
    pub begin: Begin,
    /// Whether it explains scores above 0 only.
    pub above_zero: bool,
}

/// Where the rules of a walk come from.
#[derive(Debug, Clone, Copy)]
pub enum Rules {
    /// Settings.
    Set(fn(&Tuning) -> Composite),
    /// Patterns fitted to data, once for all walks that ask for them.
    Fitted(fn(&Patterns) -> Composite),
}

impl Route {
    /// A walk that begins with the score and keeps accounts.
    pub const fn of_score(rules: fn(&Tuning) -> Composite) -> Self {
        Route { rules: Rules::Set(rules), begin: Begin::Score, above_zero: false }
    }

    /// Why it does not go through a network; none if it does.
    pub(crate) fn why_not(&self, net: &Net) -> Option<String> {
        match self.rules {
            Rules::Set(rules) => bind(net, &rules(&Tuning::default())).err(),
            Rules::Fitted(_) => patterns::check(net).err(),
        }
        .map(|e| e.to_string())
    }

    fn fits_patterns(&self) -> bool {
        matches!(self.rules, Rules::Fitted(_))
    }

    /// Whether it tells what became of the score on its way.
    fn keeps_accounts(&self) -> bool {
        self.begin == Begin::Score && !self.fits_patterns()
    }

    fn bind<'n>(&self, net: &'n Net, tuning: &Tuning, patterns: Option<&Patterns>) -> Result<Walker<'n>> {
        match (self.rules, patterns) {
            (Rules::Set(rules), _) => bind(net, &rules(tuning)),
            (Rules::Fitted(rules), Some(patterns)) => bind(net, &rules(patterns)),
            (Rules::Fitted(_), None) => Err(Error::unsupported("patterns", "this propagation", "fit them first")),
        }
    }
}

fn bind<'n>(net: &'n Net, composite: &Composite) -> Result<Walker<'n>> {
    Walker::new(&net.network, net.start, &[Source::Input(0)], composite)
}

/// What a node on the way kept of each row.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerRecord {
    /// The node's name.
    pub node: String,
    /// The rule it was given.
    pub rule: &'static str,
    /// What constants absorbed, for each row.
    pub absorbed: Vec<f64>,
    /// What stabilisers cost, for each row.
    pub lost: Vec<f64>,
}

/// The accounts of a walk node by node, from the score to the inputs.
pub(crate) fn layers(
    rows: &Rows<'_>,
    outputs: &[usize],
    entry: &MethodEntry,
    run: &Run<'_>,
) -> Result<Vec<LayerRecord>> {
    let lent = rows.net(run)?;
    let Some(walk) = entry.walk().filter(|walk| walk.keeps_accounts()) else {
        let instead = "only relevance propagation methods have them";
        return Err(Error::unsupported("relevance by layer", format!("the method {}", entry.name), instead));
    };
    let walker = walk.bind(&lent.net, rows.tuning, None)?;
    let mut all: Vec<LayerRecord> = vec![];
    lent.net.blocks(rows.points, outputs, run, |tape, rows, columns| {
        let walked = walker.walk(tape, columns, walk.begin, run)?;
        if all.is_empty() {
            let layer = |(node, rule)| LayerRecord { node, rule, absorbed: vec![], lost: vec![] };
            all = walked.taken.into_iter().map(layer).collect();
        }
        for (layer, (absorbed, lost)) in all.iter_mut().zip(&walked.kept) {
            let of = |kept: &[f64], k: usize| kept.get(k).copied().unwrap_or(0.0);
            layer.absorbed.extend((0..rows.len()).map(|k| of(absorbed, k)));
            layer.lost.extend((0..rows.len()).map(|k| of(lost, k)));
        }
        Ok(())
    })?;
    Ok(all)
}

/// Explains the output asked for in each row by those of the methods that are walks, in their order; they share each run of
/// the network.
pub(crate) fn explain(
    rows: &Rows<'_>,
    outputs: &[usize],
    entries: &[&MethodEntry],
    run: &Run<'_>,
) -> Result<Vec<Result<Relevance>>> {
    let walks: Vec<(&MethodEntry, &Route)> = entries.iter().filter_map(|e| Some((*e, e.walk()?))).collect();
    if walks.is_empty() {
        return Ok(vec![]);
    }
    let lent = rows.net(run)?;
    let net = &*lent.net;
    let fitted = walks.iter().any(|(_, walk)| walk.fits_patterns());
    let patterns = if fitted { Some(Patterns::fit(net, rows.background(), run)?) } else { None };
    let bind = |(_, walk): &(&MethodEntry, &Route)| walk.bind(net, rows.tuning, patterns.as_ref());
    let bound: Vec<Walker<'_>> = walks.iter().map(bind).collect::<Result<_>>()?;
    let (n, d) = (rows.points.len(), rows.points.columns());
    let mut all: Vec<(Vec<f64>, Vec<Balance>)> = vec![];
    let mut holds = vec![];
    for _ in &bound {
        let (values, hold) = run.memory.filled(n.saturating_mul(d), 0.0, "relevance")?;
        holds.push(hold);
        all.push((values, vec![]));
    }
    net.blocks(rows.points, outputs, run, |tape, rows, columns| {
        for ((walker, (_, walk)), (values, balance)) in bound.iter().zip(&walks).zip(&mut all) {
            let walked = walker.walk(tape, columns, walk.begin, run)?;
            values[rows.start * d..rows.end * d].copy_from_slice(&walked.relevance.to_f64()[..rows.len() * d]);
            balance.extend_from_slice(&walked.balance[..rows.len()]);
        }
        Ok(())
    })?;
    let answer = |entry: &MethodEntry, walk: &Route, values: Vec<f64>, balance: Vec<Balance>| {
        if let Some(row) = balance.iter().position(|b| walk.above_zero && b.score < 0.0) {
            return Err(Error::data(
                Place::Whole,
                format!(
                    "deep Taylor decomposition explains scores above 0, and row {row} has a score of {}; choose \
                         another class",
                    balance[row].score
                ),
            ));
        }
        relevance_of(values, (n, d), walk.keeps_accounts().then_some(balance), entry.name)
    };
    let each = walks.into_iter().zip(all);
    Ok(each.map(|((entry, walk), (values, balance))| answer(entry, walk, values, balance)).collect())
}
