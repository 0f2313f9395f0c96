//! Accesses of global communication, as they are entered where races are looked for ([`xmp_core::races`]).
//!
//! In a collective operation each image reads the elements that it gives, and writes those that it gets. So it accesses its own memory
//! alone, though others copy the elements for it. Gmove `in` and `out` access the memory of the owners.

use super::exchange::operation::Operation;
use super::plan::Transfer;
use super::plan::moves::ByPartner;
use crate::arguments::Accesses;
use std::ops::Range;
use xmp_core::races::{Bytes, Kind};
use xmp_core::{Image, Rank};

/// The elements that this image gives in an operation, which it reads; none where races are not looked for.
#[inline]
pub fn given<'i>(image: &'i Image, operation: &Operation<'_>) -> Accesses<'i> {
    let Operation { plan, from, .. } = operation;
    of_moves(image, (&plan.moves.send, &plan.moves.own), *from, Kind::Read)
}

/// The elements that this image gets in an operation, which it writes; none where races are not looked for.
#[inline]
pub fn got<'i>(image: &'i Image, operation: &Operation<'_>) -> Accesses<'i> {
    let Operation { plan, to, .. } = operation;
    of_moves(image, (&plan.moves.receive, &plan.moves.own), *to, Kind::Write)
}

#[inline]
fn of_moves<'i>(
    image: &'i Image,
    transfers: (&ByPartner, &[Transfer]),
    base: *const u8,
    kind: Kind,
) -> Accesses<'i> {
    let accesses = Accesses::of(image);
    if image.races().is_some() {
        with_moves(accesses, image, transfers, base, kind)
    } else {
        accesses
    }
}

#[cold]
fn with_moves<'i>(
    accesses: Accesses<'i>,
    image: &Image,
    (others, its): (&ByPartner, &[Transfer]),
    base: *const u8,
    kind: Kind,
) -> Accesses<'i> {
    let all = others.iter().flat_map(|(_, transfers)| transfers).chain(its);
    accesses.and(all.flat_map(|it| own(image, it, base, kind)), kind)
}

/// This image copies a transfer between its own part of an array, at `base`, and that of an owner, at an offset of its segment: from
/// there, or to it (`into`).
#[inline]
pub fn one_sided(
    image: &Image,
    transfer: &Transfer,
    base: *const u8,
    (owner, offset): (Rank, u64),
    into: bool,
) {
    if image.races().is_none() {
        return;
    }
    let [here, there] = if into { [Kind::Read, Kind::Write] } else { [Kind::Write, Kind::Read] };
    Accesses::of(image).and(own(image, transfer, base, here), here).enter();
    let at = |distance| offset.wrapping_add_signed(distance);
    let ranges = ranges(transfer, there == Kind::Read).into_iter();
    let ranges: Vec<_> = ranges.map(|range| at(range.start)..at(range.end)).collect();
    if let Some(races) = image.races() {
        races.access_all(races.this_site(), owner, &ranges, there);
    }
}

/// The accesses of this image to the side of a transfer in its own part of an array, if that is in a segment.
fn own(image: &Image, transfer: &Transfer, base: *const u8, kind: Kind) -> Vec<Bytes> {
    let Some((of, start)) = image.locate(base) else { return Vec::new() };
    let bytes = |range: Range<i64>| {
        let (offset, len) = (start.wrapping_add_signed(range.start), range.end - range.start);
        Bytes { of, offset, len: len as u64 }
    };
    ranges(transfer, kind == Kind::Read).into_iter().map(bytes).collect()
}

/// The bytes of one side of a transfer, from the beginning of the part of the array: of the side that gives, or of the other one.
fn ranges(transfer: &Transfer, gives: bool) -> Vec<Range<i64>> {
    let mut ranges: Vec<Range<i64>> = Vec::new();
    let mut add = |start: i64, len: i64| match ranges.last_mut() {
        Some(last) if last.end == start => last.end += len,
        _ => ranges.push(start..start + len),
    };
    for cell in transfer.cells() {
        let unit = cell.unit as i64;
        cell.for_each(|from, to, inner| {
            let (start, step) = if gives { (from, inner.from) } else { (to, inner.to) };
            (0..inner.extent).for_each(|number| add(start + number * step, unit));
        });
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::global::plan::{Cell, CellLoop};
    use smallvec::smallvec;

    #[test]
    fn contiguous_units_are_one_range() {
        let each = CellLoop { extent: 3, from: 8, to: 16 };
        let outer = CellLoop { extent: 2, from: 24, to: 64 };
        let cell = Cell { from: 0, to: 100, unit: 8, loops: smallvec![each, outer] };
        let transfer = Transfer::new(vec![cell]);
        let bounds = |gives: bool| -> Vec<[i64; 2]> {
            ranges(&transfer, gives).into_iter().map(|range| [range.start, range.end]).collect()
        };
        assert_eq!(bounds(true), [[0, 48]]);
        let got = [100, 116, 132, 164, 180, 196].map(|start| [start, start + 8]);
        assert_eq!(bounds(false), got);
    }
}
