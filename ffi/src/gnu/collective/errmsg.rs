//! Finds `errmsg=` among the arguments of collectives.
//!
//! gfortran 12 to 16 passes a variable of fixed length by value, and the address of others (GNU-LIBCAF section 8). By
//! value, the text is in one or two registers, or on the stack, and the arguments behind it move to other registers. An
//! argument that should be an address may thus be text or a length, and a write there would destroy memory. The
//! functions here distinguish the forms.

use crate::entry::decode;
use crate::gfortran_abi::ErrMsg;
use std::ffi::c_char;

/// No text that is passed by value is longer, and no variable lies below: programs are linked to this address or above.
const LOWEST_ADDRESS: usize = 1 << 22;
/// A text of so many bytes or fewer is in one register, its length in the register of the length of any text.
const ONE_REGISTER: usize = 8;
/// A text of so many bytes or fewer is in two registers.
const TWO_REGISTERS: usize = 16;
/// Longer lengths are what another value has left in the register.
const LONGEST: usize = 1 << 20;

/// Of CO_BROADCAST and CO_SUM: `text` and `len` are the fourth and fifth argument. `sixth` is the sixth register, which
/// has the length of a text that fills the two before it.
///
/// # Safety
/// `text` and `len` are the arguments that the compiler passes in these places.
pub(super) unsafe fn of_five_arguments<'a>(
    text: *mut c_char,
    len: usize,
    sixth: u32,
) -> ErrMsg<'a> {
    if (ONE_REGISTER + 1..=TWO_REGISTERS).contains(&(sixth as usize)) {
        return &[];
    }
    // SAFETY: `text` and `len` are the arguments that the compiler passes in these places.
    unsafe { of_address(text, len) }
}

/// Of CO_MIN and CO_MAX: `text` is the fourth argument, `len` the sixth; between them is the length of characters.
/// Behind a text of two registers that one is in place of `len`, and not known from it for characters.
///
/// # Safety
/// `text` and `len` are the arguments that the compiler passes in these places.
pub(super) unsafe fn of_six_arguments<'a>(
    text: *mut c_char,
    len: u32,
    has_characters: bool,
) -> ErrMsg<'a> {
    if has_characters {
        return &[];
    }
    // SAFETY: `text` and `len` are the arguments that the compiler passes in these places.
    unsafe { of_address(text, len as usize) }
}

/// Of CO_REDUCE: `text` is in the last register, `len` on the stack. A text that does not fit into that register is on
/// the stack, too, and the length of characters, or 0, in the register.
///
/// # Safety
/// `text` and `len` are the arguments that the compiler passes in these places.
pub(super) unsafe fn of_address<'a>(text: *mut c_char, len: usize) -> ErrMsg<'a> {
    let is_address = text.addr() >= LOWEST_ADDRESS && (ONE_REGISTER + 1..=LONGEST).contains(&len);
    // SAFETY: `text` is above all texts and lengths, so that it is the address of a variable of `len` characters.
    if is_address { unsafe { decode::cells(text, len) } } else { &[] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text of a variable of eight characters.
    const TEXT: usize = usize::from_ne_bytes(*b"abcdefgh");

    fn register(value: usize) -> *mut c_char {
        std::ptr::without_provenance_mut(value)
    }

    /// The functions by what they are called with; a text that they take for an address is there.
    fn five(text: *mut c_char, len: usize, sixth: u32) -> ErrMsg<'static> {
        // SAFETY: texts that are there, or none.
        unsafe { of_five_arguments(text, len, sixth) }
    }
    fn six(text: *mut c_char, len: u32, has_characters: bool) -> ErrMsg<'static> {
        // SAFETY: texts that are there, or none.
        unsafe { of_six_arguments(text, len, has_characters) }
    }

    #[test]
    fn an_address_is_taken() {
        let mut text = [0; 80];
        let address = text.as_mut_ptr();
        for len in [9, 16, 17, 80] {
            assert_eq!(five(address, len, 77).as_ptr().addr(), address.addr());
            assert_eq!(five(address, len, 0).len(), len);
            assert_eq!(six(address, len as u32, false).len(), len);
        }
    }

    /// What was in the text may be an address by chance.
    #[test]
    fn a_text_in_registers_is_not_an_address() {
        let mut there = [0; 80];
        for text in [TEXT, there.as_mut_ptr().addr()].map(register) {
            for len in 1..=8 {
                assert!(five(text, len, 77).is_empty());
                assert!(six(text, len as u32, false).is_empty());
                // SAFETY: too short for an address.
                assert!(unsafe { of_address(text, len) }.is_empty());
            }
            for len in 9..=16 {
                assert!(five(text, 40, len).is_empty());
            }
            assert!(six(text, 0, false).is_empty());
            assert!(six(text, 20, true).is_empty());
        }
    }

    #[test]
    fn a_length_in_the_place_of_an_address_is_none() {
        for len in [0, 17, 80, 100_000] {
            assert!(five(register(len), 40, 77).is_empty());
            assert!(six(register(len), 40, false).is_empty());
        }
    }
}
