//! What `master_io` and `global_io` of Fortran become: calls of the translator (`ffi/omni/translated_io.c`).

use super::unit::Way;
use super::units::Units;
use crate::omni::entry::{Memory, for_fortran};
use crate::omni::error::{Outcome, Wrong};
use crate::omni::objects::{ArrayObject, Object};
use crate::process::{Instance, OfImage, instance};
use std::cell::LazyCell;
use std::ffi::c_int;
use xmp_collectives::file::{self, Failure};
use xmp_core::global::Section;

static UNITS: OfImage<LazyCell<Units>> = OfImage::lazy();

fn units() -> &'static Units {
    UNITS.of(instance())
}

/// What went wrong with a whole array.
fn wrong(failure: Failure) -> Wrong {
    match failure {
        Failure::Runtime(error) => error.into(),
        Failure::System(number) => {
            Wrong::because(std::io::Error::from_raw_os_error(number).to_string())
        }
    }
}

/// Executes `body` with all of an array.
fn with_all<T>(
    array: &ArrayObject,
    body: impl FnOnce(&Instance, xmp_collectives::global::StoredSection<'_>) -> T,
) -> Outcome<T> {
    let instance = instance();
    let storage = array.storage(&instance.image)?;
    let section = Section::all(storage.array());
    Ok(body(instance, storage.section(&section)))
}

for_fortran! {
    /// A specifier of the next OPEN or CLOSE that is a text.
    "global_io" fn xmpf_file_option__(which: c_int, text: Memory, len: c_int) {
        units().option(which, text.text(len));
        Ok(())
    }

    /// OPEN; `told`: the program looks at IOSTAT=.
    "global_io: OPEN" fn xmpf_file_open__(way: c_int, unit: c_int, record: i64, told: c_int) {
        units().open(&instance().image, unit, Way::of(way)?, record, told != 0)
    }

    /// CLOSE.
    "global_io: CLOSE" fn xmpf_file_close__(way: c_int, unit: c_int, told: c_int) {
        units().close(&instance().image, unit, Way::of(way)?, told != 0)
    }

    /// READ or WRITE begins.
    "global_io" fn xmpf_file_begin__(way: c_int, unit: c_int, record: i64, writes: c_int) {
        units().begin(unit, Way::of(way)?, record, writes != 0);
        Ok(())
    }

    /// An item, or a contiguous piece of one.
    "global_io" fn xmpf_file_bytes__(memory: Memory, len: i64) {
        units().bytes(&instance().image, memory, len)
    }

    /// An item that is a distributed array.
    "global_io" fn xmpf_file_array__(array: &Object<ArrayObject>) {
        with_all(array, |instance, stored| units().section(&instance.image, stored))?
    }

    /// READ or WRITE ends.
    "global_io" fn xmpf_file_finish__(unit: c_int, told: c_int) {
        units().finish(&instance().image, unit, told != 0)
    }

    /// What IOSTAT= gets.
    "global_io" fn xmpf_file_iostat__() -> c_int {
        Ok(units().iostat())
    }

    /// `file_sync_all`.
    "file_sync_all" fn xmpf_file_sync__(unit: c_int) {
        units().sync(&instance().image, unit)
    }

    /// The master gets all of an array.
    "master_io" fn xmpf_master_collect__(array: &Object<ArrayObject>, whole: Memory) {
        with_all(array, |Instance { image, .. }, stored| {
            // SAFETY: the contract of entries: the master has room for the array.
            let whole = unsafe { file::Memory::plain(whole.start()) };
            file::collect(image, &image.executing(), stored, whole)
        })?.map_err(wrong)
    }

    /// All nodes get their parts of an array from the master.
    "master_io" fn xmpf_master_spread__(array: &Object<ArrayObject>, whole: Memory) {
        with_all(array, |Instance { image, .. }, stored| {
            // SAFETY: the contract of entries: the master has the array there.
            let whole = unsafe { file::Memory::plain(whole.start()) };
            file::spread(image, &image.executing(), stored, whole)
        })?.map_err(wrong)
    }
}
