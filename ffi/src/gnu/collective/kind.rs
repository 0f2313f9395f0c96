//! The element type of a collective's argument, as far as its descriptor determines it.

use crate::arch::HAS_REAL_10;
use crate::gfortran_abi::{DType, basic};
use crate::gnu::debug::WideReal;
use xmp_collectives::Op;
use xmp_core::image_set::ImageSet;
use xmp_core::number::ElemType;
use xmp_core::{Error, Image, Result};

/// The type of elements, as far as their length tells it. A length that is no kind stays one: a reduction refuses it by name.
/// real(10) and real(16) both take 16 bytes and count as real(16). The kind of characters is not known at all: they count as kind 1,
/// as in gfortran's own library.
#[inline]
pub fn by_length(dtype: &DType) -> ElemType {
    let len = dtype.elem_len;
    let kind = |len: usize| u8::try_from(len).unwrap_or(u8::MAX);
    match dtype.basic {
        basic::INTEGER => ElemType::Integer(kind(len)),
        basic::LOGICAL => ElemType::Logical(kind(len)),
        basic::REAL => ElemType::Real(kind(len)),
        // A complex number is two reals.
        basic::COMPLEX => ElemType::Complex(kind(len / 2)),
        basic::CHARACTER => ElemType::Character { kind: 1, len },
        _ => ElemType::Bytes(len),
    }
}

/// The type of elements, of which these are the bytes. [`wide_real`] finds out which of real(10) and real(16) they are, together with
/// the other images, where it is not `declared` what the program unit uses.
///
/// # Errors
/// When an image of the set has ended.
pub fn element(
    image: &Image,
    set: &ImageSet,
    dtype: &DType,
    bytes: &[u8],
    declared: impl FnOnce() -> Option<WideReal>,
) -> Result<ElemType> {
    let wide = || {
        if !HAS_REAL_10 {
            return Ok(16);
        }
        wide_real(image, set, bytes, declared()).map(Wide::kind)
    };
    Ok(match by_length(dtype) {
        ElemType::Real(16) => ElemType::Real(wide()?),
        ElemType::Complex(16) => ElemType::Complex(wide()?),
        other => other,
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

/// Which of the two formats the elements of all images have: the one that an image knows to be declared, or the one
/// that fits them.
///
/// Every real(10) but 0 and the subnormal ones has bit 63, its integer bit, set; what is after its ten bytes is
/// undefined, often 0. A real(16) has its exponent there, close to that of 1, and bits of its fraction in the
/// place of the other's integer bit and exponent. So most elements fit one format only. Every image says what
/// it has seen, because all must come to the same answer.
///
/// # Errors
/// When an image of the set has ended. When nothing that was seen tells the formats apart: an error is better than
/// a wrong sum.
fn wide_real(
    image: &Image,
    set: &ImageSet,
    bytes: &[u8],
    declared: Option<WideReal>,
) -> Result<Wide> {
    let mut seen = [0u8; 6];
    if let Some(declared) = declared {
        seen[4 + usize::from(declared == WideReal::Kind16)] = 1;
    }
    let elements = bytes.chunks_exact(16).map(|element| element.try_into().expect("16 bytes"));
    for evidence in elements.map(u128::from_ne_bytes).filter_map(evidence) {
        seen[evidence as usize] = 1;
    }
    xmp_collectives::allreduce(image, set, &mut seen, Op::Max)?;
    let [only_f128, only_f80, f128_or_zero, either, kind10, kind16] = seen.map(|flag| flag != 0);
    match (kind10, kind16) {
        (true, false) => Ok(Wide::F80),
        (false, true) => Ok(Wide::F128),
        _ => decide([only_f128, only_f80, f128_or_zero, either]),
    }
}

/// What an element other than 0 says about its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evidence {
    OnlyF128,
    OnlyF80,
    /// A real(16) with a short fraction, or a 0 with something after it.
    F128OrZero,
    Either,
}

fn evidence(bits: u128) -> Option<Evidence> {
    const EXPONENT_OF_ONE: u16 = 0x3fff;
    // The range of real(8) and a little more, and infinity.
    let usual = |exponent: u16| {
        let exponent = exponent & 0x7fff;
        exponent.abs_diff(EXPONENT_OF_ONE) <= 0x600 || exponent == 0x7fff
    };
    let (significand, exponent) = (bits as u64, (bits >> 64) as u16);
    let has_f128_exponent = usual((bits >> 112) as u16);
    match (significand >> 63 == 1, exponent & 0x7fff) {
        (false, 1..) => Some(Evidence::OnlyF128),
        (false, 0) => has_f128_exponent.then_some(Evidence::F128OrZero),
        (true, _) if !has_f128_exponent => Some(Evidence::OnlyF80),
        (true, e) if usual(e) || e == 0x7ffe => Some(Evidence::Either),
        (true, _) => Some(Evidence::OnlyF128),
    }
}

/// The format, from the kinds of evidence that were seen (indexed by [`Evidence`]).
fn decide([only_f128, only_f80, f128_or_zero, either]: [bool; 4]) -> Result<Wide> {
    match (only_f128, only_f80, either) {
        (true, _, _) => Ok(Wide::F128),
        (false, true, _) => Ok(Wide::F80),
        (false, false, true) => Err(Error::Invalid(
            "these values fit real(10) and real(16) alike, and the compiler does not pass the kind: \
             compile the program with -g, or reduce them as real(8)"
                .into(),
        )),
        // Nothing but zeros, in either format; or numbers such as 1 and 0.5.
        (false, false, false) if f128_or_zero => Ok(Wide::F128),
        (false, false, false) => Ok(Wide::F80),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_core::number::{F80, F128};

    fn bits_of<T>(value: &T) -> u128 {
        assert_eq!(size_of::<T>(), 16);
        // SAFETY: the value has 16 bytes without padding.
        unsafe { std::ptr::from_ref(value).cast::<u128>().read_unaligned() }
    }

    /// What would be decided about an array.
    fn verdict(elements: &[u128]) -> Option<Wide> {
        let mut seen = [false; 4];
        elements.iter().filter_map(|&bits| evidence(bits)).for_each(|e| seen[e as usize] = true);
        decide(seen).ok()
    }

    /// As a compiler stores a real(10), with `padding` in the six bytes after it.
    fn stored(value: f64, padding: u128) -> u128 {
        bits_of(&F80::from(value)) & ((1 << 80) - 1) | padding << 80
    }

    const VALUES: [f64; 7] = [1.0, -2.5, 1e-300, 3e300, 0.1, std::f64::consts::PI, f64::INFINITY];
    /// The bytes of a double where the exponent of a real(16) would be.
    const MISLEADING: u128 = 0x3ff1_2345_6789;

    #[test]
    fn formats_are_told_apart() {
        assert_eq!(verdict(&VALUES.map(|value| stored(value, 0))), Some(Wide::F80));
        assert_eq!(verdict(&VALUES.map(|value| bits_of(&F128::from(value)))), Some(Wide::F128));
        for value in VALUES {
            assert_eq!(verdict(&[stored(value, 0)]), Some(Wide::F80), "{value}");
            assert_ne!(verdict(&[stored(value, MISLEADING)]), Some(Wide::F128), "{value}");
            assert_ne!(verdict(&[bits_of(&F128::from(value))]), Some(Wide::F80), "{value}");
        }
        // huge(1.0_10).
        assert_eq!(verdict(&[0x7ffe_ffff_ffff_ffff_ffff]), Some(Wide::F80));
        assert_eq!(verdict(&[0, 0]), Some(Wide::F80));
    }

    #[test]
    fn one_clear_element_settles_it() {
        let zero_with_padding = MISLEADING << 80;
        assert_eq!(verdict(&[zero_with_padding, stored(1.0, 0)]), Some(Wide::F80));
        let unclear = stored(0.1, MISLEADING);
        assert_eq!(verdict(&[unclear]), None);
        assert_eq!(verdict(&[unclear, stored(7.0, 0)]), Some(Wide::F80));
        let third = bits_of(&F128::from(0.1));
        assert_eq!(verdict(&[zero_with_padding, third]), verdict(&[third]));
    }
}
