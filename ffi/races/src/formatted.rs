//! Formatted output and input of C.

use crate::after::{Call, with_any_number};
use crate::c_library::{ANY, bytes_of};
use crate::copies::enter;
use crate::filter::is_of_interest;
use crate::formats;
use crate::list::List;
use crate::of_c23::{vfscanf_of_c23, vscanf_of_c23, vsscanf_of_c23};
use std::ffi::c_int;
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
        pub fn __vdprintf_chk(file: usize, flag: usize, format: usize, list: *mut List) -> c_int;
        pub fn vasprintf(to: usize, format: usize, list: *mut List) -> c_int;
        pub fn __vasprintf_chk(to: usize, flag: usize, format: usize, list: *mut List) -> c_int;
        pub fn vsscanf(from: usize, format: usize, list: *mut List) -> c_int;
        pub fn vfscanf(file: usize, format: usize, list: *mut List) -> c_int;
        pub fn vscanf(format: usize, list: *mut List) -> c_int;
        pub fn __isoc99_vsscanf(from: usize, format: usize, list: *mut List) -> c_int;
        pub fn __isoc99_vfscanf(file: usize, format: usize, list: *mut List) -> c_int;
        pub fn __isoc99_vscanf(format: usize, list: *mut List) -> c_int;
    }
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
    dprintf_chk: __vdprintf_chk(0 1 2), format 2;
}

/// Output into memory that the C library allocates: the program's variable gets its address.
fn has_allocated(call: &Call, characters: c_int) -> c_int {
    if characters >= 0 {
        enter(call.arguments[0], size_of::<usize>(), true, call.place);
    }
    characters
}

extern "C" fn asprintf(call: &Call, list: *mut List) -> c_int {
    let [to, format, ..] = call.arguments;
    // SAFETY: the arguments of a call of this function, and its list, here and below.
    unsafe {
        call.reads_texts(1, list);
        has_allocated(call, own::vasprintf(to, format, list))
    }
}

extern "C" fn asprintf_chk(call: &Call, list: *mut List) -> c_int {
    let [to, flag, format, ..] = call.arguments;
    // SAFETY: as above.
    unsafe {
        call.reads_texts(2, list);
        has_allocated(call, own::__vasprintf_chk(to, flag, format, list))
    }
}

/// Input by a format: from standard input, a file, and a text.
macro_rules! inputs {
    ($($scanf:ident $fscanf:ident $sscanf:ident: $vscanf:path, $vfscanf:path, $vsscanf:path;)+) => {$(
        extern "C" fn $scanf(call: &Call, list: *mut List) -> c_int {
            // SAFETY: the arguments of a call of this function, and its list, here and below.
            unsafe { call.defines(0, list, || $vscanf(call.arguments[0], list)) }
        }

        extern "C" fn $fscanf(call: &Call, list: *mut List) -> c_int {
            let [file, format, ..] = call.arguments;
            // SAFETY: as above.
            unsafe { call.defines(1, list, || $vfscanf(file, format, list)) }
        }

        extern "C" fn $sscanf(call: &Call, list: *mut List) -> c_int {
            let [from, format, ..] = call.arguments;
            if is_of_interest(from) {
                enter(from, bytes_of(from, ANY), false, call.place);
            }
            // SAFETY: as above.
            unsafe { call.defines(1, list, || $vsscanf(from, format, list)) }
        }
    )+};
}

inputs! {
    scanf_before_c99 fscanf_before_c99 sscanf_before_c99: own::vscanf, own::vfscanf, own::vsscanf;
    scanf fscanf sscanf: own::__isoc99_vscanf, own::__isoc99_vfscanf, own::__isoc99_vsscanf;
    scanf_of_c23 fscanf_of_c23 sscanf_of_c23: vscanf_of_c23, vfscanf_of_c23, vsscanf_of_c23;
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
    __wrap_asprintf __wrap_vasprintf(2): asprintf;
    __wrap___fprintf_chk __wrap___vfprintf_chk(3): fprintf_chk;
    __wrap___dprintf_chk __wrap___vdprintf_chk(3): dprintf_chk;
    __wrap___asprintf_chk __wrap___vasprintf_chk(3): asprintf_chk;
    __wrap_sscanf __wrap_vsscanf(2): sscanf_before_c99;
    __wrap_fscanf __wrap_vfscanf(2): fscanf_before_c99;
    __wrap_scanf __wrap_vscanf(1): scanf_before_c99;
    __wrap___isoc99_sscanf __wrap___isoc99_vsscanf(2): sscanf;
    __wrap___isoc99_fscanf __wrap___isoc99_vfscanf(2): fscanf;
    __wrap___isoc99_scanf __wrap___isoc99_vscanf(1): scanf;
    __wrap___isoc23_sscanf __wrap___isoc23_vsscanf(2): sscanf_of_c23;
    __wrap___isoc23_fscanf __wrap___isoc23_vfscanf(2): fscanf_of_c23;
    __wrap___isoc23_scanf __wrap___isoc23_vscanf(1): scanf_of_c23;
}
