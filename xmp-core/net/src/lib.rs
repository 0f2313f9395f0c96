//! Internal to XMP-RT; the crate `xmp-core` exports what is meant for use.
//!
//! The images of several hosts.
//!
//! | module | subject |
//! |---|---|
//! | [`server`] (and its README) | the communication server of a host, and its clients |
//! | [`plugin`] (and its README) | how MPI is found and loaded |
//! | `manager` (and its README) | the process manager, spoken to without MPI |
//! | [`control`] | connections of `xmprun` to its proxies on other hosts |
//! | [`world`] | the processes that a launcher has started together, by either way |
//! | [`sockets`] (and its README) | messages by TCP connections, unless MPI is faster |
//! | [`thread_hosts`] | images that are threads, on hosts that share no memory |

#[cfg(not(loom))]
pub mod control;
#[cfg(not(loom))]
mod manager;
#[cfg(not(loom))]
pub mod plugin;
pub mod server;
#[cfg(not(loom))]
pub mod sockets;
#[cfg(not(loom))]
pub mod thread_hosts;
#[cfg(not(loom))]
pub mod world;

#[cfg(not(loom))]
use xmp_map::cooperation;
use xmp_map::{error, nest, rank};
#[cfg(not(loom))]
use xmp_shm::{
    failure, image, notify, races, report, service_thread, short_slices, thread_images, wait,
};
use xmp_shm::{job, machine, settings, sync, transport};
