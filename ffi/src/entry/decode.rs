//! Decoders of raw arguments: an address and a number become a slice.

use std::cell::Cell;
use std::ffi::c_char;
use std::slice;

/// The elements at `start`; none where that is null or the number is not positive.
///
/// # Safety
/// There are as many elements at `start` as the number says, valid as long as the value is used.
#[inline(always)]
pub unsafe fn list<'a, T>(start: *const T, count: impl TryInto<usize>) -> &'a [T] {
    match count.try_into() {
        // SAFETY: there are `count` elements at `start`.
        Ok(count) if !start.is_null() => unsafe { slice::from_raw_parts(start, count) },
        _ => &[],
    }
}

/// The characters of a Fortran or C text with this length; none where the address is null.
///
/// # Safety
/// There are as many elements at `start` as the number says, valid as long as the value is used.
#[inline(always)]
pub unsafe fn characters<'a>(start: *const c_char, len: usize) -> &'a [u8] {
    // SAFETY: there are `len` characters at `start`.
    unsafe { list(start.cast(), len) }
}

/// A variable of `count` elements, of characters for instance, to be written; none where the address is null.
///
/// # Safety
/// There are as many elements at `start` as the number says, valid as long as the value is used.
#[inline(always)]
pub unsafe fn cells<'a, T, U>(start: *mut T, count: usize) -> &'a [Cell<U>] {
    const { assert!(size_of::<T>() == size_of::<U>() && align_of::<T>() == align_of::<U>()) };
    // SAFETY: there are `count` elements at `start`; a cell is as its value does.
    unsafe { list(start.cast_const().cast(), count) }
}

/// The bits of a variable of eight bytes that the program may not have defined.
#[inline(always)]
pub fn undefined<T>(variable: &Cell<T>) -> u64 {
    const { assert!(size_of::<T>() == size_of::<u64>() && align_of::<T>() == align_of::<u64>()) };
    // SAFETY: the variable has eight bytes, of which any will do. The read is volatile, so it has a value in any case.
    unsafe { variable.as_ptr().cast::<u64>().read_volatile() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn lists_of_nothing_are_empty_whatever_their_address() {
        let numbers = [1, 2, 3];
        // SAFETY: no more elements are asked for than there are.
        unsafe {
            assert_eq!(list(numbers.as_ptr(), 3usize), numbers);
            assert_eq!(list(numbers.as_ptr(), -1i32), [0; 0]);
            assert_eq!(list::<u8>(ptr::null(), 7usize), [0; 0]);
            assert_eq!(characters(c"name".as_ptr(), 3), b"nam");
        }
    }

    #[test]
    fn cells_write_to_the_variable() {
        let mut text = *b"before";
        // SAFETY: as many characters as there are.
        let cells: &[Cell<u8>] = unsafe { cells(text.as_mut_ptr().cast::<c_char>(), text.len()) };
        cells.iter().zip(b"after ").for_each(|(cell, &byte)| cell.set(byte));
        assert_eq!(&text, b"after ");
    }
}
