//! Sections of arrays: packed into contiguous bytes and unpacked again, on both sides of a transfer.

use crate::machine::byte_atomic;
use crate::nest::Nest;

/// The memory whose distances between points a section uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySide {
    /// The segment of the target.
    Remote,
    /// The memory of the origin.
    Local,
}

/// Copies the points of a section to `to`, one after the other.
///
/// # Safety
/// Every point, reached from `base`, can be read; `to` has room for all.
pub unsafe fn pack(base: *const u8, nest: Nest<'_>, side: MemorySide, to: *mut u8) {
    // SAFETY: every point can be read from `base`, and `to` has room for all (contract of this function); rows that are packed write no
    // point.
    unsafe { walk::<true>(base.cast_mut(), nest, side, to) };
}

/// Copies the bytes of `from`, one after the other, to the points of a section.
///
/// # Safety
/// Every point, reached from `base`, can be written; `from` has bytes for all.
pub unsafe fn unpack(base: *mut u8, nest: Nest<'_>, side: MemorySide, from: *const u8) {
    // SAFETY: every point can be written from `base`, and `from` has bytes for all (contract of this function); rows that are unpacked
    // write no packed byte.
    unsafe { walk::<false>(base, nest, side, from.cast_mut()) };
}

/// Points at one distance, which the innermost loop visits, and the packed bytes of them.
#[derive(Clone, Copy)]
struct Row {
    points: *mut u8,
    stride: isize,
    extent: usize,
    packed: *mut u8,
    /// Bytes of a point.
    unit: usize,
}

/// Packs (`PACKS`) or unpacks a section, row by row.
///
/// # Safety
/// Every point, reached from `base`, and as many bytes at `packed` can be read or written.
unsafe fn walk<const PACKS: bool>(
    base: *mut u8,
    nest: Nest<'_>,
    side: MemorySide,
    packed: *mut u8,
) {
    let (unit, loops) = match side {
        MemorySide::Remote => nest.side(|it| it.remote),
        MemorySide::Local => nest.side(|it| it.local),
    };
    // The sizes of numbers by one load and one store, because most sections have no longer runs.
    let copy: unsafe fn(Row) = match unit {
        4 => copy_row::<PACKS, 4>,
        8 => copy_row::<PACKS, 8>,
        16 => copy_row::<PACKS, 16>,
        _ => copy_row::<PACKS, 0>,
    };
    let (inner, outer) =
        loops.split_first().map_or((None, &loops[..]), |(it, more)| (Some(it), more));
    let (stride, extent) = inner.map_or((0, 1), |it| (it.remote as isize, it.extent));
    let mut row = Row { points: base, stride, extent, packed, unit };
    Nest { unit, loops: outer }.for_each(|offset, _| {
        row.points = base.wrapping_offset(offset as isize);
        // SAFETY: the points of the row and their packed bytes are among those of the section (contract of this function).
        unsafe { copy(row) };
        row.packed = row.packed.wrapping_add(extent * unit);
    });
}

/// Packs or unpacks a row of points of `UNIT` bytes each; any number of bytes if that is 0.
///
/// # Safety
/// The points and their packed bytes can be read or written, and do not overlap.
unsafe fn copy_row<const PACKS: bool, const UNIT: usize>(row: Row) {
    let Row { points, stride, extent, packed, unit } = row;
    let unit = if UNIT == 0 { unit } else { UNIT };
    for at in 0..extent {
        // SAFETY: within the points and the packed bytes (contract of this function). Images that race, as safe programs may, access
        // them atomically per byte, too.
        unsafe {
            let (point, packed) = (points.offset(at as isize * stride), packed.add(at * unit));
            let (to, from) = if PACKS { (packed, point) } else { (point, packed) };
            byte_atomic::copy(to, from, unit);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::nest::Loop;
    use proptest::prelude::*;

    const MIDDLE: usize = 5000;

    proptest! {
        /// Points that overlap are unpacked in their order.
        #[test]
        fn sections_are_packed_and_unpacked_in_the_order_of_their_points(
            unit in prop_oneof![Just(4usize), Just(8), Just(16), 1usize..40],
            loops in prop::collection::vec((0usize..5, -50i64..50, -50i64..50), 0..4),
            side in prop_oneof![Just(MemorySide::Remote), Just(MemorySide::Local)],
            seed in any::<u8>(),
        ) {
            let mut loops: Vec<Loop> =
                loops.into_iter().map(|(extent, remote, local)| Loop { extent, remote, local }).collect();
            // Where it is possible, the first loop makes longer runs.
            if let Some(first) = loops.first_mut().filter(|_| seed.is_multiple_of(2)) {
                (first.remote, first.local) = (unit as i64, unit as i64);
            }
            let nest = Nest { unit, loops: &loops };
            let memory: Vec<u8> = (0..2 * MIDDLE).map(|at| (at * 7 / 3) as u8 ^ seed).collect();
            let (mut packed, mut expected) = (Vec::new(), vec![0; memory.len()]);
            nest.for_each(|remote, local| {
                let first = if side == MemorySide::Remote { remote } else { local };
                let point = MIDDLE.wrapping_add_signed(first as isize);
                let bytes = &memory[point..point + unit];
                expected[point..point + unit].copy_from_slice(bytes);
                packed.extend_from_slice(bytes);
            });
            let mut found = vec![0; packed.len()];
            let mut scattered = vec![0; memory.len()];
            // SAFETY: all points are near the middle of the memory, and there is room for all.
            unsafe {
                pack(memory.as_ptr().add(MIDDLE), nest, side, found.as_mut_ptr());
                unpack(scattered.as_mut_ptr().add(MIDDLE), nest, side, packed.as_ptr());
            }
            prop_assert_eq!(found, packed);
            prop_assert!(scattered == expected);
        }
    }
}
