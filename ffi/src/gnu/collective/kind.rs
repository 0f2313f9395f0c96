//! The type of a collective's argument, as far as its descriptor tells.

use crate::gnu::types::{DType, basic};
use xmp_collectives::Op;
use xmp_core::image_set::ImageSet;
use xmp_core::number::ElemType;
use xmp_core::{Image, Result};

/// The type of `count` elements at `data`.
///
/// A descriptor has no kind. For most types the length says it; real(10) and real(16) both take 16 bytes,
/// and [`wide_real`] finds out which it is, together with the other images. The kind of characters is not
/// known at all: they count as kind 1, as in gfortran's own library.
///
/// # Errors
/// When an image of the set has ended.
///
/// # Safety
/// `data` has `count` elements of the type.
pub unsafe fn element(
    image: &Image,
    set: &ImageSet,
    dtype: &DType,
    (data, count): (*const u8, usize),
) -> Result<ElemType> {
    let len = dtype.elem_len;
    // A length that is no kind stays one: the reduction refuses it by name.
    let kind = |len: usize| u8::try_from(len).unwrap_or(u8::MAX);
    // SAFETY: the caller's guarantee; a complex number is two reals.
    Ok(unsafe {
        match (dtype.basic, len) {
            (basic::INTEGER, _) => ElemType::Integer(kind(len)),
            (basic::LOGICAL, _) => ElemType::Logical(kind(len)),
            (basic::REAL, 16) => ElemType::Real(wide_real(image, set, data, count)?.kind()),
            (basic::REAL, _) => ElemType::Real(kind(len)),
            (basic::COMPLEX, 32) => {
                ElemType::Complex(wide_real(image, set, data, 2 * count)?.kind())
            }
            (basic::COMPLEX, _) => ElemType::Complex(kind(len / 2)),
            (basic::CHARACTER, _) => ElemType::Character { kind: 1, len },
            _ => ElemType::Bytes(len),
        }
    })
}

/// A real number of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wide {
    /// real(10).
    F80,
    /// real(16).
    F128,
}

impl Wide {
    fn kind(self) -> u8 {
        match self {
            Wide::F80 => 10,
            Wide::F128 => 16,
        }
    }
}

/// Which of the two formats the elements of all images have.
///
/// A real(10) other than 0 has bit 63, its integer bit, set, and in bits 64 to 78 an exponent that is close
/// to that of 1 for all numbers that occur; a real(16) has fraction bits in both places. So one element
/// that fits only one of them settles the matter. Every image votes with what it sees, because all must
/// come to the same answer; without any evidence all elements are 0 in either format.
///
/// # Errors
/// When an image of the set has ended.
///
/// # Safety
/// `data` has `count` elements of 16 bytes.
unsafe fn wide_real(
    image: &Image,
    set: &ImageSet,
    data: *const u8,
    count: usize,
) -> Result<Wide> {
    // SAFETY: the caller's guarantee.
    let votes = (0..count).map(|i| unsafe { vote(data.add(16 * i).cast::<u128>().read_unaligned()) });
    let mut found = [votes.fold(0, u8::max)];
    xmp_collectives::allreduce(image, set, &mut found, Op::Max)?;
    Ok(if found == [VOTE_F128] { Wide::F128 } else { Wide::F80 })
}

const VOTE_NONE: u8 = 0;
const VOTE_F80: u8 = 1;
const VOTE_F128: u8 = 2;

/// Exponents within this distance from that of 1 are plausible: the range of real(8) and a little more.
const PLAUSIBLE: u16 = 0x600;

fn vote(bits: u128) -> u8 {
    let exponent_of_one = 0x3fff_u16;
    let plausible = |exponent: u16| (exponent & 0x7fff).abs_diff(exponent_of_one) <= PLAUSIBLE;
    let (significand, exponent) = (bits as u64, (bits >> 64) as u16);
    if significand >> 63 == 1 && plausible(exponent) {
        return VOTE_F80;
    }
    match significand == 0 && exponent == 0 {
        // 0 in real(10), with anything in the six bytes behind it; or a real(16) with a short fraction.
        true if plausible((bits >> 112) as u16) => VOTE_F128,
        true => VOTE_NONE,
        false => VOTE_F128,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_core::number::{F80, F128};

    #[test]
    fn formats_are_told_apart() {
        for value in [1.0, -2.5, 1e-300, 3e300, 0.1, std::f64::consts::PI] {
            let f80 = F80::from(value);
            let f128 = F128::from(value);
            // SAFETY: both are 16 bytes of plain data.
            unsafe {
                let bits = |p: *const u8| p.cast::<u128>().read_unaligned();
                let low80 = bits((&raw const f80).cast()) & ((1 << 80) - 1);
                assert_eq!(vote(low80), VOTE_F80, "{value}");
                // Whatever a compiler leaves behind the ten bytes.
                assert_eq!(vote(low80 | 0x3fff_1234_5678 << 80), VOTE_F80, "{value}");
                assert_eq!(vote(bits((&raw const f128).cast())), VOTE_F128, "{value}");
            }
        }
        assert_eq!(vote(0), VOTE_NONE);
    }
}
