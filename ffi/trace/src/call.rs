//! The arguments of a call that passes through this library, as words of 8 bytes.
//!
//! The contract of entries of `libxmprt` holds for them: the caller is a compiler or a program that passes what the
//! function declares, and what an address argument points to is there during the call. `SAFETY` comments call it *the
//! contract of entries*.

use std::ptr;

/// Bits that no address has and every team handle of the library has (`ffi/src/process/handles.rs`).
const HANDLE: u64 = 0x7ea3;

/// Registers that integer arguments are passed in: System V ABI, 3.2.3, and AAPCS64, 6.8.
pub const REGISTERS: usize = if cfg!(target_arch = "aarch64") { 8 } else { 6 };

/// A call on its way; the trampoline makes it on its stack.
#[repr(C)]
#[derive(Debug)]
pub struct Call {
    registers: [u64; REGISTERS],
    /// The arguments that follow those in registers.
    stack: *const u64,
    /// Where the program goes on after the call.
    pub return_address: u64,
    /// What the function has returned in integer registers; to be passed on.
    pub results: [u64; 2],
    /// The same in the first two floating-point registers.
    floating: [u128; 2],
    /// The state of the thread ([`observe`](crate::observe)), which its end needs again.
    pub thread: *const (),
}

impl Call {
    /// A call with these arguments.
    #[cfg(test)]
    pub fn with(arguments: &[u64]) -> Call {
        let (in_registers, stack) = arguments.split_at(arguments.len().min(REGISTERS));
        let mut registers = [0; REGISTERS];
        registers[..in_registers.len()].copy_from_slice(in_registers);
        Call {
            registers,
            stack: stack.as_ptr(),
            return_address: 1,
            results: [0; 2],
            floating: [0; 2],
            thread: ptr::null(),
        }
    }

    /// Whether a number can be the handle of a team.
    pub fn is_handle(number: u64) -> bool {
        number >> 48 == HANDLE
    }

    /// The argument at this position, from 0; its upper half is undefined where the type has 4 bytes.
    pub fn word(&self, position: usize) -> u64 {
        match self.registers.get(position) {
            Some(&word) => word,
            // SAFETY: the contract of entries: decoders ask for arguments that the function has.
            None => unsafe { self.stack.add(position - REGISTERS).read() },
        }
    }

    /// An argument of type `int`.
    pub fn int(&self, position: usize) -> i32 {
        self.word(position) as i32
    }

    /// The value that an argument points to; `None` for a null pointer.
    pub fn at<T: Copy>(&self, position: usize) -> Option<T> {
        let address = ptr::with_exposed_provenance::<T>(self.word(position) as usize);
        // SAFETY: the contract of entries: decoders ask with the type that the function declares.
        (!address.is_null()).then(|| unsafe { address.read_unaligned() })
    }

    /// A team that is named by its handle, or by the address of a variable that holds it; 0 is the current one.
    pub fn team(&self, position: usize) -> u64 {
        match self.word(position) {
            0 => 0,
            handle if Call::is_handle(handle) => handle,
            _ => self.at(position).unwrap_or(0),
        }
    }

    /// A list of integers.
    pub fn ints(&self, position: usize, count: usize) -> impl Iterator<Item = i32> {
        self.list(position, count)
    }

    /// A list of values.
    pub fn list<T: Copy>(&self, position: usize, count: usize) -> impl Iterator<Item = T> {
        let address = ptr::with_exposed_provenance::<T>(self.word(position) as usize);
        let count = if address.is_null() { 0 } else { count };
        // SAFETY: the contract of entries: there are this many, as the argument beside the address says.
        (0..count).map(move |number| unsafe { address.add(number).read_unaligned() })
    }

    /// The integers of a vector that an argument describes, as [`Call::section`].
    pub fn section_ints(&self, position: usize) -> impl Iterator<Item = i32> {
        let words = self.at::<[u64; 6]>(position).unwrap_or_default();
        let [base, _, _, _, span, stride] = words;
        let base = ptr::with_exposed_provenance::<u8>(base as usize);
        let element = move |number: u64| {
            let offset = (number as i64 * stride as i64 * span as i64) as isize;
            // SAFETY: the contract of entries: this many elements, with this distance.
            unsafe { base.wrapping_offset(offset).cast::<i32>().read_unaligned() }
        };
        (0..self.section(position).elements).map(element)
    }

    /// The section that an argument describes, the address of a descriptor of gfortran; an empty one for null.
    pub fn section(&self, position: usize) -> Section {
        /// Most dimensions of an array.
        const MAX_RANK: usize = 15;
        /// Position of the words in a descriptor: length of an element; version and rank; the dimensions (stride, lower
        /// and upper bound each). The types are in `ffi/src/gfortran_abi/descriptor.rs`.
        const ELEMENT: usize = 2;
        const RANK: usize = 3;
        const DIMENSIONS: usize = 5;
        let words = ptr::with_exposed_provenance::<u64>(self.word(position) as usize);
        if words.is_null() {
            return Section::default();
        }
        // SAFETY: the contract of entries: a descriptor, whose dimensions are as many as its rank says.
        let word = |number: usize| unsafe { words.add(number).read() };
        let rank = ((word(RANK) >> 32) as u8 as usize).min(MAX_RANK);
        let extent = |dimension: usize| {
            let [lower, upper] =
                [1, 2].map(|bound| word(DIMENSIONS + 3 * dimension + bound) as i64);
            upper.saturating_sub(lower).saturating_add(1).max(0) as u64
        };
        Section {
            element: word(ELEMENT),
            elements: (0..rank).map(extent).fold(1, u64::saturating_mul),
        }
    }
}

/// Size of what an array descriptor describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Bytes of an element.
    pub element: u64,
    /// Number of elements; 1 for a scalar.
    pub elements: u64,
}

impl Section {
    /// Bytes of all elements.
    pub fn bytes(self) -> u64 {
        self.element.saturating_mul(self.elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_found_in_registers_and_on_the_stack() {
        let value = 77i32;
        let list = [4, 5, 6];
        let handle = HANDLE << 48 | 3;
        let variable = &raw const handle as u64;
        let (number, numbers) = (&raw const value as u64, list.as_ptr() as u64);
        let arguments = [1, u64::MAX, number, numbers, handle, variable, 8, 9, 10];
        let call = Call::with(&arguments);
        assert_eq!((call.word(0), call.int(1), call.word(6), call.word(8)), (1, -1, 8, 10));
        assert_eq!((call.at(2), call.ints(3, 2).collect()), (Some(77), vec![4, 5]));
        assert_eq!((call.team(4), call.team(5)), (handle, handle));
    }

    #[test]
    fn the_size_of_a_section_is_that_of_its_dimensions() {
        // base, offset, length of an element, rank 2 and type 3, span, then (stride, lower, upper) twice.
        let descriptor = [0u64, 0, 8, 0x0302 << 32, 8, 1, 1, 10, 10, 0, 4];
        let empty = [0u64, 0, 8, 0x0301 << 32, 8, 1, 1, 0];
        let scalar = [0u64, 0, 16, 0x0400 << 32, 16];
        let addresses = [&descriptor[..], &empty, &scalar].map(|words| words.as_ptr() as u64);
        let [first, second, third] = addresses;
        let call = Call::with(&[first, second, third]);
        assert_eq!([0, 1, 2, 3].map(|n| call.section(n).bytes()), [400, 0, 16, 0]);
    }
}
