//! Short messages between hosts by TCP sockets of our own, where that is faster than MPI.

pub mod addresses;
mod connect;
mod fabric;
mod operations;
mod stream;

pub use fabric::SocketFabric;

use crate::error::{Error, Result};
use crate::plugin::Plugin;
use crate::rank::Rank;
use crate::server::Fabric;

/// Makes it.
pub fn make(plugin: &Plugin, mpi: Box<dyn Fabric>, leaders: Vec<Rank>) -> Result<Box<dyn Fabric>> {
    let images = leaders.len();
    match connect::connect(plugin, leaders, false)? {
        Ok(streams) => Ok(Box::new(SocketFabric::new(mpi, images, streams)?)),
        Err(why) => Err(Error::Invalid(why)),
    }
}
