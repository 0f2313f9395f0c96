//! Accesses to coarrays, as they are entered where races are looked for ([`xmp_core::races`], `XMP_CHECK=races`).
//!
//! Front ends call this before they access memory. Without the setting it does nothing.

use crate::Location;
use crate::plan::Axis;
use crate::transfer::{MemoryRef, RemoteMemory};
use std::ops::Range;
use xmp_core::races::{Kind, Races, Site};
use xmp_core::transport::Width;
use xmp_core::{Image, Result};

/// The elements that a transfer accesses in one place.
#[derive(Clone, Copy, Debug)]
pub struct AccessedElements<'a> {
    /// The origin of the axes.
    pub base: MemoryRef,
    /// Bytes of an element.
    pub size: usize,
    /// The axes along which the elements are; none for one element.
    pub axes: &'a [Axis<'a>],
}

impl AccessedElements<'_> {
    /// So many contiguous bytes.
    pub fn block(base: MemoryRef, len: usize) -> AccessedElements<'static> {
        AccessedElements { base, size: len, axes: &[] }
    }

    /// Enters the accesses to all elements that are in segments.
    fn access(&self, entry: &Entry<'_>, kind: Kind) {
        match self.base {
            MemoryRef::Local(base) => each_range(self.size, self.axes, |distance, len| {
                entry.access(base.wrapping_offset(distance as isize), len, kind);
            }),
            MemoryRef::Remote(RemoteMemory::Segment(Location { rank, offset })) => {
                let mut ranges = Vec::new();
                each_range(self.size, self.axes, |distance, len| {
                    let start = offset.wrapping_add_signed(distance);
                    ranges.push(start..start.saturating_add(len as u64));
                });
                entry.races.access_all(entry.site, rank, &ranges, kind);
            }
            // In no segment.
            MemoryRef::Remote(_) => {}
        }
    }
}

/// The bytes of elements of `size` bytes, from what the axes count from.
pub fn ranges(size: usize, axes: &[Axis<'_>]) -> Vec<Range<i64>> {
    let mut ranges = Vec::new();
    each_range(size, axes, |distance, len| ranges.push(distance..distance + len as i64));
    ranges
}

/// Calls `visit` with the distance and the number of bytes of each contiguous piece.
fn each_range(size: usize, axes: &[Axis<'_>], mut visit: impl FnMut(i64, usize)) {
    if axes.iter().any(|axis| axis.extent() == 0) {
        return;
    }
    let (mut len, mut axes) = (size, axes);
    while let [Axis::Stride { extent, stride }, outer @ ..] = axes
        && *stride == len as i64
    {
        (len, axes) = (len * extent, outer);
    }
    each(axes, 0, &mut |distance| visit(distance, len));
}

/// Calls `visit` with the distance of each element.
fn each(axes: &[Axis<'_>], from: i64, visit: &mut impl FnMut(i64)) {
    let Some((axis, inner)) = axes.split_last() else { return visit(from) };
    (0..axis.extent()).for_each(|number| {
        let step = match axis {
            Axis::Stride { stride, .. } => stride * number as i64,
            Axis::Index(distances) => distances[number],
        };
        each(inner, from + step, visit);
    });
}

/// The accesses of one statement.
struct Entry<'a> {
    image: &'a Image,
    races: Races<'a>,
    site: Site,
}

impl Entry<'_> {
    fn access(&self, address: *mut u8, len: usize, kind: Kind) {
        if let Some((of, offset)) = self.image.locate(address) {
            let range = offset..offset + len as u64;
            self.races.access_all(self.site, of, &[range], kind);
        }
    }
}

/// A transfer is about to read `src` and to write `dst`.
#[inline]
pub fn transfer(image: &Image, dst: AccessedElements<'_>, src: AccessedElements<'_>) {
    if let Some(races) = image.races() {
        let entry = Entry { image, races, site: races.this_site() };
        src.access(&entry, Kind::Read);
        dst.access(&entry, Kind::Write);
    }
}

/// A statement is about to access elements.
#[inline]
pub fn access(image: &Image, elements: AccessedElements<'_>, kind: Kind) {
    if let Some(races) = image.races() {
        elements.access(&Entry { image, races, site: races.this_site() }, kind);
    }
}

/// The place of a statement in Rust.
pub type Place = &'static std::panic::Location<'static>;

/// A statement in Rust at this place is about to access bytes of the segment of an image.
#[inline]
pub fn block(image: &Image, at: Location, len: usize, kind: Kind, place: Place) {
    if let Some(races) = image.races() {
        races.execute_at(place);
        let range = at.offset..at.offset.saturating_add(len as u64);
        races.access_all(races.this_site(), at.rank, &[range], kind);
    }
}

/// The same of elements of a size along axes.
#[inline]
pub fn elements(
    image: &Image,
    at: Location,
    (size, axes): (usize, &[Axis<'_>]),
    kind: Kind,
    place: Place,
) {
    if let Some(races) = image.races() {
        races.execute_at(place);
        enter_elements(image, races, at, (size, axes), kind);
    }
}

#[cold]
fn enter_elements(
    image: &Image,
    races: Races<'_>,
    at: Location,
    (size, axes): (usize, &[Axis<'_>]),
    kind: Kind,
) {
    let entry = Entry { image, races, site: races.this_site() };
    let base = MemoryRef::Remote(RemoteMemory::Segment(at));
    AccessedElements { base, size, axes }.access(&entry, kind);
}

/// Executes an atomic subroutine on a variable, which it may define or only references.
///
/// # Errors
/// Those of the subroutine.
#[inline]
pub fn atomic<T>(
    image: &Image,
    at: Location,
    width: Width,
    kind: Kind,
    execute: impl FnOnce() -> Result<T>,
) -> Result<T> {
    image.acquired();
    if image.races().is_none() {
        return execute();
    }
    entered_atomic(image, at, (width, kind), execute)
}

/// The same by a statement in Rust at this place, where races are looked for.
///
/// # Errors
/// Those of the operation.
pub fn atomic_at<T>(
    image: &Image,
    at: Location,
    access: (Width, Kind),
    place: Place,
    execute: impl FnOnce() -> Result<T>,
) -> Result<T> {
    if let Some(races) = image.races() {
        races.execute_at(place);
    }
    entered_atomic(image, at, access, execute)
}

/// Enters an atomic subroutine, where races are looked for, and executes it.
fn entered_atomic<T>(
    image: &Image,
    at: Location,
    (width, kind): (Width, Kind),
    execute: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let Some(races) = image.races() else { return execute() };
    let Location { rank: of, offset } = at;
    let range = offset..offset + width.bytes();
    races.access_all(races.this_site(), of, &[range], kind);
    if kind.writes() {
        races.before_atomic(of, offset);
    }
    let outcome = execute();
    races.after_atomic(of, offset);
    outcome
}
