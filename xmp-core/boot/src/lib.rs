//! Internal to XMP-RT; the crate `xmp-core` exports what is meant for use.
//!
//! Start and end of processes. (Models of `loom` have threads only.)
//!
//! | module | subject |
//! |---|---|
//! | [`hosts`] (and its README) | the launcher on several hosts |
//! | [`launch`] (and its README) | the launcher: runs a program as images, and sees their end |
//! | [`process`] | how a process becomes an image, and how it leaves its job |
//! | [`processes`] | the images of Rust programs |
//! | [`race_reports`] | reports of races, where they are looked for |
//! | [`log`] | the log of a process |
#![cfg(not(loom))]

pub mod hosts;
pub mod launch;
pub mod log;
pub mod process;
pub mod processes;
pub mod race_reports;
mod race_totals;
mod readable;

use xmp_map::{cooperation, error, rank};
use xmp_net::{control, plugin, server, sockets, world};
use xmp_shm::{
    endpoint, failure, image, job, line_cache, machine, races, region, report, service_thread,
    settings, short_slices, sync, transport, wait,
};
