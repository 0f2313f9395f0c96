//! The process-wide instance of the runtime, and the state that modules keep beside it. It is never destroyed.

use std::cell::{Cell, LazyCell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use xmp_coarray::front_end::registry::{RecentBlocks, Registry};
use xmp_coarray::front_end::static_coarrays::StaticCoarrays;
use xmp_core::Image;
use xmp_core::process::Exit;

/// The state of the runtime in a process.
#[derive(Debug)]
pub struct Instance {
    /// This image.
    pub image: Image,
    /// How this process leaves the job.
    pub exit: Exit,
    /// Its coarrays.
    pub registry: RefCell<Registry>,
    /// Those coarrays of all images that were accessed by address lately.
    pub recent: Arc<RecentBlocks>,
    /// Whether it has begun.
    pub(super) beginning: Beginning,
}

/// The progress of an image's beginning (`begin.rs`). It changes within the lock of the image.
#[derive(Debug, Default)]
pub struct Beginning {
    /// Whether coarrays have been registered for which this image has not waited yet.
    pub(super) is_awaited: AtomicBool,
    /// Whether the images have waited for one another.
    pub(super) have_met: AtomicBool,
    /// The coarrays that are not allocatable and have been registered.
    pub(super) coarrays: Cell<StaticCoarrays>,
}

/// The instance since its creation.
static CREATED: AtomicPtr<Instance> = AtomicPtr::new(std::ptr::null_mut());

/// The instance while operations may be executed; null while the image has to begin first ([`super::start`]).
static CURRENT: AtomicPtr<Instance> = AtomicPtr::new(std::ptr::null_mut());

/// The instance of an image that has begun, for what any thread may do at any time: to read what does not change while
/// other threads use the library. `None` sends an operation to [`super::enter`], where the image begins.
#[inline(always)]
pub fn current() -> Option<&'static Instance> {
    // SAFETY: null or a leaked box. A caller outside [`super::enter`] uses only what the documentation of this function
    // allows.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

/// The instance, if there is one, whether or not the image has begun: for the end of the process, and for what is no
/// operation on a coarray. Otherwise as [`current`].
#[inline(always)]
pub fn created() -> Option<&'static Instance> {
    // SAFETY: as in `current`.
    unsafe { CREATED.load(Ordering::Acquire).as_ref() }
}

/// Publishes the instance when it has been created.
pub(super) fn publish(instance: &'static Instance) {
    CREATED.store(std::ptr::from_ref(instance).cast_mut(), Ordering::Release);
}

/// From now on operations are executed.
pub(super) fn begun(instance: &'static Instance) {
    CURRENT.store(std::ptr::from_ref(instance).cast_mut(), Ordering::Release);
}

/// From now on the next operation has the image begin, again if it has begun before.
pub(super) fn not_begun() {
    CURRENT.store(std::ptr::null_mut(), Ordering::Release);
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
