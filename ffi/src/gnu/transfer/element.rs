//! The type of the elements of a transfer, and the conversion between two types.

use crate::gfortran_abi::{DType, basic};
use std::ffi::c_int;
use xmp_coarray::convert::Converter;
use xmp_core::number::ElemType;
use xmp_core::{Error, Result};

/// The conversion between these two types; `None` if elements are copied as they are.
///
/// # Errors
/// Types that Fortran does not convert.
pub fn conversion(
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

/// The type of a descriptor's elements.
///
/// # Errors
/// Kinds that do not exist.
pub fn elem_type(dtype: &DType, kind: c_int) -> Result<ElemType> {
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
