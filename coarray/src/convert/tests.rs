//! Conversions against what Fortran's assignment does.

use super::*;
use crate::plan::{Axis, Plan};
use proptest::prelude::*;
use xmp_core::number::{F80, F128};

const INTEGERS: [ElemType; 5] = [
    ElemType::Integer(1),
    ElemType::Integer(2),
    ElemType::Integer(4),
    ElemType::Integer(8),
    ElemType::Integer(16),
];
const REALS: [ElemType; 4] =
    [ElemType::Real(4), ElemType::Real(8), ElemType::Real(10), ElemType::Real(16)];
const COMPLEXES: [ElemType; 4] =
    [ElemType::Complex(4), ElemType::Complex(8), ElemType::Complex(10), ElemType::Complex(16)];

fn numbers() -> impl Iterator<Item = ElemType> {
    INTEGERS.into_iter().chain(REALS).chain(COMPLEXES)
}

/// Bytes of an element with this real part, which it can hold, and this imaginary part if it has one.
fn element(of: ElemType, re: f64, im: f64) -> Vec<u8> {
    let part = |kind: u8, value: f64| match kind {
        4 => (value as f32).to_ne_bytes().to_vec(),
        8 => value.to_ne_bytes().to_vec(),
        10 => F80::from(value).to_bits().to_ne_bytes().to_vec(),
        _ => F128::from(value).to_bits().to_ne_bytes().to_vec(),
    };
    match of {
        ElemType::Integer(kind) => (re as i128).to_ne_bytes()[..usize::from(kind)].to_vec(),
        ElemType::Real(kind) => part(kind, re),
        ElemType::Complex(kind) => [part(kind, re), part(kind, im)].concat(),
        _ => panic!("{of} is no number"),
    }
}

/// One element converted, at addresses without any alignment.
fn converted(from: ElemType, to: ElemType, bytes: &[u8]) -> Vec<u8> {
    let converter = Converter::new(from, to).unwrap();
    assert_eq!((converter.from_size(), converter.to_size()), (bytes.len(), to.size()));
    let source = [&[0xee], bytes].concat();
    let mut result = vec![0xdd; to.size() + 2];
    // SAFETY: both have an element after their first byte.
    unsafe { converter.convert(result.as_mut_ptr().add(1), source.as_ptr().add(1)) };
    assert_eq!((result[0], result.pop()), (0xdd, Some(0xdd)));
    result.split_off(1)
}

fn real16(value: F128, to: ElemType) -> Vec<u8> {
    converted(ElemType::Real(16), to, &value.to_bits().to_ne_bytes())
}

#[test]
fn small_numbers_survive_all_conversions() {
    for (re, im) in [(0.0, 0.0), (1.0, 2.0), (-3.0, 0.5), (127.0, -1.0), (-128.0, 1.0)] {
        for from in numbers() {
            for to in numbers() {
                let im = if matches!(from, ElemType::Complex(_)) { im } else { 0.0 };
                let got = converted(from, to, &element(from, re, im));
                assert_eq!(got, element(to, re, im), "{from} to {to}: ({re}, {im})");
            }
        }
    }
}

#[test]
fn reals_lose_their_fraction() {
    for from in REALS.into_iter().chain(COMPLEXES) {
        for to in INTEGERS {
            for (value, integer) in [(2.75, 2.0), (-2.75, -2.0), (0.5, 0.0), (-0.99, 0.0)] {
                let got = converted(from, to, &element(from, value, 1.0));
                assert_eq!(got, element(to, integer, 0.0), "{from} to {to}: {value}");
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_as_documented() {
    for from in REALS {
        for to in INTEGERS {
            let most = i128::MAX >> (128 - 8 * to.size());
            let bytes = |value: i128| value.to_ne_bytes()[..to.size()].to_vec();
            for (value, integer) in [
                (f64::INFINITY, most),
                (f64::NEG_INFINITY, -most - 1),
                (100f64.exp2(), most.min(1 << 100)),
                (f64::NAN, 0),
            ] {
                let got = converted(from, to, &element(from, value, 0.0));
                assert_eq!(got, bytes(integer), "{from} to {to}: {value}");
            }
        }
        let got = converted(ElemType::Real(16), from, &element(ElemType::Real(16), 1e300, 0.0));
        let infinite = if from == ElemType::Real(4) { f64::INFINITY } else { 1e300 };
        assert_eq!(got, element(from, infinite, 0.0));
    }
    let got = converted(ElemType::Integer(4), ElemType::Integer(1), &300i32.to_ne_bytes());
    assert_eq!(got, [44]);
}

/// Values that gfortran converts in just this way.
#[test]
fn rounding_is_to_nearest_even() {
    // 1 + 2^-24 is halfway between two singles; a bit more does not.
    let half = F128::from(1.0) + F128::from((-24f64).exp2());
    assert_eq!(real16(half, ElemType::Real(4)), 1f32.to_ne_bytes());
    let more = half + F128::from((-110f64).exp2());
    assert_eq!(real16(more, ElemType::Real(4)), 1.0000001f32.to_ne_bytes());
    // Through a double that would be lost.
    assert_eq!(real16(more, ElemType::Real(8)), (1.0 + (-24f64).exp2()).to_ne_bytes());
    let integer = (1i64 << 53) + 1;
    let got = converted(ElemType::Integer(8), ElemType::Real(8), &integer.to_ne_bytes());
    assert_eq!(got, ((1u64 << 53) as f64).to_ne_bytes());
    let got = converted(ElemType::Integer(8), ElemType::Real(10), &integer.to_ne_bytes());
    let exact = F80::from((1u64 << 53) as f64) + F80::from(1.0);
    assert_eq!(got, exact.to_bits().to_ne_bytes());
}

#[test]
fn logicals_keep_their_truth() {
    for from in [1u8, 2, 4, 8, 16] {
        for to in [1u8, 2, 4, 8, 16] {
            let (size, last) = (usize::from(from), usize::from(from) - 1);
            let mut value = vec![0; size];
            let mut expected = vec![0; usize::from(to)];
            let types = (ElemType::Logical(from), ElemType::Logical(to));
            assert_eq!(converted(types.0, types.1, &value), expected);
            value[last] = 0x80;
            if from != to {
                expected[..1].copy_from_slice(&1u16.to_le_bytes()[..1]);
                assert_eq!(converted(types.0, types.1, &value), expected);
            }
        }
    }
}

#[test]
fn strings_are_cut_and_padded() {
    let string = |kind, len| ElemType::Character { kind, len };
    let wide = |text: &str| text.chars().flat_map(|c| (c as u32).to_ne_bytes()).collect::<Vec<_>>();
    for (from, to, expected) in
        [("abc", 5, "abc  "), ("abc", 2, "ab"), ("", 3, "   "), ("abc", 0, "")]
    {
        let narrow = from.as_bytes();
        let n = narrow.len();
        assert_eq!(converted(string(1, n), string(1, to), narrow), expected.as_bytes());
        assert_eq!(converted(string(1, n), string(4, to), narrow), wide(expected));
        assert_eq!(converted(string(4, n), string(1, to), &wide(from)), expected.as_bytes());
        assert_eq!(converted(string(4, n), string(4, to), &wide(from)), wide(expected));
    }
    assert_eq!(converted(string(4, 3), string(1, 3), &wide("\u{e9}\u{20ac}x")), b"\xe9?x");
}

#[test]
fn what_fortran_does_not_convert_is_refused() {
    let string = ElemType::Character { kind: 1, len: 4 };
    for (from, to) in [
        (ElemType::Integer(4), ElemType::Logical(4)),
        (ElemType::Logical(4), ElemType::Real(4)),
        (string, ElemType::Integer(4)),
        (ElemType::Bytes(4), string),
        (ElemType::Bytes(8), ElemType::Bytes(16)),
        (ElemType::Real(5), ElemType::Real(8)),
        (ElemType::Real(8), ElemType::Integer(3)),
    ] {
        assert!(matches!(Converter::new(from, to), Err(Error::Invalid(_))), "{from} to {to}");
    }
    let text = Converter::new(string, ElemType::Real(8)).unwrap_err().to_string();
    assert!(text.starts_with("character(4, kind=1) cannot be assigned to real(8)"), "{text}");
    for same in [ElemType::Bytes(24), string, ElemType::Real(10), ElemType::Logical(2)] {
        assert!(matches!(Converter::new(same, same).unwrap().method, Method::Copy));
    }
}

/// A whole transfer with conversion: every second element reversed, into every third; then a scalar.
#[test]
fn sections_are_converted_along_a_plan() {
    for from in numbers() {
        for to in numbers() {
            let (f, t) = (from.size(), to.size());
            let source: Vec<u8> = (0..20).flat_map(|k| element(from, f64::from(k), 0.0)).collect();
            let converter = Converter::new(from, to).unwrap();
            let dst = [Axis::Stride { extent: 5, stride: 3 * t as i64 }];
            let src = [Axis::Stride { extent: 5, stride: -2 * f as i64 }];
            for scalar in [false, true] {
                let src = if scalar { &[][..] } else { &src };
                let plan = Plan::elementwise(t, f, &dst, src).unwrap();
                let mut got = vec![0xee; 15 * t];
                // SAFETY: elements 0, 3 .. 12 of 15, and 12, 10 .. 4 of 20 or only 12; converting
                // touches nothing beyond the elements of a row.
                unsafe {
                    let start = source.as_ptr().add(12 * f);
                    let convert = |row| converter.convert_row(row);
                    plan.for_each_row(got.as_mut_ptr(), start, convert).unwrap();
                }
                for (k, bytes) in got.chunks(t).enumerate() {
                    let value = if scalar { 12 } else { 12 - 2 * (k as i32 / 3) };
                    let expected = element(to, f64::from(value), 0.0);
                    let untouched = vec![0xee; t];
                    let expected = if k % 3 == 0 { expected } else { untouched };
                    assert_eq!(bytes, expected, "{from} to {to}, element {k}");
                }
            }
        }
    }
}

#[test]
fn elements_may_be_converted_where_they_lie() {
    let mut memory: Vec<u8> = (0..10).flat_map(|k| (k as f32).to_ne_bytes()).collect();
    memory.resize(80, 0);
    let converter = Converter::new(ElemType::Real(4), ElemType::Real(8)).unwrap();
    let axis = |stride| [Axis::Stride { extent: 10, stride }];
    let plan = Plan::elementwise(8, 4, &axis(8), &axis(4)).unwrap();
    let base = memory.as_mut_ptr();
    // SAFETY: ten elements fit in either size.
    unsafe { plan.for_each_row(base, base, |row| converter.convert_row(row)).unwrap() };
    let expected: Vec<u8> = (0..10).flat_map(|k| f64::from(k).to_ne_bytes()).collect();
    assert_eq!(memory, expected);
}

/// Rows of natively known numbers, contiguous and not, against `as`.
macro_rules! rows_against_as {
    ($values:ident; $($from:ty: $from_type:expr),*; $to:tt) => {
        $( rows_against_as!(@ $values; $from, $from_type; $to); )*
    };
    (@ $values:ident; $from:ty, $from_type:expr; [$($to:ty: $to_type:expr),*]) => { $({
        let source: Vec<$from> = $values.iter().map(|&v| v as $from).collect();
        let converter = Converter::new($from_type, $to_type).unwrap();
        let n = source.len();
        for step in [1, 2] {
            let mut got = vec![0 as $to; n];
            let row = Row {
                dst: got.as_mut_ptr().cast(),
                dst_stride: step * size_of::<$to>() as isize,
                src: source.as_ptr().cast(),
                src_stride: step * size_of::<$from>() as isize,
                extent: n / step as usize,
            };
            // SAFETY: every element, or every second one, of buffers of n elements.
            unsafe { converter.convert_row(row) };
            for k in 0..n / step as usize {
                let at = k * step as usize;
                let (got, expected) = (got[at], source[at] as $to);
                prop_assert!(got == expected || (got != got && expected != expected));
            }
        }
    })* };
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_converted_as_rust_does(
        values in proptest::collection::vec(prop_oneof![any::<f64>(), -300.0..300.0], 0..40),
    ) {
        rows_against_as!(
            values;
            i8: ElemType::Integer(1), i16: ElemType::Integer(2), i32: ElemType::Integer(4),
            i64: ElemType::Integer(8), i128: ElemType::Integer(16), f32: ElemType::Real(4),
            f64: ElemType::Real(8);
            [i8: ElemType::Integer(1), i16: ElemType::Integer(2), i32: ElemType::Integer(4),
            i64: ElemType::Integer(8), i128: ElemType::Integer(16), f32: ElemType::Real(4),
            f64: ElemType::Real(8)]
        );
    }

    #[test]
    fn wide_reals_hold_narrower_numbers(value in any::<f64>(), integer in any::<i64>()) {
        for wide in [ElemType::Real(10), ElemType::Real(16)] {
            let there = converted(ElemType::Real(8), wide, &value.to_ne_bytes());
            let back = converted(wide, ElemType::Real(8), &there);
            prop_assert!(value.is_nan() || back == value.to_ne_bytes());
            let there = converted(ElemType::Integer(8), wide, &integer.to_ne_bytes());
            let back = converted(wide, ElemType::Integer(8), &there);
            prop_assert_eq!(back, integer.to_ne_bytes());
        }
    }
}
