//! Images that are threads of one process, for tests, model programs and doc examples: on virtual hosts that share
//! memory, or on hosts that each have their own.

mod separate;

pub use separate::run_on_hosts;

use crate::error::Result;
use crate::image::Image;
use crate::server::in_process::Shim;
use crate::settings::Settings;
use crate::thread_images;

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

/// [`run`] with these settings instead of those of the environment. Their `separate_hosts` gives each host memory of
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
    if settings.separate_hosts && hosts > 1 {
        return run_on_hosts(settings, images, hosts, Shim::default(), body);
    }
    thread_images::run_with(settings, images, hosts, body)
}
