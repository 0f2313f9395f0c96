//! The dummy arguments of procedures: how each is passed, and how the module `prif` declares it.

use super::arrays::{Allocatable, Results, Text, Vector};
use super::coarray::FinalProcedure;
use super::handle::Handle;
use crate::entry::cfi::Descriptor;
use std::cell::Cell;
use std::ffi::{c_int, c_void};

/// The declaration of a dummy argument in the module `prif`: the words before its name, and the words after it.
#[cfg(test)]
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// Type and attributes.
    pub before: &'static str,
    /// What follows the name: the shape.
    pub after: &'static str,
}

/// A type that a procedure's parameter may have.
pub trait Dummy: Sized {
    /// Its declaration.
    #[cfg(test)]
    const DECLARATION: Declaration;

    /// The argument of a call that flang has generated: what flang passes in another way than a program that uses the
    /// module.
    #[inline(always)]
    fn of_flang(self) -> Self {
        self
    }
}

/// Declares dummy arguments. The function after `=>` is [`Dummy::of_flang`].
macro_rules! dummies {
    ($($type:ty: $before:literal $(, $after:literal)? $(=> $of_flang:expr)?;)+) => {$(
        impl $crate::prif::dummies::Dummy for $type {
            #[cfg(test)]
            const DECLARATION: $crate::prif::dummies::Declaration =
                $crate::prif::dummies::Declaration { before: $before, after: concat!($($after)?) };

            $(fn of_flang(self) -> Self {
                $of_flang(self)
            })?
        }
    )+};
}

pub(in crate::prif) use dummies;

dummies! {
    &c_int: "integer(c_int), intent(in)";
    Option<&c_int>: "integer(c_int), intent(in), optional";
    &Cell<c_int>: "integer(c_int), intent(out)";
    &i64: "integer(c_int64_t), intent(in)";
    Option<&i64>: "integer(c_int64_t), intent(in), optional";
    &Cell<i64>: "integer(c_int64_t), intent(out)";
    &usize: "integer(c_size_t), intent(in)";
    &Cell<usize>: "integer(c_size_t), intent(out)";
    &isize: "integer(c_intptr_t), intent(in)";
    &bool: "logical(c_bool), intent(in)";
    Option<&Cell<bool>>: "logical(c_bool), intent(out), optional";
    &Address: "type(c_ptr), intent(in)";
    Address: "type(c_ptr), intent(in), value";
    &Cell<Address>: "type(c_ptr), intent(out)";
    &Handle: "type(prif_coarray_handle), intent(in)";
    Handle: "type(prif_coarray_handle), intent(in), value";
    &Cell<Handle>: "type(prif_coarray_handle), intent(out)";
    &Vector<Handle>: "type(prif_coarray_handle), intent(in)", "(:)";
    &Vector<i64>: "integer(c_int64_t), intent(in)", "(:)";
    &Vector<usize>: "integer(c_size_t), intent(in)", "(:)";
    &Vector<isize>: "integer(c_ptrdiff_t), intent(in)", "(:)";
    Option<&Vector<c_int>>: "integer(c_int), intent(in), optional", "(:)";
    &Results<i64>: "integer(c_int64_t), intent(out)", "(:)";
    &Results<usize>: "integer(c_size_t), intent(out)", "(:)";
    &Allocatable<c_int>: "integer(c_int), intent(out), allocatable", "(:)";
    Option<&Text>: "character(kind=c_char, len=*), intent(in), optional";
    &Anything: "type(*), intent(inout), target", "(..)";
    &Characters: "character(kind=c_char, len=*), intent(inout), target", "(..)";
    &AtomicInteger: "integer(PRIF_ATOMIC_INT_KIND), intent(in)";
    &Cell<AtomicInteger>: "integer(PRIF_ATOMIC_INT_KIND), intent(out)";
    &AtomicLogical: "logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in)";
    &Cell<AtomicLogical>: "logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out)";
    &Procedure<FinalProcedure>: "procedure(prif_coarray_cleanup_interface), pointer, intent(in)";
    &Procedure<OperationWrapper>: "procedure(prif_operation_wrapper_interface), pointer, intent(in)";
    &Procedure<StopCallback>: "procedure(prif_stop_callback_interface), pointer, intent(in)";
    &TeamVariable: "type(prif_team_type), intent(in)" => TeamVariable::described;
    Option<&TeamVariable>: "type(prif_team_type), intent(in), optional" => described_if_present;
    &NewTeam: "type(prif_team_type), intent(out)" => NewTeam::described;
}

/// `type(c_ptr)`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Address(pub *mut u8);

/// An argument of any type, kind and rank.
#[repr(transparent)]
#[derive(Debug)]
pub struct Anything(pub Descriptor);

/// An argument of characters, of any rank.
#[repr(transparent)]
#[derive(Debug)]
pub struct Characters(pub Descriptor);

/// `integer(PRIF_ATOMIC_INT_KIND)`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct AtomicInteger(pub i64);

/// `logical(PRIF_ATOMIC_LOGICAL_KIND)`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct AtomicLogical(pub i64);

/// A procedure pointer.
#[repr(transparent)]
#[derive(Debug)]
pub struct Procedure<F>(pub Option<F>);

/// `prif_operation_wrapper_interface`.
pub type OperationWrapper = extern "C" fn(*const c_void, *mut c_void, usize, *const c_void);

/// `prif_stop_callback_interface`, which is not interoperable: the length of the text comes last.
pub type StopCallback = extern "C" fn(&bool, &bool, Option<&c_int>, *const u8, usize);

/// The first 8 bytes of a variable of `prif_team_type`, which is all that is read and written of one: a handle of the
/// process's table of teams.
#[repr(transparent)]
#[derive(Debug)]
pub struct TeamVariable(Cell<u64>);

/// The same of a variable that gets a team.
#[repr(transparent)]
#[derive(Debug)]
pub struct NewTeam(TeamVariable);

impl TeamVariable {
    /// The handle that it holds.
    pub fn handle(&self) -> u64 {
        self.0.get()
    }

    /// flang 22 passes a descriptor of the variable, later versions the variable.
    fn described(&self) -> &TeamVariable {
        if crate::process::is_handle(self.handle()) {
            return self;
        }
        // SAFETY: the contract of entries: flang 22 passes a descriptor of 24 bytes, later ones a variable of 40.
        let descriptor = unsafe { &*std::ptr::from_ref(self).cast::<Descriptor>() };
        if !descriptor.describes_team_variable() {
            return self;
        }
        // SAFETY: the contract of entries: the base of the descriptor is the variable.
        unsafe { &*descriptor.base.get().cast::<TeamVariable>() }
    }
}

/// The same of one that may be missing.
fn described_if_present(team: Option<&TeamVariable>) -> Option<&TeamVariable> {
    team.map(TeamVariable::described)
}

impl NewTeam {
    /// As [`TeamVariable::described`].
    fn described(&self) -> &NewTeam {
        let variable = std::ptr::from_ref(self.0.described());
        // SAFETY: the same layout; the reference came in as one to a variable.
        unsafe { &*variable.cast::<NewTeam>() }
    }

    /// The former value of a variable that may be undefined: any number.
    pub fn former(&self) -> u64 {
        // SAFETY: a place of 8 bytes. Volatile, because it may be undefined.
        unsafe { self.0.0.as_ptr().read_volatile() }
    }

    /// Makes it hold a handle.
    pub fn set(&self, handle: u64) {
        self.0.0.set(handle);
    }
}
