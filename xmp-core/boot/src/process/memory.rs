//! Memory of other images that is in no segment: the target of a pointer may be anywhere in the process of its image.
//! The system copies it, on the host of the image: this process requests that there, or the server of another host
//! does.

use crate::error::{Error, Result};
use crate::image::Image;
use crate::job::Job;
use crate::job::page::ImageState;
use crate::job::{Handler, Served};
use crate::rank::Rank;
use rustix::process::{PTracer, set_ptracer};
use std::sync::atomic::Ordering;

/// Most bytes of one request: other requests wait while a server copies.
const PIECE: usize = 1 << 20;

/// Reads bytes where the image is. Payload: address and length, as 8 bytes each.
const READ: Handler = Handler { number: 0xff01, run: serve_read };
/// Writes bytes where the image is. Payload: address as 8 bytes, and the bytes.
const WRITE: Handler = Handler { number: 0xff02, run: serve_write };

/// Registers the handlers of [`read`] and [`write`].
///
/// # Errors
/// When a front end has taken their numbers.
pub(super) fn register(job: &Job) -> Result<()> {
    job.handlers().register(READ)?;
    job.handlers().register(WRITE)
}

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
    if image.job().segment(rank).is_some() {
        // SAFETY: `into` is valid for `len` bytes, and the image does not change the source (contract of this
        // function).
        return unsafe { read_local(image.job(), rank, address, into, len) };
    }
    let mut reply = Vec::new();
    for from in (0..len).step_by(PIECE) {
        let piece = PIECE.min(len - from);
        let mut payload = [0; 16];
        payload[..8].copy_from_slice(&address.wrapping_add(from as u64).to_le_bytes());
        payload[8..].copy_from_slice(&(piece as u64).to_le_bytes());
        reply.clear();
        image.transport().call(rank, READ, &payload, &mut reply)?;
        assert_eq!(reply.len(), piece, "the handler reads all or fails");
        // SAFETY: within the `len` bytes of `into` (contract of this function).
        unsafe { into.add(from).copy_from_nonoverlapping(reply.as_ptr(), piece) };
    }
    Ok(())
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
    if image.job().segment(rank).is_some() {
        // SAFETY: `from` is valid for `len` bytes, and the target may be defined (contract of this function).
        return unsafe { write_local(image.job(), rank, address, from, len) };
    }
    for start in (0..len).step_by(PIECE) {
        let piece = PIECE.min(len - start);
        let mut payload = address.wrapping_add(start as u64).to_le_bytes().to_vec();
        // SAFETY: within the `len` bytes of `from` (contract of this function).
        payload.extend_from_slice(unsafe { std::slice::from_raw_parts(from.add(start), piece) });
        image.transport().call(rank, WRITE, &payload, &mut Vec::new())?;
    }
    Ok(())
}

/// Tells valgrind, if this process runs under it, that another image has written bytes here by [`write()`], so that memcheck
/// takes them for defined. Elsewhere it does nothing.
pub fn written_by_another(start: *mut u8, len: usize) {
    /// `VALGRIND_MAKE_MEM_DEFINED` of valgrind's `memcheck.h`: the letters M and C, and the third request.
    const MAKE_MEM_DEFINED: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16 | 2;
    let request = [MAKE_MEM_DEFINED, start.expose_provenance() as u64, len as u64, 0, 0, 0];
    // SAFETY: the sequence of valgrind's `valgrind.h` for x86-64: the rotations restore the register, and the exchange
    // is one of a register with itself. Valgrind reads the six words of the request, and writes the answer to `rdx`.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") &raw const request,
            inout("rdx") 0_u64 => _,
            out("rdi") _,
        );
    }
}

fn serve_read(served: Served<'_>, payload: &[u8], reply: &mut Vec<u8>) -> Result<()> {
    let (address, rest) = number(payload)?;
    let (len, _) = number(rest)?;
    let len = usize::try_from(len).ok().filter(|&len| len <= PIECE).ok_or_else(malformed)?;
    let end = reply.len();
    reply.resize(end + len, 0);
    let into = reply[end..].as_mut_ptr();
    // SAFETY: room for `len` bytes. The origin guarantees by the contract of `read` that no image changes the source.
    unsafe { read_local(served.job, served.target, address, into, len) }
}

fn serve_write(served: Served<'_>, payload: &[u8], _: &mut Vec<u8>) -> Result<()> {
    let (address, bytes) = number(payload)?;
    // SAFETY: the bytes of the payload. The origin guarantees by the contract of `write` that the variable may be
    // defined.
    unsafe { write_local(served.job, served.target, address, bytes.as_ptr(), bytes.len()) }
}

/// The first 8 bytes as a number, and the rest.
fn number(payload: &[u8]) -> Result<(u64, &[u8])> {
    let (number, rest) = payload.split_first_chunk().ok_or_else(malformed)?;
    Ok((u64::from_le_bytes(*number), rest))
}

fn malformed() -> Error {
    Error::Invalid("a request for memory of a process that no image makes".into())
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
    let here = libc::iovec { iov_base: into.cast(), iov_len: len };
    let there = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: len };
    // SAFETY: `into` is valid for `len` bytes (contract of this function); the system checks the other process's
    // memory.
    let copied = unsafe { libc::process_vm_readv(pid(job, rank), &here, 1, &there, 1, 0) };
    outcome(job, rank, copied, len)
}

/// # Safety
/// `from` is valid for reads of `len` bytes; the image has a variable there that this image may define now.
unsafe fn write_local(
    job: &Job,
    rank: Rank,
    address: u64,
    from: *const u8,
    len: usize,
) -> Result<()> {
    let here = libc::iovec { iov_base: from.cast_mut().cast(), iov_len: len };
    let there = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: len };
    // SAFETY: `from` is valid for `len` bytes (contract of this function); the system checks the other process's
    // memory.
    let copied = unsafe { libc::process_vm_writev(pid(job, rank), &here, 1, &there, 1, 0) };
    outcome(job, rank, copied, len)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::in_process::Shim;
    use crate::settings::Settings;
    use std::sync::atomic::AtomicBool;
    use std::time::{Duration, Instant};
    use xmp_net::thread_hosts::run_on_hosts;

    #[test]
    fn another_host_reads_and_writes_memory_in_no_segment() {
        let settings = Settings::default();
        // More than a piece, and more than a message.
        let mut variable = vec![7_u8; PIECE + 100_000];
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

    #[test]
    fn malformed_requests_are_refused() {
        let settings = Settings::from_lookup(|_| Ok(None)).unwrap();
        let job = crate::process::bootstrap::alone(&settings).unwrap().job;
        let served = Served { job: &job, origin: Rank::new(0), target: Rank::new(0) };
        let mut reply = Vec::new();
        for payload in [vec![], vec![0; 15], [[1; 8], [0xff; 8]].concat()] {
            let text = serve_read(served, &payload, &mut reply).unwrap_err().to_string();
            assert!(text.contains("no image makes"), "{text}");
        }
        assert!(serve_write(served, &[0; 7], &mut reply).is_err());
        assert!(reply.is_empty());
    }
}
