//! What the program's debugging information (`-g`, DWARF) says about types that gfortran does not pass.
//!
//! Asked only where nothing else tells, and by address, so that it is the same on all images of one program. Programs
//! without it, or with it compressed or in other files, have no answer.

mod object;
mod trampoline;
mod types;

use crate::process::{Instance, OfImage};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::c_void;

/// How a scalar is passed and returned on its own. (System V x86-64, 3.2.3)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// In a general register: integers, logicals, characters, addresses.
    Integer,
    /// In the low half of a vector register: real(4), real(8).
    Vector,
    /// In a whole vector register: real(16).
    Quad,
    /// On the x87 stack: real(10).
    X87,
}

/// The scalars of a value, with their offsets in it.
pub type Scalars = Vec<(u64, Scalar)>;

/// A real type of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WideReal {
    /// real(10).
    Kind10,
    /// real(16).
    Kind16,
}

/// Answers that were given, by address.
#[derive(Debug)]
struct Answers {
    returned: RefCell<BTreeMap<usize, Option<Scalars>>>,
    wide_reals: RefCell<BTreeMap<usize, Option<WideReal>>>,
}

static ANSWERS: OfImage<Answers> = OfImage::new(Answers {
    returned: RefCell::new(BTreeMap::new()),
    wide_reals: RefCell::new(BTreeMap::new()),
});

/// The scalars of the value of the function at this address.
///
/// # Safety
/// It is the address of a function.
pub unsafe fn returned_by(instance: &Instance, function: *const c_void) -> Option<Scalars> {
    let mut known = ANSWERS.of(instance).returned.borrow_mut();
    // SAFETY: the caller's guarantee.
    let answer = || types::returned_by(unsafe { trampoline::target(function) });
    known.entry(function.addr()).or_insert_with(answer).clone()
}

/// The only real type of 16 bytes that the program unit around this instruction uses.
pub fn wide_real_at(instance: &Instance, instruction: *const c_void) -> Option<WideReal> {
    let mut known = ANSWERS.of(instance).wide_reals.borrow_mut();
    let answer = || types::wide_real_at(instruction.addr());
    *known.entry(instruction.addr()).or_insert_with(answer)
}
