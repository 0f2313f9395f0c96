//! The formats against gfortran, against the hardware, and against one another.

use super::vectors::*;
use super::*;
use crate::error::Error;
use proptest::prelude::*;

#[test]
fn conversions_are_those_of_gfortran() {
    for &(bits, single, double, extended) in FROM_128 {
        let value = F128::from_bits(bits);
        assert_eq!(f32::from(value).to_bits(), single, "{bits:#x}");
        assert_eq!(f64::from(value).to_bits(), double, "{bits:#x}");
        assert_eq!(F80::from(value).to_bits(), extended, "{bits:#x}");
    }
    for &(bits, single, double, quad) in FROM_80 {
        let value = F80::from_bits(bits);
        assert_eq!(f32::from(value).to_bits(), single, "{bits:#x}");
        assert_eq!(f64::from(value).to_bits(), double, "{bits:#x}");
        assert_eq!(F128::from(value).to_bits(), quad, "{bits:#x}");
    }
    for &(integer, single, double, extended, quad) in FROM_INTEGER {
        assert_eq!((integer as f32).to_bits(), single, "{integer}");
        assert_eq!((integer as f64).to_bits(), double, "{integer}");
        assert_eq!(F80::from(integer).to_bits(), extended, "{integer}");
        assert_eq!(F128::from(integer).to_bits(), quad, "{integer}");
    }
    for &(bits, integer) in TO_INTEGER {
        assert_eq!(F128::from_bits(bits).to_i128(), integer, "{bits:#x}");
    }
}

#[test]
fn sums_are_those_of_gfortran() {
    for &(a, b, sum) in SUMS_128 {
        let (a, b) = (F128::from_bits(a), F128::from_bits(b));
        assert_eq!((a + b).to_bits(), sum, "{a:x?} + {b:x?}");
        assert_eq!((b + a).to_bits(), sum, "{b:x?} + {a:x?}");
    }
    for &(a, b, sum) in SUMS_80 {
        let (a, b) = (F80::from_bits(a), F80::from_bits(b));
        assert_eq!((a + b).to_bits(), sum, "{a:x?} + {b:x?}");
        assert_eq!(a.soft_sum(b).to_bits(), sum, "{a:x?} + {b:x?}");
        assert_eq!(b.soft_sum(a).to_bits(), sum, "{b:x?} + {a:x?}");
    }
}

#[test]
fn products_are_those_of_gfortran() {
    for &(a, b, product) in PRODUCTS_128 {
        let (a, b) = (F128::from_bits(a), F128::from_bits(b));
        assert_eq!((a * b).to_bits(), product, "{a:x?} * {b:x?}");
        assert_eq!((b * a).to_bits(), product, "{b:x?} * {a:x?}");
    }
    for &(a, b, product) in PRODUCTS_80 {
        let (a, b) = (F80::from_bits(a), F80::from_bits(b));
        assert_eq!((a * b).to_bits(), product, "{a:x?} * {b:x?}");
        assert_eq!(a.soft_product(b).to_bits(), product, "{a:x?} * {b:x?}");
        assert_eq!(b.soft_product(a).to_bits(), product, "{b:x?} * {a:x?}");
    }
}

#[test]
fn zeros_infinities_and_nans() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for (a, b, sum) in [
        (0.0, -0.0, 0.0),
        (-0.0, -0.0, -0.0),
        (1.5, -1.5, 0.0),
        (inf, 1.0, inf),
        (-1.0, -inf, -inf),
        (inf, inf, inf),
    ] {
        let (quad, extended) = (F128::from(sum).to_bits(), F80::from(sum).to_bits());
        assert_eq!((F128::from(a) + F128::from(b)).to_bits(), quad);
        assert_eq!((F80::from(a) + F80::from(b)).to_bits(), extended);
        assert_eq!(F80::from(a).soft_sum(F80::from(b)).to_bits(), extended);
    }
    for (a, b) in [(inf, -inf), (nan, 1.0), (1.0, nan), (nan, inf)] {
        assert!((F128::from(a) + F128::from(b)).is_nan());
        assert!((F80::from(a) + F80::from(b)).is_nan());
        assert!(F80::from(a).soft_sum(F80::from(b)).is_nan());
    }
    assert_eq!(F128::from(0.0), F128::from(-0.0));
    assert_eq!(F80::from(0.0), F80::from(-0.0));
    assert_eq!(F128::from(nan).partial_cmp(&F128::from(nan)), None);
    assert_eq!(F80::from(nan).partial_cmp(&F80::from(0.0)), None);
    // What the x87 refuses, and a number that it accepts but never makes.
    let unnormal = F80::from_bits(0x4000 << 64 | 1);
    assert!(unnormal.is_nan() && f64::from(unnormal).is_nan());
    let odd = F80::from_bits(1 << 63 | 1);
    assert_eq!(odd, F80::from_bits(1 << 64 | 1 << 63 | 1));
    assert_eq!(F128::from(odd), F128::from(F80::from_bits(1 << 64 | 1 << 63 | 1)));
}

#[test]
fn integers_saturate() {
    for (value, integer) in [
        (f64::INFINITY, i128::MAX),
        (f64::NEG_INFINITY, i128::MIN),
        (f64::NAN, 0),
        (1e300, i128::MAX),
        (-1e300, i128::MIN),
        (i128::MIN as f64, i128::MIN),
        (-0.99, 0),
    ] {
        assert_eq!(F128::from(value).to_i128(), integer, "{value}");
        assert_eq!(F80::from(value).to_i128(), integer, "{value}");
    }
}

#[test]
fn kinds_and_sizes() {
    let string = ElemType::Character { kind: 4, len: 3 };
    for (kind, size, align) in [
        (ElemType::Integer(2), 2, 2),
        (ElemType::Logical(16), 16, 16),
        (ElemType::Real(10), 16, 16),
        (ElemType::Complex(10), 32, 16),
        (ElemType::Complex(4), 8, 4),
        (string, 12, 4),
        (ElemType::Bytes(24), 24, 8),
        (ElemType::Bytes(0), 0, 1),
        (ElemType::Bytes(96), 96, 16),
    ] {
        assert_eq!((kind.size(), kind.align(), kind.check()), (size, align, Ok(())), "{kind:?}");
    }
    let text = ElemType::Real(3).check().unwrap_err().to_string();
    assert_eq!(text, "a real of kind 3 does not exist");
    for kind in [
        ElemType::Integer(10),
        ElemType::Logical(0),
        ElemType::Complex(16 + 1),
        ElemType::Character { kind: 2, len: 1 },
    ] {
        assert!(matches!(kind.check(), Err(Error::Invalid(_))), "{kind:?}");
    }
    let huge = ElemType::Character { kind: 4, len: usize::MAX / 4 };
    assert!(matches!(huge.check(), Err(Error::SizeOverflow(_))));
}

/// Bits of doubles with exponents near one another and near all limits.
fn doubles() -> impl Strategy<Value = f64> {
    let exponents = prop_oneof![Just(0u64), 0u64..70, 873u64..1160, 2040u64..2048, 1000u64..1060];
    let digits = prop_oneof![
        any::<u64>(),
        any::<u64>().prop_map(|d| d << 40),
        (0u64..64).prop_map(|k| 1 << k)
    ];
    (any::<bool>(), exponents, digits).prop_map(|(negative, exponent, digits)| {
        f64::from_bits(u64::from(negative) << 63 | exponent << 52 | digits & ((1 << 52) - 1))
    })
}

/// Integers of all lengths, among them halfway cases.
fn integers() -> impl Strategy<Value = i128> {
    let low = prop_oneof![Just(0i128), Just(1), Just(-1), any::<i64>().prop_map(i128::from)];
    (any::<i128>(), 0u32..128, 0u32..128, low)
        .prop_map(|(digits, up, down, low)| (digits >> down << up).wrapping_add(low))
}

fn extended() -> impl Strategy<Value = F80> {
    let exponents = prop_oneof![0u128..80, 16370u128..16400, 32760u128..32768];
    let digits = prop_oneof![any::<u64>(), (0u32..64).prop_map(|k| u64::MAX << k)];
    (any::<bool>(), exponents, digits).prop_map(|(negative, exponent, digits)| {
        let point = u128::from(exponent != 0) << 63;
        let digits = u128::from(digits) & !(1 << 63) | point;
        F80::from_bits(u128::from(negative) << 79 | exponent << 64 | digits)
    })
}

/// Equal bits, or NaN both.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn wider_formats_hold_doubles_exactly(value in doubles()) {
        prop_assert!(same(f64::from(F80::from(value)), value));
        prop_assert!(same(f64::from(F128::from(value)), value));
        if !value.is_nan() {
            prop_assert_eq!(F128::from(F80::from(value)), F128::from(value));
        }
    }

    #[test]
    fn rounding_is_that_of_the_hardware(value in doubles(), integer in integers()) {
        for single in [f32::from(F80::from(value)), f32::from(F128::from(value))] {
            prop_assert!(same(f64::from(single), f64::from(value as f32)));
            prop_assert!(same(f64::from(F80::from(single)), f64::from(single)));
            prop_assert!(same(f64::from(F128::from(single)), f64::from(single)));
        }
        prop_assert_eq!(F80::from(value).to_i128(), value as i128);
        prop_assert_eq!(F128::from(value).to_i128(), value as i128);
        // Integers that the formats hold exactly are rounded once.
        let (quad, extended) = (integer >> 15, integer >> 64);
        prop_assert_eq!(F128::from(quad).to_i128(), quad);
        prop_assert_eq!(f64::from(F128::from(quad)), quad as f64);
        prop_assert_eq!(f32::from(F128::from(quad)), quad as f32);
        prop_assert_eq!(F80::from(extended).to_i128(), extended);
        prop_assert_eq!(f64::from(F80::from(extended)), extended as f64);
        prop_assert_eq!(f32::from(F80::from(extended)), extended as f32);
    }

    #[test]
    fn sums_of_doubles_round_once(a in doubles(), b in doubles()) {
        // With more than twice the digits, rounding twice gives what rounding once gives (and where
        // doubles have fewer digits than usual, their sums are exact).
        let sum = f64::from(F128::from(a) + F128::from(b));
        prop_assert!(same(sum, a + b), "{} + {} = {} or {}", a, b, a + b, sum);
    }

    #[test]
    fn software_results_are_those_of_the_x87(a in extended(), b in extended()) {
        for (hard, soft) in [(a + b, a.soft_sum(b)), (a * b, a.soft_product(b))] {
            prop_assert!(hard.to_bits() == soft.to_bits() || (hard.is_nan() && soft.is_nan()));
        }
    }

    #[test]
    fn order_is_that_of_doubles(a in doubles(), b in doubles()) {
        prop_assert_eq!(F80::from(a).partial_cmp(&F80::from(b)), a.partial_cmp(&b));
        prop_assert_eq!(F128::from(a).partial_cmp(&F128::from(b)), a.partial_cmp(&b));
    }

    #[test]
    fn any_bytes_are_a_number(bits in any::<u128>()) {
        let (quad, extended) = (F128::from_bits(bits), F80::from_bits(bits));
        if !quad.is_nan() {
            prop_assert_eq!((quad + F128::from(-0.0)).to_bits(), bits);
        }
        if !extended.is_nan() {
            prop_assert_eq!(F80::from(F128::from(extended)), extended);
        }
    }
}
