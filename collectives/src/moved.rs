//! The type of elements that an operation moves, as images compare it: a number of 8 bits.

use std::borrow::Cow;
use xmp_core::number::ElemType;

/// Bits of the class of a type; the kind is above them.
const CLASS_BITS: u32 = 3;
const CHARACTER: u32 = 5;

/// The number of a type: 0 for bytes and for derived types, whose lengths alone are compared.
#[inline(always)]
pub fn code(element: ElemType) -> u32 {
    let (class, kind) = match element {
        ElemType::Bytes(_) => return 0,
        ElemType::Integer(kind) => (1, kind),
        ElemType::Logical(kind) => (2, kind),
        ElemType::Real(kind) => (3, kind),
        ElemType::Complex(kind) => (4, kind),
        ElemType::Character { kind, .. } => (CHARACTER, kind),
    };
    // Kinds that do not exist are longer.
    (u32::from(kind) << CLASS_BITS | class) & u8::MAX as u32
}

/// The type with this number, for messages.
pub fn name(code: u32) -> Cow<'static, str> {
    let kind = (code >> CLASS_BITS) as u8;
    let number = match code & ((1 << CLASS_BITS) - 1) {
        1 => ElemType::Integer(kind),
        2 => ElemType::Logical(kind),
        3 => ElemType::Real(kind),
        4 => ElemType::Complex(kind),
        CHARACTER => return "characters".into(),
        _ => return "a derived type or bytes".into(),
    };
    number.to_string().into()
}

/// The number of elements of the type with this number that are this many bytes, if their size is known, with the word for one of them;
/// otherwise the bytes.
fn counted(code: u32, bytes: u64) -> (u64, &'static str) {
    let kind = u64::from(code >> CLASS_BITS);
    // In memory the kind 10 has 16 bytes.
    let number = if kind == 10 { 16 } else { kind };
    let size = match code & ((1 << CLASS_BITS) - 1) {
        1..=3 => number,
        4 => 2 * number,
        _ => 0,
    };
    if code <= u8::MAX.into() && size != 0 && bytes.is_multiple_of(size) {
        (bytes / size, "element")
    } else {
        (bytes, "byte")
    }
}

/// Two numbers of bytes of these types in one unit, with its word in the singular: elements if both are whole ones, otherwise bytes.
pub fn in_one_unit(codes: [u32; 2], bytes: [u64; 2]) -> ([u64; 2], &'static str) {
    match [0, 1].map(|of| counted(codes[of], bytes[of])) {
        [(one, unit), (other, of_other)] if unit == of_other => ([one, other], unit),
        _ => (bytes, "byte"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_different_numbers_of_8_bits() {
        let kinds = [1, 2, 4, 8, 10, 16].into_iter();
        let mut codes: Vec<u32> = kinds
            .flat_map(|kind| {
                let character = ElemType::Character { kind, len: 7 };
                let [integer, logical] = [ElemType::Integer(kind), ElemType::Logical(kind)];
                [integer, logical, ElemType::Real(kind), ElemType::Complex(kind), character]
            })
            .chain([ElemType::Bytes(4)])
            .map(code)
            .collect();
        let all = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!((codes.len(), codes[all - 1] < 256), (all, true));
        assert_eq!(code(ElemType::Bytes(1)), code(ElemType::Bytes(24)));
        assert_eq!(name(code(ElemType::Real(8))), "real(8)");
    }

    #[test]
    fn bytes_are_counted_as_elements_where_these_have_a_size() {
        for (element, bytes, counted_as) in [
            (ElemType::Integer(4), 40, (10, "element")),
            (ElemType::Complex(8), 32, (2, "element")),
            (ElemType::Real(10), 32, (2, "element")),
            (ElemType::Character { kind: 1, len: 5 }, 10, (10, "byte")),
            (ElemType::Bytes(4), 8, (8, "byte")),
            (ElemType::Real(8), 12, (12, "byte")),
        ] {
            assert_eq!(counted(code(element), bytes), counted_as, "{element:?}");
        }
    }
}
