//! The process-wide instance: created lazily, never destroyed.

use super::end;
use super::mpi::{self, Communicators};
use super::teams::Teams;
use crate::{c, gnu, omni};
use std::cell::RefCell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use xmp_coarray::registry::Registry;
use xmp_collectives::select::Choices;
use xmp_core::process::{self, Exit, Member};
use xmp_core::settings::Settings;
use xmp_core::{Image, Result, log};

/// What a process has of the runtime.
#[derive(Debug)]
pub struct Instance {
    /// This image.
    pub image: Image,
    /// How this process leaves the job.
    pub exit: Exit,
    /// Communicators of its teams, under MPI.
    pub communicators: Communicators,
    /// Its coarrays.
    pub registry: RefCell<Registry>,
    /// The teams that its program has handles of.
    pub teams: RefCell<Teams>,
    /// What the gnu door remembers.
    pub gnu: gnu::State,
    /// What the C door remembers.
    pub c: c::State,
    /// What the Omni door remembers.
    pub omni: omni::State,
}

static INSTANCE: AtomicPtr<Instance> = AtomicPtr::new(ptr::null_mut());

/// The instance, if there is one: for the end of the process.
pub fn current() -> Option<&'static Instance> {
    // SAFETY: null or a leaked box. An image is used by one thread at a time; that is the contract of
    // every door (a coarray program's images are single-threaded towards the runtime).
    unsafe { INSTANCE.load(Ordering::Acquire).as_ref() }
}

/// The instance, created now if need be.
#[inline(always)]
pub fn instance() -> &'static Instance {
    match current() {
        Some(instance) => instance,
        None => create(),
    }
}

#[cold]
#[inline(never)]
fn create() -> &'static Instance {
    match start() {
        Ok(instance) => {
            let instance = Box::leak(Box::new(instance));
            INSTANCE.store(instance, Ordering::Release);
            instance.exit.watch(&instance.image);
            end::watch_panics();
            mpi::watch_finalize(instance);
            instance
        }
        Err(error) => end::cannot_start(&error),
    }
}

fn start() -> Result<Instance> {
    let settings = Settings::from_env()?;
    // Known to be wrong now rather than at the first collective.
    Choices::from_settings(&settings)?;
    log::start(settings.log.as_deref())?;
    let Member { image, exit } = process::start(settings)?;
    gnu::serve(image.job())?;
    tracing::debug!(image = image.rank().image(), images = image.job().images(), "image started");
    Ok(Instance {
        image,
        exit,
        communicators: Communicators::default(),
        registry: RefCell::default(),
        teams: RefCell::default(),
        gnu: gnu::State::default(),
        c: c::State::default(),
        omni: omni::State::default(),
    })
}
