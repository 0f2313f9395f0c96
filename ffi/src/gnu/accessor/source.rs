//! The source of a put: characters padded to the length of the object.

use std::ffi::c_void;

/// Characters that are fewer than those of the object that they are put to, padded with blanks to its length; `None`
/// when nothing has to be done. `size` is that of a character in bytes.
///
/// An accessor for a component has no parameter for the length of the object, and takes the source's for it in its
/// place (gfortran 15 and 16). So both have to be the same.
///
/// # Safety
/// `from` has as many characters as `len` says, if that is not null.
pub unsafe fn padded(
    from: *const c_void,
    size: usize,
    len: *const usize,
    object_len: *const usize,
) -> Option<Vec<u32>> {
    // SAFETY: each length is null or the address of one.
    let (len, object_len) = unsafe { (*len.as_ref()?, *object_len.as_ref()?) };
    if len >= object_len || !matches!(size, 1 | 4) {
        return None;
    }
    let blank = if size == 1 { u32::from_ne_bytes([b' '; 4]) } else { u32::from(b' ') };
    let mut padded = vec![blank; (object_len * size).div_ceil(size_of::<u32>())];
    // SAFETY: `from` has `len` characters, and `padded` has room for more.
    unsafe {
        std::ptr::copy_nonoverlapping(from.cast(), padded.as_mut_ptr().cast::<u8>(), len * size)
    };
    Some(padded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pad<T>(from: &[T], object_len: usize) -> Option<Vec<u32>> {
        let from_len = from.len();
        // SAFETY: as many characters as that.
        unsafe { padded(from.as_ptr().cast(), size_of::<T>(), &from_len, &object_len) }
    }

    #[test]
    fn characters_are_padded_to_the_length_of_the_object() {
        let words = |bytes: [u8; 4]| u32::from_ne_bytes(bytes);
        assert_eq!(pad(b"ab", 5).unwrap(), [words(*b"ab  "), words(*b"    ")]);
        assert_eq!(pad(&[65u32, 66], 3).unwrap(), [65, 66, 32]);
        assert_eq!(pad(b"abc", 3), None);
        assert_eq!(pad(b"abcd", 3), None);
        // SAFETY: no lengths: no characters.
        assert_eq!(unsafe { padded([0u8].as_ptr().cast(), 1, std::ptr::null(), &3) }, None);
    }
}
