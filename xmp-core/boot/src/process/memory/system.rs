//! Copies between this process and another one of this host, by the system: `process_vm_readv` and `process_vm_writev`.
//!
//! A call costs some 1.4 us, and a piece of it some 0.3 us: the system looks up the pages of each. So runs travel
//! together in a call, and a get of runs that are near to one another reads all that is between them, too.

use crate::error::{Error, Result};
use crate::failure;
use crate::job::Job;
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::transport::Run;
use std::io;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Most pieces of a call on each side (`IOV_MAX`).
const MAX_PIECES: usize = 1024;
/// Most bytes of a call: the system copies no more than 2 GiB at once.
const MAX_BYTES: usize = 1 << 30;
/// A get reads the whole range of its runs where that has at most this many bytes for each run: these are copied in less time
/// than another piece takes.
const DENSE_BYTES: u64 = 2 << 10;
/// Time between two looks at the state of an image whose process is gone.
const LOOK_INTERVAL: Duration = Duration::from_micros(100);
/// Longest wait for that state: a launcher without a core publishes it later than in the usual tenth of a millisecond.
const MAX_UNPUBLISHED_TIME: Duration = Duration::from_secs(10);

/// Copies runs from an image's process: each from `run.offset`, an address there, to its distance from `into`.
///
/// # Errors
/// When the image has ended, or one of the runs cannot be read, or the system does not let images do this.
///
/// # Safety
/// All runs can be written, at their distances from `into`; the image does not change the bytes meanwhile.
pub unsafe fn read_runs(job: &Job, rank: Rank, into: *mut u8, runs: &[Run]) -> Result<()> {
    // SAFETY: the contract of this function.
    unsafe {
        if is_dense(runs) && read_range(job, rank, into, runs) {
            return Ok(());
        }
        copy_runs(job, rank, into, runs, libc::process_vm_readv)
    }
}

/// Copies runs to an image's process: each from its distance from `from` to `run.offset`, an address there.
///
/// # Errors
/// When the image has ended, or one of the runs cannot be written, or the system does not let images do this.
///
/// # Safety
/// All runs can be read, at their distances from `from`; the image has variables there that this image may define now.
pub unsafe fn write_runs(job: &Job, rank: Rank, from: *const u8, runs: &[Run]) -> Result<()> {
    // SAFETY: the contract of this function. The system reads from `from` only.
    unsafe { copy_runs(job, rank, from.cast_mut(), runs, libc::process_vm_writev) }
}

/// Calls `visit` with all runs in their order, up to `max_runs` and `max_bytes` at a time; longer ones in parts.
///
/// # Errors
/// The first error of `visit`.
pub fn for_each_batch(
    runs: &[Run],
    max_runs: usize,
    max_bytes: usize,
    mut visit: impl FnMut(&[Run]) -> Result<()>,
) -> Result<()> {
    let all = runs.iter().try_fold(0, |bytes: usize, run| bytes.checked_add(run.len));
    if runs.len() <= max_runs && all.is_some_and(|bytes| bytes <= max_bytes) {
        return visit(runs);
    }
    let mut batch = Vec::with_capacity(runs.len().min(max_runs));
    let mut bytes = 0;
    for run in runs {
        let mut done = 0;
        while done < run.len {
            if batch.len() == max_runs || bytes == max_bytes {
                visit(&batch)?;
                batch.clear();
                bytes = 0;
            }
            let len = (run.len - done).min(max_bytes - bytes);
            let offset = run.offset.wrapping_add(done as u64);
            batch.push(Run { offset, local: run.local.wrapping_add_unsigned(done), len });
            (done, bytes) = (done + len, bytes + len);
        }
    }
    if batch.is_empty() { Ok(()) } else { visit(&batch) }
}

/// The addresses between the first and the last byte of runs.
fn range(runs: &[Run]) -> (u64, u64) {
    runs.iter().fold((u64::MAX, 0), |(from, to), run| {
        (from.min(run.offset), to.max(run.offset.saturating_add(run.len as u64)))
    })
}

/// Whether a get of these runs reads their whole range.
fn is_dense(runs: &[Run]) -> bool {
    let (from, to) = range(runs);
    runs.len() > 1 && to - from <= DENSE_BYTES * runs.len() as u64
}

/// Reads the whole range of runs and picks these; whether all of it could be read.
///
/// # Safety
/// All runs can be written, at their distances from `into`.
unsafe fn read_range(job: &Job, rank: Rank, into: *mut u8, runs: &[Run]) -> bool {
    let (from, to) = range(runs);
    let len = (to - from) as usize;
    let mut buffer = Vec::<u8>::new();
    if buffer.try_reserve_exact(len).is_err() {
        return false;
    }
    let here = piece(buffer.as_mut_ptr(), len);
    let there = piece(std::ptr::with_exposed_provenance_mut(from as usize), len);
    // SAFETY: the buffer has room for `len` bytes; the system checks the other process's memory.
    let copied = unsafe { libc::process_vm_readv(pid(job, rank), &here, 1, &there, 1, 0) };
    if usize::try_from(copied) != Ok(len) {
        return false;
    }
    // SAFETY: the system has written `len` bytes.
    unsafe { buffer.set_len(len) };
    for run in runs {
        let start = (run.offset - from) as usize;
        let bytes = &buffer[start..start + run.len];
        let to = into.wrapping_offset(run.local);
        // SAFETY: the run can be written (contract of this function).
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }
    true
}

/// `process_vm_readv` or `process_vm_writev`.
type Copy = unsafe extern "C" fn(
    libc::pid_t,
    *const libc::iovec,
    libc::c_ulong,
    *const libc::iovec,
    libc::c_ulong,
    libc::c_ulong,
) -> libc::ssize_t;

/// # Safety
/// All runs can be written by a read, or read by a write, at their distances from `local`.
unsafe fn copy_runs(job: &Job, rank: Rank, local: *mut u8, runs: &[Run], copy: Copy) -> Result<()> {
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for_each_batch(runs, MAX_PIECES, MAX_BYTES, |batch| {
        here.clear();
        there.clear();
        for run in batch {
            append(&mut here, local.wrapping_offset(run.local), run.len);
            let address = std::ptr::with_exposed_provenance_mut(run.offset as usize);
            append(&mut there, address, run.len);
        }
        let counts = [here.len() as libc::c_ulong, there.len() as libc::c_ulong];
        // SAFETY: the pieces here are the runs of this process (contract of this function); the system checks the other
        // process's memory.
        let copied =
            unsafe { copy(pid(job, rank), here.as_ptr(), counts[0], there.as_ptr(), counts[1], 0) };
        outcome(job, rank, copied, batch.iter().map(|run| run.len).sum())
    })
}

/// Appends bytes to a list of pieces: to the last one, if they follow it.
fn append(pieces: &mut Vec<libc::iovec>, start: *mut u8, len: usize) {
    match pieces.last_mut() {
        Some(last) if last.iov_base.wrapping_byte_add(last.iov_len) == start.cast() => {
            last.iov_len += len;
        }
        _ => pieces.push(piece(start, len)),
    }
}

fn piece(start: *mut u8, len: usize) -> libc::iovec {
    libc::iovec { iov_base: start.cast(), iov_len: len }
}

fn pid(job: &Job, rank: Rank) -> i32 {
    job.entry(rank).pid.load(Ordering::Relaxed) as i32
}

fn outcome(job: &Job, rank: Rank, copied: isize, len: usize) -> Result<()> {
    let error = match usize::try_from(copied) {
        Ok(copied) if copied == len => return Ok(()),
        // The system stops at the first piece that is not there.
        Ok(_) => io::Error::from_raw_os_error(libc::EFAULT),
        Err(_) => io::Error::last_os_error(),
    };
    if error.raw_os_error() == Some(libc::ESRCH) {
        await_published_end(job, rank);
    }
    match job.state(rank) {
        ImageState::Stopped => Err(Error::StoppedImage(rank)),
        ImageState::Failed => Err(Error::FailedImage(rank)),
        ImageState::Running => Err(Error::Invalid(format!(
            "the component on {rank} points to a variable that is no part of a coarray, which cannot be reached: {error}"
        ))),
    }
}

/// Returns when the job knows that the image has died. The system takes the process apart before anyone can publish that, and
/// marks its life word before.
#[cold]
fn await_published_end(job: &Job, rank: Rank) {
    let start = Instant::now();
    while failure::has_died(job.entry(rank))
        && job.state(rank) == ImageState::Running
        && failure::ending(job).is_none()
        && start.elapsed() < MAX_UNPUBLISHED_TIME
    {
        std::thread::sleep(LOOK_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region::page_size;
    use crate::settings::Settings;
    use proptest::prelude::*;
    use std::process::Command;
    use std::ptr;

    /// A job of this process alone: it is the other process, too.
    fn alone() -> Job {
        let job = crate::process::bootstrap::alone(&Settings::default()).unwrap().job;
        job.entry(Rank::new(0)).pid.store(std::process::id(), Ordering::Relaxed);
        job
    }

    fn run(offset: u64, local: usize, len: usize) -> Run {
        Run { offset, local: local as isize, len }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// More runs than a call takes, near and far from one another.
        #[test]
        fn runs_of_another_process_are_copied_as_one_by_one(
            places in proptest::collection::vec((0_usize..1 << 22, 0_usize..40), 1..2500),
            spread in prop_oneof![Just(1_usize), Just(100), Just(1 << 11), Just(1 << 22)],
        ) {
            let job = alone();
            let bytes: Vec<u8> = (0..(1 << 22) + 40).map(|at: usize| (at * 7 / 5) as u8).collect();
            let address = bytes.as_ptr().expose_provenance() as u64;
            let mut local = 0;
            let runs: Vec<Run> = places.iter().map(|&(at, len)| {
                let run = run(address + (at % spread) as u64, local, len);
                // Some are back to back here.
                local += len + len % 2;
                run
            }).collect();
            let mut into = vec![0xee; local];
            // SAFETY: all runs are in `bytes` and, one after the other, in `into`.
            unsafe { read_runs(&job, Rank::new(0), into.as_mut_ptr(), &runs).unwrap() };
            let mut wanted = vec![0xee; local];
            for (run, &(at, len)) in runs.iter().zip(&places) {
                let (from, to) = (at % spread, run.local as usize);
                wanted[to..to + len].copy_from_slice(&bytes[from..from + len]);
            }
            prop_assert_eq!(&into, &wanted);
            let mut written = bytes.clone();
            let base = written.as_mut_ptr().expose_provenance() as u64;
            let back: Vec<Run> =
                runs.iter().map(|run| Run { offset: run.offset - address + base, ..*run }).collect();
            into.iter_mut().for_each(|byte| *byte = !*byte);
            // SAFETY: all runs are in `written` and in `into`.
            unsafe { write_runs(&job, Rank::new(0), into.as_ptr(), &back).unwrap() };
            let mut wanted = bytes;
            for (run, &(at, len)) in runs.iter().zip(&places) {
                let (from, to) = (run.local as usize, at % spread);
                wanted[to..to + len].copy_from_slice(&into[from..from + len]);
            }
            prop_assert!(written == wanted);
        }
    }

    /// Pages that are not there between runs that are.
    #[test]
    fn runs_around_pages_that_are_not_mapped_are_read() {
        let page = page_size();
        let job = alone();
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping of three pages, of which the middle one goes; the runs are in the other ones.
        unsafe {
            let pages = libc::mmap(ptr::null_mut(), 3 * page, rights, flags, -1, 0);
            assert_ne!(pages, libc::MAP_FAILED);
            let start = pages.cast::<u8>();
            start.add(page - 1).write(1);
            start.add(2 * page).write(2);
            libc::munmap(start.add(page).cast(), page);
            let at = |offset: usize| (pages.addr() + offset) as u64;
            let count = 2 * page / DENSE_BYTES as usize;
            let zeros = (0..count).map(|number| run(at(number), 2 + number, 1));
            let ends = [run(at(page - 1), 0, 1), run(at(2 * page), 1, 1)];
            let runs: Vec<Run> = zeros.chain(ends).collect();
            assert!(is_dense(&runs));
            let mut into = vec![9_u8; 2 + count];
            read_runs(&job, Rank::new(0), into.as_mut_ptr(), &runs).unwrap();
            assert_eq!((&into[..2], &into[2..]), (&[1, 2][..], &vec![0; count][..]));
            let missing = [ends[0], run(at(page), 1, 1)];
            let error = read_runs(&job, Rank::new(0), into.as_mut_ptr(), &missing).unwrap_err();
            assert!(error.to_string().contains("Bad address"), "{error}");
            let error = write_runs(&job, Rank::new(0), into.as_ptr(), &missing).unwrap_err();
            assert!(error.to_string().contains("cannot be reached"), "{error}");
            libc::munmap(pages, page);
            libc::munmap(start.add(2 * page).cast(), page);
        }
    }

    #[test]
    fn long_runs_are_divided_and_short_ones_travel_together() {
        let runs = [run(100, 0, 25), run(500, 40, 0), run(200, 50, 3), run(300, 60, 4)];
        let mut batches = Vec::new();
        for_each_batch(&runs, 2, 10, |batch| {
            batches.push(batch.to_vec());
            Ok(())
        })
        .unwrap();
        assert_eq!(
            batches,
            [
                vec![run(100, 0, 10)],
                vec![run(110, 10, 10)],
                vec![run(120, 20, 5), run(200, 50, 3)],
                vec![run(300, 60, 4)],
            ]
        );
    }

    #[test]
    fn an_image_whose_process_is_gone_has_failed_as_soon_as_the_job_knows() {
        let job = alone();
        let rank = Rank::new(0);
        let mut child = Command::new("true").spawn().unwrap();
        job.entry(rank).pid.store(child.id(), Ordering::Relaxed);
        // The process remains until it is waited for, without memory.
        let status = format!("/proc/{}/status", child.id());
        while !std::fs::read_to_string(&status).unwrap().contains("State:\tZ") {
            std::thread::yield_now();
        }
        let read = || {
            let mut byte = 0;
            let run =
                Run { offset: (&raw const byte).expose_provenance() as u64, local: 0, len: 1 };
            // SAFETY: a byte is written, and another process has it.
            unsafe { read_runs(&job, rank, &raw mut byte, &[run]) }
        };
        assert!(matches!(read(), Err(Error::Invalid(_))), "nothing says that the image has died");
        failure::life_word(job.entry(rank)).store(libc::FUTEX_OWNER_DIED, Ordering::Relaxed);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                failure::publish_failed(&job, rank);
            });
            assert_eq!(read(), Err(Error::FailedImage(rank)));
        });
        child.wait().unwrap();
    }
}
