//! The core of XMP-RT: the job and its images, locality, segments, transports, waiting and failure.
//!
//! An image is no global state: an [`Image`] handle is passed explicitly, so that many images can live as threads of one
//! process ([`transport::threads`]) exactly as they live as processes of one host. Only the `ffi` crate owns a
//! process-wide instance. Only these modules change the state of a whole process: [`process`] (an exit handler),
//! [`process::bootstrap`] (the environment), [`launch`] (signals, descendants) and [`log`] (the subscriber).
//!
//! | subject | module |
//! |---|---|
//! | the handle of an image | [`image`] |
//! | the environment variables of a program | [`settings`] |
//! | the memory that images share | [`region`], [`job`] |
//! | how processes become images | [`launch`] (and its README), [`process::bootstrap`], [`process`] |
//! | how an image waits, and what ends a wait | [`wait`] (and its README) |
//! | several threads of an image | [`threads`] |
//! | how the end of an image reaches the others | [`failure`] (and its README) |
//! | image sets, and the stack of executing ones | [`image_set`] |
//! | barriers and small data on one host | [`coll_area`] (and its README) |
//! | how MPI is found and loaded | [`plugin`] (and its README) |
//! | nodes, templates, distributions: the global view | [`global`] (and its README) |
//! | data between images, and between hosts | [`transport`], [`notify`] (and its README), [`server`] (and its README) |
//! | the words of a row of posts with tags | [`post`] |
//! | the route of requests between hosts | [`cooperation`] (and its README) |
//!
//! This crate has no code of its own. Its modules are those of four internal crates: `xmp-map` (pure arithmetic), `xmp-shm`
//! (the images of one host), `xmp-net` (between hosts) and `xmp-boot` (start and end of processes).

pub use xmp_map::{
    by_offset, cooperation, counted, error, global, hash, language, nest, number, rank, size,
    triplet,
};
pub use xmp_net::server;
#[cfg(not(loom))]
pub use xmp_net::{control, plugin, world};
pub use xmp_shm::{
    coll_area, failure, heap, job, line_cache, machine, notify, post, race_hooks, races, region,
    sync, threads, wait,
};

pub use error::{BoxedResult, Error, ErrorKind, Result, SystemError};
pub use image::Image;
pub use rank::Rank;
pub use triplet::Triplet;

/// The handle of an image: everything that one image knows and can do.
pub mod image {
    pub use xmp_shm::image::{
        DeferredFrees, Endpoint, FailedCall, Image, Memory, Owner, Peer, Source, TableReference,
        Words, Work,
    };
}

/// Image sets: ordered lists of images with their collective areas, and the stack of those that execute.
pub mod image_set {
    pub use xmp_shm::image_set::{
        Frame, ImageGroup, ImageSet, Key, Levels, Members, Split, Stack, by_rank,
    };
}

/// Settings: the environment variables that change the behaviour of the runtime, in one table.
pub mod settings {
    pub use xmp_shm::settings::{
        Checks, DeadlockAction, ObjectSettings, Preference, RaceAction, Setting, Settings, TABLE,
        Techniques, TransportChoice, Unknown, unknown,
    };
}

/// The launcher: runs a program as images on this machine and sees their end.
#[cfg(not(loom))]
pub mod launch {
    pub use xmp_boot::launch::*;
    pub use xmp_shm::report::report;
}

/// The launcher on several hosts.
#[cfg(not(loom))]
pub mod hosts {
    pub use xmp_boot::hosts::*;
}

/// `XMP_LOG`: the log of a process, on standard error.
#[cfg(not(loom))]
pub mod log {
    pub use xmp_boot::log::*;
}

/// Images that are processes: how a process becomes one, and how it leaves its job.
#[cfg(not(loom))]
pub mod process {
    pub use xmp_boot::process::*;
    pub use xmp_shm::failure::{ERROR_STATUS, START_STATUS, end_job, ending_code, exit_status};
}

/// Reports of races, where they are looked for.
#[cfg(not(loom))]
pub mod race_reports {
    pub use xmp_boot::race_reports::*;
}

/// Transports: how bytes reach the segment of another image.
pub mod transport {
    #[cfg(not(loom))]
    pub use xmp_boot::processes;
    #[cfg(not(loom))]
    pub use xmp_net::server::Hosts;
    #[cfg(not(loom))]
    pub use xmp_net::thread_hosts as threads;
    #[cfg(loom)]
    pub use xmp_shm::thread_images as threads;
    pub use xmp_shm::transport::*;
}
