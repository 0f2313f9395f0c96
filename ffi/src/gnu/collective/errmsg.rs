//! Finds `errmsg=` among the arguments of collectives.
//!
//! gfortran 12 to 16 passes a variable of fixed length by value, and the address of others (GNU-LIBCAF section 8). By
//! value, the text is in one or two registers, or on the stack, and the arguments after it move to other registers. An
//! argument that should be an address may thus be text or a length, and a write there would destroy memory. The
//! functions here distinguish the forms.

use crate::entry::decode;
use crate::gfortran_abi::{DType, ErrMsg, basic};
use std::cell::Cell;
use std::ffi::{c_char, c_int};
use std::marker::PhantomData;

/// No text that is passed by value is longer, and no variable is below: programs are linked to this address or above.
const LOWEST_ADDRESS: usize = 1 << 22;
/// A text of fewer bytes is in one register, its length in the register of the length of any text.
const LONGER_THAN_ONE_REGISTER: usize = 9;
/// A text of at most this number of bytes is in two registers.
const TWO_REGISTERS: usize = 16;
/// Longer lengths are what another value has left in the register.
const LONGEST: usize = 1 << 20;

/// The argument in the place of the address of `errmsg=`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Text<'a>(*mut c_char, PhantomData<&'a Cell<u8>>);

impl<'a> Text<'a> {
    /// That of CO_BROADCAST and CO_SUM, its fourth argument, where `len` is the fifth. `sixth` is the sixth register,
    /// which has the length of a text that fills the two before it.
    pub fn of_five_arguments(self, len: usize, sixth: u32) -> ErrMsg<'a> {
        match sixth as usize {
            LONGER_THAN_ONE_REGISTER..=TWO_REGISTERS => &[],
            _ => self.of_address(len),
        }
    }

    /// That of CO_MIN and CO_MAX, their fourth argument, where `len` is the sixth; between them is the length of
    /// characters. Behind a text of two registers that one is instead of `len`, and not known from it for characters.
    pub fn of_six_arguments(self, len: u32, has_characters: bool) -> ErrMsg<'a> {
        if has_characters { &[] } else { self.of_address(len as usize) }
    }

    /// That of CO_REDUCE, its sixth argument, where `a_len` is the seventh and `len` the eighth. On x86-64 it is in the last
    /// register: a text that does not fit into it is on the stack, and the length of characters, or 0, in the register. On
    /// AArch64 a text of two registers is there and in that of `a_len`, which is instead of `len` then: 0 without characters.
    pub fn of_eight_arguments(self, a_len: c_int, len: usize, a: &DType) -> ErrMsg<'a> {
        let is_moved = cfg!(target_arch = "aarch64")
            && a.basic == basic::CHARACTER
            && usize::try_from(a_len) != Ok(a.elem_len);
        if is_moved { &[] } else { self.of_address(len) }
    }

    /// That whose length is `len`, if the argument is an address and `len` a length.
    fn of_address(self, len: usize) -> ErrMsg<'a> {
        let is_length = (LONGER_THAN_ONE_REGISTER..=LONGEST).contains(&len);
        if self.0.addr() < LOWEST_ADDRESS || !is_length {
            return &[];
        }
        // SAFETY: the contract of entries: the argument is above all texts and lengths, so that it is the address of a
        // variable of `len` characters.
        unsafe { decode::cells(self.0, len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text of a variable of eight characters.
    const TEXT: usize = usize::from_ne_bytes(*b"abcdefgh");

    fn passed(text: *mut c_char) -> Text<'static> {
        Text(text, PhantomData)
    }
    fn register(value: usize) -> Text<'static> {
        passed(std::ptr::without_provenance_mut(value))
    }

    #[test]
    fn an_address_is_taken() {
        let mut text = [0; 80];
        let address = passed(text.as_mut_ptr());
        for len in [9, 16, 17, 80] {
            assert_eq!(address.of_five_arguments(len, 77).as_ptr().addr(), address.0.addr());
            assert_eq!(address.of_five_arguments(len, 0).len(), len);
            assert_eq!(address.of_six_arguments(len as u32, false).len(), len);
        }
    }

    /// What was in the text may be an address by chance.
    #[test]
    fn a_text_in_registers_is_not_an_address() {
        let mut there = [0; 80];
        for text in [TEXT, there.as_mut_ptr().addr()].map(register) {
            for len in 1..=8 {
                assert!(text.of_five_arguments(len, 77).is_empty());
                assert!(text.of_six_arguments(len as u32, false).is_empty());
                assert!(text.of_address(len).is_empty());
            }
            for len in 9..=16 {
                assert!(text.of_five_arguments(40, len).is_empty());
            }
            assert!(text.of_six_arguments(0, false).is_empty());
            assert!(text.of_six_arguments(20, true).is_empty());
        }
    }

    #[test]
    fn a_length_in_the_place_of_an_address_is_none() {
        for len in [0, 17, 80, 100_000] {
            assert!(register(len).of_five_arguments(40, 77).is_empty());
            assert!(register(len).of_six_arguments(40, false).is_empty());
        }
    }
}
