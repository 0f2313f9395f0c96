//! The communication server of a host and its asking side. Read `README.md` beside this file first.

pub mod carrier;
#[cfg(not(loom))]
mod clients;
#[cfg(not(loom))]
mod credits;
pub mod handlers;
#[cfg(not(loom))]
mod here;
#[cfg(not(loom))]
pub mod in_process;
#[cfg(not(loom))]
mod incoming;
mod limits;
#[cfg(not(loom))]
mod merging;
#[cfg(not(loom))]
mod mirror;
#[cfg(not(loom))]
mod origin;
#[cfg(not(loom))]
mod outbox;
#[cfg(not(loom))]
mod packing;
#[cfg(not(loom))]
mod parcels;
mod peers;
#[cfg(not(loom))]
mod port;
#[cfg(not(loom))]
mod relaying;
#[cfg(not(loom))]
mod requests;
#[cfg(not(loom))]
mod route;
#[cfg(not(loom))]
mod serve;
#[cfg(not(loom))]
mod telling;
#[cfg(not(loom))]
mod thread;
pub mod turn;
pub mod wire;

pub use carrier::{Carrier, Op, Tag, Window};
pub use handlers::{Handler, Handlers, Served};
pub use limits::Limits;
#[cfg(not(loom))]
pub use origin::Origin;
pub use peers::Peers;
#[cfg(not(loom))]
pub use port::Port;
#[cfg(not(loom))]
pub use serve::Server;
#[cfg(not(loom))]
pub use thread::{Progress, exact_naps};
