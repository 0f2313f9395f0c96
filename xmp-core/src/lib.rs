//! The core of XMP-RT: the job and its images, locality, segments, transports, waiting and failure.
//!
//! An image is no global state: an [`Image`] handle is passed explicitly, so that many images can
//! live as threads of one process ([`transport::threads`]) exactly as they live as processes of one
//! host. Only the `ffi` crate owns a process-wide instance. What changes a process as a whole is in the rooms for
//! processes that are images or launchers: [`process`] (an exit handler), [`job::bootstrap`] (the
//! environment), [`launch`] (signals, descendants) and [`log`] (the subscriber).
//!
//! | to find | open |
//! |---|---|
//! | what an image knows and can do | [`image`] |
//! | what a program's environment may say | [`settings`] |
//! | how images come to share memory | [`region`], [`job`] |
//! | how processes become images | [`launch`] (and its README), [`job::bootstrap`], [`process`] |
//! | how an image waits, and what ends a wait | [`wait`] (and its README) |
//! | how several threads of an image use the library | [`threads`] |
//! | how the end of an image reaches the others | [`failure`] (and its README) |
//! | who executes now | [`image_set`] |
//! | where images of one host meet | [`area`] (and its README) |
//! | how MPI is found and plugged in | [`plugin`] (and its README) |
//! | nodes, templates, distributions: the global view | [`global`] (and its README) |
//! | what crosses hosts | [`transport`], [`notify`] (and its README) |
//! | where posts with tags wait | [`post`] |
//! | which way requests go between hosts | [`cooperation`] (and its README) |

pub mod coll_area;
pub mod cooperation;
pub mod error;
pub mod failure;
pub mod global;
pub mod heap;
pub mod image;
pub mod image_set;
pub mod job;
#[cfg(not(loom))]
pub mod launch;
#[cfg(not(loom))]
pub mod log;
pub mod notify;
pub mod number;
#[cfg(not(loom))]
pub mod plugin;
pub mod post;
#[cfg(not(loom))]
pub mod process;
pub mod rank;
pub mod region;
pub mod server;
pub mod settings;
pub mod sync;
pub mod threads;
pub mod transport;
pub mod triplet;
pub mod wait;

pub use error::{Error, Result};
pub use image::Image;
pub use rank::Rank;
pub use triplet::Triplet;
