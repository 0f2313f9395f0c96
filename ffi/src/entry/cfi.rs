//! C descriptors (`CFI_cdesc_t`; Fortran 2018, 18.5) as gfortran, flang and LFortran pass them. (PRIF, "Conventions of
//! flang")
//!
//! Their headers differ in three bytes, which tell type and attribute. The version word says which layout it is.

use smallvec::SmallVec;
use std::cell::Cell;
use std::ffi::c_int;
use std::ptr;
use xmp_coarray::front_end::plan::Axis;
use xmp_core::counted::counted;
use xmp_core::number::ElemType;
use xmp_core::{Error, Result};

/// The version word of gfortran; other compilers have the layout of flang.
const GFORTRAN: c_int = 1;
/// The version word of flang 18 and later.
pub const FLANG: c_int = 20_240_719;

/// Most dimensions of an array.
const MAX_RANK: usize = 15;

/// `CFI_dim_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dim {
    /// Lower bound: 0 or 1, by the caller.
    pub lower: i64,
    /// Number of elements; negative for none.
    pub extent: i64,
    /// Bytes from one element to the next.
    pub stride: i64,
}

impl Dim {
    /// Number of elements.
    pub fn extent(&self) -> usize {
        usize::try_from(self.extent).unwrap_or(0)
    }
}

/// `CFI_cdesc_t`; as many dimensions as its rank says follow in memory.
#[repr(C)]
#[derive(Debug)]
pub struct Descriptor {
    /// First element.
    pub base: Cell<*mut u8>,
    /// Bytes of an element.
    pub elem_len: Cell<usize>,
    version: c_int,
    rank: u8,
    /// gfortran: attribute, then the type in two bytes. flang, LFortran: type, attribute, flags.
    rest: [u8; 3],
    dims: [Cell<Dim>; 0],
}

const _: () = {
    assert!(size_of::<Descriptor>() == 24);
    assert!(std::mem::offset_of!(Descriptor, version) == 16);
    assert!(std::mem::offset_of!(Descriptor, rank) == 20);
};

impl Descriptor {
    /// The dimensions.
    pub fn dims(&self) -> &[Cell<Dim>] {
        let rank = usize::from(self.rank).min(MAX_RANK);
        // A pointer made from `self` is good for this type only. But memory that comes from the program is exposed.
        let first = ptr::with_exposed_provenance::<Cell<Dim>>((&raw const self.dims).addr());
        // SAFETY: the invariant of the type: as many dimensions as the rank says follow.
        unsafe { std::slice::from_raw_parts(first, rank) }
    }

    /// Number of elements.
    ///
    /// # Errors
    /// [`Error::SizeOverflow`].
    pub fn elements(&self) -> Result<usize> {
        let mut extents = self.dims().iter().map(|dim| dim.get().extent());
        extents.try_fold(1, usize::checked_mul).ok_or_else(|| self.too_large())
    }

    /// The axes of a plan that walks its elements.
    pub fn axes(&self) -> SmallVec<[Axis<'static>; 4]> {
        let axis = |dim: &Cell<Dim>| {
            let dim = dim.get();
            Axis::Stride { extent: dim.extent(), stride: dim.stride }
        };
        self.dims().iter().map(axis).collect()
    }

    /// Whether its elements are one after the other.
    pub fn is_contiguous(&self) -> bool {
        let mut next = self.elem_len.get() as i64;
        self.dims().iter().all(|dim| {
            let dim = dim.get();
            let fits = dim.extent <= 1 || dim.stride == next;
            next = next.saturating_mul(dim.extent);
            fits
        })
    }

    /// The characters of a variable of one text.
    pub fn characters(&self) -> &[Cell<u8>] {
        let base = self.base.get();
        if base.is_null() {
            return &[];
        }
        // SAFETY: the invariant of the type: an element of this many bytes is there.
        unsafe { std::slice::from_raw_parts(base.cast(), self.elem_len.get()) }
    }

    fn too_large(&self) -> Error {
        Error::SizeOverflow(format!(
            "an array of elements of {}",
            counted(self.elem_len.get(), "byte")
        ))
    }

    /// The type of its elements, where one of Fortran's fits; otherwise this many bytes.
    pub fn element(&self) -> ElemType {
        let len = self.elem_len.get();
        // A length that is no kind stays one: the reduction refuses it by name.
        let kind = |len: usize| u8::try_from(len).unwrap_or(u8::MAX);
        if self.version == GFORTRAN {
            let [_, class, kind_of_type] = self.rest;
            return match class {
                1 => ElemType::Integer(kind(len)),
                2 => ElemType::Logical(kind(len)),
                3 => ElemType::Real(kind_of_type),
                4 => ElemType::Complex(kind_of_type),
                5 => ElemType::Character {
                    kind: kind_of_type,
                    len: len / usize::from(kind_of_type).max(1),
                },
                _ => ElemType::Bytes(len),
            };
        }
        /// `CFI_type_other`.
        const OTHER: u8 = 255;
        match self.rest[0] {
            // Fortran's logicals have the codes of int_least16_t to int_least64_t.
            13..=15 | 39 => ElemType::Logical(kind(len)),
            1..=24 => ElemType::Integer(kind(len)),
            27 => ElemType::Real(4),
            28 => ElemType::Real(8),
            29 | 30 => ElemType::Real(10),
            31 => ElemType::Real(16),
            34 => ElemType::Complex(4),
            35 => ElemType::Complex(8),
            36 | 37 => ElemType::Complex(10),
            38 => ElemType::Complex(16),
            40 => ElemType::Character { kind: 1, len },
            44 => ElemType::Character { kind: 4, len: len / 4 },
            // LFortran 0.67 has no code for it, and refuses derived types in reductions.
            OTHER if len == 16 && !self.is_of_flang() => ElemType::Real(16),
            _ => ElemType::Bytes(len),
        }
    }

    /// Whether this is a scalar of 8 bytes of derived type that is no pointer and not allocatable, as flang 22
    /// describes team variables.
    pub fn describes_team_variable(&self) -> bool {
        /// flang's number of derived types.
        const DERIVED: u8 = 42;
        self.is_of_flang()
            && (self.elem_len.get(), self.rank) == (8, 0)
            && self.rest[..2] == [DERIVED, 0]
    }

    /// The address of flang's description of a derived type, which is after the dimensions where there is one.
    pub fn addendum(&self) -> Option<&Cell<*mut u8>> {
        /// The flag of flang that there is one.
        const ADDENDUM: u8 = 1;
        let [_, _, flags] = self.rest;
        if !self.is_of_flang() || flags & ADDENDUM == 0 {
            return None;
        }
        let after = self.dims().as_ptr_range().end;
        // SAFETY: the flag says that it is there.
        Some(unsafe { &*after.cast() })
    }

    /// The addresses of its elements.
    pub fn addresses(&self) -> Vec<*mut u8> {
        let mut all = vec![self.base.get()];
        for dim in self.dims() {
            let dim = dim.get();
            let distances = (0..dim.extent()).map(|at| at as isize * dim.stride as isize);
            let row = |distance| all.iter().map(move |start| start.wrapping_offset(distance));
            all = distances.flat_map(row).collect();
        }
        all
    }

    /// Whether the version word is flang's.
    pub fn is_of_flang(&self) -> bool {
        self.version == FLANG
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    struct Full {
        header: Descriptor,
        dims: [Cell<Dim>; 2],
    }

    fn full(version: c_int, elem_len: usize, rest: [u8; 3], dims: [[i64; 3]; 2]) -> Box<Full> {
        let dim = |[lower, extent, stride]: [i64; 3]| Cell::new(Dim { lower, extent, stride });
        let base = Cell::new(ptr::null_mut());
        let elem_len = Cell::new(elem_len);
        let header = Descriptor { base, elem_len, version, rank: 2, rest, dims: [] };
        let made = Box::new(Full { header, dims: dims.map(dim) });
        (&raw const *made).expose_provenance();
        made
    }

    /// The version word of LFortran 0.67.
    const LFORTRAN: c_int = 20_180_515;

    #[test]
    fn types_are_those_of_the_compiler_that_the_version_names() {
        let types = |version, rest, len| full(version, len, rest, [[0, 1, 8]; 2]).header.element();
        assert_eq!(types(GFORTRAN, [2, 1, 4], 4), ElemType::Integer(4));
        assert_eq!(types(GFORTRAN, [2, 3, 10], 16), ElemType::Real(10));
        assert_eq!(types(GFORTRAN, [2, 4, 16], 32), ElemType::Complex(16));
        assert_eq!(types(GFORTRAN, [2, 5, 1], 7), ElemType::Character { kind: 1, len: 7 });
        assert_eq!(types(GFORTRAN, [2, 6, 0], 24), ElemType::Bytes(24));
        assert_eq!(types(FLANG, [9, 0, 0], 4), ElemType::Integer(4));
        assert_eq!(types(FLANG, [28, 0, 0], 8), ElemType::Real(8));
        assert_eq!(types(FLANG, [29, 0, 0], 16), ElemType::Real(10));
        assert_eq!(types(FLANG, [14, 0, 0], 4), ElemType::Logical(4));
        assert_eq!(types(FLANG, [40, 0, 0], 7), ElemType::Character { kind: 1, len: 7 });
        assert_eq!(types(LFORTRAN, [34, 0, 0], 8), ElemType::Complex(4));
        assert_eq!(types(LFORTRAN, [255, 0, 0], 16), ElemType::Real(16));
        assert_eq!(types(LFORTRAN, [255, 0, 0], 24), ElemType::Bytes(24));
        assert_eq!(types(FLANG, [255, 0, 0], 16), ElemType::Bytes(16));
    }

    #[test]
    fn gaps_between_elements_are_seen() {
        for (dims, contiguous, elements) in [
            ([[0, 3, 8], [0, 5, 24]], true, 15),
            ([[0, 3, 8], [0, 5, 32]], false, 15),
            ([[1, 1, 1], [1, 5, 8]], true, 5),
            ([[0, 3, -8], [0, 1, 0]], false, 3),
            ([[0, 0, 16], [0, 4, 0]], true, 0),
        ] {
            let made = full(FLANG, 8, [28, 0, 0], dims);
            assert_eq!(made.header.is_contiguous(), contiguous, "{dims:?}");
            assert_eq!(made.header.elements(), Ok(elements));
        }
        assert!(full(FLANG, 8, [28, 0, 0], [[0, i64::MAX, 8]; 2]).header.elements().is_err());
    }
}
