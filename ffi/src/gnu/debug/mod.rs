//! Types and the kind of an argument, which gfortran does not pass, from the program's debugging information (`-g`, DWARF).
//!
//! It is used only where nothing else determines the type, and by address, so that the answer is the same on all images
//! of one program. Programs without debugging information, or with it compressed or in other files, have no answer.

mod object;
mod trampoline;
mod types;

pub use types::{Scalar, Scalars, WideReal};

use super::designator::collective_argument;
use crate::process::{Instance, OfImage};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::c_void;
use xmp_source::{PlainType, Statement, innermost_callers};

/// Answers that were given, by address.
#[derive(Debug)]
struct Answers {
    returned: RefCell<BTreeMap<usize, Option<Scalars>>>,
    wide_reals: RefCell<BTreeMap<usize, Option<WideReal>>>,
    /// By the addresses of the innermost calls.
    variables: RefCell<BTreeMap<Vec<usize>, Option<PlainType>>>,
}

static ANSWERS: OfImage<Answers> = OfImage::new(Answers {
    returned: RefCell::new(BTreeMap::new()),
    wide_reals: RefCell::new(BTreeMap::new()),
    variables: RefCell::new(BTreeMap::new()),
});

/// The innermost calls by which a statement is known, from within the library.
const CALLS: usize = 16;

/// The scalars of the value of the function at this address.
///
/// # Safety
/// It is the address of a function.
pub unsafe fn returned_by(instance: &Instance, function: *const c_void) -> Option<Scalars> {
    let mut known = ANSWERS.of(instance).returned.borrow_mut();
    // SAFETY: `function` is the address of a function.
    let answer = || object::in_file(unsafe { trampoline::target(function) }, types::returned_by);
    known.entry(function.addr()).or_insert_with(answer).clone()
}

/// The only real type of 16 bytes that the program unit around this instruction uses.
pub fn wide_real_at(instance: &Instance, instruction: *const c_void) -> Option<WideReal> {
    let mut known = ANSWERS.of(instance).wide_reals.borrow_mut();
    let answer = || object::in_file(instruction.addr(), types::wide_real_at);
    *known.entry(instruction.addr()).or_insert_with(answer)
}

/// The type of the argument of the CO_BROADCAST that this thread executes, if it is a variable without allocatable components: then it
/// is not one of these which is broadcast.
#[cold]
pub fn broadcast_variable(instance: &Instance) -> Option<PlainType> {
    let mut known = ANSWERS.of(instance).variables.borrow_mut();
    let answer = || {
        let statement = Statement::of_this_thread()?;
        let name = collective_argument(&statement.place()?)?.to_ascii_lowercase();
        statement.plain_type_of(&name)
    };
    *known.entry(innermost_callers(CALLS)).or_insert_with(answer)
}
