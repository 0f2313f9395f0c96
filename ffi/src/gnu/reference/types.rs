//! `caf_reference_t`: one step of a chain that leads from a coarray to a part of it. (GNU-LIBCAF section 7)

use crate::gfortran_abi::MAX_RANK;
use crate::gnu::types::{Triplet, Vector};
use std::ffi::c_int;

/// One step, as the compiler makes it. The members that a step does not need are uninitialised.
#[repr(C)]
pub struct Reference<'a> {
    /// The next step.
    pub next: Option<&'a Reference<'a>>,
    kind: c_int,
    /// Bytes of what the step leads to: of an element, for an array; 0 for characters of deferred length.
    pub item_size: usize,
    u: Form,
}

/// Numbers of the kinds of steps.
mod kind {
    use std::ffi::c_int;
    pub const COMPONENT: c_int = 0;
    pub const ARRAY: c_int = 1;
    pub const STATIC_ARRAY: c_int = 2;
}

/// The two forms of a step.
#[repr(C)]
#[derive(Clone, Copy)]
union Form {
    /// For [`kind::COMPONENT`].
    component: Component,
    /// For [`kind::ARRAY`] and [`kind::STATIC_ARRAY`].
    array: Array,
}

/// What a step does.
pub enum Step<'a> {
    /// To a component of a derived type.
    Component(Component),
    /// To elements of an array that has a descriptor, on the image where it is.
    Array(&'a Array),
    /// To elements of an array without a descriptor.
    StaticArray(&'a Array),
    /// A kind that is not known.
    Other(c_int),
}

impl Reference<'_> {
    /// What it does.
    #[inline(always)]
    pub fn step(&self) -> Step<'_> {
        // SAFETY: by the contract of entries the kind says which form the step has.
        unsafe {
            match self.kind {
                kind::COMPONENT => Step::Component(self.u.component),
                kind::ARRAY => Step::Array(&self.u.array),
                kind::STATIC_ARRAY => Step::StaticArray(&self.u.array),
                other => Step::Other(other),
            }
        }
    }
}

/// Where a component is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Component {
    /// Bytes from the start of the object.
    pub offset: isize,
    /// Bytes from the start of the object to the token of an allocatable or pointer component; 0 for others.
    pub token_offset: isize,
}

/// Which elements.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Array {
    /// One of [`mode`] for each dimension; the first [`mode::NONE`] ends the list.
    pub mode: [u8; MAX_RANK],
    /// Type of the elements of an array without a descriptor.
    pub static_type: c_int,
    /// What is given of each dimension.
    pub dim: [Subscript; MAX_RANK],
}

impl Array {
    /// What is given of a dimension that has a mode.
    #[inline(always)]
    pub fn subscript(&self, number: usize) -> DimensionSelection {
        // SAFETY: by the contract of entries the mode says which member is given.
        unsafe {
            match self.mode[number] {
                mode::VECTOR => DimensionSelection::Vector(self.dim[number].vector),
                how => DimensionSelection::Range(how, self.dim[number].range),
            }
        }
    }
}

/// What is given of a dimension.
pub enum DimensionSelection {
    /// A list.
    Vector(Vector),
    /// Another mode, and those members of the triplet that it needs.
    Range(u8, Triplet),
}

/// What a subscript looks like.
pub mod mode {
    /// There is no such dimension.
    pub const NONE: u8 = 0;
    /// A vector.
    pub const VECTOR: u8 = 1;
    /// `:`; of an array without a descriptor, `end` and `stride` are given.
    pub const FULL: u8 = 2;
    /// `start:end:stride`.
    pub const RANGE: u8 = 3;
    /// `start` alone.
    pub const SINGLE: u8 = 4;
    /// `start::stride`.
    pub const OPEN_END: u8 = 5;
    /// `:end:stride`.
    pub const OPEN_START: u8 = 6;
}

/// A subscript: of an array with a descriptor as the program gave it; of another as zero-based positions in array
/// element order.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Subscript {
    /// For all modes but [`mode::VECTOR`].
    pub range: Triplet,
    /// For [`mode::VECTOR`].
    pub vector: Vector,
}

const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<Reference>() == 408);
    assert!(offset_of!(Reference, kind) == 8);
    assert!(offset_of!(Reference, item_size) == 16);
    assert!(offset_of!(Reference, u) == 24);
    assert!(offset_of!(Component, token_offset) == 8);
    assert!(24 + offset_of!(Array, static_type) == 40);
    assert!(24 + offset_of!(Array, dim) == 48);
    assert!(size_of::<Subscript>() == 24);
};
