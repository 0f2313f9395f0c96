//! The system copies from one process to another: a sum of private operands without staging.

use super::image::Image;
use super::operand::{PIECE, add, slices};
use std::hint::black_box;
use std::io;
use std::slice;
use std::sync::atomic::Ordering::Relaxed;

/// Whether the processes may read each other's memory. All processes call this, and all get the same answer.
pub fn allowed(image: &mut Image) -> bool {
    let control = image.region.control();
    let byte = 1_u8;
    publish(image, (&raw const byte).addr());
    image.barrier();
    let other = Private::of(image, (image.me + 1) % image.count);
    let mut copy = 0_u8;
    let read = other.read(0, &raw mut copy, 1).is_ok() && copy == byte;
    image.barrier();
    // Relaxed: the barrier orders it before the loads below.
    control.mailboxes[image.me].address.0.store(read.into(), Relaxed);
    image.barrier();
    let all =
        control.mailboxes[..image.count].iter().all(|mailbox| mailbox.address.0.load(Relaxed) == 1);
    // Before any process publishes an address again.
    image.barrier();
    all
}

/// Each process adds up its own slice: it reads that of each other process in pieces that stay in the cache, and writes
/// the sums back. The slices of different processes have no element in common.
pub fn single_copy(image: &mut Image, operand: &mut [f64], _turn: usize) {
    publish(image, operand.as_mut_ptr().addr());
    image.barrier();
    let others: Vec<Private> = (0..image.count)
        .filter(|&other| other != image.me)
        .map(|other| Private::of(image, other))
        .collect();
    let own = slices(operand.len(), image.count)[image.me].clone();
    // SAFETY: a segment is longer than a piece, and only this process uses it in these rows between two barriers.
    let read = unsafe { slice::from_raw_parts_mut(image.region.numbers(image.me), PIECE) };
    for first in own.clone().step_by(PIECE) {
        let piece = &mut operand[first..own.end.min(first + PIECE)];
        let (at, bytes) = (first * size_of::<f64>(), size_of_val(piece));
        for other in &others {
            let copied = other.read(at, read.as_mut_ptr().cast(), bytes);
            copied.expect("memory that could be read before");
            add(piece, &read[..piece.len()]);
        }
        for other in &others {
            let copied = other.write(at, piece.as_ptr().cast(), bytes);
            copied.expect("memory that could be read before");
        }
    }
    image.barrier();
    // The other slices were written by other processes.
    black_box(operand.as_mut_ptr());
}

/// Says where this process has what the others are to read.
fn publish(image: &Image, address: usize) {
    let mailbox = &image.region.control().mailboxes[image.me];
    // Relaxed: a barrier follows before another process loads them.
    mailbox.address.0.store(address as u64, Relaxed);
    mailbox.process.0.store(std::process::id(), Relaxed);
}

/// Private memory of another process, as it published it before the last barrier.
struct Private {
    process: libc::pid_t,
    address: usize,
}

impl Private {
    fn of(image: &Image, other: usize) -> Self {
        let mailbox = &image.region.control().mailboxes[other];
        // Relaxed: a barrier came after the stores.
        let process = mailbox.process.0.load(Relaxed).cast_signed();
        Self { process, address: mailbox.address.0.load(Relaxed) as usize }
    }

    /// Copies from it, `at` bytes after its start.
    fn read(&self, at: usize, to: *mut u8, bytes: usize) -> io::Result<()> {
        let (here, there) = (part(to.addr(), bytes), part(self.address + at, bytes));
        // SAFETY: the caller has `bytes` at `to`, and the system checks what is in the other process.
        let copied = unsafe {
            libc::process_vm_readv(self.process, &raw const here, 1, &raw const there, 1, 0)
        };
        complete(copied, bytes)
    }

    /// Copies to it, `at` bytes after its start.
    fn write(&self, at: usize, from: *const u8, bytes: usize) -> io::Result<()> {
        let (here, there) = (part(from.addr(), bytes), part(self.address + at, bytes));
        // SAFETY: the system reads `bytes` here, and writes an operand that the other process lends until the barrier.
        let copied = unsafe {
            libc::process_vm_writev(self.process, &raw const here, 1, &raw const there, 1, 0)
        };
        complete(copied, bytes)
    }
}

fn part(address: usize, bytes: usize) -> libc::iovec {
    libc::iovec { iov_base: std::ptr::with_exposed_provenance_mut(address), iov_len: bytes }
}

fn complete(copied: isize, bytes: usize) -> io::Result<()> {
    match usize::try_from(copied) {
        Ok(copied) if copied == bytes => Ok(()),
        Ok(_) => Err(io::ErrorKind::UnexpectedEof.into()),
        Err(_) => Err(io::Error::last_os_error()),
    }
}
