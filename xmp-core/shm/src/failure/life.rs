//! The robust mutex that an image holds while it lives.
//!
//! glibc's robust mutexes keep, as the kernel's robust-futex contract demands, the owner's thread id in the futex word
//! that is the mutex's first field. An image sets the kernel's FUTEX_WAITERS bit in it at once, so that its death
//! always wakes the launcher.

use crate::error::{Error, Result};
use crate::job::page::ImageEntry;
use crate::sync::{AtomicU32, Ordering};

const FUTEX_WAITERS: u32 = 0x8000_0000;
const FUTEX_OWNER_DIED: u32 = 0x4000_0000;
const FUTEX_TID_MASK: u32 = 0x3fff_ffff;

/// Locks the mutex of `entry` for the calling thread, for good. Returns `false`, without an effect that matters, when
/// the system's mutexes do not have the expected form; then only the pidfd detects the image's death.
///
/// # Errors
/// When the mutex cannot be made.
pub fn hold_life(entry: &ImageEntry) -> Result<bool> {
    let mutex = entry.life.as_ptr() as *mut libc::pthread_mutex_t;
    // SAFETY: `life` has the size and alignment of a pthread mutex (asserted in `page`) and is in shared memory that
    // lives as long as the process. Only the image itself initialises and locks it, once. The attribute object is
    // initialised before use and destroyed after.
    let code = unsafe {
        let mut kind = std::mem::MaybeUninit::<libc::pthread_mutexattr_t>::uninit();
        libc::pthread_mutexattr_init(kind.as_mut_ptr());
        libc::pthread_mutexattr_setpshared(kind.as_mut_ptr(), libc::PTHREAD_PROCESS_SHARED);
        libc::pthread_mutexattr_setrobust(kind.as_mut_ptr(), libc::PTHREAD_MUTEX_ROBUST);
        let code = match libc::pthread_mutex_init(mutex, kind.as_ptr()) {
            0 => libc::pthread_mutex_lock(mutex),
            code => code,
        };
        libc::pthread_mutexattr_destroy(kind.as_mut_ptr());
        code
    };
    if code != 0 {
        return Err(Error::os(
            "cannot take the life mutex of this image",
            std::io::Error::from_raw_os_error(code),
        ));
    }
    let thread = this_thread();
    let word = life_word(entry);
    if word.load(Ordering::Relaxed) & FUTEX_TID_MASK != thread {
        return Ok(false);
    }
    word.fetch_or(FUTEX_WAITERS, Ordering::Release);
    Ok(true)
}

/// Passes the mutex on to another thread of this process when the calling thread, which holds it, ends before the
/// process (`pthread_exit` in the main program).
#[cfg(not(loom))]
pub fn pass_on_life(entry: &'static ImageEntry) {
    /// Called by the ending thread, after its own last action.
    unsafe extern "C" fn ended(entry: *mut libc::c_void) {
        // SAFETY: the value of the key, set below: an entry that lives as long as the process.
        let entry = unsafe { &*entry.cast_const().cast::<ImageEntry>() };
        let mutex = entry.life.as_ptr() as *mut libc::pthread_mutex_t;
        let heir = crate::service_thread::start("xmp-life", move || {
            let mutex = entry.life.as_ptr() as *mut libc::pthread_mutex_t;
            // SAFETY: the mutex of `hold_life`, which its thread is about to unlock.
            unsafe { libc::pthread_mutex_lock(mutex) };
            life_word(entry).fetch_or(FUTEX_WAITERS, Ordering::Release);
            loop {
                std::thread::park();
            }
        });
        if let Err(error) = heir {
            tracing::debug!(%error, "no thread for the life mutex: only the process is watched");
        }
        // SAFETY: this thread holds it.
        unsafe { libc::pthread_mutex_unlock(mutex) };
    }
    let thread = this_thread();
    if life_word(entry).load(Ordering::Relaxed) & FUTEX_TID_MASK != thread {
        return;
    }
    let mut key = 0;
    // SAFETY: a key for this entry, which lives as long as the process.
    unsafe {
        if libc::pthread_key_create(&mut key, Some(ended)) == 0 {
            libc::pthread_setspecific(key, std::ptr::from_ref(entry).cast());
        }
    }
}

/// The number of this thread, as the futex word of a mutex has it.
fn this_thread() -> u32 {
    rustix::thread::gettid().as_raw_nonzero().get() as u32
}

/// The futex word of the mutex: the word that a launcher waits on.
pub fn life_word(entry: &ImageEntry) -> &AtomicU32 {
    // SAFETY: the first 4 bytes of `life`, always accessed atomically by this library and by the kernel.
    unsafe { &*entry.life.as_ptr().cast::<AtomicU32>() }
}

/// Whether the process of the image is dead: the system marks the word before it takes the process apart.
pub fn has_died(entry: &ImageEntry) -> bool {
    // Acquire: what the image wrote before it died.
    is_orphaned(life_word(entry).load(Ordering::Acquire))
}

/// Whether a value of [`life_word`] means that the owner is dead.
pub fn is_orphaned(word: u32) -> bool {
    word & FUTEX_OWNER_DIED != 0
}
