//! The result of a get: copies what the accessor has returned into the variable of the statement.

use super::buffer;
use super::entered;
use super::object::Object;
use crate::gfortran_abi::Descriptor;
use crate::gnu::component::copies::may_have_components;
use crate::process::Instance;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr;
use xmp_coarray::front_end::plan::copy_block;
use xmp_coarray::front_end::transfer::{MemoryRef, RemoteMemory};
use xmp_core::{Error, Result};

/// Where a get comes from.
pub struct Source<'a> {
    /// The coarray; `None` for what is this process's own.
    pub object: Option<&'a Object<'a>>,
    /// What the accessor gets of this process's memory besides.
    pub local: Range<usize>,
}

impl Source<'_> {
    /// Whether the accessor has seen the coarray itself, and not a copy.
    #[inline]
    fn is_near(&self) -> bool {
        self.object.is_none_or(Object::is_near)
    }

    /// Where the accessor has left its result, if that is memory of the other image's process and of no segment.
    #[inline]
    fn private(&self, address: *const c_void) -> Option<RemoteMemory> {
        self.object?.private(address, &self.local)
    }
}

/// How long a scalar is.
pub struct Lengths {
    /// Bytes of it, or of a character of it.
    pub element: usize,
    /// How many characters, or null.
    pub characters: *const usize,
}

/// Gets a scalar: `*place` is the address of a variable that the compiler has made for it, and then where it is. `get`
/// is called with `place`, and says whether the accessor has allocated the scalar.
///
/// A scalar of an image of this host stays where it is: the program copies it as soon as this returns. But not
/// characters, which it may use as an argument, not what only the other process can address, and not an object with
/// components.
///
/// # Errors
/// Characters of deferred length of another host; an image that cannot be reached.
///
/// # Safety
/// `place` is valid, and the variable as long as that.
#[inline]
pub unsafe fn scalar(
    place: *mut *mut c_void,
    lengths: Lengths,
    instance: &Instance,
    source: &Source<'_>,
    get: impl FnOnce(*mut c_void) -> bool,
) -> Result<()> {
    // SAFETY: `place` has the address of the variable, which is as long as `lengths` says.
    unsafe {
        let own = *place;
        let to_free = get(place.cast());
        finish(place, own, to_free, lengths, instance, source)
    }
}

/// The rest of [`scalar`], when the accessor has left the scalar where `place` says, and `own` is the variable.
///
/// # Errors
/// Characters of deferred length of another host; an image that cannot be reached.
///
/// # Safety
/// `place` is valid and has the address of the result; `own` is null or as long as `lengths` says.
pub unsafe fn finish(
    place: *mut *mut c_void,
    own: *mut c_void,
    to_free: bool,
    lengths: Lengths,
    instance: &Instance,
    source: &Source<'_>,
) -> Result<()> {
    // SAFETY: `place` has the address of what the accessor has made, and `own` is null or as long as `lengths` says.
    unsafe {
        let made = *place;
        let is_near = source.is_near();
        let stays = to_free || made == own || made.is_null();
        let private = if stays { None } else { source.private(made) };
        if let Some(private) = private.filter(|_| !own.is_null()) {
            *place = own;
            let len = lengths.element * lengths.characters.as_ref().copied().unwrap_or(1);
            return private.get(&instance.image, own.cast(), len);
        }
        if made == own {
            return Ok(());
        }
        if !stays && let Some(object) = source.object {
            let characters = lengths.characters.as_ref().copied().unwrap_or(1);
            entered::read(object, made, lengths.element * characters);
        }
        if is_near && !to_free && lengths.characters.is_null() {
            return match source.object {
                Some(object) => object.separate(&mut *place, own, lengths.element),
                None => Ok(()),
            };
        }
        if own.is_null() {
            if is_near {
                return Ok(());
            }
            *place = own;
            return Err(Error::Invalid(
                "characters of deferred length of an image of another host".into(),
            ));
        }
        let len = lengths.element * lengths.characters.as_ref().copied().unwrap_or(1);
        copy_block(own.cast(), made.cast(), len);
        *place = own;
        if to_free {
            libc::free(made);
        }
    }
    Ok(())
}

/// Gets an array: into `dst`, which has the right shape, or if `may_reallocate` is of any shape. `get` is called with a
/// descriptor, and says whether the accessor has allocated its memory.
///
/// # Errors
/// Shapes that do not conform.
pub fn array(
    instance: &Instance,
    dst: &mut Descriptor,
    may_reallocate: bool,
    source: &Source<'_>,
    get: impl FnOnce(*mut c_void) -> bool,
) -> Result<()> {
    if may_reallocate {
        get((dst as *mut Descriptor).cast());
        return Ok(());
    }
    let (mut buffer, is_so) = buffer::in_one_piece(dst);
    // Where its shape is known beforehand an accessor takes lower bounds of 1 and elements in one piece for granted.
    buffer.header.base = if is_so { dst.base } else { ptr::null_mut() };
    let before = buffer.header.base;
    if !before.is_null() && may_have_components(&dst.dtype) {
        // The accessor frees the components that are there before, and this is a new variable of the compiler.
        // SAFETY: in one piece, and as long as its descriptor says.
        unsafe { before.cast::<u8>().write_bytes(0, buffer.size()) };
    }
    let to_free = get(buffer.exposed().cast());
    finish_array(instance, dst, buffer.descriptor(), before, to_free, source)
}

/// The rest of [`array`], when the accessor has left the elements where `buffer` says, which had `before` as address.
///
/// # Errors
/// Shapes that do not conform; an image that cannot be reached.
pub fn finish_array(
    instance: &Instance,
    dst: &Descriptor,
    buffer: &Descriptor,
    before: *mut c_void,
    to_free: bool,
    source: &Source<'_>,
) -> Result<()> {
    let made = buffer.base;
    if made == before {
        return Ok(());
    }
    let stays = to_free || made.is_null();
    let private = if stays { None } else { source.private(made) };
    let place = private.map_or(MemoryRef::Local(made.cast()), MemoryRef::Remote);
    if !stays && let Some(object) = source.object {
        entered::read_copied_array(object, buffer)?;
    }
    let copied = buffer::copy_from(instance, dst, buffer, place);
    if to_free {
        // SAFETY: the accessor has allocated it with `malloc`, and it has been copied.
        unsafe { libc::free(made) };
        return copied;
    }
    copied?;
    source.object.map_or(Ok(()), |object| object.separate_array(dst))
}
