//! Memory for parts of arrays. The compiler's `allocate` gets it from `malloc`; programs with directives are linked so that the
//! function here takes its place (`--wrap`). It gives the memory of the array that was announced to the next call, and no other. Parts
//! are in the segment of their image, where other images of the host read them. The compiler frees them by `free`, which is
//! replaced as well.

use crate::c::global::{ObjectHandle, array_of};
use crate::c::outcome::functions;
use crate::process::{blocks, created, instance};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use xmp_collectives::global::Storage;
use xmp_core::Error;

/// Memory that the next call of `malloc` in this thread gets.
#[derive(Clone, Copy, Debug)]
struct Announced {
    start: *mut c_void,
    bytes: usize,
    /// Whether it is a block of the segment for this array, to be given back if the call does not come.
    is_block: bool,
}

const NOTHING: Announced = Announced { start: ptr::null_mut(), bytes: 0, is_block: false };

thread_local! {
    static ANNOUNCED: Cell<Announced> = const { Cell::new(NOTHING) };
}

/// Parts that are smaller than the alignment of `malloc` gain nothing.
const MIN_PART: usize = 16;

functions! {
    /// The next `allocate` allocates this array: its part is in the segment, if that has room, or in the memory that
    /// the array has already.
    fn xmprt_fortran_announce(array: ObjectHandle) {
        withdraw();
        let array = array_of(array)?;
        let mapping = array.mapping().map_err(|wrong| wrong.of("array"))?;
        let bytes = Storage::bytes(&mapping, array.element, &instance().image);
        let bytes = bytes.map_err(|error| error.of("array"))?;
        let given: *mut c_void = array.base().cast();
        if !given.is_null() {
            ANNOUNCED.set(Announced { start: given, bytes, is_block: false });
        } else if bytes >= MIN_PART {
            match blocks::allocate(instance(), bytes) {
                Ok(start) => ANNOUNCED.set(Announced { start, bytes, is_block: true }),
                // The program takes other memory.
                Err(Error::OutOfMemory { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Frees memory that was announced and not allocated, at the end of the statement.
pub fn withdraw() {
    let Announced { start, is_block, .. } = ANNOUNCED.replace(NOTHING);
    if is_block
        && let Some(instance) = created()
        && let Some((_, offset)) = instance.image.locate(start.cast())
    {
        // Memory that cannot be freed stays to the end of the process.
        let _ = blocks::free(instance, offset);
    }
}

/// `malloc` of programs with directives.
#[unsafe(no_mangle)]
pub extern "C" fn __wrap_malloc(bytes: usize) -> *mut c_void {
    let announced = ANNOUNCED.get();
    if !announced.start.is_null() && bytes <= announced.bytes.max(1) {
        ANNOUNCED.set(NOTHING);
        return announced.start;
    }
    // SAFETY: any size can be asked for.
    unsafe { libc::malloc(bytes) }
}
