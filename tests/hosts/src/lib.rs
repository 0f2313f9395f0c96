//! Separate hosts on one machine, and the launchers of MPI: what the integration tests and the measurement share.
//!
//! A [`Network`] is a set of hosts that know each other by name. Each has its own network interface, host name, process
//! numbers, System V and POSIX shared memory, mounts, `/dev/shm`, `/etc/hosts` and directory for temporary files; they
//! share processors, memory and the rest of the file system, as hosts with a file server do. They need root
//! ([`Network::possible`] says what is missing) and go away with all that runs on them when the network is dropped or
//! the process that made it ends, however it ends: nothing is registered anywhere, so networks of several processes do
//! not meet either.
//!
//! [`Mpirun`] is the launcher of one MPI, with what it needs to start more images than there are cores, for root too,
//! here or on the hosts of a network.

mod agent;
mod finalize;
mod host;
mod keeper;
mod links;
mod mpirun;
mod network;
mod permitted;
mod requirement;
mod skipped;

pub use host::Host;
pub use mpirun::{Flavour, Job, Mpirun};
pub use network::Network;
pub use requirement::{Requirement, required};
pub use skipped::{installed, left_out, noted, skipped};
