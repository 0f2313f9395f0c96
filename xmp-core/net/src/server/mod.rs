//! The communication server of a host and its origin side. Read `README.md` beside this file first.

#[cfg(not(loom))]
mod bundle;
#[cfg(not(loom))]
mod clients;
mod dependencies;
pub mod fabric;
#[cfg(not(loom))]
mod hosts;
#[cfg(not(loom))]
pub mod in_process;
#[cfg(not(loom))]
mod incoming;
#[cfg(not(loom))]
mod limits;
#[cfg(not(loom))]
mod local_host;
#[cfg(not(loom))]
mod merging;
#[cfg(not(loom))]
mod notes;
#[cfg(not(loom))]
mod origin;
#[cfg(not(loom))]
mod outbox;
mod peers;
#[cfg(not(loom))]
mod pending;
#[cfg(not(loom))]
mod port;
pub mod progress_lock;
#[cfg(not(loom))]
mod propagation;
#[cfg(not(loom))]
mod relaying;
#[cfg(not(loom))]
mod replica;
#[cfg(not(loom))]
mod requests;
#[cfg(not(loom))]
mod route;
#[cfg(not(loom))]
mod sections;
#[cfg(not(loom))]
mod serve;
#[cfg(not(loom))]
mod thread;
pub mod wire;

pub use crate::job::{Handler, HandlerCall, Handlers};
pub use crate::settings::Limits;
pub use crate::transport::Op;
pub use fabric::{Fabric, Tag, Window};
#[cfg(not(loom))]
pub use hosts::Hosts;
#[cfg(not(loom))]
pub use notes::{NOTE, Notes};
#[cfg(not(loom))]
pub use origin::Origin;
pub use peers::Peers;
#[cfg(not(loom))]
pub use port::Port;
#[cfg(not(loom))]
pub use route::Route;
#[cfg(not(loom))]
pub use serve::Server;
#[cfg(not(loom))]
pub use thread::{Progress, exact_naps};
