//! Internal to XMP-RT; the crate `xmp-core` exports what is meant for use.
//!
//! The images of several hosts.
//!
//! | module | subject |
//! |---|---|
//! | [`server`] (and its README) | the communication server of a host, and its clients |
//! | [`plugin`] (and its README) | how MPI is found and loaded |
//! | [`thread_hosts`] | images that are threads, on hosts that share no memory |

#[cfg(not(loom))]
pub mod plugin;
pub mod server;
#[cfg(not(loom))]
pub mod thread_hosts;

use xmp_map::{cooperation, error, rank};
use xmp_shm::{
    failure, image, job, notify, service_thread, settings, sync, thread_images, transport, wait,
};
