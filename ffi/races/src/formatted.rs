//! Formatted output and input of C, and other functions of the C library whose results tell what they have written. They are called
//! here, and enter that afterwards.

use crate::c_library::{ANY, bytes_of};
use crate::copies::enter;
use crate::filter::is_of_interest;
use crate::formats;
use crate::list::List;
use crate::register_arguments::store_registers;
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;
use std::slice;

/// The C library's own functions. Their arguments are those of the program's call, in the registers in which they came.
mod own {
    use super::{List, c_int};

    unsafe extern "C" {
        pub fn vsnprintf(to: usize, size: usize, format: usize, list: *mut List) -> c_int;
        pub fn vsprintf(to: usize, format: usize, list: *mut List) -> c_int;
        pub fn vprintf(format: usize, list: *mut List) -> c_int;
        pub fn vfprintf(file: usize, format: usize, list: *mut List) -> c_int;
        pub fn vdprintf(file: usize, format: usize, list: *mut List) -> c_int;
        pub fn __vsnprintf_chk(
            to: usize,
            size: usize,
            flag: usize,
            room: usize,
            format: usize,
            list: *mut List,
        ) -> c_int;
        pub fn __vsprintf_chk(
            to: usize,
            flag: usize,
            room: usize,
            format: usize,
            list: *mut List,
        ) -> c_int;
        pub fn __vprintf_chk(flag: usize, format: usize, list: *mut List) -> c_int;
        pub fn __vfprintf_chk(file: usize, flag: usize, format: usize, list: *mut List) -> c_int;
        pub fn __isoc99_vsscanf(from: usize, format: usize, list: *mut List) -> c_int;
        pub fn __isoc99_vfscanf(file: usize, format: usize, list: *mut List) -> c_int;
        pub fn __isoc99_vscanf(format: usize, list: *mut List) -> c_int;
        pub fn fgets(to: usize, size: usize, file: usize) -> usize;
        pub fn __fgets_chk(to: usize, room: usize, size: usize, file: usize) -> usize;
        pub fn read(file: usize, to: usize, size: usize) -> isize;
        pub fn __read_chk(file: usize, to: usize, size: usize, room: usize) -> isize;
    }
}

/// A call: the arguments in registers, room for the others and for the list, and the return address.
#[repr(C)]
struct Call {
    arguments: [usize; 6],
    unused: [MaybeUninit<usize>; 21],
    place: usize,
}

impl Call {
    /// The text of an argument that is a format.
    fn format(&self, number: usize) -> &[u8] {
        let format = self.arguments[number];
        // SAFETY: the program passes a text that ends with zero.
        unsafe {
            slice::from_raw_parts(ptr::with_exposed_provenance(format), bytes_of(format, ANY) - 1)
        }
    }

    /// Output by the format of this argument reads texts.
    ///
    /// # Safety
    /// The list is that of the call, and not used yet.
    unsafe fn reads_texts(&self, format: usize, list: *mut List) {
        // SAFETY: as the caller says.
        unsafe {
            let list = *list;
            let text = |at, most| {
                if is_of_interest(at) {
                    enter(at, bytes_of(at, most), false, self.place);
                }
            };
            formats::output(self.format(format), list, text, |at, len| {
                enter(at, len, true, self.place);
            });
        }
    }

    /// Output has written so many characters and a zero, or an error came, into this many bytes.
    fn has_written(&self, to: usize, room: usize, characters: c_int) {
        if let Ok(characters) = usize::try_from(characters) {
            enter(to, room.min(characters + 1), true, self.place);
        }
    }

    /// Executes input by the format of this argument, which defines variables.
    ///
    /// # Safety
    /// The list is that of the call, and not used yet.
    unsafe fn defines(
        &self,
        format: usize,
        list: *mut List,
        execute: impl FnOnce() -> c_int,
    ) -> c_int {
        // SAFETY: as the caller says.
        let before = unsafe { *list };
        let converted = execute();
        let visit = |at, len: Option<usize>| {
            if is_of_interest(at) {
                enter(at, len.unwrap_or_else(|| bytes_of(at, ANY)), true, self.place);
            }
        };
        // SAFETY: as the caller says.
        unsafe {
            let number = usize::try_from(converted).unwrap_or(0);
            formats::input(self.format(format), before, number, visit);
        }
        converted
    }
}

/// The instructions that make a [`Call`] on the stack.
macro_rules! make_call {
    () => {
        concat!(
            ".cfi_startproc\n",
            "sub rsp, 216\n",
            ".cfi_adjust_cfa_offset 216\n",
            store_registers!()
        )
    };
}

/// The instructions that call `function`, and return its result to the program.
macro_rules! end_call {
    () => {
        concat!(
            "call {function}\n",
            "add rsp, 216\n",
            ".cfi_adjust_cfa_offset -216\n",
            "ret\n",
            ".cfi_endproc"
        )
    };
}

/// Functions with any number of arguments after some: they are called with the list of those.
macro_rules! with_any_number {
    ($($name:ident $listed:ident($named:literal): $function:path;)+) => {$(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn $name() {
            std::arch::naked_asm!(
                make_call!(),
                "test al, al",
                "je 2f",
                "movaps xmmword ptr [rsp + 48], xmm0",
                "movaps xmmword ptr [rsp + 64], xmm1",
                "movaps xmmword ptr [rsp + 80], xmm2",
                "movaps xmmword ptr [rsp + 96], xmm3",
                "movaps xmmword ptr [rsp + 112], xmm4",
                "movaps xmmword ptr [rsp + 128], xmm5",
                "movaps xmmword ptr [rsp + 144], xmm6",
                "movaps xmmword ptr [rsp + 160], xmm7",
                "2:",
                // The list: the next registers, the arguments on the stack, the registers.
                "mov dword ptr [rsp + 176], 8 * {named}",
                "mov dword ptr [rsp + 180], 48",
                "lea rax, [rsp + 224]",
                "mov qword ptr [rsp + 184], rax",
                "mov qword ptr [rsp + 192], rsp",
                "mov rdi, rsp",
                "lea rsi, [rsp + 176]",
                end_call!(),
                named = const $named,
                function = sym $function,
            )
        }

        /// The same with a list as its last argument.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn $listed() {
            std::arch::naked_asm!(
                make_call!(),
                "mov rdi, rsp",
                "mov rsi, qword ptr [rsp + 8 * {named}]",
                end_call!(),
                named = const $named,
                function = sym $function,
            )
        }
    )+};
}

/// Functions that call the one of the C library with these of their arguments, and the list. Output by a format is into so many bytes
/// of memory, or into a file.
macro_rules! outputs {
    ($($name:ident: $real:ident($($argument:literal)+), format $format:literal $(, to $to:literal in $room:expr)?;)+) => {$(
        extern "C" fn $name(call: &Call, list: *mut List) -> c_int {
            let arguments = &call.arguments;
            // SAFETY: the arguments of a call of this function, and its list.
            unsafe {
                call.reads_texts($format, list);
                let characters = own::$real($(arguments[$argument],)+ list);
                $(
                    let room: fn(&[usize; 6]) -> usize = $room;
                    call.has_written(arguments[$to], room(arguments), characters);
                )?
                characters
            }
        }
    )+};
}

outputs! {
    snprintf: vsnprintf(0 1 2), format 2, to 0 in |arguments| arguments[1];
    sprintf: vsprintf(0 1), format 1, to 0 in |_| ANY;
    snprintf_chk: __vsnprintf_chk(0 1 2 3 4), format 4, to 0 in |arguments| arguments[1];
    sprintf_chk: __vsprintf_chk(0 1 2 3), format 3, to 0 in |_| ANY;
    printf: vprintf(0), format 0;
    fprintf: vfprintf(0 1), format 1;
    dprintf: vdprintf(0 1), format 1;
    printf_chk: __vprintf_chk(0 1), format 1;
    fprintf_chk: __vfprintf_chk(0 1 2), format 2;
}

extern "C" fn sscanf(call: &Call, list: *mut List) -> c_int {
    let [from, format, ..] = call.arguments;
    if is_of_interest(from) {
        enter(from, bytes_of(from, ANY), false, call.place);
    }
    // SAFETY: the arguments of a call of this function, and its list.
    unsafe { call.defines(1, list, || own::__isoc99_vsscanf(from, format, list)) }
}

extern "C" fn fscanf(call: &Call, list: *mut List) -> c_int {
    let [file, format, ..] = call.arguments;
    // SAFETY: as above.
    unsafe { call.defines(1, list, || own::__isoc99_vfscanf(file, format, list)) }
}

extern "C" fn scanf(call: &Call, list: *mut List) -> c_int {
    // SAFETY: as above.
    unsafe { call.defines(0, list, || own::__isoc99_vscanf(call.arguments[0], list)) }
}

/// Functions without a list.
macro_rules! with_few {
    ($($name:ident: $function:path;)+) => {$(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn $name() {
            std::arch::naked_asm!(
                make_call!(),
                "mov rdi, rsp",
                end_call!(),
                function = sym $function,
            )
        }
    )+};
}

/// A line was read into memory, if the result is not null.
fn has_read_line(call: &Call, line: usize) -> usize {
    if is_of_interest(line) {
        enter(line, bytes_of(line, ANY), true, call.place);
    }
    line
}

extern "C" fn fgets(call: &Call) -> usize {
    let [to, size, file, ..] = call.arguments;
    // SAFETY: the arguments of a call of this function, here and below.
    has_read_line(call, unsafe { own::fgets(to, size, file) })
}

extern "C" fn fgets_chk(call: &Call) -> usize {
    let [to, room, size, file, ..] = call.arguments;
    // SAFETY: as above.
    has_read_line(call, unsafe { own::__fgets_chk(to, room, size, file) })
}

/// So many bytes of a file were read, or an error came.
fn has_read(call: &Call, bytes: isize) -> isize {
    if let Ok(bytes) = usize::try_from(bytes) {
        enter(call.arguments[1], bytes, true, call.place);
    }
    bytes
}

extern "C" fn read(call: &Call) -> isize {
    let [file, to, size, ..] = call.arguments;
    // SAFETY: as above.
    has_read(call, unsafe { own::read(file, to, size) })
}

extern "C" fn read_chk(call: &Call) -> isize {
    let [file, to, size, room, ..] = call.arguments;
    // SAFETY: as above.
    has_read(call, unsafe { own::__read_chk(file, to, size, room) })
}

with_few! {
    __wrap_fgets: fgets;
    __wrap___fgets_chk: fgets_chk;
    __wrap_read: read;
    __wrap___read_chk: read_chk;
}

with_any_number! {
    __wrap_snprintf __wrap_vsnprintf(3): snprintf;
    __wrap_sprintf __wrap_vsprintf(2): sprintf;
    __wrap___snprintf_chk __wrap___vsnprintf_chk(5): snprintf_chk;
    __wrap___sprintf_chk __wrap___vsprintf_chk(4): sprintf_chk;
    __wrap_printf __wrap_vprintf(1): printf;
    __wrap_fprintf __wrap_vfprintf(2): fprintf;
    __wrap_dprintf __wrap_vdprintf(2): dprintf;
    __wrap___printf_chk __wrap___vprintf_chk(2): printf_chk;
    __wrap___fprintf_chk __wrap___vfprintf_chk(3): fprintf_chk;
    __wrap___isoc99_sscanf __wrap___isoc99_vsscanf(2): sscanf;
    __wrap___isoc99_fscanf __wrap___isoc99_vfscanf(2): fscanf;
    __wrap___isoc99_scanf __wrap___isoc99_vscanf(1): scanf;
}
