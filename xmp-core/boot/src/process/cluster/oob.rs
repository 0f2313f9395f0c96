//! The bootstrap exchange (out of band): the communication of the processes of a job before they are images.

use crate::error::Result;
use crate::rank::Rank;
use crate::world::World;

/// The processes that a launcher has started together, as one of them sees them. All calls but [`OobExchange::rank`],
/// [`OobExchange::host_name`] and [`OobExchange::kernel`] are collective, and fail when the launcher's library does.
pub trait OobExchange {
    /// The image that this process becomes.
    fn rank(&self) -> Rank;

    /// The name of this machine.
    fn host_name(&self) -> String;

    /// A number of the kernel of this machine, the same for machines that are containers of one real machine, and so
    /// share its processors; 0 if it is not known.
    fn kernel(&self) -> u64;

    /// The leader of each image's machine, by rank.
    fn leaders(&self) -> Result<Vec<Rank>>;

    /// The bytes of all processes, concatenated in order of rank; all pass equally many.
    fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>>;

    /// The bytes of all processes of this machine, concatenated in order of rank; all pass equally many.
    fn allgather_local(&self, mine: &[u8]) -> Result<Vec<u8>>;

    /// Distributes the bytes of the process `root` to all of them.
    fn broadcast(&self, root: Rank, bytes: &mut [u8]) -> Result<()>;
}

impl OobExchange for World {
    fn rank(&self) -> Rank {
        World::rank(self)
    }

    fn host_name(&self) -> String {
        World::host_name(self)
    }

    fn kernel(&self) -> u64 {
        let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let id = u128::from_str_radix(&text.trim().replace('-', ""), 16).unwrap_or(0);
        (id ^ id >> 64) as u64
    }

    fn leaders(&self) -> Result<Vec<Rank>> {
        World::leaders(self)
    }

    fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>> {
        World::allgather(self, mine)
    }

    fn allgather_local(&self, mine: &[u8]) -> Result<Vec<u8>> {
        World::allgather_local(self, mine)
    }

    fn broadcast(&self, root: Rank, bytes: &mut [u8]) -> Result<()> {
        World::broadcast(self, root, bytes)
    }
}

#[cfg(test)]
pub mod fake {
    use super::*;
    use std::sync::{Barrier, Mutex};

    /// Threads that play the processes of several machines.
    #[derive(Debug)]
    pub struct Machines {
        leaders: Vec<Rank>,
        /// Whether they are containers of one real machine.
        one_kernel: bool,
        /// The last contribution of each process.
        given: Mutex<Vec<Vec<u8>>>,
        barrier: Barrier,
    }

    /// One of the processes.
    #[derive(Debug)]
    pub struct Fake<'a> {
        machines: &'a Machines,
        rank: Rank,
    }

    impl Machines {
        /// Machines with these processes; `leaders` has the leader of each process's machine.
        pub fn new(leaders: &[u32]) -> Machines {
            Machines {
                leaders: leaders.iter().copied().map(Rank::new).collect(),
                one_kernel: false,
                given: Mutex::new(vec![Vec::new(); leaders.len()]),
                barrier: Barrier::new(leaders.len()),
            }
        }

        /// Machines that are containers of one real machine.
        pub fn containers(leaders: &[u32]) -> Machines {
            Machines { one_kernel: true, ..Machines::new(leaders) }
        }

        /// Runs `body` as each process; returns the results.
        pub fn run<T: Send>(&self, body: impl Fn(Fake<'_>) -> T + Sync) -> Vec<T> {
            let body = &body;
            std::thread::scope(|scope| {
                let threads: Vec<_> = (0..self.leaders.len() as u32)
                    .map(|rank| {
                        let fake = Fake { machines: self, rank: Rank::new(rank) };
                        scope.spawn(move || body(fake))
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            })
        }
    }

    impl Fake<'_> {
        fn exchange(&self, mine: &[u8], wanted: impl Fn(usize) -> bool) -> Vec<u8> {
            self.machines.given.lock().unwrap()[self.rank.index()] = mine.into();
            self.machines.barrier.wait();
            let all = self.machines.given.lock().unwrap().clone();
            self.machines.barrier.wait();
            let wanted = all.into_iter().enumerate().filter(|(rank, _)| wanted(*rank));
            wanted.flat_map(|(_, bytes)| bytes).collect()
        }
    }

    impl OobExchange for Fake<'_> {
        fn rank(&self) -> Rank {
            self.rank
        }

        fn host_name(&self) -> String {
            format!("machine-{}", self.machines.leaders[self.rank.index()].get())
        }

        fn kernel(&self) -> u64 {
            if self.machines.one_kernel {
                1
            } else {
                1 + u64::from(self.machines.leaders[self.rank.index()].get())
            }
        }

        fn leaders(&self) -> Result<Vec<Rank>> {
            self.exchange(&[0], |_| true);
            Ok(self.machines.leaders.clone())
        }

        fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>> {
            Ok(self.exchange(mine, |_| true))
        }

        fn allgather_local(&self, mine: &[u8]) -> Result<Vec<u8>> {
            let leaders = &self.machines.leaders;
            Ok(self.exchange(mine, |rank| leaders[rank] == leaders[self.rank.index()]))
        }

        fn broadcast(&self, root: Rank, bytes: &mut [u8]) -> Result<()> {
            bytes.copy_from_slice(&self.exchange(bytes, |rank| rank == root.index()));
            Ok(())
        }
    }
}
