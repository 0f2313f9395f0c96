//! The interface of BLAS for C: the subroutines of `blas.rs` with integers and real numbers as values, and matrices by rows or by columns.
//! A call becomes one of Fortran, whose arguments are addresses.

use crate::blas::{self, Call, Numbers, is_of_blas};
use crate::blas_subroutines::for_subroutines_of_blas;
use crate::register_arguments::{restore_arguments, store_arguments};
use std::arch::naked_asm;
use std::ptr;

/// A call: the registers of arguments, the function, the first two registers of real numbers, where it returns to, and the rest.
#[repr(C)]
struct CCall {
    arguments: [usize; 6],
    function: usize,
    reals: [u64; 2],
    place: usize,
    others: [usize; 8],
}

/// The layout of matrices that are stored by rows.
const BY_ROWS: i32 = 101;
/// The argument for a matrix that is not transposed.
const NOT_TRANSPOSED: i32 = 111;

/// An argument of a function for C.
#[derive(Clone, Copy)]
enum Argument {
    /// The layout of all matrices.
    Layout,
    /// Whether a matrix is transposed.
    Transposed,
    Integer,
    /// A number: a real one as a value, a complex one by its address.
    Number,
    /// A vector or matrix.
    Array,
}

use Argument::{Array, Integer, Layout, Number, Transposed};

/// The number of arguments of the longest list.
const MAX_ARGUMENTS: usize = 13;

impl CCall {
    /// The arguments of this list, in which Fortran has no layout; and whether matrices are stored by rows.
    fn arguments(&self, list: &[Argument], numbers: Numbers) -> ([usize; MAX_ARGUMENTS], bool) {
        let mut words = self.arguments.iter().chain(&self.others);
        let mut reals = self.reals.iter();
        let (mut all, mut at, mut by_rows) = ([0; MAX_ARGUMENTS], 0, false);
        for argument in list {
            let is_real = matches!(argument, Number) && numbers.parts == 1;
            all[at] = if is_real {
                let real = reals.next().expect("a list has two numbers at most");
                ptr::from_ref(real).expose_provenance()
            } else {
                let word = words.next().expect("a list has as many arguments at most");
                // Only the lower half of an integer counts.
                let value = *word as i32;
                match argument {
                    Layout => {
                        by_rows = value == BY_ROWS;
                        continue;
                    }
                    Transposed => letter(value != NOT_TRANSPOSED),
                    Integer => ptr::from_ref(word).expose_provenance(),
                    Number | Array => *word,
                }
            };
            at += 1;
        }
        (all, by_rows)
    }

    /// The call of Fortran with these arguments.
    fn of_fortran(&self, all: [usize; MAX_ARGUMENTS]) -> Call {
        let (mut arguments, mut others) = ([0; 6], [0; MAX_ARGUMENTS - 6]);
        arguments.copy_from_slice(&all[..6]);
        others.copy_from_slice(&all[6..]);
        Call { arguments, subroutine: self.function, place: self.place, others }
    }

    /// The call of Fortran, where there are no matrices.
    fn of_vectors(&self, list: &[Argument], numbers: Numbers) -> Call {
        self.of_fortran(self.arguments(list, numbers).0)
    }
}

/// The address of Fortran's argument for a matrix.
fn letter(is_transposed: bool) -> usize {
    static LETTERS: [u8; 2] = *b"NT";
    ptr::from_ref(&LETTERS[usize::from(is_transposed)]).expose_provenance()
}

fn axpy(call: &CCall, numbers: Numbers) {
    let list = [Integer, Number, Array, Integer, Array, Integer];
    blas::axpy(&call.of_vectors(&list, numbers), numbers);
}

const TWO_VECTORS: [Argument; 5] = [Integer, Array, Integer, Array, Integer];

fn copy(call: &CCall, numbers: Numbers) {
    blas::copy(&call.of_vectors(&TWO_VECTORS, numbers), numbers);
}

fn swap(call: &CCall, numbers: Numbers) {
    blas::swap(&call.of_vectors(&TWO_VECTORS, numbers), numbers);
}

fn dot(call: &CCall, numbers: Numbers) {
    blas::dot(&call.of_vectors(&TWO_VECTORS, numbers), numbers);
}

fn scal(call: &CCall, numbers: Numbers) {
    blas::scal(&call.of_vectors(&[Integer, Number, Array, Integer], numbers), numbers);
}

fn norm(call: &CCall, numbers: Numbers) {
    blas::norm(&call.of_vectors(&[Integer, Array, Integer], numbers), numbers);
}

/// Rows are the columns of the transposed matrix.
fn gemv(call: &CCall, numbers: Numbers) {
    let matrix = [Layout, Transposed, Integer, Integer, Number, Array, Integer];
    let vectors = [Array, Integer, Number, Array, Integer];
    let (mut all, by_rows) = call.arguments(&[&matrix[..], &vectors].concat(), numbers);
    if by_rows {
        all[0] = letter(all[0] == letter(false));
        all.swap(1, 2);
    }
    blas::gemv(&call.of_fortran(all), numbers);
}

/// By rows it is `A' = alpha * y * x + A'`.
fn ger(call: &CCall, numbers: Numbers) {
    let vectors = [Layout, Integer, Integer, Number, Array, Integer, Array, Integer];
    let (mut all, by_rows) = call.arguments(&[&vectors[..], &[Array, Integer]].concat(), numbers);
    if by_rows {
        all.swap(0, 1);
        all.swap(3, 5);
        all.swap(4, 6);
    }
    blas::ger(&call.of_fortran(all), numbers);
}

/// By rows it is `C' = alpha * B' * A' + beta * C'`.
fn gemm(call: &CCall, numbers: Numbers) {
    let sizes = [Layout, Transposed, Transposed, Integer, Integer, Integer];
    let matrices = [Number, Array, Integer, Array, Integer, Number, Array, Integer];
    let (mut all, by_rows) = call.arguments(&[&sizes[..], &matrices].concat(), numbers);
    if by_rows {
        for (one, other) in [(0, 1), (2, 3), (6, 8), (7, 9)] {
            all.swap(one, other);
        }
    }
    blas::gemm(&call.of_fortran(all), numbers);
}

/// Defines a function for each one of BLAS, which is called before it and keeps the registers of arguments.
macro_rules! functions {
    ($($note:ident: $($name:literal $part:literal $parts:literal),+;)+) => {$($(
        const _: () = {
            extern "C" fn noted(call: &CCall, own: usize) {
                if call.function != own && is_of_blas(call.function) {
                    $note(call, Numbers { part: $part, parts: $parts });
                }
            }

            #[unsafe(naked)]
            #[unsafe(export_name = concat!("xmprt_race_cblas_", $name))]
            extern "C" fn before() {
                naked_asm!(
                    ".cfi_startproc",
                    "sub rsp, 16",
                    ".cfi_adjust_cfa_offset 16",
                    "movq qword ptr [rsp], xmm0",
                    "movq qword ptr [rsp + 8], xmm1",
                    store_arguments!(),
                    "mov qword ptr [rsp + 48], rax",
                    "mov rdi, rsp",
                    // The program's own function of this name, if it has hooks.
                    concat!(".weak xmprt_race_own_cblas_", $name),
                    concat!("mov rsi, qword ptr [rip + xmprt_race_own_cblas_", $name, "@GOTPCREL]"),
                    "call {noted}",
                    restore_arguments!(),
                    "movq xmm0, qword ptr [rsp]",
                    "movq xmm1, qword ptr [rsp + 8]",
                    "add rsp, 16",
                    ".cfi_adjust_cfa_offset -16",
                    "ret",
                    ".cfi_endproc",
                    noted = sym noted,
                )
            }
        };
    )+)+};
}

for_subroutines_of_blas!(functions);
