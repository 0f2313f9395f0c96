//! A job that a launcher of MPI or a process manager has started: how its processes become images. Each of its hosts has a region of its
//! own.
//!
//! | step | where |
//! |---|---|
//! | join the other processes | [`crate::world::join`] |
//! | same library, program and settings everywhere? | `identity`, `program` |
//! | hosts of the images, size of segments, memory limits, waiting budgets | `agree`, `split` |
//! | one region a host | `share` |
//!
//! Each step costs an exchange of a few words with all images (a collective operation of MPI: log P messages an image; without
//! MPI a message to the first image, and one from it).
//! Nothing is done for each pair of images.

mod agree;
mod identity;
mod oob;
mod program;
mod share;
mod split;

use crate::error::{Error, Result};
use crate::failure::{START_STATUS, departure};
use crate::job::Job;
use crate::launch::cpu_set;
use crate::plugin::detect;
use crate::region::machine_limit;
use crate::report::report;
use crate::settings::Settings;
use crate::world::World;
use agree::agree;
use identity::Identity;
use oob::OobExchange;
use program::Program;
use rustix::thread::sched_setaffinity;
use share::share;
use std::hash::{BuildHasher, RandomState};

/// Makes this process an image of the job that it was started in. Collective over the job.
///
/// # Errors
/// [`Error::JobEnding`] when the processes do not fit together: one of them has reported why, and the world has been left.
pub fn start(world: &World, settings: &Settings) -> Result<Job> {
    let program = Program::of_this_process().unwrap_or_else(|error| give_up(world, &error));
    let identity = Identity::new(&program, settings);
    // Seeded by the system.
    let random = RandomState::new().hash_one(std::process::id());
    let agreement = match agree(world, &identity, settings, machine_limit(), random) {
        Ok(agreement) => agreement,
        Err(error @ (Error::System { .. } | Error::JobEnding)) => give_up(world, &error),
        Err(error) => return Err(refuse(world, &error)),
    };
    // A binding that the user has requested from the launcher stays.
    if settings.bind && !detect::is_binding_chosen() {
        bind(&agreement.bind);
    }
    let base = agreement.plan.geometry.base;
    let shared = share(world, &agreement, base, settings.huge_pages);
    Ok(shared.unwrap_or_else(|error| give_up(world, &error)))
}

/// Binds this thread, and those that it starts, to these processors, if there are any. If the system refuses, the
/// thread stays unbound: the job is slower then, not wrong.
fn bind(processors: &[usize]) {
    if processors.is_empty() {
        return;
    }
    let _ = sched_setaffinity(None, &cpu_set(processors));
}

/// Leaves the world because of an error that all processes of the job have: one of them reports it. Returns the error that is left
/// for this one, [`Error::JobEnding`] unless MPI fails. Collective over the job.
pub(super) fn refuse(world: &World, error: &Error) -> Error {
    // The first one to end has the others killed: the error must be reported before that.
    if world.rank().get() == 0 {
        report(format_args!("{error}"));
    }
    departure::announce();
    world.finish().err().unwrap_or(Error::JobEnding)
}

/// Ends the job because this process cannot be an image of it; reports why, unless another one has. Under MPI by MPI_Abort: a
/// launcher may take a process that leaves without it, and without MPI_Finalize, for one that has succeeded.
pub(super) fn give_up(world: &World, error: &Error) -> ! {
    if *error != Error::JobEnding {
        report(format_args!("{} on {}: {error}", world.rank(), OobExchange::host_name(world)));
    }
    world.abort(START_STATUS.into())
}
