//! Calls of functions of other libraries which the compiler has not instrumented. Programs are linked so that their calls come here
//! (`--wrap`). Each call enters its accesses, and goes on to the function itself.

use crate::copies::enter;
use crate::descriptor::Array;

/// A call of a function: the arguments in registers, as the functions below store them, the return address, and the next arguments.
#[repr(C)]
pub struct Call {
    arguments: [usize; 6],
    unused: usize,
    /// The return address.
    pub place: usize,
    /// The arguments on the stack; if the function has fewer, something else of the stack.
    others: [usize; STACK],
}

/// Arguments on the stack that are looked at.
const STACK: usize = 4;

impl Call {
    /// An argument.
    pub fn argument(&self, number: usize) -> usize {
        match self.arguments.get(number) {
            Some(&argument) => argument,
            None => self.others[number - self.arguments.len()],
        }
    }

    /// An argument that is an array, if it is there.
    ///
    /// # Safety
    /// The function has an array as this argument.
    pub unsafe fn array(&self, number: usize, writes: bool) {
        // SAFETY: as the caller says: null or an array, with its dimensions.
        unsafe {
            let array = std::ptr::with_exposed_provenance::<Array>(self.argument(number));
            if let Some(array) = array.as_ref() {
                array.pieces(|address, len| enter(address, len, writes, self.place));
            }
        }
    }

    /// An argument that is a variable of this number of bytes, if it is there.
    pub fn variable(&self, number: usize, len: usize, writes: bool) {
        let address = self.argument(number);
        if address != 0 {
            enter(address, len, writes, self.place);
        }
    }

    /// Characters of this number of bytes each. One argument is their number, another one their address.
    pub fn text(&self, (len, characters): (usize, usize), size: usize, writes: bool) {
        // A negative length means no characters. With `min` the number of bytes does not overflow; memory has fewer characters.
        let len = isize::try_from(self.argument(len)).unwrap_or(0).min(isize::MAX / 4) as usize;
        self.variable(characters, len * size, writes);
    }
}

/// Functions whose names are `_gfortran_`, a first and a last part; how each uses its arguments.
macro_rules! wrapped {
    ($($note:ident: $first:literal $($last:literal)+;)+) => {$($(
        const _: () = {
            #[unsafe(naked)]
            #[unsafe(export_name = concat!("__wrap__gfortran_", $first, $last))]
            extern "C" fn wrapped() {
                std::arch::naked_asm!(
                    ".cfi_startproc",
                    $crate::register_arguments::store_arguments!(),
                    "mov rdi, rsp",
                    "call {note}",
                    $crate::register_arguments::restore_arguments!(),
                    // Weak: a program that calls it has it.
                    concat!(".weak _gfortran_", $first, $last),
                    concat!("jmp qword ptr [rip + _gfortran_", $first, $last, "@GOTPCREL]"),
                    ".cfi_endproc",
                    note = sym $note,
                )
            }
        };
    )+)+};
}

/// The same of functions without a result: what is done before the call, and after it.
macro_rules! enclosed {
    ($($before:ident, $after:ident: $first:literal $($last:literal)+;)+) => {$($(
        const _: () = {
            #[unsafe(naked)]
            #[unsafe(export_name = concat!("__wrap__gfortran_", $first, $last))]
            extern "C" fn wrapped() {
                std::arch::naked_asm!(
                    ".cfi_startproc",
                    $crate::register_arguments::store_arguments!(),
                    "mov rdi, rsp",
                    "call {before}",
                    "mov rdi, qword ptr [rsp]",
                    "mov rsi, qword ptr [rsp + 8]",
                    "mov rdx, qword ptr [rsp + 16]",
                    "mov rcx, qword ptr [rsp + 24]",
                    "mov r8, qword ptr [rsp + 32]",
                    "mov r9, qword ptr [rsp + 40]",
                    // The arguments on the stack once more: each is at the same distance of the last one.
                    "push qword ptr [rsp + 88]",
                    ".cfi_adjust_cfa_offset 8",
                    "push qword ptr [rsp + 88]",
                    ".cfi_adjust_cfa_offset 8",
                    "push qword ptr [rsp + 88]",
                    ".cfi_adjust_cfa_offset 8",
                    "push qword ptr [rsp + 88]",
                    ".cfi_adjust_cfa_offset 8",
                    concat!(".weak _gfortran_", $first, $last),
                    concat!("call qword ptr [rip + _gfortran_", $first, $last, "@GOTPCREL]"),
                    "add rsp, 32",
                    ".cfi_adjust_cfa_offset -32",
                    "mov rdi, rsp",
                    "call {after}",
                    "add rsp, 56",
                    ".cfi_adjust_cfa_offset -56",
                    "ret",
                    ".cfi_endproc",
                    before = sym $before,
                    after = sym $after,
                )
            }
        };
    )+)+};
}

pub(crate) use {enclosed, wrapped};
