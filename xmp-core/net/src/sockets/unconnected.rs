//! The fabric below that of the sockets where there is no MPI: it carries nothing.

use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::server::{Fabric, Op, Tag, Window};

/// The fabric.
#[derive(Debug)]
pub(super) struct Unconnected(pub Rank);

/// A receive that gets no message.
const NEVER: Op = Op(0);

#[cold]
fn no_way(peer: Rank) -> Error {
    Error::Invalid(format!("there is no connection to {peer}"))
}

impl Fabric for Unconnected {
    fn rank(&self) -> Rank {
        self.0
    }

    unsafe fn send(&mut self, to: Rank, _: Tag, _: *const [u8]) -> Result<Op> {
        Err(no_way(to))
    }

    unsafe fn receive(&mut self, from: Rank, _: Tag, _: *mut [u8]) -> Result<Op> {
        Err(no_way(from))
    }

    unsafe fn receive_any(&mut self, _: Tag, _: *mut [u8]) -> Result<Op> {
        Ok(NEVER)
    }

    fn test(&mut self, _: Op) -> Result<Option<(Rank, usize)>> {
        Ok(None)
    }

    fn cancel(&mut self, _: Op) -> Result<bool> {
        Ok(true)
    }

    fn reaches(&self, _: Rank) -> bool {
        false
    }

    fn window(&mut self) -> Option<&mut dyn Window> {
        None
    }
}
