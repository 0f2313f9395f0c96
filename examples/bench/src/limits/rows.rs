//! The rows but the reductions: stores, copies, flags, atomics, barriers.

use super::harness::{Harness, faster};
use super::image::Image;
use super::operand::{check_written, fill};
use super::region::SEGMENT_BYTES;
use std::hint::black_box;
use std::ptr;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of the ladder's rungs, as in `programs/caf_bandwidth.f90`.
const RUNGS: [usize; 10] =
    [8, 64, 512, 1024, 4096, 32768, 262_144, 1_048_576, 8_388_608, SEGMENT_BYTES];
/// Bytes of the smallest page of all processors.
const PAGE: usize = 4096;

/// Measures those asked for.
pub fn run(harness: &mut Harness) {
    harness.row("put8", 8, store_word);
    harness.row("get8", 8, load_word);
    ladder(harness);
    harness.row("pingpong", 8, |image, n| pingpong(image, n, true));
    if harness.selected("flag_one_way", 0) {
        harness.begin("flag_one_way", 0);
        let there_and_back = harness.time(|image, n| pingpong(image, n, false));
        let one_way: Vec<f64> = there_and_back.iter().map(|time| time / 2.0).collect();
        harness.print("flag_one_way", 0, &one_way);
    }
    barriers(harness);
    harness.row("atomic_add", 4, |image, n| {
        if image.me == 0 {
            add(image, n);
        }
    });
    harness.row("atomic_add_all", 4, |image, n| {
        add(image, n);
        image.barrier();
    });
}

/// `sync_all` is the better of the two barriers.
fn barriers(harness: &mut Harness) {
    if !harness.selected("sync_all", 0) {
        return;
    }
    harness.begin("sync_all", 0);
    let central = harness.time(|image, n| (0..n).for_each(|_| image.central_barrier()));
    harness.print("barrier_central", 0, &central);
    let dissemination = harness.time(|image, n| (0..n).for_each(|_| image.dissemination_barrier()));
    harness.print("barrier_dissemination", 0, &dissemination);
    harness.print("sync_all", 0, &faster(central, dissemination));
}

fn store_word(image: &mut Image, n: u32) {
    let target = image.region.numbers(1);
    if image.me == 0 {
        for i in 0..n {
            // SAFETY: the segment is mapped and aligned; no other process uses it in this row.
            unsafe { target.write_volatile(f64::from(i)) };
        }
    }
}

fn load_word(image: &mut Image, n: u32) {
    let source = image.region.numbers(1);
    if image.me == 0 {
        // SAFETY: the segment is mapped and aligned; no process writes it in this row.
        let total: f64 = (0..n).map(|_| unsafe { source.read_volatile() }).sum();
        black_box(total);
    }
}

/// Copies from private memory to the segment of process 1 and back.
fn ladder(harness: &mut Harness) {
    for bytes in RUNGS {
        if !harness.selected("put", bytes as u64) && !harness.selected("get", bytes as u64) {
            continue;
        }
        let count = bytes / size_of::<f64>();
        // Memory of the allocator, of this length, as the other sides take theirs; what is used of it begins half a page
        // beside the segment, which begins at a page (`words_beside` of `programs/caf_timing.f90` says why).
        let mut near = vec![1.0_f64; PAGE / size_of::<f64>() + count];
        let beside = (PAGE / 2).wrapping_sub(near.as_ptr().addr()) % PAGE;
        let near = near[beside / size_of::<f64>()..].as_mut_ptr();
        if harness.image.me == 1 {
            // SAFETY: the segment holds the largest rung; no other process uses it before the row begins.
            unsafe { fill(harness.image.region.numbers(1), count, 2.0) };
        }
        for name in ["put", "get"] {
            // SAFETY: `near` has `count` numbers.
            unsafe { check_written(harness, name, near, count) };
        }
        let near = near.cast::<u8>();
        harness.row("put", bytes as u64, |image, n| {
            if image.me == 0 {
                copy(near, image.region.segment(1), bytes, n);
            }
        });
        harness.row("get", bytes as u64, |image, n| {
            if image.me == 0 {
                copy(image.region.segment(1), near, bytes, n);
            }
        });
    }
}

fn copy(from: *const u8, to: *mut u8, bytes: usize, n: u32) {
    for _ in 0..n {
        // SAFETY: both sides hold at least `bytes` (the private side was allocated for this rung, a segment for the
        // largest) and are different memory; no other process uses them in this row.
        unsafe { ptr::copy_nonoverlapping(black_box(from), black_box(to), bytes) };
    }
}

/// Processes 0 and 1 throw a ball, with a number before it or without.
fn pingpong(image: &mut Image, n: u32, with_number: bool) {
    if image.me > 1 {
        return;
    }
    let other = 1 - image.me;
    let control = image.region.control();
    for _ in 0..n {
        image.throws = image.throws.wrapping_add(1);
        if image.me == 1 {
            image.policy.wait(&control.mailboxes[1].ball, image.throws);
        }
        if with_number {
            // SAFETY: the segment is mapped and aligned; the other process does not read the number
            // before the ball below arrives, and does not write here.
            unsafe { image.region.numbers(other).write_volatile(f64::from(image.throws)) };
        }
        control.mailboxes[other].ball.set(image.throws);
        if image.me == 0 {
            image.policy.wait(&control.mailboxes[0].ball, image.throws);
        }
    }
}

fn add(image: &Image, n: u32) {
    let counter = &image.region.control().counter.0;
    for _ in 0..n {
        // Relaxed: only the sum matters.
        counter.fetch_add(1, Relaxed);
    }
}
