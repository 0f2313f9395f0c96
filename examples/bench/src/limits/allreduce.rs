//! Sum over all processes of operands in private memory, as those of the other sides are.

use super::harness::{Harness, faster};
use super::image::Image;
use super::operand::{PIECE, add, check_written, fill, slices};
use super::region::SEGMENT_BYTES;
use super::single_copy::{allowed, single_copy};
use std::ops::Range;
use std::ptr;
use std::slice;
use std::sync::atomic::Ordering::Relaxed;

/// Numbers of the rows, as in `programs/caf_collective.f90`.
const COUNTS: [usize; 4] = [1, 1024, 131_072, 1_048_576];
/// Numbers from the staging memory of even steps, in a segment, to that of odd ones.
const STAGE: usize = SEGMENT_BYTES / 2 / size_of::<f64>();

/// A way to make the sum of `operand` and those of all other processes, in its place. `turn` counts the sums since all
/// processes were in a barrier of the harness.
type Way = fn(image: &mut Image, operand: &mut [f64], turn: usize);

/// Measures the sums asked for, each by the fastest way.
pub fn run(harness: &mut Harness) {
    let long: &[Way] = if allowed(&mut harness.image) {
        &[copy_in, sliced, single_copy]
    } else {
        &[copy_in, sliced]
    };
    for numbers in COUNTS {
        let bytes = (numbers * size_of::<f64>()) as u64;
        if !harness.selected("co_sum", bytes) {
            continue;
        }
        let ways: &[Way] = if numbers == 1 { &[exchange] } else { long };
        let mut operand = vec![0.0; numbers];
        for way in ways {
            check(&mut harness.image, &mut operand, *way);
        }
        // SAFETY: the operand has this many numbers.
        unsafe { check_written(harness, "co_sum", operand.as_mut_ptr(), numbers) };
        harness.begin("co_sum", bytes);
        let mut fastest: Option<Vec<f64>> = None;
        for way in ways {
            let times = harness.time(|image, n| {
                (0..n as usize).for_each(|turn| way(image, &mut operand, turn));
                // The next batch starts with the staging memory of even steps only if all have read this one.
                image.barrier();
            });
            fastest = Some(match fastest {
                Some(others) => faster(others, times),
                None => times,
            });
        }
        harness.print("co_sum", bytes, &fastest.unwrap_or_default());
    }
}

/// Each process shows its number, and after one barrier it adds them all. Two places in turn: a process that is ahead
/// writes the other one, and cannot be two ahead because of the barrier.
fn exchange(image: &mut Image, operand: &mut [f64], turn: usize) {
    let (control, parity) = (image.region.control(), turn % 2);
    // Relaxed: the barrier orders it before the loads below.
    control.mailboxes[image.me].operand[parity].0.store(operand[0].to_bits(), Relaxed);
    image.barrier();
    let operands = control.mailboxes[..image.count].iter().map(|mailbox| &mailbox.operand[parity]);
    operand[0] = operands.map(|operand| f64::from_bits(operand.0.load(Relaxed))).sum();
}

/// Each process copies a piece to its segment, and after a barrier it adds those of all others to its own. One barrier
/// a piece, because the next one goes to the other place.
fn copy_in(image: &mut Image, operand: &mut [f64], turn: usize) {
    let first = turn * operand.len().div_ceil(PIECE);
    for (step, piece) in operand.chunks_mut(PIECE).enumerate() {
        let parity = (first + step) % 2;
        show(image, piece, 0, parity);
        image.barrier();
        for other in (0..image.count).filter(|&other| other != image.me) {
            add(piece, shown(image, other, 0..piece.len(), parity));
        }
    }
}

/// Each process shows the others their slices, adds up its own slice, and copies the sums of the others.
fn sliced(image: &mut Image, operand: &mut [f64], turn: usize) {
    let (me, parity) = (image.me, turn % 2);
    let shares = slices(operand.len(), image.count);
    let others = || (0..shares.len()).filter(|&other| other != me);
    for other in others() {
        show(image, &operand[shares[other].clone()], shares[other].start, parity);
    }
    image.barrier();
    let own = &mut operand[shares[me].clone()];
    for other in others() {
        add(own, shown(image, other, shares[me].clone(), parity));
    }
    // The place of the own slice, which no other process has written to or read yet.
    show(image, own, shares[me].start, parity);
    image.barrier();
    for other in others() {
        operand[shares[other].clone()].copy_from_slice(shown(
            image,
            other,
            shares[other].clone(),
            parity,
        ));
    }
}

/// Copies numbers to this process's segment, `at` numbers after the start of its staging memory.
fn show(image: &Image, numbers: &[f64], at: usize, parity: usize) {
    assert!(at + numbers.len() <= STAGE, "an operand fits in the staging memory");
    // SAFETY: within the segment (see above). Other processes read this place before the barrier of the step before
    // the last, or after the next barrier.
    unsafe {
        let place = image.region.numbers(image.me).add(parity * STAGE + at);
        ptr::copy_nonoverlapping(numbers.as_ptr(), place, numbers.len());
    }
}

/// Numbers that a process has shown before the last barrier. They are borrowed until the next barrier, which needs the
/// image alone.
fn shown(image: &Image, other: usize, numbers: Range<usize>, parity: usize) -> &[f64] {
    assert!(numbers.end <= STAGE, "an operand fits in the staging memory");
    // SAFETY: within the segment (see above). The other process writes this place again after the next barrier only.
    unsafe {
        let place = image.region.numbers(other).add(parity * STAGE + numbers.start);
        slice::from_raw_parts(place, numbers.len())
    }
}

/// Sums once with known operands, then leaves zeros for the measurement.
fn check(image: &mut Image, operand: &mut [f64], way: Way) {
    let all = (image.count * (image.count + 1) / 2) as f64;
    for turn in 0..2 {
        set(operand, (image.me + 1) as f64);
        way(image, operand, turn);
        let wrong = operand.iter().position(|sum| (sum - all).abs() > 1e-9);
        assert_eq!(wrong, None, "not {all} in the sum of {}", operand.len());
    }
    image.barrier();
    set(operand, 0.0);
}

fn set(operand: &mut [f64], value: f64) {
    // SAFETY: the operand is this process's own.
    unsafe { fill(operand.as_mut_ptr(), operand.len(), value) };
}
