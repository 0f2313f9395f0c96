//! Types that only calls of gfortran's coarray library have (`libcaf.h`); [`crate::gfortran_abi`] has the others.

use std::ffi::{c_int, c_void};
use xmp_core::{Error, Result};

/// `caf_vector_t`: the subscript of one dimension when any dimension has a vector subscript.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Subscript {
    /// Number of subscripts; 0 for a triplet. (`libcaf.h` says the opposite.)
    nvec: usize,
    /// What is given.
    u: SubscriptKind,
}

/// The value of a [`Subscript`].
pub enum SubscriptValue {
    /// A list.
    Vector(Vector),
    /// A range.
    Triplet(Triplet),
}

impl Subscript {
    /// Its value.
    pub fn given(&self) -> SubscriptValue {
        // SAFETY: by the contract of entries `nvec` says which form it has.
        unsafe {
            match self.nvec {
                0 => SubscriptValue::Triplet(self.u.triplet),
                count => {
                    let VectorSubscript { values, kind } = self.u.vector;
                    SubscriptValue::Vector(Vector { values, count, kind })
                }
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
    /// When `nvec` is 0.
    triplet: Triplet,
}

/// The list of a [`Subscript`].
#[repr(C)]
#[derive(Clone, Copy)]
struct VectorSubscript {
    values: *const c_void,
    kind: c_int,
}

/// A vector subscript, of gfortran's own references to parts of coarrays, too.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// Integers of `kind` bytes.
    pub values: *const c_void,
    /// Number of them.
    pub count: usize,
    /// 1, 2, 4, 8 or 16.
    pub kind: c_int,
}

impl Vector {
    /// Bytes from the element with the subscript `lower`, which are `stride` from one element to the next.
    ///
    /// # Errors
    /// A kind that does not exist, a negative number of subscripts; offsets beyond 63 bits.
    pub fn offsets(&self, lower: i64, stride: i64) -> Result<Vec<i64>> {
        let Vector { values, count, kind } = *self;
        if isize::try_from(count).is_err() {
            // The number is that of elements divided by the step.
            let text = "the compiler does not pass a vector subscript that is a section with a negative step: assign it to an \
                        array first";
            return Err(Error::Invalid(text.into()));
        }
        let value = |i: usize| -> Result<i64> {
            // SAFETY: the contract of entries: `values` has `count` integers of `kind` bytes; `i` is less than `count`.
            unsafe {
                Ok(match kind {
                    1 => i64::from(*values.cast::<i8>().add(i)),
                    2 => i64::from(*values.cast::<i16>().add(i)),
                    4 => i64::from(*values.cast::<i32>().add(i)),
                    8 => *values.cast::<i64>().add(i),
                    16 => i64::try_from(values.cast::<i128>().add(i).read_unaligned())
                        .map_err(|_| too_large())?,
                    other => {
                        let text = format!("vector subscripts of kind {other} do not exist");
                        return Err(Error::Invalid(text));
                    }
                })
            }
        };
        let offset = |i: usize| {
            let distance = value(i)?.checked_sub(lower).and_then(|n| n.checked_mul(stride));
            distance.ok_or_else(too_large)
        };
        (0..count).map(offset).collect()
    }
}

/// The error of a subscript that is too large.
pub fn too_large() -> Error {
    Error::SizeOverflow("a subscript reaches beyond 2^63 bytes".into())
}

/// A subscript triplet.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Triplet {
    /// First.
    pub start: isize,
    /// Last, inclusive.
    pub end: isize,
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
