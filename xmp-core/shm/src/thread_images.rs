//! Images that are threads of one process and share its memory.

use crate::error::{Error, Result};
use crate::failure;
use crate::image::Image;
use crate::job::page::Geometry;
use crate::job::{Job, Plan, ProgramFile};
use crate::rank::Rank;
use crate::region::{HugePages, Region};
use crate::settings::Settings;
use crate::transport::{FlushScope, Local, Transport};
use std::sync::Arc;

/// Runs `body` on `images` images, split over `hosts` virtual hosts that share memory, and returns what each returned.
/// An image that returns has stopped; an image that panics has failed, and its panic is passed on after all others have
/// ended.
///
/// # Errors
/// When the job cannot be set up.
pub fn run<T: Send>(images: u32, hosts: u32, body: impl Fn(&Image) -> T + Sync) -> Result<Vec<T>> {
    run_with(Settings::from_env()?, images, hosts, body)
}

/// [`run`] with these settings instead of those of the environment.
///
/// # Errors
/// When the job cannot be set up.
pub fn run_with<T: Send>(
    settings: Settings,
    images: u32,
    hosts: u32,
    body: impl Fn(&Image) -> T + Sync,
) -> Result<Vec<T>> {
    let segment = settings.segment_size.or(Some(1 << 30));
    let geometry = Geometry { base: 0, ..Geometry::plan(images, hosts, segment)? };
    let geometry = geometry.with_shadow(settings.check.races);
    let job = Arc::new(job(&settings, geometry)?);
    run_images(&settings, images, body, |rank| {
        let transport: Box<dyn Transport> = Box::new(Local::new(job.clone(), rank));
        (job.clone(), transport)
    })
}

/// The job of images that are threads, in a region of its own.
///
/// # Errors
/// When there is no memory for the region.
pub fn job(settings: &Settings, geometry: Geometry) -> Result<Job> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plan = Plan::new(geometry, Vec::new(), cores, settings);
    let plan = Plan {
        huge_pages: HugePages::of_private(settings.huge_pages),
        program: ProgramFile::COMPARED,
        ..plan
    };
    Ok(Job::create(Region::anonymous(geometry.region_len())?, &plan))
}

/// Starts a thread for each image; `place` returns its job and its transport to the others.
///
/// # Errors
/// When an image cannot be made.
pub fn run_images<T: Send>(
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
                    let _ = image.transport().flush(FlushScope::Everything);
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
