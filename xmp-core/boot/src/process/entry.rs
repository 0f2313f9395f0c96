//! The access of a process to the region of its job before it is an image: reading the geometry, and taking an entry.

use super::main_thread::is_main_thread;
use crate::error::{Error, Result};
use crate::failure;
use crate::job::Job;
use crate::job::page::{Geometry, JobPage};
use crate::rank::Rank;
use crate::sync::Ordering;
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;

/// The geometry in the job page of a region's file; `None` when the file has none.
pub(super) fn read_geometry(file: BorrowedFd<'_>) -> Result<Option<Geometry>> {
    use std::os::fd::AsRawFd;
    let mut page = MaybeUninit::<JobPage>::uninit();
    let size = size_of::<JobPage>();
    // SAFETY: room for a page; the pointer is not kept.
    let read = unsafe { libc::pread(file.as_raw_fd(), page.as_mut_ptr().cast(), size, 0) };
    if read != size as isize {
        return Ok(None);
    }
    // SAFETY: all bytes were read, and every bit pattern is a valid page (integers only).
    let page = unsafe { page.assume_init() };
    if page.magic != JobPage::MAGIC {
        return Ok(None);
    }
    page.verify()?;
    // Checked before mapping: memory mapped beyond the end of a file cannot be accessed.
    let copy = file.try_clone_to_owned().and_then(|file| std::fs::File::from(file).metadata());
    let len = copy.map_err(|error| Error::os("cannot size the job's shared memory", error))?.len();
    page.geometry.check(len)?;
    Ok(Some(page.geometry))
}

/// Makes this process the image `rank`.
pub(super) fn take_entry(job: &Job, rank: Rank) -> Result<()> {
    let entry = job.entry(rank);
    let me = std::process::id();
    // Relaxed: the number orders nothing else.
    let taken = entry.pid.compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed);
    if let Err(other) = taken {
        return Err(Error::Invalid(format!(
            "{rank} has been process {other} already: under a launcher only one program can be an image, once"
        )));
    }
    if !is_main_thread() || !failure::hold_life(entry)? {
        tracing::debug!(image = rank.image(), "no life mutex: only its process is watched");
    }
    Ok(())
}
