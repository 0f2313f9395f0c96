//! Subroutines of BLAS, which read and write vectors and matrices of the program, and whose library has no hooks. The assembler of
//! `--check=races` (`bin/as.rs`) puts a call before the call of a subroutine, with the same arguments and in `rax` the subroutine.
//!
//! A subroutine is one of BLAS if its name is, and if its library is one of BLAS ([`is_of_blas`]): programs have subroutines of their
//! own with these names. The interface for C is in `cblas.rs`.

use crate::blas_subroutines::for_subroutines_of_blas;
use crate::copies::enter;
use crate::register_arguments::{restore_arguments, store_arguments};
use std::arch::naked_asm;
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::mem;
use std::sync::{Mutex, PoisonError};

/// A call: the arguments in registers, the subroutine, where it returns to, and the other arguments.
///
/// Invariant of one whose methods are called: the subroutine is one of BLAS, so the arguments are the addresses of such variables.
#[repr(C)]
pub struct Call {
    pub arguments: [usize; 6],
    pub subroutine: usize,
    pub place: usize,
    pub others: [usize; 7],
}

/// A kind of numbers: the bytes of a real one, and how many of them are one number.
#[derive(Clone, Copy)]
pub struct Numbers {
    pub part: usize,
    pub parts: usize,
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

impl Call {
    fn argument(&self, number: usize) -> usize {
        match self.arguments.get(number) {
            Some(&argument) => argument,
            None => self.others[number - self.arguments.len()],
        }
    }

    fn integer(&self, number: usize) -> isize {
        // SAFETY: the invariant of the type. Of an integer of 8 bytes these are the lower ones.
        unsafe { std::ptr::with_exposed_provenance::<i32>(self.argument(number)).read() as isize }
    }

    /// Tells whether the argument asks for a matrix to be transposed.
    fn transposes(&self, number: usize) -> bool {
        // SAFETY: the invariant of the type.
        let text = unsafe { std::ptr::with_exposed_provenance::<u8>(self.argument(number)).read() };
        !matches!(text, b'n' | b'N')
    }

    fn is(&self, number: usize, numbers: Numbers, one: bool) -> bool {
        let constant = numbers.constant(one);
        // SAFETY: the invariant of the type.
        let own = unsafe {
            std::slice::from_raw_parts(
                std::ptr::with_exposed_provenance::<u8>(self.argument(number)),
                constant.len(),
            )
        };
        own == constant
    }

    /// A vector of this many numbers: its argument, followed by the distance of two elements.
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
                    let at = (last + element * distance).wrapping_mul(size as isize);
                    enter(start.wrapping_add_signed(at), size, writes, self.place);
                }
            }
        }
    }

    /// A matrix of this many rows and columns: its argument, followed by the distance of two columns.
    fn matrix(&self, number: usize, shape: (isize, isize), numbers: Numbers, writes: bool) {
        let (rows, columns) = shape;
        let (start, distance) = (self.argument(number), self.integer(number + 1));
        // BLAS refuses columns that overlap, and accesses nothing.
        if rows <= 0 || distance < rows {
            return;
        }
        let (len, distance) = (rows as usize * numbers.size(), distance as usize * numbers.size());
        for column in 0..usize::try_from(columns).unwrap_or(0) {
            let start = start.wrapping_add(column.wrapping_mul(distance));
            enter(start, len, writes, self.place);
        }
    }
}

/// Tells whether a subroutine is in a library of BLAS: by the name of the library, or because it has XERBLA as well. A program that is
/// linked with BLAS statically is such a library, also if the wrapper has seen that it is linked with one of these names: of a static
/// library the program may have no more than AXPY.
pub fn is_of_blas(subroutine: usize) -> bool {
    static KNOWN: Mutex<BTreeMap<usize, bool>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(subroutine).or_insert_with(|| {
        let Some((file, start)) = file_of(subroutine) else { return false };
        let is_named = ["blas", "blis", "mkl", "atlas", "armpl"].iter().any(|it| file.contains(it));
        let has = |address: usize| file_of(address).is_some_and(|(_, its)| its == start);
        is_named || has(xerbla()) || links_blas() != 0 && has(program())
    })
}

/// The name of the executable file or library with an address, without its directory, and where it begins in memory.
fn file_of(address: usize) -> Option<(String, usize)> {
    // SAFETY: the function looks at the address and writes the structure, all of whose values may be zero. The name is of a file that is
    // loaded, and is copied.
    unsafe {
        let mut about: libc::Dl_info = mem::zeroed();
        let is_found = libc::dladdr(std::ptr::without_provenance(address), &mut about) != 0;
        if !is_found || about.dli_fname.is_null() {
            return None;
        }
        let name = CStr::from_ptr(about.dli_fname).to_string_lossy();
        let file = name.rsplit('/').next().unwrap_or_default().to_owned();
        Some((file, about.dli_fbase.addr()))
    }
}

/// The subroutine by which BLAS refuses arguments; 0 if there is none. The reference also has the linker export it from a program that
/// contains it.
#[unsafe(naked)]
extern "C" fn xerbla() -> usize {
    naked_asm!(".weak xerbla_", "mov rax, qword ptr [rip + xerbla_@GOTPCREL]", "ret",)
}

/// Another value than 0 if the wrapper has linked the program with a library whose name is one of BLAS.
#[unsafe(naked)]
extern "C" fn links_blas() -> usize {
    naked_asm!(
        ".weak xmprt_race_links_blas",
        "mov rax, qword ptr [rip + xmprt_race_links_blas@GOTPCREL]",
        "ret",
    )
}

/// An address in the program itself.
fn program() -> usize {
    // SAFETY: no argument, no memory.
    unsafe { libc::getauxval(libc::AT_ENTRY) as usize }
}

/// `y = a * x + y`: n, a, x, its distance, y, its distance.
pub fn axpy(call: &Call, numbers: Numbers) {
    if !call.is(1, numbers, false) {
        let count = call.integer(0);
        call.vector(2, count, numbers, false);
        call.vector(4, count, numbers, true);
    }
}

/// `y = x`: n, x, its distance, y, its distance.
pub fn copy(call: &Call, numbers: Numbers) {
    let count = call.integer(0);
    call.vector(1, count, numbers, false);
    call.vector(3, count, numbers, true);
}

/// `x` and `y` are exchanged: as for [`copy`].
pub fn swap(call: &Call, numbers: Numbers) {
    let count = call.integer(0);
    call.vector(1, count, numbers, true);
    call.vector(3, count, numbers, true);
}

/// The product of two vectors: as for [`copy`].
pub fn dot(call: &Call, numbers: Numbers) {
    let count = call.integer(0);
    call.vector(1, count, numbers, false);
    call.vector(3, count, numbers, false);
}

/// `x = a * x`: n, a, x, its distance.
pub fn scal(call: &Call, numbers: Numbers) {
    if call.integer(3) > 0 {
        call.vector(2, call.integer(0), numbers, true);
    }
}

/// A number that a vector has: n, x, its distance.
pub fn norm(call: &Call, numbers: Numbers) {
    if call.integer(2) > 0 {
        call.vector(1, call.integer(0), numbers, false);
    }
}

/// `y = alpha * A * x + beta * y`: trans, m, n, alpha, A, its distance, x, its distance, beta, y, its distance.
pub fn gemv(call: &Call, numbers: Numbers) {
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
pub fn ger(call: &Call, numbers: Numbers) {
    let (rows, columns) = (call.integer(0), call.integer(1));
    if rows <= 0 || columns <= 0 || call.is(2, numbers, false) {
        return;
    }
    call.vector(3, rows, numbers, false);
    call.vector(5, columns, numbers, false);
    call.matrix(7, (rows, columns), numbers, true);
}

/// `C = alpha * A * B + beta * C`: transa, transb, m, n, k, alpha, A, its distance, B, its distance, beta, C, its distance.
pub fn gemm(call: &Call, numbers: Numbers) {
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

/// Defines a function for each subroutine that is called before it and keeps the registers of arguments.
macro_rules! subroutines {
    ($($note:ident: $($name:literal $part:literal $parts:literal),+;)+) => {$($(
        const _: () = {
            extern "C" fn noted(call: &Call, own: usize) {
                if call.subroutine != own && is_of_blas(call.subroutine) {
                    $note(call, Numbers { part: $part, parts: $parts });
                }
            }

            #[unsafe(naked)]
            #[unsafe(export_name = concat!("xmprt_race_blas_", $name))]
            extern "C" fn before() {
                naked_asm!(
                    ".cfi_startproc",
                    store_arguments!(),
                    "mov qword ptr [rsp + 48], rax",
                    "mov rdi, rsp",
                    // The program's own subroutine of this name, if it has hooks.
                    concat!(".weak xmprt_race_own_blas_", $name),
                    concat!("mov rsi, qword ptr [rip + xmprt_race_own_blas_", $name, "@GOTPCREL]"),
                    "call {noted}",
                    restore_arguments!(),
                    "ret",
                    ".cfi_endproc",
                    noted = sym noted,
                )
            }
        };
    )+)+};
}

for_subroutines_of_blas!(subroutines);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_blas_refuses_is_no_matrix_and_overflows_nothing() {
        let start = [0f64; 4];
        for distance in [-1_i32, 0, i32::MIN] {
            let addresses =
                [start.as_ptr().expose_provenance(), (&raw const distance).expose_provenance()];
            let [start, distance] = addresses;
            let arguments = [start, distance, 0, 0, 0, 0];
            let call = Call { arguments, subroutine: 0, place: 0, others: [0; 7] };
            call.matrix(0, (4, i32::MAX as isize), Numbers { part: 8, parts: 2 }, true);
        }
    }
}
