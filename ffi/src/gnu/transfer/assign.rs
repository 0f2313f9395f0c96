//! Assignment of one decoded section to another, with the conversion between their types.

use super::section::Section;
use crate::gfortran_abi::{DType, Descriptor, basic, planned};
use crate::process::Instance;
use std::ffi::c_int;
use std::ops::Range;
use xmp_coarray::front_end::Block;
use xmp_coarray::front_end::convert::Converter;
use xmp_coarray::front_end::plan::{Axis, copy_block};
use xmp_coarray::front_end::races::{self, AccessedElements};
use xmp_coarray::front_end::transfer::MemoryRef;
use xmp_core::number::ElemType;
use xmp_core::{Error, Rank, Result, failure};

/// One side of an assignment. It is of a descriptor that the compiler has passed, or of one with the same invariant:
/// what is in no coarray is there.
pub struct Resolved {
    /// What the section counts from.
    pub place: MemoryRef,
    /// Which elements.
    pub section: Section,
    /// Type of the elements.
    pub dtype: DType,
    /// Kind of the elements.
    pub kind: c_int,
    /// The coarray that they must be in.
    pub limits: Option<Limits>,
}

/// The coarray that a coindexed side is part of.
pub struct Limits {
    /// Its memory.
    pub block: Block,
    /// Where the base of the section is in it.
    pub offset: usize,
    /// The image.
    pub rank: Rank,
}

impl Limits {
    /// Whether the bytes that a section touches, relative to its base, are in the coarray.
    ///
    /// # Errors
    /// [`xmp_core::Error::OutOfBounds`].
    pub fn check(&self, touched: Range<i64>) -> Result<()> {
        if touched.is_empty() {
            // A section of size 0 may be anywhere.
            return Ok(());
        }
        let offset = self.offset as i64;
        self.block.check(offset.saturating_add(touched.start), offset.saturating_add(touched.end))
    }
}

/// Whether the bytes that a section touches, relative to its base, are in the coarray, if there is one.
///
/// # Errors
/// [`xmp_core::Error::OutOfBounds`].
pub fn check(limits: &Option<Limits>, touched: Range<i64>) -> Result<()> {
    limits.as_ref().map_or(Ok(()), |limits| limits.check(touched))
}

/// Whether the image of a coindexed side has failed.
///
/// # Errors
/// [`xmp_core::Error::FailedImage`].
pub fn check_failed(instance: &Instance, limits: &Option<Limits>) -> Result<()> {
    match limits {
        None => Ok(()),
        Some(limits) => failure::check_failed(instance.image.job(), limits.rank),
    }
}

/// Carries out `dst = src`.
///
/// # Errors
/// Shapes that do not conform, types that Fortran does not convert, elements outside of their coarrays: nothing has
/// been written then.
pub fn assign(instance: &Instance, dst: &Resolved, src: &Resolved) -> Result<()> {
    let (to, from) =
        (dst.place.shifted(dst.section.start()), src.place.shifted(src.section.start()));
    if let (MemoryRef::Local(to), MemoryRef::Local(from)) = (to, from)
        && dst.section.is_scalar()
        && src.section.is_scalar()
        && dst.kind == src.kind
        && dst.dtype.basic == src.dtype.basic
        && dst.dtype.elem_len == src.dtype.elem_len
    {
        let len = dst.dtype.elem_len;
        check(&dst.limits, dst.section.shift(0..len as i64)?)?;
        check(&src.limits, src.section.shift(0..len as i64)?)?;
        let block = |address| AccessedElements::block(MemoryRef::Local(address), len);
        races::transfer(&instance.image, block(to), block(from));
        // SAFETY: each side is an object of the program, or is in its coarray by the checks.
        unsafe { copy_block(to, from, len) };
        return Ok(());
    }
    let (dst_axes, src_axes) = (dst.section.axes(), src.section.axes());
    let converter = conversion(&dst.dtype, dst.kind, &src.dtype, src.kind)?;
    let transfer = planned(dst.dtype.elem_len, converter.as_ref(), &dst_axes, &src_axes)
        .map_err(|error| explained(error, [&dst_axes[..], &src_axes[..]]))?;
    check(&dst.limits, dst.section.shift(transfer.dst_bytes())?)?;
    check(&src.limits, src.section.shift(transfer.src_bytes())?)?;
    let side =
        |base, side: &Resolved, axes| AccessedElements { base, size: side.dtype.elem_len, axes };
    races::transfer(&instance.image, side(to, dst, &dst_axes), side(from, src, &src_axes));
    // SAFETY: each side is an object of the program, or is in its coarray by the checks.
    unsafe { transfer.execute(&instance.image, to, from) }
}

/// The error of a transfer between sides of these axes, with what helps. gfortran divides the number of subscripts of a section with a
/// step by that step.
#[cold]
fn explained(error: Error, sides: [&[Axis<'_>]; 2]) -> Error {
    let has_vector = sides.concat().iter().any(|axis| matches!(axis, Axis::Index(_)));
    match error {
        Error::Invalid(text) if has_vector && text.contains("do not conform") => {
            Error::Invalid(format!(
                "{text}; gfortran passes too few subscripts where a vector subscript is a section with a step, as in a(v(1:5:2))[i]: \
             assign it to an array first, w = v(1:5:2), and write a(w)[i]"
            ))
        }
        other => other,
    }
}

/// The conversion between these two types; `None` if elements are copied as they are.
///
/// # Errors
/// Types that Fortran does not convert.
fn conversion(
    dst: &DType,
    dst_kind: c_int,
    src: &DType,
    src_kind: c_int,
) -> Result<Option<Converter>> {
    if dst.basic == src.basic && dst_kind == src_kind && dst.elem_len == src.elem_len {
        return Ok(None);
    }
    let [mut from, to] = [elem_type(src, src_kind)?, elem_type(dst, dst_kind)?];
    // What ACHAR and CHAR of a variable return (`c[i] = achar(n)`) gfortran describes as an integer of their length.
    // Integers are assigned to no characters.
    if let (ElemType::Integer(kind), ElemType::Character { .. }) = (from, to)
        && src.elem_len == usize::from(kind)
    {
        from = ElemType::Character { kind, len: 1 };
    }
    Converter::new(from, to).map(Some)
}

/// The conversion between scalars of two types of numbers or logicals; `None` for all else, and where there is none.
pub fn conversion_of_scalars(
    dst: &Descriptor,
    dst_kind: c_int,
    src: &Descriptor,
    src_kind: c_int,
) -> Option<Converter> {
    let is_one = |dtype: &DType| {
        let basic = dtype.basic;
        dtype.rank == 0 && (basic::INTEGER..=basic::COMPLEX).contains(&basic)
    };
    if !is_one(&dst.dtype) || !is_one(&src.dtype) {
        return None;
    }
    conversion(&dst.dtype, dst_kind, &src.dtype, src_kind).ok().flatten()
}

/// The type of a descriptor's elements.
///
/// # Errors
/// Kinds that do not exist.
fn elem_type(dtype: &DType, kind: c_int) -> Result<ElemType> {
    let kind = u8::try_from(kind)
        .map_err(|_| Error::Invalid(format!("a type of kind {kind} does not exist")))?;
    Ok(match dtype.basic {
        basic::INTEGER => ElemType::Integer(kind),
        basic::LOGICAL => ElemType::Logical(kind),
        basic::REAL => ElemType::Real(kind),
        basic::COMPLEX => ElemType::Complex(kind),
        basic::CHARACTER => {
            let width = usize::from(kind.max(1));
            ElemType::Character { kind, len: dtype.elem_len / width }
        }
        _ => ElemType::Bytes(dtype.elem_len),
    })
}

/// The length of two arrays in bytes, if they have the same elements and shape and each is in one piece.
#[inline]
pub fn block_of_both(dst: &Descriptor, src: &Descriptor) -> Option<usize> {
    let (d, s) = (&dst.dtype, &src.dtype);
    if d.basic != s.basic || d.elem_len != s.elem_len || d.rank != s.rank {
        return None;
    }
    let (to_unit, from_unit) = (dst.unit(), src.unit());
    let mut len = i64::try_from(d.elem_len).ok()?;
    for (to, from) in dst.dims().iter().zip(src.dims()) {
        let extent = to.extent();
        let next = |stride: isize, unit: i64| (stride as i64).checked_mul(unit) == Some(len);
        let together = extent == 1 || next(to.stride, to_unit) && next(from.stride, from_unit);
        if extent != from.extent() || !together {
            return None;
        }
        len = len.checked_mul(i64::try_from(extent).ok()?)?;
    }
    usize::try_from(len).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gfortran_abi::FullDescriptor;

    fn scalar(basic: i8, elem_len: usize) -> FullDescriptor {
        let mut scalar = FullDescriptor::empty();
        scalar.header.dtype = DType { basic, elem_len, ..scalar.header.dtype };
        scalar
    }

    #[test]
    fn scalars_of_numbers_and_logicals_are_converted_without_a_plan() {
        let sizes = |dst: (i8, usize), src: (i8, usize), kinds: (c_int, c_int)| {
            let (dst, src) = (scalar(dst.0, dst.1), scalar(src.0, src.1));
            let found = conversion_of_scalars(&dst.header, kinds.0, &src.header, kinds.1);
            found.map(|converter| (converter.to_size(), converter.from_size()))
        };
        assert_eq!(sizes((basic::REAL, 8), (basic::INTEGER, 4), (8, 4)), Some((8, 4)));
        assert_eq!(sizes((basic::COMPLEX, 16), (basic::REAL, 16), (8, 10)), Some((16, 16)));
        assert_eq!(sizes((basic::LOGICAL, 1), (basic::LOGICAL, 4), (1, 4)), Some((1, 4)));
        // Nothing to convert, no conversion, no such kind, and what may have another length than its descriptor says.
        assert_eq!(sizes((basic::REAL, 8), (basic::REAL, 8), (8, 8)), None);
        assert_eq!(sizes((basic::REAL, 8), (basic::LOGICAL, 4), (8, 4)), None);
        assert_eq!(sizes((basic::REAL, 8), (basic::INTEGER, 4), (7, 4)), None);
        assert_eq!(sizes((basic::CHARACTER, 8), (basic::CHARACTER, 4), (1, 1)), None);
    }

    #[test]
    fn arrays_are_no_scalars() {
        let (mut dst, src) = (scalar(basic::REAL, 8), scalar(basic::INTEGER, 4));
        dst.header.dtype.rank = 1;
        assert!(conversion_of_scalars(&dst.header, 8, &src.header, 4).is_none());
    }
}
