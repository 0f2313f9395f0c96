//! The start of the image: entry functions obtain the instance here, and the first one creates it.

use super::begin;
use super::instance::{Beginning, Instance, created, current, publish};
use super::{end, forks, front_end, mpi, races, run_time_library};
use std::cell::RefCell;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};
use xmp_coarray::front_end::registry::Registry;
use xmp_collectives::select::Choices;
use xmp_core::image::Source;
use xmp_core::process::{self, Member};
use xmp_core::settings::Settings;
use xmp_core::threads::Inside;
use xmp_core::{Error, Result, log};

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

/// Begins a function of a front end: no other thread of the image executes one until the result is dropped. What waits
/// for other images may let others in meanwhile ([`xmp_core::threads`]). The instance is created now if need be.
#[inline(always)]
pub fn enter() -> Entered {
    let instance = any_thread();
    Entered { instance, _inside: instance.image.threads().enter() }
}

/// Begins the registration of a coarray that is not allocatable, which constructors make: as [`enter`], but the image need
/// not have begun, and has to begin afterwards.
pub fn enter_constructor() -> Entered {
    let instance = created().unwrap_or_else(create);
    let entered = Entered { instance, _inside: instance.image.threads().enter() };
    begin::await_constructors(instance);
    entered
}

/// As [`enter`], for what is no operation on a coarray: the image need not have begun. `None` without an instance.
pub fn enter_created() -> Option<Entered> {
    let instance = created()?;
    Some(Entered { instance, _inside: instance.image.threads().enter() })
}

/// The instance, created now if need be, of an image that has begun. Any thread may use it as [`current`] says.
#[inline(always)]
pub fn any_thread() -> &'static Instance {
    match current() {
        Some(instance) => instance,
        None => begin(),
    }
}

/// The first statement of a Fortran `main`.
pub fn begin_main() {
    begun(begin::begin_main(created().unwrap_or_else(create)));
}

/// The constructors of the program, or of a library that was opened, have returned: `ffi/constructed.c`.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_constructed() {
    if let Some(instance) = created() {
        begun(begin::end_of_constructors(instance));
    }
}

/// The outcome of the beginning.
fn begun(outcome: Result<()>) {
    if let Err(error) = outcome {
        end::run_time_error("program start", &error);
    }
}

#[cold]
#[inline(never)]
fn begin() -> &'static Instance {
    let instance = created().unwrap_or_else(create);
    begun(begin::begin(instance));
    instance
}

/// The instance, within [`enter`].
#[inline(always)]
pub fn instance() -> &'static Instance {
    // Another thread may open a library meanwhile, whose coarrays the operation of this one does not need.
    let instance = created().unwrap_or_else(begin);
    debug_assert!(instance.image.threads().is_inside(), "a function of a front end enters first");
    instance
}

#[cold]
#[inline(never)]
fn create() -> &'static Instance {
    /// Held by the thread that creates the instance.
    static CREATING: Mutex<()> = Mutex::new(());
    let _creating = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(instance) = created() {
        return instance;
    }
    let started = start().and_then(|instance| {
        let instance: &_ = Box::leak(Box::new(instance));
        front_end::start_all(instance.image.job(), || publish(instance))?;
        Ok(instance)
    });
    match started {
        Ok(instance) => {
            instance.exit.watch(&instance.image, run_time_library::has_found_error);
            watch_exit();
            forks::watch();
            watch_panics();
            mpi::watch_finalize(instance);
            races::attach(instance);
            instance
        }
        Err(error) => cannot_start(&error),
    }
}

/// Has the end of the process begin the image, for which others may wait. The handler is called before the one that
/// publishes the end.
fn watch_exit() {
    extern "C" fn at_exit() {
        if let Some(instance) = created() {
            begin::begin_to_end(instance);
            end::compare_at_exit(instance);
        }
    }
    // SAFETY: the handler is a function of the program itself or of a library with the program's state, which is not
    // unloaded.
    unsafe { libc::atexit(at_exit) };
}

fn start() -> Result<Instance> {
    let settings = Settings::from_env()?;
    // Known to be wrong now rather than at the first collective.
    Choices::from_settings(&settings)?;
    log::start(settings.log.as_deref())?;
    let Member { mut image, exit } = process::start(settings)?;
    image.prepare_for_threads();
    image.set_source(Source { language: front_end::language, statement: end::place });
    tracing::debug!(image = image.rank().image(), images = image.job().images(), "image started");
    let registry = Registry::default();
    let recent = registry.recent().clone();
    let registry = RefCell::new(registry);
    Ok(Instance { image, exit, registry, recent, beginning: Beginning::default() })
}

/// Has panics end the job: they must not cross a front end.
fn watch_panics() {
    std::panic::set_hook(Box::new(|info| end::die("internal error", info)));
}

/// The runtime could not start: other images cannot be informed.
fn cannot_start(error: &Error) -> ! {
    let status = process::cannot_start(error);
    // Not `exit`: this may be a constructor, before the program's own handlers are consistent.
    // SAFETY: `_exit` takes any status, and ends the process.
    unsafe { libc::_exit(status.into()) }
}
