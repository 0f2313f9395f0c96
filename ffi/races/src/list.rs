//! Lists of arguments of functions with any number of them (`va_list`), as the ABI of x86-64 lays them out.

use std::ptr;

/// Bytes of the registers for integers and addresses, and of those with the ones for numbers.
const GENERAL: u32 = 48;
const ALL: u32 = 176;
const WORD: usize = size_of::<usize>();

/// The arguments from one on.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct List {
    /// Offsets of the next registers in the area where they are stored.
    general: u32,
    vector: u32,
    /// The next argument on the stack.
    stack: usize,
    /// The area.
    registers: usize,
}

impl List {
    /// The next argument, an integer or an address.
    ///
    /// # Safety
    /// The list is that of a call, which has this argument next.
    pub unsafe fn word(&mut self) -> usize {
        let at = if self.general < GENERAL {
            self.general += WORD as u32;
            self.registers + self.general as usize - WORD
        } else {
            self.on_stack(WORD)
        };
        // SAFETY: as the caller says.
        unsafe { ptr::with_exposed_provenance::<usize>(at).read() }
    }

    /// Passes a number of double precision.
    pub fn skip_double(&mut self) {
        if self.vector < ALL {
            self.vector += 16;
        } else {
            self.on_stack(WORD);
        }
    }

    /// Passes a number of extended precision.
    pub fn skip_long_double(&mut self) {
        self.stack = self.stack.next_multiple_of(16);
        self.on_stack(16);
    }

    /// The address of the next argument on the stack, which has so many bytes.
    fn on_stack(&mut self, len: usize) -> usize {
        self.stack += len;
        self.stack - len
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Calls `visit` with the list of a call with six arguments in registers, of which two come before the list, and with these on the
    /// stack.
    pub(crate) fn with_list(registers: [usize; 6], stack: &[usize], visit: impl FnOnce(List)) {
        // An extended number is at a multiple of 16.
        #[repr(align(16))]
        struct Stack([usize; 8]);
        let mut on_stack = Stack([0; 8]);
        on_stack.0[..stack.len()].copy_from_slice(stack);
        let mut area = [0; 22];
        area[..6].copy_from_slice(&registers);
        visit(List {
            general: 16,
            vector: GENERAL,
            stack: (&raw const on_stack).expose_provenance(),
            registers: (&raw const area).expose_provenance(),
        });
    }

    #[test]
    fn arguments_are_in_registers_first_and_on_the_stack_afterwards() {
        with_list([1, 2, 3, 4, 5, 6], &[7, 8, 9, 10, 11, 12], |mut list| {
            // SAFETY: the list has so many.
            let words: Vec<usize> = (0..5).map(|_| unsafe { list.word() }).collect();
            assert_eq!(words, [3, 4, 5, 6, 7]);
            (0..8).for_each(|_| list.skip_double());
            // SAFETY: as above.
            assert_eq!(unsafe { list.word() }, 8);
            list.skip_double();
            // The word before it has no use.
            list.skip_long_double();
            // SAFETY: as above.
            assert_eq!(unsafe { list.word() }, 0);
        });
    }
}
