//! Images that are threads of one process: for tests, model programs and doc examples.

#[cfg(not(loom))]
mod hosts;

use super::{Local, Transport};
use crate::error::{Error, Result};
use crate::failure;
use crate::image::Image;
use crate::job::page::{Geometry, Place, Waiting};
use crate::job::{Job, Plan};
use crate::rank::Rank;
use crate::region::{Region, machine_limit};
#[cfg(not(loom))]
use crate::server::in_process::Shim;
use crate::settings::Settings;
use std::sync::Arc;

#[cfg(not(loom))]
pub use hosts::run_on_hosts;

/// Runs `body` on `images` images, split over `hosts` virtual hosts, and returns what each returned.
///
/// Segments are 1 GiB of address space unless the settings say otherwise. An image that returns has stopped. An image
/// that panics has failed, and its panic is passed on after all others have ended.
///
/// # Errors
/// When the job cannot be set up.
///
/// ```
/// let ranks = xmp_core::transport::threads::run(3, 1, |image| image.rank().get())?;
/// assert_eq!(ranks, [0, 1, 2]);
/// # Ok::<(), xmp_core::Error>(())
/// ```
pub fn run<T: Send>(images: u32, hosts: u32, body: impl Fn(&Image) -> T + Sync) -> Result<Vec<T>> {
    run_with(Settings::from_env()?, images, hosts, body)
}

/// [`run`] with these settings in place of those of the environment. Their `separate_hosts` gives each host memory of
/// its own ([`run_on_hosts`]).
///
/// # Errors
/// When the job cannot be set up.
pub fn run_with<T: Send>(
    settings: Settings,
    images: u32,
    hosts: u32,
    body: impl Fn(&Image) -> T + Sync,
) -> Result<Vec<T>> {
    #[cfg(not(loom))]
    if settings.separate_hosts && hosts > 1 {
        return run_on_hosts(settings, images, hosts, Shim::default(), body);
    }
    let segment = settings.segment_size.or(Some(1 << 30));
    let geometry = Geometry { base: 0, ..Geometry::plan(images, hosts, segment)? };
    let job = Arc::new(job(&settings, geometry)?);
    run_images(&settings, images, body, |rank| {
        let transport: Box<dyn Transport> = Box::new(Local::new(job.clone(), rank));
        (job.clone(), transport)
    })
}

/// The job of images that are threads, in a region of its own.
pub(crate) fn job(settings: &Settings, geometry: Geometry) -> Result<Job> {
    let images = geometry.images;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory_limit = settings.memory_limit.unwrap_or_else(machine_limit);
    let plan = Plan {
        geometry,
        waiting: Waiting::budget(images, cores, settings),
        memory_limit,
        symmetric_limit: memory_limit / u64::from(images),
        hosts: geometry.hosts_by_block(),
        techniques: settings.techniques,
        places: Place::in_groups(images, &settings.virtual_groups),
    };
    Ok(Job::create(Region::anonymous(geometry.region_len())?, &plan))
}

/// Starts a thread for each image; `place` returns its job and its transport to the others.
fn run_images<T: Send>(
    settings: &Settings,
    images: u32,
    body: impl Fn(&Image) -> T + Sync,
    place: impl Fn(Rank) -> (Arc<Job>, Box<dyn Transport>) + Sync,
) -> Result<Vec<T>> {
    let outcomes: Vec<std::thread::Result<Result<T>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..images)
            .map(|number| {
                let (settings, body, place) = (settings.clone(), &body, &place);
                scope.spawn(move || {
                    let rank = Rank::new(number);
                    let (job, transport) = place(rank);
                    let ending = Ending { job: &job, rank };
                    let image = Image::new(job.clone(), rank, transport, settings)?;
                    let value = body(&image);
                    // An error is the end of other images, which report it themselves.
                    let _ = image.transport().finish();
                    drop(ending);
                    Ok::<T, Error>(value)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    });
    let mut values = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(value) => values.push(value?),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    Ok(values)
}

/// Publishes how an image ended when it goes out of scope.
struct Ending<'a> {
    job: &'a Job,
    rank: Rank,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            failure::publish_failed(self.job, self.rank);
        } else {
            failure::publish_stopped(self.job, self.rank);
        }
    }
}
