//! The algorithms that `XMP_COLL` forces.

use super::names::*;
use xmp_core::settings::Settings;
use xmp_core::{Error, Result};

/// The algorithms that are forced for one collective, on the host and between leaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forced<H, L> {
    /// On the host.
    pub host: Option<H>,
    /// Between leaders.
    pub leaders: Option<L>,
}

impl<H, L> Default for Forced<H, L> {
    fn default() -> Self {
        Forced { host: None, leaders: None }
    }
}

impl<H: Named, L: Named> Forced<H, L> {
    /// Forces the algorithm with this name.
    fn force(&mut self, operation: &str, name: &str) -> Result<()> {
        if let Some(algorithm) = H::named(name) {
            self.host = Some(algorithm);
        } else if let Some(algorithm) = L::named(name) {
            self.leaders = Some(algorithm);
        } else {
            let names = H::ALL.iter().map(|(known, _)| *known);
            let names: Vec<&str> = names.chain(L::ALL.iter().map(|(known, _)| *known)).collect();
            return Err(Error::Setting {
                name: "XMP_COLL",
                value: format!("{operation}:{name}"),
                expected: format!("{operation}: with one of {}", names.join(", ")),
            });
        }
        Ok(())
    }
}

/// The algorithms that are forced. An operation that a forced algorithm cannot execute, such as one with an element too
/// long for a slot, uses another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Barrier between leaders.
    pub barrier: Option<LeaderBarrier>,
    /// Reduce to one image.
    pub reduce: Forced<HostReduce, LeaderReduce>,
    /// Reduce to all images.
    pub allreduce: Forced<HostReduce, LeaderAllreduce>,
    /// Broadcast.
    pub broadcast: Forced<HostMove, LeaderBroadcast>,
    /// Allgather.
    pub allgather: Forced<HostMove, LeaderAllgather>,
    /// Gather to one image.
    pub gather: Forced<HostMove, LeaderTree>,
    /// Scatter from one image.
    pub scatter: Forced<HostMove, LeaderTree>,
    /// Scan, inclusive and exclusive.
    pub scan: Forced<HostScan, LeaderScan>,
    /// Alltoall.
    pub alltoall: Forced<HostMove, LeaderAlltoall>,
}

impl Choices {
    /// The algorithms that `XMP_COLL` names. (Its key `barrier` also names the kind of barrier of a collective area; the
    /// core, which reads that, knows all names of it.)
    ///
    /// # Errors
    /// [`Error::Setting`] for an operation or an algorithm that does not exist.
    pub fn from_settings(settings: &Settings) -> Result<Choices> {
        let mut choices = Choices::default();
        for (operation, name) in &settings.collectives {
            match operation.as_str() {
                "barrier" => choices.barrier = Named::named(name).or(choices.barrier),
                "reduce" => choices.reduce.force(operation, name)?,
                "allreduce" => choices.allreduce.force(operation, name)?,
                "broadcast" => choices.broadcast.force(operation, name)?,
                "allgather" => choices.allgather.force(operation, name)?,
                "gather" => choices.gather.force(operation, name)?,
                "scatter" => choices.scatter.force(operation, name)?,
                "scan" => choices.scan.force(operation, name)?,
                "alltoall" => choices.alltoall.force(operation, name)?,
                _ => {
                    return Err(Error::Setting {
                        name: "XMP_COLL",
                        value: format!("{operation}:{name}"),
                        expected: "for barrier, reduce, allreduce, broadcast, allgather, gather, \
                                   scatter, alltoall or scan"
                            .into(),
                    });
                }
            }
        }
        Ok(choices)
    }
}
