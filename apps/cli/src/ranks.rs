//! Processes that `mpirun` started: which of them speaks and writes, and how all of them end together.
//!
//! Rank 0 prints and writes files; the others work and are silent, unless they fail. Whatever fails on one rank ends them
//! all with its message.

use crate::show::Trouble;
use pellucid::{Alone, Bytes, Error, Memory, Ranks, plural};
use std::process::ExitCode;

/// Where this process stands among those that `mpirun` started.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Its number.
    pub rank: usize,
    /// How many there are.
    pub count: usize,
    /// How many of them are on this machine.
    pub local: usize,
}

impl Place {
    /// What `mpirun` has told this process; alone if it was started by itself.
    pub fn here() -> Self {
        Self::told(|name| std::env::var(name).ok())
    }

    /// The same from variables: those of Open MPI, or those that other launchers of MPI have in common.
    fn told(variable: impl Fn(&str) -> Option<String>) -> Self {
        let number = |names: &[&str]| names.iter().find_map(|name| variable(name)?.parse::<usize>().ok());
        let count = number(&["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"]).unwrap_or(1).max(1);
        let rank = number(&["OMPI_COMM_WORLD_RANK", "PMI_RANK"]).filter(|&rank| rank < count).unwrap_or(0);
        let local = number(&["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"]).unwrap_or(1).clamp(1, count);
        Place { rank, count, local }
    }

    /// Whether it is the one that speaks and writes.
    pub fn leads(self) -> bool {
        self.rank == 0
    }

    /// Refuses what several processes cannot share.
    pub fn check(self, command: &str, shared: bool) -> Result<(), Error> {
        let processes = format!("{} processes of mpirun", self.count);
        match self.count {
            1 => Ok(()),
            _ if !shared => {
                let instead = "start it without mpirun: fits are shared, nothing else";
                Err(Error::unsupported(format!("pellucid {command}"), processes, instead))
            }
            _ if cfg!(not(feature = "mpi")) => {
                let instead = "build pellucid-cli with --features mpi, or start it without mpirun";
                Err(Error::unsupported(format!("a fit by {processes}"), "this build", instead))
            }
            _ => Ok(()),
        }
    }
}

/// The processes of a job, seen from this one.
pub struct Team {
    place: Place,
    #[cfg(feature = "mpi")]
    mpi: Option<pellucid::ranks::Mpi>,
}

impl Team {
    /// Joins the others, if there are others.
    #[cfg(feature = "mpi")]
    pub fn join(place: Place, memory: &Memory) -> Result<Self, Error> {
        let started = std::env::var_os("OMPI_COMM_WORLD_SIZE").is_some() || place.count > 1;
        let mpi = started.then(|| pellucid::ranks::Mpi::start(memory.clone())).transpose()?;
        if let Some(mpi) = &mpi
            && (mpi.ranks().rank(), mpi.ranks().count()) != (place.rank, place.count)
        {
            let found = format!("rank {} of {}", mpi.ranks().rank(), mpi.ranks().count());
            return Err(Error::size("process of mpirun", format!("rank {} of {}", place.rank, place.count), found));
        }
        Ok(Team { place, mpi })
    }

    /// Joins the others, if there are others.
    #[cfg(not(feature = "mpi"))]
    pub fn join(place: Place, _: &Memory) -> Result<Self, Error> {
        Ok(Team { place })
    }

    /// The ranks, for a run.
    #[cfg(feature = "mpi")]
    pub fn ranks(&self) -> &dyn Ranks {
        self.mpi.as_ref().map_or(&Alone, |mpi| mpi.ranks())
    }

    /// The ranks, for a run.
    #[cfg(not(feature = "mpi"))]
    pub fn ranks(&self) -> &dyn Ranks {
        &Alone
    }

    /// What has gone over the network, if there are others.
    pub fn told(&self, learner: &str) -> Option<String> {
        let (traffic, count) = (self.ranks().traffic(), self.place.count);
        match traffic.messages {
            _ if count == 1 => None,
            0 => Some(format!("{learner} does not share its work: each of {count} ranks has done all of it")),
            messages => Some(format!(
                "{count} ranks; rank {} has sent {} in {} and received {}; with all zeros of the weights it would have sent {}",
                self.place.rank,
                Bytes(traffic.sent),
                plural(messages as usize, "message"),
                Bytes(traffic.received),
                Bytes(traffic.sent + traffic.spared)
            )),
        }
    }

    /// The same for programs: what this rank has sent, and what it would have been with all zeros of the weights.
    pub fn json(&self) -> Option<serde_json::Value> {
        let traffic = self.ranks().traffic();
        (self.place.count > 1).then(|| {
            serde_json::json!({
                "count": self.place.count, "messages": traffic.messages, "sent": traffic.sent,
                "received": traffic.received, "sent_dense": traffic.sent + traffic.spared,
            })
        })
    }

    /// Ends together with the others: in agreement if all went well, else at once, with the message of who failed.
    #[cfg(feature = "mpi")]
    pub fn end(mut self, done: Result<ExitCode, Trouble>) -> Result<ExitCode, Trouble> {
        let Some(mpi) = &mut self.mpi else { return done };
        let (code, error) = match done {
            Err(Trouble::Failed(error)) => (Err(Trouble::Closed), Some(error)),
            code => (code, mpi.finish().err()),
        };
        let Some(error) = error else { return code };
        if !self.place.leads() {
            // What fails on every rank is said once: the first rank has ended the others by then.
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
        let named = match (&error, self.place.leads()) {
            (Error::Rank { .. } | Error::Cancelled | Error::Stopped { .. }, _) | (_, true) => error,
            (other, _) => Error::rank(self.place.rank, other.to_message()),
        };
        mpi.abort(i32::from(crate::tell(&named)))
    }

    /// There are no others to end with.
    #[cfg(not(feature = "mpi"))]
    pub fn end(self, done: Result<ExitCode, Trouble>) -> Result<ExitCode, Trouble> {
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_mpirun_tells_is_understood_and_nonsense_is_alone() {
        let told = |variables: &[(&str, &str)]| {
            Place::told(|name| variables.iter().find(|v| v.0 == name).map(|v| v.1.to_string()))
        };
        let alone = Place { rank: 0, count: 1, local: 1 };
        assert_eq!(told(&[]), alone);
        let open = [("OMPI_COMM_WORLD_SIZE", "8"), ("OMPI_COMM_WORLD_RANK", "5"), ("OMPI_COMM_WORLD_LOCAL_SIZE", "2")];
        assert_eq!(told(&open), Place { rank: 5, count: 8, local: 2 });
        assert_eq!(told(&[("PMI_SIZE", "4"), ("PMI_RANK", "3")]), Place { rank: 3, count: 4, local: 1 });
        assert_eq!(told(&[("OMPI_COMM_WORLD_SIZE", "x"), ("OMPI_COMM_WORLD_RANK", "-1")]), alone);
        assert_eq!(told(&[("PMI_SIZE", "0"), ("PMI_RANK", "3")]), alone);
    }

    #[test]
    fn what_cannot_be_shared_is_refused() {
        let four = Place { rank: 0, count: 4, local: 4 };
        assert_eq!(Place { count: 1, ..four }.check("predict", false), Ok(()));
        let refused = four.check("predict", false).unwrap_err().to_string();
        assert!(refused.starts_with("pellucid predict: not supported by 4 processes of mpirun; start it"), "{refused}");
        assert_eq!(four.check("fit", true).is_ok(), cfg!(feature = "mpi"));
    }
}
