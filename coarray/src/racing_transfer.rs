//! Put and get of blocks for programs in Rust, which may race with other images. Where races are looked for they are entered.

use crate::Location;
use crate::plan::copy_racing_block;
use crate::races::{self, Place};
use xmp_core::races::Kind;
use xmp_core::transport::Layout;
use xmp_core::{Image, Result};

/// [`put`](crate::transfer::put) for safe programs, which may race with other images, by a statement at `place`.
///
/// # Errors
/// When the image cannot be reached.
///
/// # Safety
/// The bytes are readable at `from`, and mapped for writes in shared memory of that image. Accesses that race with this one
/// are atomic per byte ([`xmp_core::machine::byte_atomic`]).
#[inline(always)]
pub unsafe fn put_racing(
    image: &Image,
    to: Location,
    from: *const u8,
    len: usize,
    place: Place,
) -> Result<()> {
    // SAFETY: `len` bytes are readable at `from` and writable at `to`; races are those of the contract.
    unsafe {
        match image.plain_address(to.rank, to.offset) {
            Some(address) => copy_racing_block(address, from, len),
            None => put_racing_in_general(image, to, from, len, place)?,
        }
    }
    Ok(())
}

/// [`put_racing`] to another host, or where races are looked for.
///
/// # Safety
/// The conditions of [`put_racing`].
#[inline(never)]
unsafe fn put_racing_in_general(
    image: &Image,
    to: Location,
    from: *const u8,
    len: usize,
    place: Place,
) -> Result<()> {
    races::block(image, to, len, Kind::Write, place);
    // SAFETY: the contract of this function.
    unsafe {
        match image.local_address(to.rank, to.offset) {
            Some(address) => copy_racing_block(address, from, len),
            None => image.transport().put(to.rank, to.offset, from, Layout::Contiguous(len))?,
        }
    }
    Ok(())
}

/// [`get`](crate::transfer::get) for safe programs, which may race with other images, by a statement at `place`.
///
/// # Errors
/// When the image cannot be reached.
///
/// # Safety
/// The bytes are mapped for reads in shared memory of that image, and writable at `to`. Accesses that race with this one are
/// atomic per byte ([`xmp_core::machine::byte_atomic`]).
#[inline(always)]
pub unsafe fn get_racing(
    image: &Image,
    from: Location,
    to: *mut u8,
    len: usize,
    place: Place,
) -> Result<()> {
    // SAFETY: `len` bytes are readable at `from` and writable at `to`; races are those of the contract.
    unsafe {
        match image.plain_address(from.rank, from.offset) {
            Some(address) => copy_racing_block(to, address, len),
            None => get_racing_in_general(image, from, to, len, place)?,
        }
    }
    Ok(())
}

/// [`get_racing`] from another host, or where races are looked for.
///
/// # Safety
/// The conditions of [`get_racing`].
#[inline(never)]
unsafe fn get_racing_in_general(
    image: &Image,
    from: Location,
    to: *mut u8,
    len: usize,
    place: Place,
) -> Result<()> {
    races::block(image, from, len, Kind::Read, place);
    // SAFETY: the contract of this function.
    unsafe {
        match image.local_address(from.rank, from.offset) {
            Some(address) => copy_racing_block(to, address, len),
            None => image.transport().get(from.rank, from.offset, to, Layout::Contiguous(len))?,
        }
    }
    Ok(())
}
