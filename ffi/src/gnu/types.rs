//! Types that only calls of gfortran's coarray library have (`libcaf.h`); [`crate::gfortran_abi`] has the others.

use std::ffi::{c_int, c_void};

/// `caf_vector_t`: the subscript of one dimension when any dimension has a vector subscript.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Subscript {
    /// Number of subscripts; 0 for a triplet. (`libcaf.h` says the opposite.)
    nvec: usize,
    /// What is given.
    u: SubscriptKind,
}

/// What a [`Subscript`] gives.
pub enum Given {
    /// A number of subscripts, and the list of them.
    Vector(usize, VectorSubscript),
    /// A range.
    Triplet(TripletSubscript),
}

impl Subscript {
    /// What it gives.
    pub fn given(&self) -> Given {
        // SAFETY: by the contract of entries `nvec` says which form it has.
        unsafe {
            match self.nvec {
                0 => Given::Triplet(self.u.triplet),
                count => Given::Vector(count, self.u.vector),
            }
        }
    }
}

/// The two forms of a [`Subscript`].
#[repr(C)]
#[derive(Clone, Copy)]
union SubscriptKind {
    /// A list, when `nvec` is not 0.
    vector: VectorSubscript,
    /// lower:upper:stride, when `nvec` is 0.
    triplet: TripletSubscript,
}

/// A list of subscripts.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct VectorSubscript {
    /// Integers of `kind` bytes.
    pub values: *const c_void,
    /// 1, 2, 4, 8 or 16.
    pub kind: c_int,
}

/// A range of subscripts.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TripletSubscript {
    /// First.
    pub lower: isize,
    /// Last, inclusive.
    pub upper: isize,
    /// Step.
    pub stride: isize,
}

/// `caf_token_t`: opaque. That of a coarray is the address of a [`super::token::Token`].
pub type TokenHandle = *mut c_void;

/// `caf_team_t`: opaque.
pub type TeamHandle = *mut c_void;

const _: () = {
    assert!(size_of::<Subscript>() == 32);
    assert!(std::mem::offset_of!(Subscript, u) == 8);
};
