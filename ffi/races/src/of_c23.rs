//! Functions of C that have other names in sources of C23: `__isoc23_strtol`. The headers of glibc 2.38 and later rename them, for C++ and
//! for gcc's own dialects, too. An older C library has the former names alone, which are called there.

use crate::list::List;
use std::ffi::{c_int, c_long};

/// Functions that go on to the first of two functions of the C library that is there.
macro_rules! first_of {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?: $newer:literal $older:literal;)+) => {$(
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
            std::arch::naked_asm!(
                concat!(".weak ", $newer),
                concat!("mov rax, qword ptr [rip + ", $newer, "@GOTPCREL]"),
                "test rax, rax",
                "jne 2f",
                concat!("mov rax, qword ptr [rip + ", $older, "@GOTPCREL]"),
                "2: jmp rax",
            )
        }
    )+};
}

first_of! {
    vscanf_of_c23(format: usize, list: *mut List) -> c_int: "__isoc23_vscanf" "__isoc99_vscanf";
    vfscanf_of_c23(file: usize, format: usize, list: *mut List) -> c_int: "__isoc23_vfscanf" "__isoc99_vfscanf";
    vsscanf_of_c23(from: usize, format: usize, list: *mut List) -> c_int: "__isoc23_vsscanf" "__isoc99_vsscanf";
    strtol_of_c23(text: usize, end: *mut usize, base: c_int) -> c_long: "__isoc23_strtol" "strtol";
    strtoll_of_c23(): "__isoc23_strtoll" "strtoll";
    strtoul_of_c23(): "__isoc23_strtoul" "strtoul";
    strtoull_of_c23(): "__isoc23_strtoull" "strtoull";
    strtoimax_of_c23(): "__isoc23_strtoimax" "strtoimax";
    strtoumax_of_c23(): "__isoc23_strtoumax" "strtoumax";
}
