//! Copies from and to a process of another host: its server executes them ([`super::system`]).
//!
//! A run travels as its address and its length, 8 bytes each. The runs of a request to write come after their number, and
//! before their bytes. The reply to a request to read has the bytes of its runs, one after the other.

use super::system;
use crate::error::{Error, Result};
use crate::image::Image;
use crate::job::{Handler, HandlerCall, Job};
use crate::rank::Rank;
use crate::transport::Run;

/// Most bytes of one request: other requests wait while a server copies.
const MAX_BYTES: usize = 1 << 20;
/// Bytes of the place of a run.
const PLACE: usize = 16;
/// Most runs of one request.
const MAX_RUNS: usize = MAX_BYTES / PLACE;

/// Reads runs where the image is.
const READ: Handler = Handler { number: 0xff01, run: serve_read };
/// Writes runs where the image is.
const WRITE: Handler = Handler { number: 0xff02, run: serve_write };

/// Registers the handlers of [`read_runs`] and [`write_runs`].
///
/// # Errors
/// When a front end has taken their numbers.
pub fn register(job: &Job) -> Result<()> {
    job.handlers().register(READ)?;
    job.handlers().register(WRITE)
}

/// Copies runs from the process of an image of another host.
///
/// # Errors
/// Those of [`system::read_runs`]; when the host cannot be reached.
///
/// # Safety
/// That of [`system::read_runs`].
pub unsafe fn read_runs(image: &Image, rank: Rank, into: *mut u8, runs: &[Run]) -> Result<()> {
    let (mut payload, mut reply) = (Vec::new(), Vec::new());
    system::for_each_batch(runs, MAX_RUNS, MAX_BYTES, |batch| {
        payload.clear();
        append_places(&mut payload, batch);
        reply.clear();
        image.transport().call(rank, READ, &payload, &mut reply)?;
        let mut bytes = &reply[..];
        for run in batch {
            let (its, rest) = bytes.split_at_checked(run.len).ok_or_else(malformed)?;
            // SAFETY: the run can be written (contract of this function).
            unsafe {
                into.wrapping_offset(run.local).copy_from_nonoverlapping(its.as_ptr(), run.len)
            };
            bytes = rest;
        }
        Ok(())
    })
}

/// Copies runs to the process of an image of another host.
///
/// # Errors
/// Those of [`system::write_runs`]; when the host cannot be reached.
///
/// # Safety
/// That of [`system::write_runs`].
pub unsafe fn write_runs(image: &Image, rank: Rank, from: *const u8, runs: &[Run]) -> Result<()> {
    let mut payload = Vec::new();
    system::for_each_batch(runs, MAX_RUNS, MAX_BYTES, |batch| {
        payload.clear();
        payload.extend_from_slice(&(batch.len() as u64).to_le_bytes());
        append_places(&mut payload, batch);
        for run in batch {
            let bytes = from.wrapping_offset(run.local);
            // SAFETY: the run can be read (contract of this function).
            payload.extend_from_slice(unsafe { std::slice::from_raw_parts(bytes, run.len) });
        }
        image.transport().call(rank, WRITE, &payload, &mut Vec::new())
    })
}

fn append_places(payload: &mut Vec<u8>, runs: &[Run]) {
    for run in runs {
        payload.extend_from_slice(&run.offset.to_le_bytes());
        payload.extend_from_slice(&(run.len as u64).to_le_bytes());
    }
}

/// The runs of a request, whose bytes are one after the other on the local side, and how many bytes these are.
fn runs(places: &[u8]) -> Result<(Vec<Run>, usize)> {
    let (places, rest) = places.as_chunks::<8>();
    if !rest.is_empty() || !places.len().is_multiple_of(2) {
        return Err(malformed());
    }
    let mut bytes = 0;
    let runs = places.as_chunks::<2>().0.iter().map(|&[address, len]| {
        let len = usize::try_from(u64::from_le_bytes(len)).map_err(|_| malformed())?;
        if len > MAX_BYTES - bytes {
            return Err(malformed());
        }
        let run = Run { offset: u64::from_le_bytes(address), local: bytes as isize, len };
        bytes += len;
        Ok(run)
    });
    let runs = runs.collect::<Result<Vec<Run>>>()?;
    Ok((runs, bytes))
}

fn serve_read(served: HandlerCall<'_>, payload: &[u8], reply: &mut Vec<u8>) -> Result<()> {
    let (runs, len) = runs(payload)?;
    let end = reply.len();
    reply.resize(end + len, 0);
    let into = reply[end..].as_mut_ptr();
    // SAFETY: room for the bytes of all runs. The origin guarantees by the contract of `read_runs` that no image changes the
    // source.
    unsafe { system::read_runs(served.job, served.target, into, &runs) }
}

fn serve_write(served: HandlerCall<'_>, payload: &[u8], _: &mut Vec<u8>) -> Result<()> {
    let (count, rest) = payload.split_first_chunk().ok_or_else(malformed)?;
    let count = usize::try_from(u64::from_le_bytes(*count)).ok();
    let places = count.and_then(|count| count.checked_mul(PLACE)).ok_or_else(malformed)?;
    let (places, bytes) = rest.split_at_checked(places).ok_or_else(malformed)?;
    let (runs, len) = runs(places)?;
    if bytes.len() != len {
        return Err(malformed());
    }
    // SAFETY: the bytes of all runs. The origin guarantees by the contract of `write_runs` that the variables may be
    // defined.
    unsafe { system::write_runs(served.job, served.target, bytes.as_ptr(), &runs) }
}

fn malformed() -> Error {
    Error::Invalid("a request for memory of a process that no image makes".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::memory::{read, write};
    use crate::server::in_process::Shim;
    use crate::settings::Settings;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};
    use xmp_net::thread_hosts::run_on_hosts;

    #[test]
    fn another_host_reads_and_writes_memory_in_no_segment() {
        let settings = Settings::default();
        // More than a request, and more than a message.
        let mut variable = vec![7_u8; MAX_BYTES + 100_000];
        let address = variable.as_mut_ptr() as u64;
        let len = variable.len();
        // An image that returns has stopped.
        let may_return = AtomicBool::new(false);
        run_on_hosts(settings, 2, 2, Shim::default(), |image| {
            let job = image.job();
            job.entry(image.rank()).pid.store(std::process::id(), Ordering::Relaxed);
            register(job).unwrap();
            let other = Rank::new(1 - image.rank().get());
            let done = |image: &Image| {
                // A word of its own for each image, in the heap of the other.
                let heap = image.layout().heap.start;
                // SAFETY: the heap has no allocation there.
                unsafe {
                    image
                        .transport()
                        .post(other, crate::transport::Post::Notify { counter: heap, value: 1 })
                        .unwrap();
                    let word =
                        &*image.own_segment().add(heap as usize).cast::<crate::sync::AtomicU64>();
                    image.waits().until(|| Ok(()), || word.load(Ordering::Acquire) == 1).unwrap();
                }
            };
            // Both states are known to both servers.
            done(image);
            if image.rank().get() == 0 {
                let bytes: Vec<u8> = (0..len).map(|at| at as u8).collect();
                let mut back = vec![0; len];
                // SAFETY: the variable, which no other code uses; both buffers are as long.
                unsafe {
                    write(image, other, address, bytes.as_ptr(), len).unwrap();
                    read(image, other, address, back.as_mut_ptr(), len).unwrap();
                    assert_eq!(back, bytes);
                    in_runs(image, other, address, &bytes);
                    let nowhere = read(image, other, 8, back.as_mut_ptr(), 8).unwrap_err();
                    assert!(nowhere.to_string().contains("cannot be reached"), "{nowhere}");
                }
                may_return.store(true, Ordering::Relaxed);
            }
            let deadline = Instant::now() + Duration::from_secs(600);
            while !may_return.load(Ordering::Relaxed) {
                assert!(Instant::now() < deadline, "within ten minutes");
                std::thread::yield_now();
            }
        })
        .unwrap();
        assert!(variable.iter().enumerate().all(|(at, &byte)| byte == at as u8));
    }

    /// Reads and writes runs of a variable of another image, near and far, more bytes than a request takes; it has `bytes`
    /// again then.
    fn in_runs(image: &Image, other: Rank, address: u64, bytes: &[u8]) {
        for (count, len, apart) in
            [(1000, 4, 40), (1000, 4, 1100), (70_000, 1, 16), (3, 350_000, 380_000)]
        {
            let run = |number: usize| Run {
                offset: address + (number * 7919 % count * apart) as u64,
                local: (number * len) as isize,
                len,
            };
            let runs: Vec<Run> = (0..count).map(run).collect();
            let its = |run: &Run| &bytes[(run.offset - address) as usize..][..len];
            let wanted: Vec<u8> = runs.iter().flat_map(its).copied().collect();
            let changed: Vec<u8> = wanted.iter().map(|byte| !byte).collect();
            let mut back = vec![0; wanted.len()];
            // SAFETY: the runs are in the variable, which no other code uses, and in the buffers.
            unsafe {
                read_runs(image, other, back.as_mut_ptr(), &runs).unwrap();
                assert!(back == wanted);
                write_runs(image, other, changed.as_ptr(), &runs).unwrap();
                read_runs(image, other, back.as_mut_ptr(), &runs).unwrap();
                assert!(back == changed);
                write_runs(image, other, wanted.as_ptr(), &runs).unwrap();
            }
        }
    }

    #[test]
    fn malformed_requests_are_refused() {
        let settings = Settings::from_lookup(|_| Ok(None)).unwrap();
        let job = crate::process::bootstrap::alone(&settings).unwrap().job;
        let served = HandlerCall { job: &job, origin: Rank::new(0), target: Rank::new(0) };
        let mut reply = Vec::new();
        let place = |len: u64| [8_u64.to_le_bytes(), len.to_le_bytes()].concat();
        let too_long = [place(MAX_BYTES as u64), place(1)].concat();
        for payload in [vec![0; 8], vec![0; 15], place(u64::MAX), too_long] {
            let text = serve_read(served, &payload, &mut reply).unwrap_err().to_string();
            assert!(text.contains("no image makes"), "{text}");
        }
        let (one, many) = (1_u64.to_le_bytes(), u64::MAX.to_le_bytes());
        for payload in
            [vec![], many.to_vec(), one.to_vec(), [&one[..], &place(3), &[0; 2]].concat()]
        {
            let text = serve_write(served, &payload, &mut reply).unwrap_err().to_string();
            assert!(text.contains("no image makes"), "{text}");
        }
        assert!(reply.is_empty());
    }
}
