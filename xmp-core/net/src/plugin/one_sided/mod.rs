//! Whether one-sided operations pay between the hosts of a job: `XMP_MPI_RMA=auto`. `../README.md`, "The window".

mod libfabric;
mod passive;

use super::{MpiFabric, Plugin, Scope};
use crate::error::{Error, Result};
use crate::server::Fabric;
use passive::Scratch;
use std::fmt;

/// What the measurement has found; the same on all images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OneSidedAccess {
    /// The network writes to another host's memory while no process there calls MPI.
    InHardware,
    /// It waits until the other process calls MPI.
    NeedsTarget,
    /// It takes all memory of a window when that is opened, and segments are larger than memory.
    TakesMemory,
    /// MPI has no window between these hosts.
    Absent,
    /// A put may arrive after its flush.
    ArrivesLate,
}

impl OneSidedAccess {
    /// From the best to the worst, as images agree on the worst.
    const ALL: [OneSidedAccess; 5] = [
        OneSidedAccess::InHardware,
        OneSidedAccess::NeedsTarget,
        OneSidedAccess::TakesMemory,
        OneSidedAccess::Absent,
        OneSidedAccess::ArrivesLate,
    ];

    /// Whether long transfers should use a window.
    pub fn pays(self) -> bool {
        self == OneSidedAccess::InHardware
    }

    /// The worst of what the images have found, a byte each.
    fn worst(found: &[u8]) -> Result<OneSidedAccess> {
        let worst = found.iter().max().and_then(|&worst| OneSidedAccess::ALL.get(worst as usize));
        worst.copied().ok_or_else(|| Error::Invalid("one-sided access: nothing was found".into()))
    }
}

impl fmt::Display for OneSidedAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OneSidedAccess::InHardware => {
                "windows, because the network writes to another host while no process there calls MPI"
            }
            OneSidedAccess::NeedsTarget => {
                "messages, because a put arrives only when the other process calls MPI"
            }
            OneSidedAccess::TakesMemory => {
                "messages, because MPI takes all memory of a window when it is opened"
            }
            OneSidedAccess::Absent => "messages, because MPI has no window between these hosts",
            OneSidedAccess::ArrivesLate => {
                "messages, because puts of Open MPI 4 over libfabric may arrive after their flush (mpirun --mca btl ^ofi \
                 excludes it)"
            }
        })
    }
}

impl Plugin {
    /// Measures whether one-sided operations pay between the hosts of the job. Takes some round trips where they do, and
    /// 20 ms where they do not. Collective over the job, before there are servers.
    ///
    /// # Errors
    /// When MPI fails.
    pub fn measure_one_sided(&self) -> Result<OneSidedAccess> {
        if self.some_window_arrives_late()? {
            return Ok(OneSidedAccess::ArrivesLate);
        }
        // A window stays open until the end, so its memory does, too.
        let scratch: &'static Scratch = Box::leak(Scratch::new(self.leads()));
        // SAFETY: the memory is never freed, and is accessed by atomic loads only.
        let window = unsafe { self.table.open_window(scratch.base(), scratch.len()) };
        let opened = match &window {
            Err(error) => {
                tracing::debug!(%error, "no window between these hosts");
                OneSidedAccess::Absent
            }
            Ok(_) if scratch.is_mostly_resident() => OneSidedAccess::TakesMemory,
            Ok(_) => OneSidedAccess::InHardware,
        };
        let opened = self.agree(opened)?;
        let (Ok(window), OneSidedAccess::InHardware) = (window, opened) else { return Ok(opened) };
        let mut fabric = MpiFabric::new(self.clone(), Some(window));
        self.agree(self.put_to_neighbour(&mut fabric, scratch)?)
    }

    /// Whether a put of some image may arrive after its flush. Collective over the job.
    ///
    /// # Errors
    /// When MPI fails.
    pub fn some_window_arrives_late(&self) -> Result<bool> {
        let late = libfabric::may_arrive_late(&self.library());
        let found = if late { OneSidedAccess::ArrivesLate } else { OneSidedAccess::InHardware };
        Ok(self.agree(found)? == OneSidedAccess::ArrivesLate)
    }

    /// Hosts form pairs, of which the first puts to the second; without a partner, a host finds nothing bad.
    fn put_to_neighbour(
        &self,
        fabric: &mut dyn Fabric,
        scratch: &Scratch,
    ) -> Result<OneSidedAccess> {
        let mut leaders = self.leaders()?;
        leaders.sort_unstable();
        leaders.dedup();
        let (host, is_second) = (self.host() as usize, self.host() % 2 == 1);
        let partner = if is_second { leaders.get(host - 1) } else { leaders.get(host + 1) };
        let Some(&partner) = partner.filter(|_| self.leads()) else {
            return Ok(OneSidedAccess::InHardware);
        };
        if !is_second {
            passive::put(fabric, partner)?;
            return Ok(OneSidedAccess::InHardware);
        }
        Ok(if passive::arrives(fabric, partner, scratch)? {
            OneSidedAccess::InHardware
        } else {
            OneSidedAccess::NeedsTarget
        })
    }

    fn agree(&self, found: OneSidedAccess) -> Result<OneSidedAccess> {
        OneSidedAccess::worst(&self.allgather(Scope::ALL, &[found as u8])?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_agree_on_the_worst_that_one_has_found() {
        let worst = |found: &[OneSidedAccess]| {
            OneSidedAccess::worst(&found.iter().map(|&it| it as u8).collect::<Vec<_>>()).unwrap()
        };
        use OneSidedAccess::{Absent, ArrivesLate, InHardware, NeedsTarget, TakesMemory};
        for (at, found) in OneSidedAccess::ALL.into_iter().enumerate() {
            assert_eq!(found as usize, at);
            assert_eq!(worst(&[InHardware, found, InHardware]), found);
            assert_eq!(found.pays(), found == InHardware);
        }
        assert_eq!(worst(&[NeedsTarget, Absent, TakesMemory]), Absent);
        assert_eq!(worst(&[ArrivesLate, Absent]), ArrivesLate);
        assert!(OneSidedAccess::worst(&[OneSidedAccess::ALL.len() as u8]).is_err());
    }
}
