//! Sections packed into contiguous bytes, and back.

use crate::transport::Section;

/// Which distances of a section's dimensions lead from point to point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Those in the target's segment.
    Remote,
    /// Those in the memory of the image that asks.
    Local,
}

/// Copies the points of a section to `to`, one behind the other.
///
/// # Safety
/// Every point, reached from `base`, can be read; `to` has room for all.
pub unsafe fn pack(base: *const u8, section: Section<'_>, side: Side, to: *mut u8) {
    // SAFETY: the caller's guarantee.
    unsafe { walk(section, side, |offset, run, at| copy(base.offset(offset), to.add(at), run)) };
}

/// Copies what `from` holds, one behind the other, to the points of a section.
///
/// # Safety
/// Every point, reached from `base`, can be written; `from` has bytes for all.
pub unsafe fn unpack(base: *mut u8, section: Section<'_>, side: Side, from: *const u8) {
    // SAFETY: the caller's guarantee.
    unsafe { walk(section, side, |offset, run, at| copy(from.add(at), base.offset(offset), run)) };
}

fn walk(section: Section<'_>, side: Side, mut visit: impl FnMut(isize, usize, usize)) {
    let mut at = 0;
    section.for_each(|remote, local| {
        visit(if side == Side::Remote { remote } else { local }, section.run, at);
        at += section.run;
    });
}

/// The sizes of numbers as one load and store each: most sections have no longer runs.
///
/// # Safety
/// As `copy_nonoverlapping` of `run` bytes.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, run: usize) {
    // SAFETY: the caller's guarantee.
    unsafe {
        match run {
            4 => to.cast::<[u8; 4]>().write(from.cast::<[u8; 4]>().read()),
            8 => to.cast::<[u8; 8]>().write(from.cast::<[u8; 8]>().read()),
            16 => to.cast::<[u8; 16]>().write(from.cast::<[u8; 16]>().read()),
            _ => std::ptr::copy_nonoverlapping(from, to, run),
        }
    }
}
