//! Moving the bytes of transfers: from place to place, into messages and out of them.

use super::plan::moves;
use super::plan::{Step, Transfer};
use crate::host::copy::take;
use crate::reduction::Reduction;

/// What becomes of elements that arrive.
#[derive(Clone, Copy, Debug)]
pub enum Arrival<'a> {
    /// They replace what is there.
    Replace,
    /// They are combined with what is there, which is the left operand.
    Combine(Reduction<'a>),
}

/// Copies `count` units of `unit` bytes from every `step.from`-th byte to every `step.to`-th one.
///
/// # Safety
/// All these bytes are valid; source and target do not overlap.
#[inline(always)]
unsafe fn strided(from: *const u8, to: *mut u8, unit: usize, step: Step) {
    macro_rules! of_type {
        ($t:ty) => {
            for i in 0..step.extent as isize {
                // SAFETY: both sides are valid for what the transfer touches (contract above).
                unsafe {
                    let value = from.offset(i * step.from as isize).cast::<$t>().read_unaligned();
                    to.offset(i * step.to as isize).cast::<$t>().write_unaligned(value);
                }
            }
        };
    }
    match unit {
        1 => of_type!(u8),
        2 => of_type!(u16),
        4 => of_type!(u32),
        8 => of_type!(u64),
        16 => of_type!(u128),
        _ => {
            for i in 0..step.extent as isize {
                // SAFETY: both sides are valid for what the transfer touches (contract above).
                unsafe {
                    take(to.offset(i * step.to as isize), from.offset(i * step.from as isize), unit)
                };
            }
        }
    }
}

/// Moves all of `transfer` from one array to another, whose memory begins at `from` and `to`.
///
/// # Safety
/// Both are valid for what the transfer touches of them; what it touches of one it does not touch of the other.
pub unsafe fn across(transfer: &Transfer, from: *const u8, to: *mut u8, arrival: Arrival<'_>) {
    for cell in transfer.cells() {
        cell.for_each(|at, into, step| {
            let (at, into) = (from.wrapping_offset(at as isize), to.wrapping_offset(into as isize));
            // SAFETY: both sides are valid for what the transfer touches (contract above).
            unsafe { arrive(at, into, cell.unit, step, arrival) };
        });
    }
}

/// Puts all of `transfers` into a message.
///
/// # Safety
/// `from` is valid for what they touch.
pub unsafe fn pack(transfers: &[Transfer], from: *const u8, message: &mut [u8]) {
    assert_eq!(message.len(), moves::bytes(transfers), "bytes of a message");
    let mut to = message.as_mut_ptr();
    for transfer in transfers {
        for cell in transfer.cells() {
            cell.for_each(|at, _, step| {
                let dense = Step { to: cell.unit as i64, ..step };
                // SAFETY: both sides are valid for what the transfer touches (contract above); the message has room for
                // all cells (asserted).
                unsafe {
                    strided(from.wrapping_offset(at as isize), to, cell.unit, dense);
                    to = to.add(cell.unit * step.extent as usize);
                }
            });
        }
    }
}

/// Takes all of `transfers` out of a message.
///
/// # Safety
/// `to` is valid for what they touch.
pub unsafe fn unpack(transfers: &[Transfer], message: &[u8], to: *mut u8, arrival: Arrival<'_>) {
    assert_eq!(message.len(), moves::bytes(transfers), "bytes of a message");
    let mut from = message.as_ptr();
    for transfer in transfers {
        for cell in transfer.cells() {
            cell.for_each(|_, into, step| {
                let dense = Step { from: cell.unit as i64, ..step };
                // SAFETY: both sides are valid for what the transfer touches (contract above); the message has the
                // bytes of all cells (asserted).
                unsafe {
                    arrive(from, to.wrapping_offset(into as isize), cell.unit, dense, arrival);
                    from = from.add(cell.unit * step.extent as usize);
                }
            });
        }
    }
}

/// # Safety
/// As [`strided`]; units are elements of the reduction.
#[inline]
unsafe fn arrive(from: *const u8, to: *mut u8, unit: usize, step: Step, arrival: Arrival<'_>) {
    match arrival {
        // SAFETY: both sides are valid for what the transfer touches (contract above).
        Arrival::Replace => unsafe { strided(from, to, unit, step) },
        Arrival::Combine(reduction) => {
            let count = unit / reduction.element();
            for i in 0..step.extent as isize {
                // SAFETY: both sides are valid for what the transfer touches (contract above).
                unsafe {
                    let to = to.offset(i * step.to as isize);
                    let from = from.offset(i * step.from as isize);
                    reduction.two(to, to, from, count);
                }
            }
        }
    }
}
