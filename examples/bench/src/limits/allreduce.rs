//! Sum over all processes of operands that lie in the segments.

use super::harness::Harness;
use super::image::Image;
use super::operand::{check_written, fill};
use std::ptr;
use std::slice;
use std::sync::atomic::Ordering::Relaxed;

/// Numbers of the rows, as in `programs/caf_collective.f90`.
const COUNTS: [usize; 4] = [1, 1024, 131_072, 1_048_576];
/// Numbers that are summed at a time: 8 KiB, to stay in the first-level cache.
const PIECE: usize = 1024;

/// Measures the sums asked for.
pub fn run(harness: &mut Harness) {
    for numbers in COUNTS {
        let bytes = (numbers * size_of::<f64>()) as u64;
        if !harness.selected("co_sum", bytes) {
            continue;
        }
        check(&mut harness.image, numbers);
        let operand = harness.image.region.numbers(harness.image.me);
        // SAFETY: the numbers lie within this process's segment; no other process uses it before the row begins.
        unsafe { check_written(harness, "co_sum", operand, numbers) };
        harness.row("co_sum", bytes, |image, n| {
            for turn in 0..n as usize {
                sum(image, numbers, 0.0, turn);
            }
            // The next batch starts with the other of the two operands of a single number only if
            // everyone has read this one.
            image.barrier();
        });
    }
}

/// One sum by the better way for the size; returns this process's first number of the result.
/// `operand` is this process's number where there is only one.
fn sum(image: &mut Image, numbers: usize, operand: f64, turn: usize) -> f64 {
    if numbers == 1 {
        return exchange(image, operand, turn % 2);
    }
    fused(image, numbers);
    // SAFETY: the second barrier of `fused` has passed: this segment is complete and no process writes
    // it until this process enters the next sum.
    unsafe { image.region.numbers(image.me).read() }
}

/// Everyone shows its number, and after one barrier everyone adds them all. Two numbers in turn: a
/// process that is ahead writes the other one, and cannot be two ahead because of the barrier.
fn exchange(image: &mut Image, operand: f64, parity: usize) -> f64 {
    let control = image.region.control();
    // Relaxed: the barrier orders it before the loads below.
    control.mailboxes[image.me].operand[parity].0.store(operand.to_bits(), Relaxed);
    image.barrier();
    let operands = control.mailboxes[..image.count].iter().map(|mailbox| &mailbox.operand[parity]);
    operands.map(|operand| f64::from_bits(operand.0.load(Relaxed))).sum()
}

/// "Fused": between two barriers everyone adds its slice of all operands and writes it to all.
fn fused(image: &mut Image, numbers: usize) {
    image.barrier();
    let start = numbers * image.me / image.count;
    let end = numbers * (image.me + 1) / image.count;
    let mut total = [0.0; PIECE];
    for from in (start..end).step_by(PIECE) {
        let total = &mut total[..PIECE.min(end - from)];
        for other in 0..image.count {
            // SAFETY: the piece lies within the segments; between the two barriers only this
            // process touches this piece of any of them.
            let operand = unsafe {
                slice::from_raw_parts(image.region.numbers(other).add(from), total.len())
            };
            if other == 0 {
                total.copy_from_slice(operand);
            } else {
                total.iter_mut().zip(operand).for_each(|(sum, number)| *sum += number);
            }
        }
        for other in 0..image.count {
            // SAFETY: as above; `total` is private memory.
            unsafe {
                let target = image.region.numbers(other).add(from);
                ptr::copy_nonoverlapping(total.as_ptr(), target, total.len());
            }
        }
    }
    image.barrier();
}

/// Sums once with known operands, then leaves zeros for the measurement.
fn check(image: &mut Image, numbers: usize) {
    let mine = (image.me + 1) as f64;
    fill_own(image, numbers, mine);
    let result = sum(image, numbers, mine, 0);
    let expected = (image.count * (image.count + 1) / 2) as f64;
    assert!((result - expected).abs() < 1e-9, "sum of {numbers} is {result}, not {expected}");
    image.barrier();
    fill_own(image, numbers, 0.0);
    image.barrier();
}

fn fill_own(image: &Image, numbers: usize, value: f64) {
    // SAFETY: the numbers lie within this process's segment; it is filled between barriers, when no other process
    // touches it.
    unsafe { fill(image.region.numbers(image.me), numbers, value) };
}
