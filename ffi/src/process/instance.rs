//! The process-wide instance: created lazily, never destroyed.

use super::mpi::{self, Communicators};
use super::teams::Teams;
use super::{end, front_end};
use crate::{c, omni};
use std::cell::RefCell;
use std::ops::Deref;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};
use xmp_coarray::registry::Registry;
use xmp_collectives::select::Choices;
use xmp_core::process::{self, Exit, Member};
use xmp_core::settings::Settings;
use xmp_core::threads::Inside;
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
    /// What the C front end remembers.
    pub c: c::State,
    /// What the Omni front end remembers.
    pub omni: omni::State,
}

static INSTANCE: AtomicPtr<Instance> = AtomicPtr::new(ptr::null_mut());

/// The instance while this thread is inside the lock of its image.
#[derive(Debug)]
pub struct Entered {
    instance: &'static Instance,
    _inside: Inside<'static>,
}

impl Deref for Entered {
    type Target = &'static Instance;
    #[inline(always)]
    fn deref(&self) -> &&'static Instance {
        &self.instance
    }
}

/// Begins a function of a front end: no other thread of the image executes one until the result is dropped. What waits for
/// other images may let others in meanwhile ([`xmp_core::threads`]). The instance is created now if need be.
#[inline(always)]
pub fn enter() -> Entered {
    let instance = any_thread();
    Entered { instance, _inside: instance.image.threads().enter() }
}

/// The instance, if there is one, for what any thread may do at any time: the end of the process, and to read what does not
/// change while other threads use the library.
#[inline(always)]
pub fn current() -> Option<&'static Instance> {
    // SAFETY: null or a leaked box. A caller outside [`enter`] uses only what the documentation of this function allows.
    unsafe { INSTANCE.load(Ordering::Acquire).as_ref() }
}

/// As [`current`], created now if need be.
#[inline(always)]
pub fn any_thread() -> &'static Instance {
    match current() {
        Some(instance) => instance,
        None => create(),
    }
}

/// The instance, within [`enter`].
#[inline(always)]
pub fn instance() -> &'static Instance {
    let instance = any_thread();
    debug_assert!(instance.image.threads().is_inside(), "a function of a front end enters first");
    instance
}

#[cold]
#[inline(never)]
fn create() -> &'static Instance {
    /// Held by the thread that creates the instance.
    static CREATING: Mutex<()> = Mutex::new(());
    let _creating = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(instance) = current() {
        return instance;
    }
    let started = start().and_then(|instance| {
        let instance: &_ = Box::leak(Box::new(instance));
        let publish = || INSTANCE.store(ptr::from_ref(instance).cast_mut(), Ordering::Release);
        front_end::start_all(instance.image.job(), publish)?;
        Ok(instance)
    });
    match started {
        Ok(instance) => {
            instance.exit.watch(&instance.image);
            watch_forks();
            end::watch_panics();
            mpi::watch_finalize(instance);
            instance
        }
        Err(error) => end::cannot_start(&error),
    }
}

/// Has processes that this one forks call nothing of the library.
fn watch_forks() {
    extern "C" fn child() {
        if let Some(instance) = current() {
            instance.image.close_after_fork();
        }
    }
    // SAFETY: the handler changes words of this process only.
    unsafe { libc::pthread_atfork(None, None, Some(child)) };
}

fn start() -> Result<Instance> {
    let settings = Settings::from_env()?;
    // Known to be wrong now rather than at the first collective.
    Choices::from_settings(&settings)?;
    log::start(settings.log.as_deref())?;
    let Member { mut image, exit } = process::start(settings)?;
    image.prepare_for_threads();
    tracing::debug!(image = image.rank().image(), images = image.job().images(), "image started");
    Ok(Instance {
        image,
        exit,
        communicators: Communicators::default(),
        registry: RefCell::default(),
        teams: RefCell::default(),
        c: c::State::default(),
        omni: omni::State::default(),
    })
}
