//! Subroutines of BLAS, which read and write vectors and matrices of the program, and which nobody compiles with hooks. The assembler of
//! `--check=races` (`bin/as.rs`) puts a call before that of the subroutine, with the same arguments and in `rax` the subroutine.
//!
//! A subroutine is one of BLAS by its name, and if it is in a library that is called so: programs have own ones of the same names.

use crate::copies::enter;
use std::arch::naked_asm;
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::mem;
use std::sync::{Mutex, PoisonError};

/// A call: the arguments in registers, the subroutine, where it returns to, and the other arguments.
#[repr(C)]
struct Call {
    arguments: [usize; 6],
    subroutine: usize,
    place: usize,
    others: [usize; 7],
}

/// A kind of numbers: the bytes of a real one, and how many of them are one number.
#[derive(Clone, Copy)]
struct Numbers {
    part: usize,
    parts: usize,
}

impl Numbers {
    fn size(self) -> usize {
        self.part * self.parts
    }

    /// The bytes of the number 0 or 1.
    fn constant(self, one: bool) -> Vec<u8> {
        let real = if self.part == 4 {
            f32::from(u8::from(one)).to_ne_bytes().to_vec()
        } else {
            f64::from(u8::from(one)).to_ne_bytes().to_vec()
        };
        [real, vec![0; self.part * (self.parts - 1)]].concat()
    }
}

/// The methods read what arguments lead to: the program calls a subroutine of BLAS, whose arguments have addresses of such variables.
impl Call {
    fn argument(&self, number: usize) -> usize {
        match self.arguments.get(number) {
            Some(&argument) => argument,
            None => self.others[number - self.arguments.len()],
        }
    }

    fn integer(&self, number: usize) -> isize {
        // SAFETY: see above. Of an integer of 8 bytes these are the lower ones.
        unsafe { std::ptr::with_exposed_provenance::<i32>(self.argument(number)).read() as isize }
    }

    /// Whether matrix number 1 or 2 is to be transposed.
    fn transposes(&self, number: usize) -> bool {
        // SAFETY: see above.
        let text = unsafe { std::ptr::with_exposed_provenance::<u8>(self.argument(number)).read() };
        !matches!(text, b'n' | b'N')
    }

    fn is(&self, number: usize, numbers: Numbers, one: bool) -> bool {
        let constant = numbers.constant(one);
        // SAFETY: see above.
        let own = unsafe {
            std::slice::from_raw_parts(
                std::ptr::with_exposed_provenance::<u8>(self.argument(number)),
                constant.len(),
            )
        };
        own == constant
    }

    /// A vector of so many numbers: its argument, followed by the distance of two elements.
    fn vector(&self, number: usize, count: isize, numbers: Numbers, writes: bool) {
        let (start, distance) = (self.argument(number), self.integer(number + 1));
        let size = numbers.size();
        if count <= 0 {
            return;
        }
        match distance {
            1 => enter(start, count as usize * size, writes, self.place),
            _ => {
                let last = if distance < 0 { (1 - count) * distance } else { 0 };
                for element in 0..count {
                    let at = (last + element * distance) * size as isize;
                    enter(start.wrapping_add_signed(at), size, writes, self.place);
                }
            }
        }
    }

    /// A matrix of so many rows and columns: its argument, followed by the distance of two columns.
    fn matrix(&self, number: usize, shape: (isize, isize), numbers: Numbers, writes: bool) {
        let (rows, columns) = shape;
        let (start, distance) = (self.argument(number), self.integer(number + 1));
        if rows <= 0 {
            return;
        }
        let (len, distance) = (rows as usize * numbers.size(), distance as usize * numbers.size());
        for column in 0..usize::try_from(columns).unwrap_or(0) {
            enter(start.wrapping_add(column * distance), len, writes, self.place);
        }
    }
}

/// Whether a subroutine is in a library of BLAS.
fn is_of_blas(subroutine: usize) -> bool {
    static KNOWN: Mutex<BTreeMap<usize, bool>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(subroutine).or_insert_with(|| {
        // SAFETY: the function looks at the address and writes the structure, all of whose values may be zero.
        let name = unsafe {
            let mut about: libc::Dl_info = mem::zeroed();
            let is_found = libc::dladdr(std::ptr::without_provenance(subroutine), &mut about) != 0;
            (is_found && !about.dli_fname.is_null()).then(|| CStr::from_ptr(about.dli_fname))
        };
        let name = name.map(CStr::to_string_lossy).unwrap_or_default();
        let file = name.rsplit('/').next().unwrap_or_default();
        ["blas", "blis", "mkl", "atlas", "armpl"].iter().any(|part| file.contains(part))
    })
}

/// `y = a * x + y`: n, a, x, its distance, y, its distance.
fn axpy(call: &Call, numbers: Numbers) {
    if !call.is(1, numbers, false) {
        let count = call.integer(0);
        call.vector(2, count, numbers, false);
        call.vector(4, count, numbers, true);
    }
}

/// `y = x`: n, x, its distance, y, its distance.
fn copy(call: &Call, numbers: Numbers) {
    let count = call.integer(0);
    call.vector(1, count, numbers, false);
    call.vector(3, count, numbers, true);
}

/// `x` and `y` are exchanged: as for [`copy`].
fn swap(call: &Call, numbers: Numbers) {
    let count = call.integer(0);
    call.vector(1, count, numbers, true);
    call.vector(3, count, numbers, true);
}

/// The product of two vectors: as for [`copy`].
fn dot(call: &Call, numbers: Numbers) {
    let count = call.integer(0);
    call.vector(1, count, numbers, false);
    call.vector(3, count, numbers, false);
}

/// `x = a * x`: n, a, x, its distance.
fn scal(call: &Call, numbers: Numbers) {
    if call.integer(3) > 0 {
        call.vector(2, call.integer(0), numbers, true);
    }
}

/// A number that a vector has: n, x, its distance.
fn norm(call: &Call, numbers: Numbers) {
    if call.integer(2) > 0 {
        call.vector(1, call.integer(0), numbers, false);
    }
}

/// `y = alpha * A * x + beta * y`: trans, m, n, alpha, A, its distance, x, its distance, beta, y, its distance.
fn gemv(call: &Call, numbers: Numbers) {
    let (rows, columns) = (call.integer(1), call.integer(2));
    let is_zero = call.is(3, numbers, false);
    if rows <= 0 || columns <= 0 || is_zero && call.is(8, numbers, true) {
        return;
    }
    let (of_x, of_y) = if call.transposes(0) { (rows, columns) } else { (columns, rows) };
    if !is_zero {
        call.matrix(4, (rows, columns), numbers, false);
        call.vector(6, of_x, numbers, false);
    }
    call.vector(9, of_y, numbers, true);
}

/// `A = alpha * x * y + A`: m, n, alpha, x, its distance, y, its distance, A, its distance.
fn ger(call: &Call, numbers: Numbers) {
    let (rows, columns) = (call.integer(0), call.integer(1));
    if rows <= 0 || columns <= 0 || call.is(2, numbers, false) {
        return;
    }
    call.vector(3, rows, numbers, false);
    call.vector(5, columns, numbers, false);
    call.matrix(7, (rows, columns), numbers, true);
}

/// `C = alpha * A * B + beta * C`: transa, transb, m, n, k, alpha, A, its distance, B, its distance, beta, C, its distance.
fn gemm(call: &Call, numbers: Numbers) {
    let [rows, columns, inner] = [2, 3, 4].map(|number| call.integer(number));
    let reads = inner > 0 && !call.is(5, numbers, false);
    if rows <= 0 || columns <= 0 || !reads && call.is(10, numbers, true) {
        return;
    }
    if reads {
        let turned = |turns, (rows, columns)| if turns { (columns, rows) } else { (rows, columns) };
        call.matrix(6, turned(call.transposes(0), (rows, inner)), numbers, false);
        call.matrix(8, turned(call.transposes(1), (inner, columns)), numbers, false);
    }
    call.matrix(11, (rows, columns), numbers, true);
}

/// What is called before each subroutine: it keeps the registers that arguments are in.
macro_rules! subroutines {
    ($($note:ident: $($name:literal $part:literal $parts:literal),+;)+) => {$($(
        const _: () = {
            extern "C" fn noted(call: &Call) {
                if is_of_blas(call.subroutine) {
                    $note(call, Numbers { part: $part, parts: $parts });
                }
            }

            #[unsafe(naked)]
            #[unsafe(export_name = concat!("xmprt_race_blas_", $name))]
            extern "C" fn before() {
                naked_asm!(
                    ".cfi_startproc",
                    "sub rsp, 56",
                    ".cfi_adjust_cfa_offset 56",
                    "mov qword ptr [rsp], rdi",
                    "mov qword ptr [rsp + 8], rsi",
                    "mov qword ptr [rsp + 16], rdx",
                    "mov qword ptr [rsp + 24], rcx",
                    "mov qword ptr [rsp + 32], r8",
                    "mov qword ptr [rsp + 40], r9",
                    "mov qword ptr [rsp + 48], rax",
                    "mov rdi, rsp",
                    "call {noted}",
                    "mov rdi, qword ptr [rsp]",
                    "mov rsi, qword ptr [rsp + 8]",
                    "mov rdx, qword ptr [rsp + 16]",
                    "mov rcx, qword ptr [rsp + 24]",
                    "mov r8, qword ptr [rsp + 32]",
                    "mov r9, qword ptr [rsp + 40]",
                    "add rsp, 56",
                    ".cfi_adjust_cfa_offset -56",
                    "ret",
                    ".cfi_endproc",
                    noted = sym noted,
                )
            }
        };
    )+)+};
}

subroutines! {
    axpy: "saxpy_" 4 1, "daxpy_" 8 1, "caxpy_" 4 2, "zaxpy_" 8 2;
    copy: "scopy_" 4 1, "dcopy_" 8 1, "ccopy_" 4 2, "zcopy_" 8 2;
    swap: "sswap_" 4 1, "dswap_" 8 1, "cswap_" 4 2, "zswap_" 8 2;
    dot: "sdot_" 4 1, "ddot_" 8 1;
    scal: "sscal_" 4 1, "dscal_" 8 1, "cscal_" 4 2, "zscal_" 8 2;
    norm: "snrm2_" 4 1, "dnrm2_" 8 1, "scnrm2_" 4 2, "dznrm2_" 8 2;
    norm: "sasum_" 4 1, "dasum_" 8 1, "scasum_" 4 2, "dzasum_" 8 2;
    norm: "isamax_" 4 1, "idamax_" 8 1, "icamax_" 4 2, "izamax_" 8 2;
    gemv: "sgemv_" 4 1, "dgemv_" 8 1, "cgemv_" 4 2, "zgemv_" 8 2;
    ger: "sger_" 4 1, "dger_" 8 1;
    gemm: "sgemm_" 4 1, "dgemm_" 8 1, "cgemm_" 4 2, "zgemm_" 8 2;
}
