//! Accesses of accessors, as they are entered where races are looked for: as those of the statement that the library calls the
//! accessor for. The accessor itself has hooks like all of the program. What it accesses of a copy of another host's object is entered
//! as an access to that object. For those that run on other hosts see [`super::remote`].

use super::object::Object;
use crate::gfortran_abi::Descriptor;
use crate::gnu::transfer::Section;
use crate::process::gather;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr;
use xmp_coarray::front_end::plan::Axis;
use xmp_coarray::front_end::races;
use xmp_core::Result;
use xmp_core::race_hooks::Gathered;
use xmp_core::races::{Bytes, Kind};

/// Calls an accessor in this process, for this object.
#[inline]
pub fn called<T>(object: &Object<'_>, call: impl FnOnce() -> T) -> T {
    if object.instance.image.races().is_none() {
        return call();
    }
    let (outcome, accesses) = gather(&object.copied_pieces(), call);
    enter(object, &accesses);
    outcome
}

/// The statement reads what an accessor has left where it was.
#[inline]
pub fn read(object: &Object<'_>, address: *const c_void, len: usize) {
    if object.instance.image.races().is_some() {
        enter(object, &[Gathered { address: address.addr(), len, writes: false }]);
    }
}

/// The statement reads an array that an accessor has left in the copy of an object.
///
/// # Errors
/// Those of [`Section::of`].
#[inline]
pub fn read_copied_array(object: &Object<'_>, array: &Descriptor) -> Result<()> {
    if !object.is_near() && object.instance.image.races().is_some() {
        let read: Vec<_> = read_of_array(array, &Section::of(array)?.axes()).collect();
        enter(object, &read);
    }
    Ok(())
}

/// The reads of all elements of an array.
pub fn read_of_array(array: &Descriptor, axes: &[Axis<'_>]) -> impl Iterator<Item = Gathered> {
    let start = array.base.addr();
    races::ranges(array.dtype.elem_len, axes).into_iter().map(move |range| {
        let address = start.wrapping_add_signed(range.start as isize);
        Gathered { address, len: (range.end - range.start) as usize, writes: false }
    })
}

#[cold]
fn enter(object: &Object<'_>, accesses: &[Gathered]) {
    let image = &object.instance.image;
    let Some(races) = image.races().filter(|_| !accesses.is_empty()) else { return };
    let site = races.this_site();
    let mut copied: [(Kind, Vec<Range<u64>>); 2] =
        [false, true].map(|writes| (kind(writes), Vec::new()));
    for &Gathered { address, len, writes } in accesses {
        if let Some((of, offset)) = image.locate(ptr::without_provenance(address)) {
            races.access(site, Bytes { of, offset, len: len as u64 }, kind(writes));
        } else if let Some(offset) = object.offset_of_copied(address) {
            copied[usize::from(writes)].1.push(offset..offset + len as u64);
        }
    }
    for (kind, ranges) in copied.iter().filter(|(_, ranges)| !ranges.is_empty()) {
        races.access_all(site, object.rank, ranges, *kind);
    }
}

/// What a load or store does.
pub fn kind(writes: bool) -> Kind {
    if writes { Kind::Write } else { Kind::Read }
}
