//! The functions of all process managers.

use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::sockets::Secret;

/// A process manager, as one of the processes that it has started sees it. No call waits longer than until the time that it was
/// opened with.
pub(crate) trait Manager {
    /// The number of this process.
    fn rank(&self) -> Rank;

    /// The number of processes.
    fn size(&self) -> u32;

    /// Makes bytes known, under a name that no process of the job uses again. Others find them after [`Manager::meet`].
    ///
    /// # Errors
    /// When the process manager refuses, or has gone.
    fn publish(&mut self, name: &str, bytes: &[u8]) -> Result<()>;

    /// Waits until all processes have called it.
    ///
    /// # Errors
    /// When they do not come in time, or the process manager has gone.
    fn meet(&mut self) -> Result<()>;

    /// The bytes that the process `by` has made known.
    ///
    /// # Errors
    /// When there are none.
    fn find(&mut self, by: Rank, name: &str) -> Result<Vec<u8>>;

    /// A secret that all processes of the job have got without a network, or by a connection that no other process can read; `None` if
    /// the process manager has none.
    ///
    /// # Errors
    /// When the process manager refuses, or has gone.
    fn secret(&mut self) -> Result<Option<Secret>> {
        Ok(None)
    }

    /// Ends the use of the process manager: this process may end in any way afterwards, and no other one is ended because of it.
    ///
    /// # Errors
    /// When the process manager refuses, or has gone.
    fn finish(&mut self) -> Result<()>;

    /// Has the process manager end all processes of the job with this status. Returns at once.
    fn abort(&mut self, status: i32, why: &str);
}

xmp_map::debug_by_name!(Manager);

/// The error of a process manager that answers a request otherwise than it must.
pub(super) fn unexpected(request: &str, answer: &str) -> Error {
    Error::system(
        "process manager",
        format!(
            "unexpected answer to {request}: {answer:?}; xmprun starts images without this launcher"
        ),
    )
}
