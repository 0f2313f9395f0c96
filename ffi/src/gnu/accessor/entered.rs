//! Accesses of accessors, as they are entered where races are looked for: as those of the statement that the library calls the
//! accessor for. The accessor itself has hooks like all of the program. For those of other hosts see [`super::remote`].

use crate::process::{Instance, gather};
use std::ffi::c_void;
use std::ptr;
use xmp_core::races::hooks::Gathered;
use xmp_core::races::{Bytes, Kind};

/// Calls an accessor in this process.
#[inline]
pub fn called<T>(instance: &Instance, call: impl FnOnce() -> T) -> T {
    if instance.image.races().is_none() {
        return call();
    }
    let (outcome, accesses) = gather(call);
    enter(instance, &accesses);
    outcome
}

/// The statement reads what an accessor has left where it was.
#[inline]
pub fn read(instance: &Instance, address: *const c_void, len: usize) {
    if instance.image.races().is_some() {
        enter(instance, &[Gathered { address: address.addr(), len, writes: false }]);
    }
}

#[cold]
fn enter(instance: &Instance, accesses: &[Gathered]) {
    let Some(races) = instance.image.races().filter(|_| !accesses.is_empty()) else { return };
    let site = races.this_site();
    for &Gathered { address, len, writes } in accesses {
        if let Some((of, offset)) = instance.image.locate(ptr::without_provenance(address)) {
            races.access(site, Bytes { of, offset, len: len as u64 }, kind(writes));
        }
    }
}

/// What a load or store does.
pub fn kind(writes: bool) -> Kind {
    if writes { Kind::Write } else { Kind::Read }
}
