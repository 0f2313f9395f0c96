//! The dynamic type of a polymorphic coarray. The descriptor does not have it. The word after the token is the address of a description of
//! the type (`_vptr`). No argument of the compiler says whether a variable is polymorphic, so the word is checked before it is used.

use super::token::Token;
use super::variable_location::is_mapped;
use super::variables;
use crate::gfortran_abi::basic;
use crate::process::instance;
use std::ffi::c_void;
use xmp_core::job::ProgramFile;
use xmp_core::region::page_size;

/// The beginning of the description of a type, `__vtab_...`. (gfortran 12 to 16)
#[repr(C)]
#[derive(Clone, Copy)]
struct TypeDescription {
    /// A hash of the names of the type and its module.
    hash: i32,
    /// Bytes of an object.
    size: u64,
}

/// A number of the dynamic type of a coarray with elements of this many bytes, if it is polymorphic and the program itself has the type;
/// otherwise 0. Images that execute one program have the same number for one type.
///
/// # Safety
/// The variable of the coarray is where it was allocated.
#[inline]
pub unsafe fn of(token: &Token, element: u64) -> u32 {
    let place = token.home.token.wrapping_add(1).cast::<*const TypeDescription>();
    // A static variable is followed by other static data. After a variable on the stack, the address of a description may be left over
    // from before. So a variable on the stack is looked at only if its elements have another size than its declared type.
    let may_be = token.dtype.basic == basic::DERIVED
        && (element != token.dtype.elem_len as u64 || variables::is_static(place.cast()))
        // Within the page of the token it is there.
        && (!place.addr().is_multiple_of(page_size()) || is_mapped(place.cast(), size_of::<usize>()));
    // Other programs may have the variable or the type in another place.
    if !may_be || instance().image.job().page().program == ProgramFile::UNKNOWN {
        return 0;
    }
    // SAFETY: the word is mapped. Volatile: if it is something else it need not be initialised.
    let description = unsafe { place.read_volatile() };
    let end = description.wrapping_add(1).cast::<c_void>();
    if !description.is_aligned() || ![description.cast(), end].into_iter().all(variables::is_static)
    {
        return 0;
    }
    // SAFETY: it is in the data of the program, which are mapped.
    let TypeDescription { hash, size } = unsafe { description.read_volatile() };
    if size == element { hash as u32 | 1 } else { 0 }
}
