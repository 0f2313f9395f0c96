//! The state of the plug-in between calls.

use crate::outcome::{Failure, Result};
use mpi::ffi::{MPI_Comm, MPI_Win};
use std::sync::{Mutex, OnceLock};
use xmp_plugin::{Scope, Status};

/// Made by `start`.
#[derive(Debug)]
pub struct State {
    /// A copy of MPI_COMM_WORLD, so that messages of the plug-in never mix with the program's.
    pub all: MPI_Comm,
    /// The processes that can share memory with this one.
    pub host: MPI_Comm,
    /// The first process of each host; for a leader only.
    pub leaders: Option<MPI_Comm>,
    /// Whether the program has initialised MPI.
    pub by_program: bool,
    /// Open windows, in the order in which all processes have opened them.
    pub windows: Mutex<Vec<MPI_Win>>,
}

// SAFETY: handles are names of objects of MPI: numbers, or addresses that only MPI follows. The library calls from one
// thread at a time, but for functions that MPI permits beside others.
unsafe impl Send for State {}
// SAFETY: handles are not changed through shared references; see `Send`.
unsafe impl Sync for State {}

static STATE: OnceLock<State> = OnceLock::new();

/// Sets the state, once.
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
