//! Functions of the C library for texts, sorting and output, which the compiler has not instrumented; also as the compiler calls them with
//! `-D_FORTIFY_SOURCE`.

use crate::copies::{blocks_compared, copied, enter, passed_on, set};
use crate::filter::is_of_interest;
use std::ptr;

/// The C library's own functions: only their addresses are used.
mod own {
    unsafe extern "C" {
        pub fn strlen();
        pub fn strcpy();
        pub fn stpcpy();
        pub fn strncpy();
        pub fn stpncpy();
        pub fn strcat();
        pub fn strncat();
        pub fn strcmp();
        pub fn strncmp();
        pub fn strcasecmp();
        pub fn strncasecmp();
        pub fn bcmp();
        pub fn strdup();
        pub fn strnlen();
        pub fn strndup();
        pub fn puts();
        pub fn fputs();
        pub fn fputs_unlocked();
        pub fn write();
        pub fn pwrite();
        pub fn pwrite64();
        pub fn qsort();
        pub fn mempcpy();
        pub fn __memcpy_chk();
        pub fn __memmove_chk();
        pub fn __memset_chk();
        pub fn __mempcpy_chk();
        pub fn __strcpy_chk();
        pub fn __stpcpy_chk();
        pub fn __strncpy_chk();
        pub fn __stpncpy_chk();
        pub fn __strcat_chk();
        pub fn __strncat_chk();
    }
}

/// No limit of a text.
pub const ANY: usize = usize::MAX;

/// The number of bytes of a text with the zero at its end, or of its first `most` bytes.
pub fn bytes_of(text: usize, most: usize) -> usize {
    // SAFETY: the program passes a text that ends with zero or has so many bytes.
    let len = unsafe { libc::strnlen(ptr::with_exposed_provenance(text), most) };
    len.saturating_add(1).min(most)
}

/// This thread reads a text at a place.
extern "C" fn read(text: usize, _: usize, _: usize, place: usize) {
    if is_of_interest(text) {
        enter(text, bytes_of(text, ANY), false, place);
    }
}

/// This thread reads at most this many bytes of a text.
extern "C" fn read_in_part(text: usize, most: usize, _: usize, place: usize) {
    if is_of_interest(text) {
        enter(text, bytes_of(text, most), false, place);
    }
}

/// This thread copies a text.
extern "C" fn text_copied(to: usize, from: usize, _: usize, place: usize) {
    if is_of_interest(to) || is_of_interest(from) {
        copied(to, from, bytes_of(from, ANY), place);
    }
}

/// This thread copies a text into this many bytes, which are filled with zeros.
extern "C" fn text_filled(to: usize, from: usize, len: usize, place: usize) {
    if is_of_interest(to) || is_of_interest(from) {
        enter(from, bytes_of(from, len), false, place);
        enter(to, len, true, place);
    }
}

/// This thread appends a text to another one.
extern "C" fn appended(to: usize, from: usize, _: usize, place: usize) {
    text_appended(to, from, ANY, place);
}

/// The same of at most this many bytes.
extern "C" fn text_appended(to: usize, from: usize, most: usize, place: usize) {
    if is_of_interest(to) || is_of_interest(from) {
        let former = bytes_of(to, ANY);
        enter(to, former, false, place);
        enter(from, bytes_of(from, most), false, place);
        // A zero follows in any case.
        let written = bytes_of(from, most.saturating_add(1)).max(1);
        enter(to + former - 1, written, true, place);
    }
}

/// This thread compares two texts, up to the first difference.
extern "C" fn compared(one: usize, other: usize, _: usize, place: usize) {
    texts_compared(one, other, ANY, place);
}

/// The same of at most this many bytes.
extern "C" fn texts_compared(one: usize, other: usize, most: usize, place: usize) {
    compared_by(one, other, most, place, |byte| byte);
}

/// The same without regard to case.
extern "C" fn compared_without_case(one: usize, other: usize, _: usize, place: usize) {
    texts_compared_without_case(one, other, ANY, place);
}

extern "C" fn texts_compared_without_case(one: usize, other: usize, most: usize, place: usize) {
    compared_by(one, other, most, place, |byte| byte.to_ascii_lowercase());
}

/// This thread compares at most this many bytes of two texts, up to the first that differ by this function.
fn compared_by(one: usize, other: usize, most: usize, place: usize, value: fn(u8) -> u8) {
    if !is_of_interest(one) && !is_of_interest(other) {
        return;
    }
    let byte = |text: usize, at: usize| {
        // SAFETY: within the text, whose former bytes are no zeros. Another image may change it meanwhile, which the program must not do.
        value(unsafe { ptr::with_exposed_provenance::<u8>(text + at).read_volatile() })
    };
    let is_last = |at: &usize| byte(one, *at) != byte(other, *at) || byte(one, *at) == 0;
    let len = (0..most).find(is_last).map_or(most, |last| last + 1);
    enter(one, len, false, place);
    enter(other, len, false, place);
}

/// This thread writes bytes to a file.
extern "C" fn written(_: usize, from: usize, len: usize, place: usize) {
    enter(from, len, false, place);
}

/// This thread sorts objects of a size.
extern "C" fn sorted(start: usize, count: usize, size: usize, place: usize) {
    enter(start, count.saturating_mul(size), true, place);
}

passed_on! {
    __wrap_strlen: read, own::strlen;
    __wrap_strdup: read, own::strdup;
    __wrap_strnlen: read_in_part, own::strnlen;
    __wrap_strndup: read_in_part, own::strndup;
    __wrap_puts: read, own::puts;
    __wrap_fputs: read, own::fputs;
    __wrap_fputs_unlocked: read, own::fputs_unlocked;
    __wrap_strcpy: text_copied, own::strcpy;
    __wrap_stpcpy: text_copied, own::stpcpy;
    __wrap_strncpy: text_filled, own::strncpy;
    __wrap_stpncpy: text_filled, own::stpncpy;
    __wrap_strcat: appended, own::strcat;
    __wrap_strncat: text_appended, own::strncat;
    __wrap_strcmp: compared, own::strcmp;
    __wrap_strncmp: texts_compared, own::strncmp;
    __wrap_strcasecmp: compared_without_case, own::strcasecmp;
    __wrap_strncasecmp: texts_compared_without_case, own::strncasecmp;
    __wrap_bcmp: blocks_compared, own::bcmp;
    __wrap_write: written, own::write;
    __wrap_pwrite: written, own::pwrite;
    __wrap_pwrite64: written, own::pwrite64;
    __wrap_qsort: sorted, own::qsort;
    __wrap_mempcpy: copied, own::mempcpy;
    __wrap___memcpy_chk: copied, own::__memcpy_chk;
    __wrap___memmove_chk: copied, own::__memmove_chk;
    __wrap___memset_chk: set, own::__memset_chk;
    __wrap___mempcpy_chk: copied, own::__mempcpy_chk;
    __wrap___strcpy_chk: text_copied, own::__strcpy_chk;
    __wrap___stpcpy_chk: text_copied, own::__stpcpy_chk;
    __wrap___strncpy_chk: text_filled, own::__strncpy_chk;
    __wrap___stpncpy_chk: text_filled, own::__stpncpy_chk;
    __wrap___strcat_chk: appended, own::__strcat_chk;
    __wrap___strncat_chk: text_appended, own::__strncat_chk;
}
