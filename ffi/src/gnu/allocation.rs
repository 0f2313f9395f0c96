//! The allocations of an ALLOCATE statement, in the words that images compare.
//!
//! The compiler sets bounds, cobounds and the dynamic type after the registration, but before the SYNC ALL of the statement.

use super::token::{Shape, Token};
use super::variable_location::VariableLocation;
use super::{dynamic_type, variables};
use crate::gfortran_abi::{Descriptor, Dim, MAX_RANK};
use std::slice;
use xmp_coarray::front_end::same_statement::{
    Allocation, Bound, MAX_BOUNDS, NO_UPPER_BOUND, OnlyCoarray,
};
use xmp_core::hash;

/// The allocation of a statement that allocates only this coarray.
///
/// # Safety
/// The variable of the coarray is where it was allocated: the SYNC ALL of the statement calls this.
#[inline]
pub unsafe fn of(token: &Token, shape: &Shape) -> Allocation {
    let bytes = token.block.size;
    let element = element(token, shape);
    // SAFETY: the contract above.
    let cobounds = unsafe { codimensions(token.home, shape.dims.len()) };
    let (mut shapes, mut bounds) = (0, None);
    if let Some(element) = element {
        bounds = bounds_of(&shape.dims, cobounds);
        if bounds.is_none() {
            shapes = hash_of_bounds(&shape.dims, cobounds);
        }
        // SAFETY: the contract above.
        match unsafe { dynamic_type::of(token, element) } {
            0 => {}
            dynamic_type => shapes = mixed(shapes, dynamic_type.into()),
        }
    }
    let only = OnlyCoarray {
        element: element.unwrap_or(token.dtype.elem_len as u64),
        basic: token.dtype.basic as u8,
        rank: shape.dims.len() as u8,
        corank: cobounds.len() as u8,
        bounds,
    };
    Allocation { bytes, shapes, variables: variables::number(token.home), only: Some(only) }
}

/// The bounds of dimensions and codimensions, if all of them fit.
#[inline]
fn bounds_of(dims: &[Dim], codimensions: &[Dim]) -> Option<[Bound; MAX_BOUNDS]> {
    let mut bounds = [Bound::default(); MAX_BOUNDS];
    let mut places = bounds.iter_mut();
    for dim in dims {
        *places.next()? = Bound::new(dim.lower, dim.extent() as u64)?;
    }
    if let Some((last, others)) = codimensions.split_last() {
        for dim in others {
            *places.next()? = Bound::new(dim.lower, dim.extent() as u64)?;
        }
        *places.next()? = Bound::new(last.lower, NO_UPPER_BOUND.into())?;
    }
    Some(bounds)
}

/// A hash of bounds that do not fit.
#[cold]
fn hash_of_bounds(dims: &[Dim], codimensions: &[Dim]) -> u32 {
    let last = codimensions.len().saturating_sub(1);
    let codimensions = codimensions.iter().enumerate().map(|(at, dim)| {
        (dim.lower, if at < last { dim.extent() as u64 } else { NO_UPPER_BOUND.into() })
    });
    let dims = dims.iter().map(|dim| (dim.lower, dim.extent() as u64));
    dims.chain(codimensions).fold(0, |all, (lower, extent)| mixed(mixed(all, lower as u64), extent))
}

/// Bytes of an element, if the descriptor has the bounds of this coarray. Otherwise it may still have those of another one, whose
/// size differs. The compiler gives the elements of a polymorphic variable the size that its declared type has.
#[inline]
fn element(token: &Token, shape: &Shape) -> Option<u64> {
    let (bytes, declared) = (token.block.size, token.dtype.elem_len as u64);
    let count =
        shape.dims.iter().try_fold(1u64, |all, dim| all.checked_mul(dim.extent() as u64))?;
    let fits = |element: u64| element.checked_mul(count) == Some(bytes);
    match count {
        // The compiler asks for one byte.
        0 => (bytes <= 1).then_some(declared),
        1 if shape.dims.is_empty() => Some(bytes),
        _ if fits(declared) => Some(declared),
        _ => fits(shape.unit as u64).then_some(shape.unit as u64),
    }
}

/// The codimensions in the descriptor of a variable with this many dimensions. They are between these and the token.
///
/// # Safety
/// The variable is there.
#[inline]
unsafe fn codimensions<'a>(home: VariableLocation, rank: usize) -> &'a [Dim] {
    let first = Descriptor::dims_of(home.descriptor).wrapping_add(rank);
    let room = home.token.addr().wrapping_sub(first.addr());
    let count = room / size_of::<Dim>();
    if count + rank > MAX_RANK || !room.is_multiple_of(size_of::<Dim>()) {
        return &[];
    }
    // SAFETY: the contract above: the program's descriptor, up to the token. It does not change it during the statement.
    unsafe { slice::from_raw_parts(first, count) }
}

/// The allocation of a statement that has allocated `before` and then this coarray.
pub fn with(before: Allocation, more: Allocation) -> Allocation {
    let is_known = before.variables != 0 && more.variables != 0;
    Allocation {
        bytes: before.bytes + more.bytes,
        shapes: mixed(shapes_of(&before), shapes_of(&more).into()),
        // The upper half names the program.
        variables: if is_known {
            more.variables & !0xffff | mixed(before.variables, more.variables.into()) & 0xffff
        } else {
            0
        },
        only: None,
    }
}

/// A hash of the shapes, with the size and the bounds that are compared one by one where there is only one coarray.
fn shapes_of(allocation: &Allocation) -> u32 {
    let Some(only) = allocation.only else { return allocation.shapes };
    let bounds = only.bounds.unwrap_or_default().map(Bound::word);
    bounds.into_iter().fold(mixed(allocation.shapes, allocation.bytes), mixed)
}

/// A hash of what came before and a word; not 0.
fn mixed(before: u32, word: u64) -> u32 {
    hash::mixed_with(word, before.into()) as u32 | 1
}
