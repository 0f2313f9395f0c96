//! Conversion of elements on assignment, between types, kinds and lengths: the one place for all
//! front ends.
//!
//! As Fortran's intrinsic assignment does it:
//!
//! | from | to | |
//! |---|---|---|
//! | integer | integer | modulo 2^bits if it does not fit |
//! | integer | real | to nearest, ties to even |
//! | real | integer | towards zero; the nearest there is if it does not fit, 0 for NaN |
//! | real | real | to nearest, ties to even; infinite if too large |
//! | complex | integer, real | its real part |
//! | integer, real | complex | with zero as its imaginary part |
//! | logical | logical | true stays true: not zero becomes 1 |
//! | character | character | cut, or padded with blanks; what kind 1 cannot hold becomes `?` |
//!
//! What does not fit an integer is processor dependent in Fortran. Types that Fortran does not
//! convert are refused, but for types of equally many bytes that are unknown here: these are copied.

mod character;
mod logical;
mod numeric;
#[cfg(test)]
mod tests;

use crate::plan::{Row, copy_block};
use numeric::Component;
use xmp_core::number::ElemType;
use xmp_core::{Error, Result};

/// How to convert elements of one type to another.
#[derive(Clone, Debug)]
pub struct Converter {
    from: ElemType,
    to: ElemType,
    method: Method,
}

#[derive(Clone, Debug)]
enum Method {
    Copy,
    Row(unsafe fn(Row)),
    /// Both parts of complex numbers.
    Parts(unsafe fn(Row)),
    /// A number into the real part, and with the second function zero into the imaginary part.
    RealPart(unsafe fn(Row), unsafe fn(Row)),
    String(character::Strings),
}

impl Converter {
    /// A converter between these types.
    ///
    /// # Errors
    /// [`Error::Invalid`] if one of the types does not exist or Fortran does not convert between them.
    pub fn new(from: ElemType, to: ElemType) -> Result<Converter> {
        from.check()?;
        to.check()?;
        let method = match (from, to) {
            (from, to) if from == to => Method::Copy,
            (ElemType::Logical(from), ElemType::Logical(to)) => Method::Row(logical::row(from, to)),
            (
                ElemType::Character { kind: from, len: from_len },
                ElemType::Character { kind: to, len: to_len },
            ) => Method::String(character::Strings::new(from, from_len, to, to_len)),
            _ => numbers(from, to).ok_or_else(|| {
                Error::Invalid(format!("{from} cannot be assigned to {to}: there is no conversion"))
            })?,
        };
        Ok(Converter { from, to, method })
    }

    /// Bytes of an element before conversion.
    pub fn from_size(&self) -> usize {
        self.from.size()
    }

    /// Bytes of an element after conversion.
    pub fn to_size(&self) -> usize {
        self.to.size()
    }

    /// Converts one element.
    ///
    /// # Safety
    /// `src` must be readable for [`Converter::from_size`] bytes and `dst` writable for
    /// [`Converter::to_size`] bytes; they must not overlap, and no other thread may write the former or access
    /// the latter meanwhile. No alignment is needed.
    pub unsafe fn convert(&self, dst: *mut u8, src: *const u8) {
        // SAFETY: one element of each side is accessible.
        unsafe { self.convert_row(Row { dst, dst_stride: 0, src, src_stride: 0, extent: 1 }) }
    }

    /// Converts the elements of a row.
    ///
    /// # Safety
    /// The conditions of [`Converter::convert`], for every element of the row; no element of the destination may
    /// overlap any of the source.
    pub unsafe fn convert_row(&self, row: Row) {
        // SAFETY: the row's elements are accessible; the parts of complex numbers are within the elements.
        unsafe {
            match &self.method {
                Method::Copy => copy(row, self.from.size()),
                Method::Row(convert) => convert(row),
                Method::Parts(convert) => {
                    convert(row);
                    convert(Row {
                        dst: row.dst.add(self.to.size() / 2),
                        src: row.src.add(self.from.size() / 2),
                        ..row
                    });
                }
                Method::RealPart(convert, clear) => {
                    convert(row);
                    clear(Row {
                        dst: row.dst.add(self.to.size() / 2),
                        src: (&raw const ZERO).cast(),
                        src_stride: 0,
                        ..row
                    });
                }
                Method::String(strings) => strings.convert_row(row),
            }
        }
    }
}

/// What imaginary parts are converted from.
static ZERO: i8 = 0;

/// The method for two types of numbers.
fn numbers(from: ElemType, to: ElemType) -> Option<Method> {
    let convert = numeric::row(Component::of(from)?, Component::of(to)?);
    Some(match (from, to) {
        (ElemType::Complex(_), ElemType::Complex(_)) => Method::Parts(convert),
        // The real part is first, and rows know their strides.
        (_, ElemType::Complex(_)) => {
            Method::RealPart(convert, numeric::row(Component::I1, Component::of(to)?))
        }
        _ => Method::Row(convert),
    })
}

/// # Safety
/// The conditions of [`Converter::convert_row`], for elements of `size` bytes.
unsafe fn copy(row: Row, size: usize) {
    for k in 0..row.extent as isize {
        // SAFETY: the row's elements are accessible.
        unsafe {
            copy_block(
                row.dst.offset(k * row.dst_stride),
                row.src.offset(k * row.src_stride),
                size,
            );
        }
    }
}
