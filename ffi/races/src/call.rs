//! Calls of functions of other libraries which the compiler has not instrumented. Programs are linked so that their calls come here
//! (`--wrap`). Each call enters its accesses, and goes on to the function itself.

use crate::copies::enter;
use crate::descriptor::Array;
use std::io::Write as _;

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
const STACK: usize = 16;

impl Call {
    /// An argument.
    pub fn argument(&self, number: usize) -> usize {
        match self.arguments.get(number) {
            Some(&argument) => argument,
            None => self.others[number - self.arguments.len()],
        }
    }

    /// Has the function get another value as an argument that is in a register.
    pub fn replace(&mut self, number: usize, value: usize) {
        self.arguments[number] = value;
    }

    /// The number of arguments that are looked at.
    pub const ARGUMENTS: usize = 6 + STACK;

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

    /// An argument that is a variable with the length of the elements of another argument, an array: it is read.
    ///
    /// # Safety
    /// The function has an array as the argument `like`.
    pub unsafe fn element_of(&self, like: usize, number: usize) {
        // SAFETY: as the caller says.
        let array =
            unsafe { std::ptr::with_exposed_provenance::<Array>(self.argument(like)).as_ref() };
        if let Some(array) = array {
            self.variable(number, array.element(), false);
        }
    }

    /// Characters of this number of bytes each. One argument is their number, another one their address.
    pub fn text(&self, (len, characters): (usize, usize), size: usize, writes: bool) {
        // A negative length means no characters. With `min` the number of bytes does not overflow; memory has fewer characters.
        let len = isize::try_from(self.argument(len)).unwrap_or(0).min(isize::MAX / 4) as usize;
        self.variable(characters, len * size, writes);
    }
}

/// The function of libgfortran is not there: the linker has taken no member of the archive for a call that goes to a wrapper.
#[cold]
pub extern "C" fn absent() -> ! {
    // An error of standard error cannot be reported anywhere.
    let _ = writeln!(
        std::io::stderr(),
        "xmp: --check=races: the program is linked with libgfortran.a: link it with the shared library (-lgfortran)"
    );
    std::process::exit(1)
}

/// Defines the function that is called instead of the one of libgfortran, or of coarrays, whose name has these two parts. It hands the
/// call to `$before`, and goes on to the function by the instructions in brackets.
macro_rules! wrapper {
    ($first:literal $last:literal: $before:path, [$($instruction:expr),+] $(, $operand:ident: $function:path)?) => {
        const _: () = {
            #[unsafe(naked)]
            #[unsafe(export_name = concat!("__wrap__gfortran_", $first, $last))]
            extern "C" fn wrapped() {
                std::arch::naked_asm!(
                    ".cfi_startproc",
                    $crate::register_arguments::store_arguments!(),
                    "mov rdi, rsp",
                    "call {before}",
                    // Weak: a program that calls it has it, unless libgfortran is a part of the program.
                    concat!(".weak _gfortran_", $first, $last),
                    concat!("mov r11, qword ptr [rip + _gfortran_", $first, $last, "@GOTPCREL]"),
                    "test r11, r11",
                    "jne 2f",
                    "call {absent}",
                    "2:",
                    $($instruction,)+
                    ".cfi_endproc",
                    before = sym $before,
                    absent = sym $crate::call::absent,
                    $($operand = sym $function,)?
                )
            }
        };
    };
}

/// Functions whose names are `_gfortran_`, a first and a last part; how each uses its arguments. None is in a vector register, which are
/// not stored.
macro_rules! wrapped {
    ($($note:path: $first:literal $($last:literal)+;)+) => {$($(
        $crate::call::wrapper! { $first $last: $note, [
            $crate::register_arguments::restore_arguments!(),
            // The number of arguments in vector registers, for functions with any number of arguments.
            "xor eax, eax",
            "jmp r11"
        ] }
    )+)+};
}

/// The same of functions without a result and with at most ten arguments: what is done before the call, and after it.
macro_rules! enclosed {
    ($($before:path, $after:path: $first:literal $($last:literal)+;)+) => {$($(
        $crate::call::wrapper! { $first $last: $before, [
            $crate::register_arguments::load_arguments!(),
            // The arguments on the stack once more: each is at the same distance of the last one.
            "push qword ptr [rsp + 88]",
            ".cfi_adjust_cfa_offset 8",
            "push qword ptr [rsp + 88]",
            ".cfi_adjust_cfa_offset 8",
            "push qword ptr [rsp + 88]",
            ".cfi_adjust_cfa_offset 8",
            "push qword ptr [rsp + 88]",
            ".cfi_adjust_cfa_offset 8",
            "call r11",
            "add rsp, 32",
            ".cfi_adjust_cfa_offset -32",
            "mov rdi, rsp",
            "call {after}",
            "add rsp, 56",
            ".cfi_adjust_cfa_offset -56",
            "ret"
        ], after: $after }
    )+)+};
}

pub(crate) use {enclosed, wrapped, wrapper};
