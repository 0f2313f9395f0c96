//! Operations of Rust programs on values, and values with locations.

use crate::reduction::{Located, Number};
use bytemuck::Pod;
use xmp_core::counted::counted;
use xmp_core::job::ProgramFile;
use xmp_core::{Error, Image, Result, hash};

/// A number of an operation: a hash of its type, whose name contains the function around it. All images that execute one program get
/// the same number; 0 where the program is not known.
pub(crate) fn number_of<F>(image: &Image, _operation: &F) -> u32 {
    if image.job().page().program == ProgramFile::UNKNOWN {
        return 0;
    }
    hash::of(std::any::type_name::<F>()) as u32 | 1
}

/// Makes an operation on elements ([`crate::reduction::UserFn`]) of one on values. The caller sees to it that a panic of the operation
/// on values does not leave the collective while other images read the memory of this one.
pub(crate) fn on_elements<'a, T: Pod>(
    operation: impl Fn(T, T) -> T + 'a,
) -> impl Fn(*mut u8, *const u8) + 'a {
    // SAFETY: a reduction calls this with two elements, whose alignment may be less than that of `T`.
    move |acc, x| unsafe {
        let acc = acc.cast::<T>();
        acc.write_unaligned(operation(acc.read_unaligned(), x.cast::<T>().read_unaligned()));
    }
}

/// Checks that each value has a location. Returns their number.
///
/// # Errors
/// When it has none, or `located` is of another type.
pub(crate) fn check_located<T: Number>(
    values: &[T],
    locations: &[i64],
    located: Located,
) -> Result<usize> {
    if !located.is_of::<T>() {
        return Err(Error::Invalid(format!(
            "locate: values of {} as ones of another type",
            T::NAME
        )));
    }
    if values.len() == locations.len() {
        return Ok(values.len());
    }
    Err(Error::Invalid(format!(
        "locate: {} for {}",
        counted(locations.len(), "location"),
        counted(values.len(), "value")
    )))
}
