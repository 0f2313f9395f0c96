//! Packs sections into contiguous bytes, and unpacks them.

use crate::nest::Nest;

/// The distances between points that a walk over a section uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Those in the target's segment.
    Remote,
    /// Those in the memory of the origin.
    Local,
}

/// Copies the points of a section to `to`, one behind the other.
///
/// # Safety
/// Every point, reached from `base`, can be read; `to` has room for all.
pub unsafe fn pack(base: *const u8, nest: Nest<'_>, side: Side, to: *mut u8) {
    // SAFETY: every point can be read from `base`, and `to` has room for all (contract of this function).
    unsafe { walk(nest, side, |offset, run, at| copy(base.offset(offset), to.add(at), run)) };
}

/// Copies the bytes of `from`, one behind the other, to the points of a section.
///
/// # Safety
/// Every point, reached from `base`, can be written; `from` has bytes for all.
pub unsafe fn unpack(base: *mut u8, nest: Nest<'_>, side: Side, from: *const u8) {
    // SAFETY: every point can be written from `base`, and `from` has bytes for all (contract of this function).
    unsafe { walk(nest, side, |offset, run, at| copy(from.add(at), base.offset(offset), run)) };
}

fn walk(nest: Nest<'_>, side: Side, mut visit: impl FnMut(isize, usize, usize)) {
    let mut at = 0;
    nest.for_each(|remote, local| {
        let offset = if side == Side::Remote { remote } else { local };
        visit(offset as isize, nest.unit, at);
        at += nest.unit;
    });
}

/// Copies `run` bytes; the sizes of numbers by one load and one store, because most sections have no longer runs.
///
/// # Safety
/// `from` and `to` are valid for `run` bytes and do not overlap.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, run: usize) {
    // SAFETY: both are valid for `run` bytes and do not overlap (contract of this function).
    unsafe {
        match run {
            4 => to.cast::<[u8; 4]>().write(from.cast::<[u8; 4]>().read()),
            8 => to.cast::<[u8; 8]>().write(from.cast::<[u8; 8]>().read()),
            16 => to.cast::<[u8; 16]>().write(from.cast::<[u8; 16]>().read()),
            _ => std::ptr::copy_nonoverlapping(from, to, run),
        }
    }
}
