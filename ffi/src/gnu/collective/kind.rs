//! The reduction for the type of an argument.

use crate::gnu::types::{DType, basic};
use xmp_collectives::reduction::CharacterKind;
use xmp_collectives::{Op, Reduction};
use xmp_core::image_set::ImageSet;
use xmp_core::number::{F80, F128};
use xmp_core::{Error, Image, Result};

/// The reduction that CO_SUM, CO_MIN or CO_MAX means for elements of this type.
///
/// A descriptor does not tell real(10) from real(16): both take 16 bytes. [`wide_real`] finds out which it
/// is, together with the other images.
///
/// # Errors
/// Types that the operation does not exist for.
///
/// # Safety
/// `data` has `count` elements of the type.
pub unsafe fn reduction(
    image: &Image,
    set: &ImageSet,
    op: Op,
    dtype: &DType,
    (data, count): (*const u8, usize),
) -> Result<Reduction<'static>> {
    let len = dtype.elem_len;
    Ok(match (dtype.basic, len) {
        (basic::INTEGER, 1) => Reduction::number::<i8>(op),
        (basic::INTEGER, 2) => Reduction::number::<i16>(op),
        (basic::INTEGER, 4) => Reduction::number::<i32>(op),
        (basic::INTEGER, 8) => Reduction::number::<i64>(op),
        (basic::INTEGER, 16) => Reduction::number::<i128>(op),
        (basic::REAL, 4) => Reduction::number::<f32>(op),
        (basic::REAL, 8) => Reduction::number::<f64>(op),
        // SAFETY: the caller's guarantee.
        (basic::REAL, 16) => match unsafe { wide_real(image, set, data, count)? } {
            Wide::F80 => Reduction::number::<F80>(op),
            Wide::F128 => Reduction::number::<F128>(op),
        },
        (basic::COMPLEX, 8) if op == Op::Sum => Reduction::complex_sum::<f32>(),
        (basic::COMPLEX, 16) if op == Op::Sum => Reduction::complex_sum::<f64>(),
        // SAFETY: the caller's guarantee; a complex number is two reals.
        (basic::COMPLEX, 32) if op == Op::Sum => match unsafe { wide_real(image, set, data, 2 * count)? }
        {
            Wide::F80 => Reduction::complex_sum::<F80>(),
            Wide::F128 => Reduction::complex_sum::<F128>(),
        },
        (basic::CHARACTER, _) if op != Op::Sum => {
            // The kind is not passed; kind 4 (ISO 10646) has not the order of its bytes, but a descriptor
            // cannot say so, and gfortran's own library treats every character argument as kind 1.
            Reduction::character(CharacterKind::One, len, op == Op::Max)
        }
        (basic, _) => {
            return Err(Error::Invalid(format!(
                "no such operation on elements of type {basic} and {len} bytes"
            )));
        }
    })
}

/// A real number of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wide {
    /// real(10).
    F80,
    /// real(16).
    F128,
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
pub unsafe fn wide_real(
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
