//! Memory of other images that is in no segment: what a pointer of theirs says may be anywhere in their process.

use crate::error::{Error, Result};
use crate::job::Job;
use crate::job::page::ImageState;
use crate::rank::Rank;
use std::sync::atomic::Ordering;

/// Copies `len` bytes at an address of the image's process to `into`. (The system does, in one call.)
///
/// # Errors
/// When the image has ended, or nothing readable is there, or the system does not let images do this.
///
/// # Safety
/// `into` is valid for writes of `len` bytes; the image does not change what is read meanwhile.
pub unsafe fn read(job: &Job, rank: Rank, address: u64, into: *mut u8, len: usize) -> Result<()> {
    check_here(job, rank)?;
    let here = libc::iovec { iov_base: into.cast(), iov_len: len };
    let there = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: len };
    // SAFETY: the caller's guarantee; the system checks the other process's memory.
    let copied = unsafe { libc::process_vm_readv(pid(job, rank), &here, 1, &there, 1, 0) };
    outcome(job, rank, copied, len)
}

/// Copies `len` bytes to an address of the image's process.
///
/// # Errors
/// As [`read`].
///
/// # Safety
/// `from` is valid for reads of `len` bytes; what the image has there is a variable that this image may define now.
pub unsafe fn write(
    job: &Job,
    rank: Rank,
    address: u64,
    from: *const u8,
    len: usize,
) -> Result<()> {
    check_here(job, rank)?;
    let here = libc::iovec { iov_base: from.cast_mut().cast(), iov_len: len };
    let there = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: len };
    // SAFETY: the caller's guarantee; the system checks the other process's memory.
    let copied = unsafe { libc::process_vm_writev(pid(job, rank), &here, 1, &there, 1, 0) };
    outcome(job, rank, copied, len)
}

/// Processes of other machines have numbers of their own.
fn check_here(job: &Job, rank: Rank) -> Result<()> {
    match job.here().contains(&rank) {
        true => Ok(()),
        false => Err(Error::Invalid(format!(
            "the component on {rank}, which is on another host, points to a variable that is no part of a coarray"
        ))),
    }
}

fn pid(job: &Job, rank: Rank) -> i32 {
    job.entry(rank).pid.load(Ordering::Relaxed) as i32
}

fn outcome(job: &Job, rank: Rank, copied: isize, len: usize) -> Result<()> {
    if usize::try_from(copied) == Ok(len) {
        return Ok(());
    }
    let error = std::io::Error::last_os_error();
    match job.state(rank) {
        ImageState::Stopped => Err(Error::StoppedImage(rank)),
        ImageState::Failed => Err(Error::FailedImage(rank)),
        ImageState::Running => Err(Error::Invalid(format!(
            "the component on {rank} points to a variable that is no part of a coarray, which cannot be reached: {error}"
        ))),
    }
}
