//! The table of coarrays by their handles, which is read without a lock.
//!
//! Chunks of the table stay where they are, so a thread can look up one handle while another thread makes or frees
//! another one.

use super::coarray::{Coarray, Established, Role};
use super::handle::{Handle, PLACES};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};
use xmp_core::{Error, Result};

/// Places of a chunk, and chunks.
const CHUNK: usize = PLACES.isqrt();

const _: () = assert!(CHUNK * CHUNK == PLACES);

/// Places for handles.
type Chunk = [AtomicPtr<Coarray>; CHUNK];

/// All places; chunks are made as they are needed and never freed.
static CHUNKS: [AtomicPtr<Chunk>; CHUNK] = [const { AtomicPtr::new(ptr::null_mut()) }; CHUNK];

/// What is free: places that were used with the generation that comes next, and all from `unused` on.
#[derive(Debug)]
struct Free {
    places: Vec<(usize, u64)>,
    unused: usize,
}

impl Free {
    fn has_room(&self) -> Result<()> {
        if self.places.is_empty() && self.unused == PLACES {
            return Err(Error::Invalid(format!("more than {PLACES} coarray handles")));
        }
        Ok(())
    }
}

static FREE: Mutex<Free> = Mutex::new(Free { places: Vec::new(), unused: 0 });

impl Handle {
    /// The coarray that has this handle, if there is one.
    #[inline(always)]
    pub fn find(self) -> Option<&'static Coarray> {
        let index = self.index();
        let chunk = CHUNKS[index / CHUNK].load(Ordering::Acquire);
        // SAFETY: a chunk is leaked. A coarray is freed by `remove` only, after which the program uses its handle in no
        // other thread.
        let coarray = unsafe { chunk.as_ref()?[index % CHUNK].load(Ordering::Acquire).as_ref()? };
        (coarray.handle == self).then_some(coarray)
    }

    /// The coarray that has this handle, of the argument of this name.
    ///
    /// # Errors
    /// When there is none.
    #[inline(always)]
    pub fn coarray(self, argument: &str) -> Result<&'static Coarray> {
        match self.find() {
            Some(coarray) => Ok(coarray),
            None => Err(self.unknown(argument)),
        }
    }

    #[cold]
    fn unknown(self, argument: &str) -> Error {
        Error::Invalid(match self.number() {
            0 => format!("{argument} is null: no coarray was allocated with it"),
            number => format!("{argument} {number:#x} is no coarray, or one that was deallocated"),
        })
    }
}

impl Coarray {
    /// The coarray with the memory: this one, or the one that this is an alias of.
    pub fn established(&self) -> &Established {
        let role = match &self.role {
            Role::Established(_) => &self.role,
            Role::Alias(of) => &of.find().expect("aliases are forgotten with their coarray").role,
        };
        match role {
            Role::Established(established) => established,
            Role::Alias(_) => unreachable!("an alias is one of the coarray with the memory"),
        }
    }
}

/// Whether another coarray can be kept.
///
/// # Errors
/// When a million coarrays and aliases are kept.
pub fn room() -> Result<()> {
    FREE.lock().unwrap_or_else(PoisonError::into_inner).has_room()
}

/// Keeps a coarray, which `make` makes for its handle.
///
/// # Errors
/// Those of [`room`].
pub fn insert(make: impl FnOnce(Handle) -> Coarray) -> Result<Handle> {
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    free.has_room()?;
    let (index, generation) = free.places.pop().unwrap_or_else(|| {
        free.unused += 1;
        (free.unused - 1, 0)
    });
    let handle = Handle::new(index, generation);
    let coarray = Box::into_raw(Box::new(make(handle)));
    place(index).store(coarray, Ordering::Release);
    Ok(handle)
}

/// Forgets a coarray.
pub fn remove(handle: Handle) {
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    if handle.find().is_none() {
        return;
    }
    let coarray = place(handle.index()).swap(ptr::null_mut(), Ordering::AcqRel);
    // SAFETY: it came out of a box, and the program does not use the handle of what it frees.
    drop(unsafe { Box::from_raw(coarray) });
    // A place whose generations are used up is not used again.
    free.places.extend(handle.next_generation().map(|next| (handle.index(), next)));
}

/// A place, in a chunk that is made now if need be. Only for the thread that holds [`FREE`].
fn place(index: usize) -> &'static AtomicPtr<Coarray> {
    let chunk = &CHUNKS[index / CHUNK];
    if chunk.load(Ordering::Acquire).is_null() {
        let empty: Box<Chunk> = Box::new([const { AtomicPtr::new(ptr::null_mut()) }; CHUNK]);
        chunk.store(Box::into_raw(empty), Ordering::Release);
    }
    // SAFETY: made now or before, and leaked.
    unsafe { &(*chunk.load(Ordering::Acquire))[index % CHUNK] }
}
