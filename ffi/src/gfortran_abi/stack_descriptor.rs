//! Descriptors on the stack, for the functions that transfers call: made in few instructions for arrays of one dimension.

use super::{DType, Descriptor, Dim, FullDescriptor, MAX_RANK};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

/// Room for a descriptor. What is beyond the dimensions that there are stays uninitialised.
#[derive(Debug)]
pub struct StackDescriptor(MaybeUninit<FullDescriptor>);

impl StackDescriptor {
    /// Nothing yet.
    #[inline(always)]
    pub fn new() -> StackDescriptor {
        StackDescriptor(MaybeUninit::uninit())
    }

    /// Makes a copy of a descriptor, without what is after its dimensions, for the array at another address.
    #[inline(always)]
    pub fn copy(&mut self, descriptor: &Descriptor, base: *mut c_void) -> *mut Descriptor {
        let copy = self.exposed();
        // SAFETY: there is room for a header and all dimensions, and it is not that of the descriptor.
        unsafe {
            (&raw mut (*copy).base).write(base);
            if descriptor.dims().len() == 1 {
                copy_words::<{ HEADER + DIM }>(descriptor, copy);
            } else {
                copy_words::<HEADER>(descriptor, copy);
                copy_dims(descriptor, copy);
            }
        }
        copy
    }

    /// Makes a descriptor, whose offset follows from the dimensions. There are as many of these as its type says.
    #[inline(always)]
    pub fn fill(
        &mut self,
        base: *mut c_void,
        dtype: DType,
        span: isize,
        dims: impl Iterator<Item = Dim>,
    ) -> *mut Descriptor {
        let made = self.exposed();
        let mut offset = 0isize;
        for (index, dim) in dims.take(MAX_RANK).enumerate() {
            offset = offset.wrapping_sub(dim.lower.wrapping_mul(dim.stride));
            // SAFETY: there is room for this many dimensions.
            unsafe { Descriptor::dims_of(made).add(index).write(dim) };
        }
        // SAFETY: there is room for a header.
        unsafe {
            (&raw mut (*made).base).write(base);
            (&raw mut (*made).offset).write(offset as usize);
            (&raw mut (*made).dtype).write(dtype);
            (&raw mut (*made).span).write(span);
        }
        made
    }

    /// The descriptor as others see it, who find the dimensions after the header.
    #[inline(always)]
    fn exposed(&mut self) -> *mut Descriptor {
        let room = self.0.as_mut_ptr();
        room.expose_provenance();
        room.cast()
    }
}

/// Words of a header.
const HEADER: usize = size_of::<Descriptor>() / size_of::<usize>();
/// Words of a dimension.
const DIM: usize = size_of::<Dim>() / size_of::<usize>();

/// Copies this many words of a descriptor but the first one, which is the address. One by one: the compiler of this library would
/// copy two at a time, and the function that loads the second of them soon after waits longer for that.
///
/// # Safety
/// Both have this many, which do not overlap.
#[inline(always)]
unsafe fn copy_words<const WORDS: usize>(from: &Descriptor, to: *mut Descriptor) {
    let to = to.cast::<MaybeUninit<usize>>();
    // Dimensions are after what `from` may be used for: see `Descriptor::dims`.
    let from = ptr::with_exposed_provenance::<MaybeUninit<usize>>(ptr::from_ref(from).addr());
    for index in 1..WORDS {
        // SAFETY: as above; any of them may be uninitialised.
        unsafe { to.add(index).write_volatile(*from.add(index)) };
    }
}

/// Copies the dimensions.
///
/// # Safety
/// There is room for them after the header at `to`.
#[cold]
#[inline(never)]
unsafe fn copy_dims(from: &Descriptor, to: *mut Descriptor) {
    for (index, dim) in from.dims().iter().enumerate() {
        // SAFETY: as above.
        unsafe { Descriptor::dims_of(to).add(index).write(*dim) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gfortran_abi::basic;

    fn dims(rank: usize) -> Vec<Dim> {
        (0..rank as isize).map(|k| Dim { stride: k + 1, lower: k - 2, upper: 3 * k + 5 }).collect()
    }

    fn dtype(rank: usize) -> DType {
        DType { elem_len: 8, version: 0, rank: rank as i8, basic: basic::REAL, attribute: 3 }
    }

    /// Its address, offset, rank, span and dimensions.
    fn values(descriptor: &Descriptor) -> Vec<isize> {
        let Descriptor { base, offset, dtype, span, .. } = descriptor;
        let header = [base.addr() as isize, *offset as isize, dtype.rank.into(), *span];
        let dims = descriptor.dims().iter().flat_map(|dim| [dim.stride, dim.lower, dim.upper]);
        header.into_iter().chain(dims).collect()
    }

    #[test]
    fn a_copy_differs_in_the_address_only_whatever_the_rank() {
        for rank in [0, 1, 2, 7, MAX_RANK] {
            let (mut first, mut second) = (StackDescriptor::new(), StackDescriptor::new());
            let (from, to) = (ptr::without_provenance_mut(64), ptr::without_provenance_mut(128));
            let made = first.fill(from, dtype(rank), 16, dims(rank).into_iter());
            // SAFETY: made just now, in room that is still there.
            let made = unsafe { &*made };
            let offset = dims(rank).iter().map(|dim| -dim.lower * dim.stride).sum();
            let its = dims(rank).into_iter().flat_map(|dim| [dim.stride, dim.lower, dim.upper]);
            let expected: Vec<isize> =
                [64, offset, rank as isize, 16].into_iter().chain(its).collect();
            assert_eq!(values(made), expected);
            // SAFETY: as above.
            let copy = unsafe { &*second.copy(made, to) };
            assert_eq!((values(copy)[0], &values(copy)[1..]), (128, &expected[1..]));
            assert_eq!(copy.dtype.attribute, 3);
        }
    }
}
