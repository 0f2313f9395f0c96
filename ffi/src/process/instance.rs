//! The process-wide instance of the runtime, and the state that modules keep beside it. It is never destroyed.

use std::cell::{LazyCell, RefCell};
use std::sync::atomic::{AtomicPtr, Ordering};
use xmp_coarray::front_end::registry::Registry;
use xmp_core::Image;
use xmp_core::process::Exit;

/// What a process has of the runtime.
#[derive(Debug)]
pub struct Instance {
    /// This image.
    pub image: Image,
    /// How this process leaves the job.
    pub exit: Exit,
    /// Its coarrays.
    pub registry: RefCell<Registry>,
}

static INSTANCE: AtomicPtr<Instance> = AtomicPtr::new(std::ptr::null_mut());

/// The instance, if there is one, for what any thread may do at any time: the end of the process, and to read what does
/// not change while other threads use the library.
#[inline(always)]
pub fn current() -> Option<&'static Instance> {
    // SAFETY: null or a leaked box. A caller outside [`enter`] uses only what the documentation of this function
    // allows.
    unsafe { INSTANCE.load(Ordering::Acquire).as_ref() }
}

/// Publishes the instance.
pub(super) fn publish(instance: &'static Instance) {
    INSTANCE.store(std::ptr::from_ref(instance).cast_mut(), Ordering::Release);
}

/// State of this process's image that a module keeps from call to call: the value of its `static`. A reference to the
/// instance is the key to it.
#[derive(Debug)]
pub struct OfImage<T>(T);

// SAFETY: the only way to the value is a reference to the instance. Threads that have one keep the instance's rules:
// only one is inside the lock of the image, and outside of it they use what does not change while others are inside.
unsafe impl<T> Sync for OfImage<T> {}

impl<T> OfImage<T> {
    /// With this value.
    pub const fn new(value: T) -> OfImage<T> {
        OfImage(value)
    }

    /// The value.
    #[inline(always)]
    pub fn of(&'static self, _: &Instance) -> &'static T {
        &self.0
    }
}

impl<T: Default> OfImage<LazyCell<T>> {
    /// With the default value of its type, made at its first use.
    pub const fn lazy() -> OfImage<LazyCell<T>> {
        OfImage(LazyCell::new(T::default))
    }
}
