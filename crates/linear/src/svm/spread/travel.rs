//! Bundles on their way: to the table of the next round, and at the end to who needs the model.
//!
//! One bundle travels at a time, as the weights that are not 0 (`ranks::bundle`), so that a rank holds what is at its tables and
//! once more what is being packed or unpacked. The others know how many bundles go where, and send as many empty messages.

use super::{Held, Spread, take};
use crate::svm::store::Store;
use base::{Error, Hold, Result, Run};
use ranks::bundle::{Bundle, Packer, WireFormat};

impl Spread<'_> {
    /// Bundles go to where they sit in the round after the next.
    pub(super) fn travel(&self, held: &mut Held, members: &[Vec<u32>], run: &Run<'_>) -> Result<()> {
        let (rank, count, round, layout) = (run.ranks.rank(), run.ranks.count(), held.round, self.layout());
        let at = |round: usize, bundle: usize| self.rank_of(layout.table(round, bundle), run);
        let going = |from: usize, to: usize| -> Vec<usize> {
            (0..self.bundles).filter(|&x| at(round, x) == from && at(round + 1, x) == to).collect()
        };
        for step in 1..count {
            let (to, from) = ((rank + step) % count, (rank + count - step) % count);
            let (leaving, coming) = (going(rank, to), going(from, rank));
            let most = (0..count).map(|r| going(r, (r + step) % count).len()).max().unwrap_or(0);
            for k in 0..most {
                let message = leaving.get(k).map(|&bundle| packed(take(held, bundle)?, run)).transpose()?;
                let heard = exchange(to, message, from, run)?;
                if let Some(&bundle) = coming.get(k) {
                    let store = self.unpacked(heard, members[bundle].len(), run)?;
                    held.bundles.insert(bundle, store);
                }
            }
        }
        Ok(())
    }

    fn unpacked(&self, heard: Heard, classes: usize, run: &Run<'_>) -> Result<Store<f64>> {
        let bundle = Bundle::read(&mut &heard.0[..], classes, &run.memory)?;
        drop(heard);
        Store::unpack(self.rows, classes, &bundle, run)
    }

    /// The weights of all classes, bundle by bundle: at every rank, or at rank 0 where no other needs them.
    pub(super) fn gather(&self, mut held: Held, members: &[Vec<u32>], run: &Run<'_>) -> Result<Store<f64>> {
        let (rank, count, layout) = (run.ranks.rank(), run.ranks.count(), self.layout());
        let wanted = rank == 0 || !run.ranks.first_alone();
        held.meetings.clear();
        let mut entries: Vec<Vec<(u32, f64)>> = vec![vec![]; if wanted { self.rows.width() } else { 0 }];
        let mut hold = run.memory.take_for::<Vec<(u32, f64)>>(entries.len(), "weights of all classes")?;
        for (b, classes) in members.iter().enumerate() {
            let owner = self.rank_of(layout.table(held.round, b), run);
            let own = (owner == rank).then(|| packed(take(&mut held, b)?, run)).transpose()?;
            let mut bundle = None;
            match run.ranks.first_alone() {
                true if owner == 0 => {}
                true if rank == 0 => bundle = Some(exchange(owner, None, owner, run)?),
                true if rank == owner => _ = run.ranks.exchange(0, own.as_ref().map_or(&[], |m| &m.0[..]), 0)?,
                true => {}
                false => {
                    for step in 1..count {
                        let (to, from) = ((rank + step) % count, (rank + count - step) % count);
                        let heard = run.ranks.exchange(to, own.as_ref().map_or(&[], |m| &m.0[..]), from)?;
                        if from == owner {
                            bundle = Some(Heard::counted(heard, run)?);
                        }
                    }
                }
            }
            let Some(heard) = own.filter(|_| wanted).or(bundle) else { continue };
            let bundle = Bundle::read(&mut &heard.0[..], classes.len(), &run.memory)?;
            drop(heard);
            let more: usize = bundle.vectors().map(|(_, local, _)| local.len()).sum();
            let bytes = hold.bytes() + (more * size_of::<(u32, f64)>()) as u64;
            hold.resize(bytes, "weights of all classes")?;
            for (feature, local, weights) in bundle.vectors() {
                let all = entries
                    .get_mut(feature as usize)
                    .ok_or_else(|| Error::size("features", self.rows.width(), feature))?;
                all.extend(local.iter().zip(weights).map(|(&l, &w)| (classes[l as usize], w)));
            }
        }
        match wanted {
            true => Store::of(self.rows, self.classes, entries, run),
            false => Store::new(self.rows, self.classes, run),
        }
    }
}

/// A message, counted while it is there.
struct Heard(Vec<u8>, #[expect(dead_code, reason = "counts the bytes until they go")] Hold);

impl Heard {
    fn counted(bytes: Vec<u8>, run: &Run<'_>) -> Result<Self> {
        let hold = run.memory.take(bytes.len() as u64, "a message of another rank")?;
        Ok(Heard(bytes, hold))
    }
}

/// A bundle as it travels.
fn packed(store: Store<f64>, run: &Run<'_>) -> Result<Heard> {
    let mut hold = run.memory.take(store.bytes(), "a message to another rank")?;
    let mut packer = Packer::new(store.classes(), WireFormat::Double);
    store.pack(&mut packer)?;
    let dense = 8 * (store.classes() as u64).saturating_mul(store.width() as u64);
    run.ranks.spared(dense.saturating_sub(packer.bytes()));
    let bytes = packer.finish();
    hold.resize(bytes.len() as u64, "a message to another rank")?;
    Ok(Heard(bytes, hold))
}

/// Sends a message or an empty one, which is gone afterwards, and hears another.
fn exchange(to: usize, message: Option<Heard>, from: usize, run: &Run<'_>) -> Result<Heard> {
    let heard = run.ranks.exchange(to, message.as_ref().map_or(&[], |m| &m.0[..]), from)?;
    Heard::counted(heard, run)
}
