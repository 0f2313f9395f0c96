//! Images that are processes: the way in which a process becomes one, and the publication of its end to the others and
//! to the system. For Rust programs [`crate::processes::run`] combines these, for compiled ones a front end.

pub mod bootstrap;
mod buffers;
mod cluster;
mod death;
mod descriptors;
mod ending;
mod entry;
mod exit;
mod goodbye;
mod hangs;
mod keepalive;
pub mod last_words;
mod main_thread;
pub mod memory;
mod monitor;
pub mod permission;
mod serving;
pub mod termination;
mod unread;
pub mod valgrind;
mod watch;

pub use crate::failure::{ERROR_STATUS, START_STATUS, end_job, ending_code, exit_status};
pub use exit::Exit;
pub use main_thread::is_main_thread;

use crate::error::{Error, Result};
use crate::image::Image;
use crate::job::page::ImageState;
use crate::report::report;
use crate::settings::Settings;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A process that is an image.
#[derive(Debug)]
pub struct Member {
    /// The image.
    pub image: Image,
    /// The way in which the process leaves the job.
    pub exit: Exit,
}

/// Makes this process an image of its job. Call it once, early and from the main thread (see [`bootstrap::start`]). The
/// caller should have the process watched next ([`Exit::watch`]).
///
/// # Errors
/// Those of [`bootstrap::start`] and [`Image::new`]; see [`cannot_start`].
pub fn start(settings: Settings) -> Result<Member> {
    memory::permit();
    let start = bootstrap::start(&settings)?;
    let world = start.world.clone();
    member(start, settings).map_err(|error| match world {
        Some(world) if error != Error::JobEnding => cluster::give_up(&world, &error),
        _ => error,
    })
}

fn member(start: bootstrap::Start, settings: Settings) -> Result<Member> {
    let bootstrap::Start { job, rank, world } = start;
    let job = Arc::new(job);
    let read_cache = serving::read_cache(world.as_ref(), &settings);
    let settings = Settings { read_cache, ..settings };
    let (transport, serving) = serving::reach(&job, rank, world.as_ref(), &settings)?;
    if let Some(world) = &world {
        world.settle();
    }
    let exit = Exit::new(&job, rank, world, serving, &settings)?;
    let image = Image::new(job, rank, transport, settings)?;
    Ok(Member { image, exit })
}

/// Reports why this process cannot be an image, unless another one has reported it for all; returns the exit status of
/// the process.
pub fn cannot_start(error: &Error) -> u8 {
    if *error != Error::JobEnding {
        report(format_args!("{error}"));
    }
    START_STATUS
}

/// Whether this process is the image, which has not ended.
pub fn is_running(image: &Image) -> bool {
    // Relaxed: written when the process began. A process that the image has forked is not the image.
    let is_image = image.entry().pid.load(Ordering::Relaxed) == std::process::id();
    is_image && image.job().state(image.rank()) == ImageState::Running
}
