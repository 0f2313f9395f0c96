//! The bandwidth bound of a sum over all processes: the time in which a plain copy moves the bytes that any such
//! sum must move.
//!
//! However it is done, a process that computes its share of the result reads that share of the others' operands,
//! and it gets the others' shares of the result: twice (n-1)/n of the operand for each of n processes, if the
//! work is shared evenly. Here everyone copies as much out of its neighbour's segment, all at once.

use super::harness::Harness;
use super::image::Image;
use super::operand::{check_written, fill};
use super::region::{Region, SEGMENT_BYTES};
use std::ptr;

/// Bytes of the operands, as in `programs/caf_team_collective.f90`: those that bandwidth decides.
const OPERANDS: [usize; 2] = [1 << 20, 8 << 20];

/// Measures those asked for.
pub fn run(harness: &mut Harness) {
    for bytes in OPERANDS {
        let operand = harness.image.region.numbers(harness.image.me);
        if harness.selected("team_sum", bytes as u64) {
            // SAFETY: the numbers lie within this process's segment; no other process uses it before the row begins.
            unsafe {
                fill(operand, SEGMENT_BYTES / size_of::<f64>(), 1.0);
                check_written(harness, "team_sum", operand, bytes / size_of::<f64>());
            }
        }
        harness.row("team_sum", bytes as u64, |image, n| {
            for turn in 0..2 * n as usize {
                share(image, bytes, turn % 2);
            }
        });
    }
}

/// Copies from one half of the neighbour's segment to the other half of the own one. The halves change their
/// roles from call to call, so that what is read was written by another core just before, as it is in a sum.
fn share(image: &mut Image, operand: usize, from: usize) {
    let bytes = operand / image.count * (image.count - 1);
    let half = |image: usize, half: usize, region: Region| {
        // SAFETY: both halves lie within the segment.
        unsafe { region.segment(image).add(half * (SEGMENT_BYTES / 2)) }
    };
    let next = (image.me + 1) % image.count;
    // SAFETY: a half holds more than the largest operand; until the barrier everyone reads the halves `from`
    // only and writes the other half of its own segment.
    unsafe {
        let source = half(next, from, image.region);
        let target = half(image.me, 1 - from, image.region);
        ptr::copy_nonoverlapping(source, target, bytes);
    }
    image.barrier();
}
