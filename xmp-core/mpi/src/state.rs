//! What the plug-in remembers between calls.

use crate::outcome::{Failure, Result};
use mpi::ffi::{MPI_Comm, MPI_Win};
use std::sync::{Mutex, OnceLock};
use xmp_plugin::{Scope, Status};

/// Made by `start`.
#[derive(Debug)]
pub struct State {
    /// A copy of MPI_COMM_WORLD, so that our messages never meet the program's.
    pub all: MPI_Comm,
    /// Those that can share memory with this process.
    pub host: MPI_Comm,
    /// The first of each host; for a leader only.
    pub leaders: Option<MPI_Comm>,
    /// The program has initialised MPI.
    pub by_program: bool,
    /// Windows that are open, in the order that all have opened them in.
    pub windows: Mutex<Vec<MPI_Win>>,
}

// SAFETY: handles are names of things of MPI's: numbers, or addresses that only MPI follows; the library calls from
// one thread at a time, but for what MPI itself allows to be called beside others.
unsafe impl Send for State {}
// SAFETY: as above.
unsafe impl Sync for State {}

static STATE: OnceLock<State> = OnceLock::new();

/// Once.
pub fn set(state: State) -> Result {
    STATE.set(state).map_err(|_| Failure::new(Status::FAILED, "started twice"))
}

pub fn state() -> Result<&'static State> {
    STATE.get().ok_or_else(|| Failure::new(Status::FAILED, "not started"))
}

impl State {
    /// The communicator of a scope.
    pub fn communicator(&self, scope: Scope) -> Result<MPI_Comm> {
        match scope {
            Scope::ALL => Ok(self.all),
            Scope::HOST => Ok(self.host),
            Scope::LEADERS => self.leaders.ok_or_else(|| {
                Failure::new(Status::UNSUPPORTED, "only the leader of a host speaks to leaders")
            }),
            Scope(other) => {
                Err(Failure::new(Status::UNSUPPORTED, format!("no scope has the number {other}")))
            }
        }
    }
}
