//! The calls that the translator emits for `master_io` and `global_io`.

use crate::c::global::{ObjectHandle, array_of};
use crate::c::outcome::{functions, inquired};
use crate::entry::cfi::Descriptor;
use crate::global::DirectiveError;
use crate::global::io::{AccessMode, Memory, Units};
use crate::process::{self, Instance, OfImage, instance};
use std::cell::LazyCell;
use std::ffi::c_int;
use xmp_collectives::file::{self, Failure};
use xmp_collectives::global::StoredSection;
use xmp_core::global::Section;
use xmp_core::{Error, Result};

static UNITS: OfImage<LazyCell<Units>> = OfImage::lazy();

fn units() -> &'static Units {
    UNITS.of(instance())
}

/// Whether this image is the master: the first of the executing nodes.
fn is_master() -> bool {
    instance().image.executing().position() == Some(0)
}

/// The text of a variable, without blanks at its end.
fn text(of: &Descriptor) -> String {
    let bytes: Vec<u8> = of.characters().iter().map(std::cell::Cell::get).collect();
    String::from_utf8_lossy(&bytes).trim_end().to_string()
}

/// The error of an operation on a whole array.
fn wrong(failure: Failure) -> Error {
    match failure {
        Failure::Runtime(error) => error,
        Failure::System(number) => {
            Error::Invalid(std::io::Error::from_raw_os_error(number).to_string())
        }
    }
}

/// Executes `body` with all of an array.
fn with_all<T>(
    array: ObjectHandle,
    body: impl FnOnce(&Instance, StoredSection<'_>) -> T,
) -> Result<T> {
    let (instance, array) = (instance(), array_of(array)?);
    let storage = array.storage(&instance.image).map_err(DirectiveError::error)?;
    let section = Section::all(storage.array());
    Ok(body(instance, storage.section(&section)))
}

/// Passes on the elements of the dimensions before `dim`, piece by piece. `len` bytes of the `contiguous` first ones are together.
fn pieces(
    data: &Descriptor,
    start: *mut u8,
    dim: usize,
    (len, contiguous): (i64, usize),
) -> Result<()> {
    if dim == contiguous {
        if len > 0 {
            units().bytes(&instance().image, Memory::at(start), len)?;
        }
        return Ok(());
    }
    let of = data.dims()[dim - 1].get();
    for at in 0..of.extent {
        let start = start.wrapping_offset((at * of.stride) as isize);
        pieces(data, start, dim - 1, (len, contiguous))?;
    }
    Ok(())
}

functions! {
    /// OPEN; `told`: the program handles errors by IOSTAT=.
    fn xmprt_fortran_file_open(way: c_int, unit: c_int, record: i64, told: c_int) {
        Ok(units().open(&instance().image, unit, AccessMode::of(way)?, record, told != 0)?)
    }

    /// CLOSE.
    fn xmprt_fortran_file_close(way: c_int, unit: c_int, told: c_int) {
        Ok(units().close(&instance().image, unit, AccessMode::of(way)?, told != 0)?)
    }

    /// READ or WRITE begins.
    fn xmprt_fortran_file_begin(way: c_int, unit: c_int, record: i64, writes: c_int) {
        units().begin(unit, AccessMode::of(way)?, record, writes != 0);
        Ok(())
    }

    /// An item that is a variable.
    fn xmprt_fortran_file_item(memory: &Descriptor) {
        let dims = memory.dims();
        let mut len = memory.elem_len.get() as i64;
        let mut contiguous = 0;
        while let Some(dim) = dims.get(contiguous).filter(|dim| dim.get().stride == len) {
            len *= dim.get().extent;
            contiguous += 1;
        }
        pieces(memory, memory.base.get(), dims.len(), (len, contiguous))
    }

    /// An item that is a distributed array.
    fn xmprt_fortran_file_array(array: ObjectHandle) {
        Ok(with_all(array, |instance, stored| units().section(&instance.image, stored))??)
    }

    /// READ or WRITE ends.
    fn xmprt_fortran_file_finish(unit: c_int, told: c_int) {
        Ok(units().finish(&instance().image, unit, told != 0)?)
    }

    /// `file_sync_all`.
    fn xmprt_fortran_file_sync(unit: c_int) {
        Ok(units().sync(&instance().image, unit)?)
    }

    /// The master gets all of an array.
    fn xmprt_fortran_collect(array: ObjectHandle, whole: &Descriptor) {
        with_all(array, |Instance { image, .. }, stored| {
            // SAFETY: the contract of entries: the master has room for the array.
            let whole = unsafe { file::Memory::plain(whole.base.get()) };
            file::collect(image, &image.executing(), stored, whole)
        })?.map_err(wrong)
    }

    /// All nodes get their parts of an array from the master.
    fn xmprt_fortran_spread(array: ObjectHandle, whole: &Descriptor) {
        with_all(array, |Instance { image, .. }, stored| {
            // SAFETY: the contract of entries: the master has the array there.
            let whole = unsafe { file::Memory::plain(whole.base.get()) };
            file::spread(image, &image.executing(), stored, whole)
        })?.map_err(wrong)
    }
}

/// A specifier of the next OPEN or CLOSE that is a text.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_file_option(which: c_int, value: &Descriptor) {
    let _entered = process::enter();
    units().option(which, text(value));
}

/// The value of IOSTAT=.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_file_iostat() -> c_int {
    inquired("xmprt_fortran_file_iostat", || Ok(units().iostat()))
}

/// Whether this image is the master (1 or 0).
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_is_master() -> c_int {
    inquired("xmprt_fortran_is_master", || Ok(is_master().into()))
}

/// A bound of all of an array, the upper one with `upper`; other images than the master have no element.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_io_bound(array: ObjectHandle, dim: c_int, upper: c_int) -> c_int {
    inquired("xmprt_fortran_io_bound", || {
        let dim = array_of(array)?.dim(usize::try_from(dim - 1).unwrap_or(usize::MAX))?;
        Ok(match (upper != 0, is_master()) {
            (false, _) => dim.lower as c_int,
            (true, true) => dim.upper as c_int,
            (true, false) => dim.lower as c_int - 1,
        })
    })
}

/// The exit code of a program that ends by an error of the compiler's library.
const RUNTIME_ERROR: c_int = 2;

/// Ends the job because of an error of a statement that the program does not ask for, if there is one.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_io_failed(status: c_int, message: &Descriptor) {
    if status == 0 {
        return;
    }
    let line = || format!("Fortran runtime error: master_io: {}\n", text(message)).into_bytes();
    process::error_stop(RUNTIME_ERROR, is_master().then(line))
}
