//! Copies of the bytes of transfers: between arrays, into messages and out of them.

use super::plan::moves;
use super::plan::{CellLoop, Transfer};
use crate::copy::take;
use crate::reduction::Reduction;

/// The treatment of elements that arrive.
#[derive(Clone, Copy, Debug)]
pub enum Arrival<'a> {
    /// They replace the elements that are there.
    Replace,
    /// They are combined with the elements that are there, which are the left operands.
    Combine(Reduction<'a>),
}

/// Copies `count` units of `unit` bytes from every `each.from`-th byte to every `each.to`-th one.
///
/// # Safety
/// Both sides are valid for all units of the loop, and do not overlap.
#[inline(always)]
unsafe fn strided(from: *const u8, to: *mut u8, unit: usize, each: CellLoop) {
    macro_rules! of_type {
        ($t:ty) => {
            for i in 0..each.extent as isize {
                // SAFETY: both sides are valid for the units of the loop (contract above).
                unsafe {
                    let value = from.offset(i * each.from as isize).cast::<$t>().read_unaligned();
                    to.offset(i * each.to as isize).cast::<$t>().write_unaligned(value);
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
            for i in 0..each.extent as isize {
                // SAFETY: both sides are valid for the units of the loop (contract above).
                unsafe {
                    take(to.offset(i * each.to as isize), from.offset(i * each.from as isize), unit)
                };
            }
        }
    }
}

/// Copies the elements of `transfer` between arrays whose memory begins at `from` and `to`.
///
/// # Safety
/// Both are valid for the elements of the transfer, which are different memory on both sides.
pub unsafe fn across(transfer: &Transfer, from: *const u8, to: *mut u8, arrival: Arrival<'_>) {
    for cell in transfer.cells() {
        cell.for_each(|at, into, inner| {
            let (at, into) = (from.wrapping_offset(at as isize), to.wrapping_offset(into as isize));
            // SAFETY: both sides are valid for the units of the loop (contract above).
            unsafe { arrive(at, into, cell.unit, inner, arrival) };
        });
    }
}

/// Packs the elements of `transfers` into a message.
///
/// # Safety
/// `from` is valid for the elements of the transfers.
pub unsafe fn pack(transfers: &[Transfer], from: *const u8, message: &mut [u8]) {
    assert_eq!(message.len(), moves::bytes(transfers), "bytes of a message");
    let mut to = message.as_mut_ptr();
    for transfer in transfers {
        for cell in transfer.cells() {
            cell.for_each(|at, _, inner| {
                let dense = CellLoop { to: cell.unit as i64, ..inner };
                // SAFETY: the array is valid for the elements of the transfers (contract above). The message has room for
                // all cells (asserted).
                unsafe {
                    strided(from.wrapping_offset(at as isize), to, cell.unit, dense);
                    to = to.add(cell.unit * inner.extent as usize);
                }
            });
        }
    }
}

/// Unpacks the elements of `transfers` from a message.
///
/// # Safety
/// `to` is valid for the elements of the transfers.
pub unsafe fn unpack(transfers: &[Transfer], message: &[u8], to: *mut u8, arrival: Arrival<'_>) {
    assert_eq!(message.len(), moves::bytes(transfers), "bytes of a message");
    let mut from = message.as_ptr();
    for transfer in transfers {
        for cell in transfer.cells() {
            cell.for_each(|_, into, inner| {
                let dense = CellLoop { from: cell.unit as i64, ..inner };
                // SAFETY: the array is valid for the elements of the transfers (contract above). The message has the bytes
                // of all cells (asserted).
                unsafe {
                    arrive(from, to.wrapping_offset(into as isize), cell.unit, dense, arrival);
                    from = from.add(cell.unit * inner.extent as usize);
                }
            });
        }
    }
}

/// Copies or combines units of `unit` bytes in a loop.
///
/// # Safety
/// Both sides are valid for all units of the loop, and do not overlap. For a combination they hold elements of the
/// reduction.
#[inline]
unsafe fn arrive(from: *const u8, to: *mut u8, unit: usize, each: CellLoop, arrival: Arrival<'_>) {
    match arrival {
        // SAFETY: both sides are valid for the units of the loop (contract above).
        Arrival::Replace => unsafe { strided(from, to, unit, each) },
        Arrival::Combine(reduction) => {
            let count = unit / reduction.element();
            for i in 0..each.extent as isize {
                // SAFETY: both sides are valid for the units of the loop (contract above).
                unsafe {
                    let to = to.offset(i * each.to as isize);
                    let from = from.offset(i * each.from as isize);
                    reduction.two(to, to, from, count);
                }
            }
        }
    }
}
