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
/// Every real(10) but 0 and the subnormal ones has bit 63, its integer bit, set, so one element without it is
/// certainly a real(16). With it, an exponent in bits 64 to 78 that is close to that of 1, or that of infinity or
/// of the largest numbers, says real(10): in a real(16) these are bits of the fraction. All else is weak: bits that
/// are 0 may be the number 0, with anything in the six bytes behind a real(10), or a real(16) with a short
/// fraction. Every image votes with the strongest evidence that it sees, because all must come to the same
/// answer; where there is none, all elements are 0 in either format.
///
/// # Errors
/// When an image of the set has ended.
///
/// # Safety
/// `data` has `count` elements of 16 bytes.
unsafe fn wide_real(image: &Image, set: &ImageSet, data: *const u8, count: usize) -> Result<Wide> {
    // SAFETY: the caller's guarantee.
    let votes =
        (0..count).map(|i| unsafe { vote(data.add(16 * i).cast::<u128>().read_unaligned()) });
    let mut strongest = [votes.fold(NOTHING, u8::max)];
    xmp_collectives::allreduce(image, set, &mut strongest, Op::Max)?;
    Ok(match strongest[0] {
        CERTAINLY_F128 | PERHAPS_F128 => Wide::F128,
        _ => Wide::F80,
    })
}

// Evidence, the stronger the greater.
const NOTHING: u8 = 0;
const PERHAPS_F128: u8 = 1;
const PROBABLY_F80: u8 = 2;
const CERTAINLY_F128: u8 = 3;

fn vote(bits: u128) -> u8 {
    const EXPONENT_OF_ONE: u16 = 0x3fff;
    // The range of real(8) and a little more.
    let usual = |exponent: u16| (exponent & 0x7fff).abs_diff(EXPONENT_OF_ONE) <= 0x600;
    let largest = |exponent: u16| exponent & 0x7fff >= 0x7ffe;
    let (significand, exponent) = (bits as u64, (bits >> 64) as u16);
    match (significand >> 63 == 1, exponent & 0x7fff) {
        (true, e) if usual(e) || largest(e) => PROBABLY_F80,
        (true, _) => PERHAPS_F128,
        (false, 0) if significand == 0 && usual((bits >> 112) as u16) => PERHAPS_F128,
        // Zero, or a subnormal number of either format.
        (false, 0) => NOTHING,
        (false, _) => CERTAINLY_F128,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_core::number::{F80, F128};

    fn bits_of<T>(value: &T) -> u128 {
        assert_eq!(size_of::<T>(), 16);
        // SAFETY: 16 bytes of plain data.
        unsafe { std::ptr::from_ref(value).cast::<u128>().read_unaligned() }
    }

    /// The strongest evidence of an array, as one image sees it.
    fn verdict(elements: &[u128]) -> u8 {
        elements.iter().copied().map(vote).max().unwrap_or(NOTHING)
    }

    #[test]
    fn formats_are_told_apart() {
        let values = [1.0, -2.5, 1e-300, 3e300, 0.1, std::f64::consts::PI, f64::INFINITY, f64::NAN];
        for value in values {
            let f80 = bits_of(&F80::from(value)) & ((1 << 80) - 1);
            assert_eq!(vote(f80), PROBABLY_F80, "{value}");
            // Whatever a compiler leaves behind the ten bytes.
            assert_eq!(vote(f80 | 0x3fff_1234_5678 << 80), PROBABLY_F80, "{value}");
            assert!(
                matches!(vote(bits_of(&F128::from(value))), PERHAPS_F128 | CERTAINLY_F128),
                "{value}"
            );
        }
        assert_eq!(vote(0), NOTHING);
        // huge(1.0_10), 2^16383 and the like.
        assert_eq!(vote(0x7ffe_ffff_ffff_ffff_ffff), PROBABLY_F80);
    }

    #[test]
    fn zeros_with_anything_behind_them_do_not_outvote_a_real_10() {
        let zero_with_padding = 0x3fff_0000_0000_u128 << 80;
        let one = bits_of(&F80::from(1.0)) & ((1 << 80) - 1);
        assert_eq!(verdict(&[zero_with_padding, one]), PROBABLY_F80);
        let third = bits_of(&F128::from(1.0 / 3.0));
        assert_eq!(verdict(&[zero_with_padding, third]), vote(third));
    }
}
