//! The core of XMP-RT: the job and its images, locality, segments, transports, waiting and failure.
//!
//! An image is no global state: an [`Image`] handle is passed explicitly, so that many images can live as threads of one
//! process ([`transport::threads`]) exactly as they live as processes of one host. Only the `ffi` crate owns a
//! process-wide instance. Only these modules change the state of a whole process: [`process`] (an exit handler),
//! [`bootstrap`] (the environment), [`launch`] (signals, descendants) and [`log`] (the subscriber).
//!
//! | subject | module |
//! |---|---|
//! | the handle of an image | [`image`] |
//! | the environment variables of a program | [`settings`] |
//! | the memory that images share | [`region`], [`job`] |
//! | how processes become images | [`launch`] (and its README), [`bootstrap`], [`process`] |
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

#[cfg(not(loom))]
pub mod bootstrap;
#[cfg(not(loom))]
mod cluster;
pub mod coll_area;
pub mod cooperation;
pub mod endpoint;
pub mod error;
pub mod failure;
pub mod global;
pub mod heap;
pub mod image;
pub mod image_group;
pub mod image_set;
pub mod job;
#[cfg(not(loom))]
pub mod launch;
#[cfg(not(loom))]
pub mod log;
pub mod members;
pub mod memory;
pub mod notify;
pub mod number;
#[cfg(not(loom))]
pub mod plugin;
pub mod post;
#[cfg(not(loom))]
pub mod process;
#[cfg(not(loom))]
pub mod processes;
pub mod rank;
pub mod region;
pub mod say;
pub mod server;
#[cfg(not(loom))]
pub mod service_thread;
pub mod settings;
pub mod sync;
#[cfg(not(loom))]
pub mod thread_hosts;
pub mod thread_images;
pub mod threads;
pub mod transport;
pub mod triplet;
pub mod wait;

pub use error::{Error, Result};
pub use image::Image;
pub use rank::Rank;
pub use triplet::Triplet;
