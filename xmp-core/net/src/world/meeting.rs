//! The processes of a job without MPI: they meet by their process manager, and keep connections of their own.

use super::home;
use super::star::Star;
use crate::error::{Error, Result};
use crate::failure::{START_STATUS, departure};
use crate::manager::{self, Protocol};
use crate::plugin::{ancestry, wait_until_read};
use crate::rank::Rank;
use crate::report::{report, until_reports_are_read};
use crate::sockets::{self, Exchange, Secret};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The time that the leaders of hosts wait for one another at the end.
const GOODBYE: Duration = Duration::from_secs(5);
/// The time that a process manager may take to end this process.
const EXECUTION: Duration = Duration::from_secs(5);

/// A process of such a job.
pub struct Meeting {
    protocol: Protocol,
    me: Rank,
    /// The leader of each image's machine.
    leaders: Box<[Rank]>,
    secret: Secret,
    star: Mutex<Star>,
    /// The time that an exchange may take.
    patience: Duration,
}

impl fmt::Debug for Meeting {
    /// Without the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meeting")
            .field("protocol", &self.protocol)
            .field("me", &self.me)
            .finish_non_exhaustive()
    }
}

impl Meeting {
    /// Meets the other processes. Collective over the job. Call it once, before the process has other threads. No exchange may take
    /// longer than `patience`. `interfaces`: those by which this host is reached. `check` is given the number of processes.
    ///
    /// # Errors
    /// When the process manager cannot be reached. [`Error::JobEnding`] when the processes cannot meet: this one has reported why,
    /// and the process manager ends all.
    pub(super) fn join(
        protocol: Protocol,
        patience: Duration,
        interfaces: Option<&str>,
        check: impl FnOnce(u32) -> Result<()>,
    ) -> Result<Meeting> {
        let until = Instant::now() + patience;
        let marks = manager::take_marks(protocol);
        ancestry::mark_image();
        let mut manager = manager::open(&marks, until)?;
        let met = check(manager.size()).and_then(|()| {
            let here = home::number();
            let (mut star, secret) = Star::form(&mut *manager, here, interfaces, until)?;
            let homes = star.allgather(&here.to_le_bytes(), until)?;
            Ok((star, secret, leaders(&homes)))
        });
        match met {
            Ok((star, secret, leaders)) => {
                // From now on the ends of processes are no affair of its.
                manager.finish()?;
                let star = Mutex::new(star);
                Ok(Meeting { protocol, me: manager.rank(), leaders, secret, star, patience })
            }
            Err(error) => {
                let text = error.to_string();
                if error != Error::JobEnding {
                    report(format_args!("{} on {}: {text}", manager.rank(), host_name()));
                    until_reports_are_read();
                }
                manager.abort(START_STATUS.into(), &text);
                thread::sleep(EXECUTION);
                Err(Error::JobEnding)
            }
        }
    }

    /// The way by which the process manager was spoken to.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    pub(super) fn rank(&self) -> Rank {
        self.me
    }

    pub(super) fn leaders(&self) -> &[Rank] {
        &self.leaders
    }

    /// The bytes of all processes that are still connected by the star.
    pub(super) fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>> {
        self.allgather_within(mine, self.patience)
    }

    fn allgather_within(&self, mine: &[u8], patience: Duration) -> Result<Vec<u8>> {
        let mut star = self.star.lock().unwrap_or_else(PoisonError::into_inner);
        star.allgather(mine, Instant::now() + patience)
    }

    /// The secret of a host for its keep-alive connections, made of the secret of all processes.
    pub(super) fn secret_of_host(&self, host: u32) -> Secret {
        // No image has this rank: the secrets for messages use the ranks of leaders.
        let of_hosts = sockets::secret_of(&self.secret, u32::MAX);
        sockets::secret_of(&of_hosts, host)
    }

    /// From now on only leaders exchange, and all others are met no more.
    pub(super) fn settle(&self) {
        let mut star = self.star.lock().unwrap_or_else(PoisonError::into_inner);
        star.keep(self.me, |rank| self.leaders[rank.index()] == rank);
    }

    /// Waits a little for the processes that are still connected, so that their last messages arrive.
    pub(super) fn finish(&self) {
        if let Err(error) = self.allgather_within(&[], GOODBYE) {
            tracing::debug!(%error, "not all hosts have left together");
        }
    }

    /// Ends this process. Others learn of it by its connections.
    pub(super) fn abort(&self, status: i32) -> ! {
        departure::announce();
        wait_until_read(Instant::now() + Duration::from_secs(1));
        // SAFETY: does not return.
        unsafe { libc::_exit(status) }
    }
}

impl Exchange for Meeting {
    fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>> {
        Meeting::allgather(self, mine)
    }

    fn host_name(&self) -> String {
        host_name()
    }

    fn secret(&self) -> Option<Secret> {
        Some(self.secret)
    }

    fn is_here(&self, image: Rank) -> bool {
        self.leaders[image.index()] == self.leaders[self.me.index()]
    }
}

/// The name of this host.
pub(super) fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The leader of each process's machine: the first process whose machine has the same number.
fn leaders(homes: &[u8]) -> Box<[Rank]> {
    let mut first = HashMap::new();
    let leader = |(rank, home)| *first.entry(home).or_insert(Rank::new(rank));
    (0..).zip(homes.chunks_exact(size_of::<u64>())).map(leader).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_process_of_a_machine_leads_it() {
        let homes: Vec<u8> =
            [7_u64, 9, 7, 7, 9].iter().flat_map(|home| home.to_le_bytes()).collect();
        let leaders: Vec<u32> = leaders(&homes).iter().map(|leader| leader.get()).collect();
        assert_eq!(leaders, [0, 1, 0, 0, 1]);
    }
}
