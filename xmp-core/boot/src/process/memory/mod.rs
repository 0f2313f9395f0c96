//! Memory of other images that is in no segment: the target of a pointer may be anywhere in the process of its image.
//! The system copies it, on the host of the image: this process requests that there (`system.rs`), or the server of
//! another host does (`requests.rs`).

mod requests;
mod system;

use super::valgrind;
use crate::error::Result;
use crate::image::Image;
use crate::job::Job;
use crate::line_cache::Content;
use crate::rank::Rank;
use crate::transport::Run;
use rustix::process::{PTracer, set_ptracer};

pub(super) use requests::register;

/// Permits the other images to copy from and to the memory of this process. Most systems permit that to processes of
/// one user. Where Yama is set so that only the ancestors of a process may (`kernel.yama.ptrace_scope` 1, the default
/// of Ubuntu and of containers there), the process must permit it.
pub(super) fn permit() {
    // Without Yama the system does not know this call, and needs no permission.
    let _ = set_ptracer(PTracer::Any);
}

/// Copies `len` bytes at an address of the image's process to `into`.
///
/// # Errors
/// When the image has ended, or nothing readable is there, or the system does not let images do this.
///
/// # Safety
/// `into` is valid for writes of `len` bytes; the image does not change the bytes meanwhile.
pub unsafe fn read(
    image: &Image,
    rank: Rank,
    address: u64,
    into: *mut u8,
    len: usize,
) -> Result<()> {
    // SAFETY: `into` is valid for `len` bytes, and the image does not change the source (contract of this function).
    unsafe { read_runs(image, rank, into, &[Run { offset: address, local: 0, len }]) }
}

/// [`read`] of a variable, or of its description, for a program that may read the memory beside it afterwards: both are
/// fetched together ([`crate::line_cache`]).
///
/// # Errors
/// Those of [`read`].
///
/// # Safety
/// That of [`read`].
pub unsafe fn read_variable(
    image: &Image,
    rank: Rank,
    address: u64,
    place: (*mut u8, usize),
    content: Content,
) -> Result<()> {
    let fetch = |address, into, len| {
        // SAFETY: `into` has room for the bytes. Other images may change bytes that the program has not asked for: it gets them
        // only where they may not.
        unsafe { read(image, rank, address, into, len) }
    };
    // SAFETY: `read` writes all bytes, or fails (contract of this function).
    unsafe { image.get_private(rank, address, place, content, fetch) }
}

/// Copies `len` bytes to an address of the image's process.
///
/// # Errors
/// When the image has ended, or nothing writable is there, or the system does not let images do this.
///
/// # Safety
/// `from` is valid for reads of `len` bytes; the image has a variable there that this image may define now.
pub unsafe fn write(
    image: &Image,
    rank: Rank,
    address: u64,
    from: *const u8,
    len: usize,
) -> Result<()> {
    // SAFETY: `from` is valid for `len` bytes, and the target may be defined (contract of this function).
    unsafe { write_runs(image, rank, from, &[Run { offset: address, local: 0, len }]) }
}

/// Copies runs of bytes from the image's process: each from `run.offset`, an address there, to its distance from `into`.
///
/// # Errors
/// When the image has ended, or one of the runs cannot be read, or the system does not let images do this. Some runs may
/// have been copied then.
///
/// # Safety
/// All runs can be written, at their distances from `into`; the image does not change the bytes meanwhile.
pub unsafe fn read_runs(image: &Image, rank: Rank, into: *mut u8, runs: &[Run]) -> Result<()> {
    // SAFETY: the contract of this function.
    unsafe {
        match image.job().segment(rank) {
            Some(_) => system::read_runs(image.job(), rank, into, runs),
            None => requests::read_runs(image, rank, into, runs),
        }
    }
}

/// Copies runs of bytes to the image's process, in their order: each from its distance from `from` to `run.offset`, an
/// address there.
///
/// # Errors
/// When the image has ended, or one of the runs cannot be written, or the system does not let images do this. Some runs may
/// have been copied then.
///
/// # Safety
/// All runs can be read, at their distances from `from`; the image has variables there that this image may define now.
pub unsafe fn write_runs(image: &Image, rank: Rank, from: *const u8, runs: &[Run]) -> Result<()> {
    for run in runs {
        image.defines_private(rank, run.offset..run.offset.saturating_add(run.len as u64));
    }
    // SAFETY: the contract of this function.
    unsafe {
        match image.job().segment(rank) {
            Some(_) => system::write_runs(image.job(), rank, from, runs),
            None => requests::write_runs(image, rank, from, runs),
        }
    }
}

/// [`read`] of an image of this host.
///
/// # Errors
/// When the image has ended, or nothing readable is there, or the system does not let images do this.
///
/// # Safety
/// `into` is valid for writes of `len` bytes; the image does not change the bytes meanwhile.
pub unsafe fn read_local(
    job: &Job,
    rank: Rank,
    address: u64,
    into: *mut u8,
    len: usize,
) -> Result<()> {
    // SAFETY: the contract of this function.
    unsafe { system::read_runs(job, rank, into, &[Run { offset: address, local: 0, len }]) }
}

/// Tells valgrind, if this process runs under it, that another image has written bytes here by [`write()`], so that memcheck
/// takes them for defined. Elsewhere it does nothing.
pub fn written_by_another(start: *mut u8, len: usize) {
    valgrind::make_defined(start, len);
}
