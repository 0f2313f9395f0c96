//! Array descriptors: how gfortran passes arrays and scalars of any type.

use std::ffi::{c_int, c_short, c_void};
use std::{ptr, slice};

/// `dim_t`: one dimension of a descriptor.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dim {
    /// Distance between elements, in units of the descriptor's span.
    pub stride: isize,
    /// Lower bound.
    pub lower: isize,
    /// Upper bound; less than the lower bound for a dimension of size 0.
    pub upper: isize,
}

impl Dim {
    /// Number of elements.
    #[inline]
    pub fn extent(&self) -> usize {
        usize::try_from(self.upper.saturating_sub(self.lower).saturating_add(1)).unwrap_or(0)
    }
}

/// `dtype_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DType {
    /// Bytes of an element.
    pub elem_len: usize,
    /// Always 0.
    pub version: c_int,
    /// Number of dimensions.
    pub rank: i8,
    /// One of [`basic`].
    pub basic: i8,
    /// Not used by coarrays.
    pub attribute: c_short,
}

/// Numbers of the basic types.
pub mod basic {
    /// INTEGER.
    pub const INTEGER: i8 = 1;
    /// LOGICAL.
    pub const LOGICAL: i8 = 2;
    /// REAL.
    pub const REAL: i8 = 3;
    /// COMPLEX.
    pub const COMPLEX: i8 = 4;
    /// A derived type.
    pub const DERIVED: i8 = 5;
    /// CHARACTER.
    pub const CHARACTER: i8 = 6;
    /// No type of Fortran: addresses.
    pub const VOID: i8 = 10;
}

/// Longest object of which the elements of a pointer may be components. A greater span is an address.
const LONGEST_SPAN: i64 = 1 << 31;

/// Most dimensions of an array.
pub const MAX_RANK: usize = 15;

/// `gfc_descriptor_t`: an array or scalar.
///
/// Its dimensions, whose number is its rank, follow in memory. Its elements are at its address as long as the statement that
/// passes it runs. Only the compiler and [`FullDescriptor`] make descriptors, and code that changes one keeps this true.
#[repr(C)]
#[derive(Debug)]
pub struct Descriptor {
    /// First element.
    pub base: *mut c_void,
    /// Where the element with all indices 0 would be. Uninitialised for scalars and components of objects.
    pub offset: usize,
    /// Type and rank.
    pub dtype: DType,
    /// Bytes that a stride of 1 means; 0 where the compiler leaves it unset, and uninitialised for components of
    /// objects that are given to CO_BROADCAST.
    pub span: isize,
    dim: [Dim; 0],
}

impl Descriptor {
    /// The dimensions.
    #[inline]
    pub fn dims(&self) -> &[Dim] {
        let rank = usize::try_from(self.dtype.rank).unwrap_or(0).min(MAX_RANK);
        // A pointer made from `self` is good for this type only, and the dimensions are after it. But memory that
        // comes from the program is exposed.
        let first = ptr::with_exposed_provenance((&raw const self.dim).addr());
        // SAFETY: the invariant of the type: they follow. The program does not change them during a call.
        unsafe { slice::from_raw_parts(first, rank) }
    }

    /// Gives it these dimensions, at most as many as its rank says.
    pub fn set_dims(&mut self, dims: impl Iterator<Item = Dim>) {
        let rank = self.dims().len();
        let first = ptr::with_exposed_provenance_mut::<Dim>((&raw const self.dim).addr());
        for (number, dim) in dims.take(rank).enumerate() {
            // SAFETY: the invariant of the type: `rank` dimensions follow. Memory of the program is exposed.
            unsafe { first.add(number).write(dim) };
        }
    }

    /// Bytes of all its elements.
    pub fn size(&self) -> usize {
        size(&self.dtype, self.dims())
    }

    /// Where the dimensions of a descriptor are: right after it.
    pub fn dims_of(descriptor: *mut Descriptor) -> *mut Dim {
        descriptor.wrapping_add(1).cast()
    }

    /// Bytes that a stride of 1 means: the member `span`. gfortran leaves it undefined in an allocatable variable that an assignment
    /// has allocated. So a value is ignored that cannot be the length of an object with the element in it.
    pub fn unit(&self) -> i64 {
        let element = self.dtype.elem_len as i64;
        match self.span as i64 {
            span if span >= element && span <= LONGEST_SPAN => span,
            _ => element,
        }
    }
}

/// Bytes of all elements of an array.
fn size(dtype: &DType, dims: &[Dim]) -> usize {
    dims.iter().map(Dim::extent).fold(dtype.elem_len, usize::saturating_mul)
}

/// A descriptor with room for any number of dimensions and codimensions.
#[repr(C)]
#[derive(Debug)]
pub struct FullDescriptor {
    /// Everything but the dimensions.
    pub header: Descriptor,
    dims: [Dim; MAX_RANK],
    /// The compiler keeps the token of an allocatable coarray after the dimensions.
    token: *mut c_void,
}

impl FullDescriptor {
    /// A scalar of nothing.
    pub fn empty() -> FullDescriptor {
        let dtype = DType { elem_len: 0, version: 0, rank: 0, basic: 0, attribute: 0 };
        let header = Descriptor { base: ptr::null_mut(), offset: 0, dtype, span: 0, dim: [] };
        let dims = [Dim { stride: 0, lower: 0, upper: 0 }; MAX_RANK];
        FullDescriptor { header, dims, token: ptr::null_mut() }
    }

    /// A copy of a descriptor, without what is after its dimensions.
    pub fn of(descriptor: &Descriptor) -> FullDescriptor {
        let mut copy = FullDescriptor::empty();
        copy.set_dims(descriptor.dims().iter().copied());
        let Descriptor { base, offset, dtype, span, .. } = *descriptor;
        copy.header = Descriptor { base, offset, dtype, span, dim: [] };
        copy
    }

    /// The dimensions, as many as its rank says.
    pub fn dims(&self) -> &[Dim] {
        &self.dims[..usize::try_from(self.header.dtype.rank).unwrap_or(0).min(MAX_RANK)]
    }

    /// Bytes of all its elements.
    pub fn size(&self) -> usize {
        size(&self.header.dtype, self.dims())
    }

    /// The header, after which readers find the dimensions.
    pub fn exposed(&mut self) -> *mut Descriptor {
        let whole = ptr::from_mut(self);
        whole.expose_provenance();
        whole.cast()
    }

    /// The descriptor for others.
    pub fn descriptor(&mut self) -> &mut Descriptor {
        // SAFETY: the header, which is borrowed as long as `self`; the dimensions follow it.
        unsafe { &mut *self.exposed() }
    }

    /// Gives it these dimensions, and the offset that follows from them. Its rank stays.
    pub fn set_dims(&mut self, dims: impl Iterator<Item = Dim>) {
        let mut offset = 0isize;
        for (own, dim) in self.dims.iter_mut().zip(dims) {
            offset = offset.wrapping_sub(dim.lower.wrapping_mul(dim.stride));
            *own = dim;
        }
        self.header.offset = offset as usize;
    }
}

const _: () = {
    assert!(size_of::<Dim>() == 24);
    assert!(std::mem::offset_of!(Descriptor, base) == 0);
    assert!(std::mem::offset_of!(Descriptor, offset) == 8);
    assert!(size_of::<DType>() == 16);
    assert!(size_of::<Descriptor>() == 40);
    assert!(std::mem::offset_of!(Descriptor, dtype) == 16);
    assert!(std::mem::offset_of!(DType, rank) == 12);
    assert!(std::mem::offset_of!(DType, basic) == 13);
    assert!(std::mem::offset_of!(Descriptor, span) == 32);
    assert!(std::mem::offset_of!(Descriptor, dim) == 40);
    assert!(std::mem::offset_of!(FullDescriptor, dims) == size_of::<Descriptor>());
};
