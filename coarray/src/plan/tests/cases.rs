//! Single plans: what merges, what is refused, what is left out.

use super::super::*;

fn stride(extent: usize, stride: i64) -> Axis<'static> {
    Axis::Stride { extent, stride }
}

#[test]
fn dimensions_merge() {
    let whole = [stride(10, 8), stride(20, 80), stride(3, 1600)];
    let plan = Plan::copy(8, &whole, &whole).unwrap();
    assert_eq!((plan.dims.len(), plan.dst.unit), (0, 4800));

    // Rows of 10 out of 12.
    let rows = [stride(10, 8), stride(20, 96), stride(3, 1920)];
    let plan = Plan::copy(8, &whole, &rows).unwrap();
    assert_eq!((plan.dims.len(), plan.dst.unit), (1, 80));

    // Reversed on both sides.
    let back = [stride(10, -8), stride(20, -80)];
    let plan = Plan::copy(8, &back, &back).unwrap();
    assert_eq!((plan.dims.len(), plan.dst.unit, plan.dst.start), (0, 1600, -1592));
    assert_eq!(plan.dst_bytes(), -1592..8);

    // A scalar fills a whole array in one loop.
    let plan = Plan::copy(8, &whole, &[]).unwrap();
    assert_eq!((plan.dims.len(), plan.dims[0].extent), (1, 600));

    // Dimensions in another order, and one of a single element.
    let mixed = [stride(20, 80), stride(1, 1 << 40), stride(10, 8)];
    let plan = Plan::copy(8, &mixed, &mixed).unwrap();
    assert_eq!((plan.dims.len(), plan.dst.unit), (0, 1600));

    // A vector subscript that is a triplet in disguise.
    let list: Vec<i64> = (0..10).map(|k| 72 - 8 * k).collect();
    let plan = Plan::copy(8, &[Axis::Index(&list)], &[Axis::Index(&list)]).unwrap();
    assert_eq!((plan.dims.len(), plan.dst.unit), (0, 80));
}

#[test]
fn fifteen_dimensions() {
    let section = |size: i64, gap: i64| {
        let axes: Vec<_> = (0..15).map(|d| stride(2, (size + gap) << d)).collect();
        axes
    };
    let (to, from) = (section(1, 0), section(1, 1));
    let plan = Plan::copy(1, &to, &from).unwrap();
    assert_eq!((plan.dims.len(), plan.elements()), (1, 1 << 15));
    let reversed: Vec<_> = from.iter().rev().copied().collect();
    let plan = Plan::copy(1, &to, &reversed).unwrap();
    assert_eq!(plan.dims.len(), 15);
    let source: Vec<u8> = (0..1 << 16).map(|k: u32| (k >> 3) as u8).collect();
    let mut got = vec![0; 1 << 15];
    // SAFETY: the sections cover exactly these buffers.
    unsafe { plan.execute(got.as_mut_ptr(), source.as_ptr()).unwrap() };
    for (k, &byte) in got.iter().enumerate() {
        let from = (k as u16).reverse_bits();
        assert_eq!(byte, source[from as usize], "element {k}");
    }
}

#[test]
fn nothing_to_do_touches_nothing() {
    for (to, from) in [
        (vec![stride(0, 8)], vec![stride(0, -8)]),
        (vec![stride(0, 8)], vec![]),
        (vec![stride(4, 8), stride(0, 8)], vec![stride(0, 8), stride(7, 8)]),
        (vec![stride(usize::MAX, i64::MAX), Axis::Index(&[])], vec![]),
    ] {
        let plan = Plan::copy(8, &to, &from).unwrap();
        assert_eq!((plan.elements(), plan.dst_bytes(), plan.src_bytes()), (0, 0..0, 0..0));
        // SAFETY: nothing is accessed.
        unsafe { plan.execute(std::ptr::null_mut(), std::ptr::null()).unwrap() };
    }
    let plan = Plan::copy(0, &[stride(4, 0)], &[stride(4, 0)]).unwrap();
    assert_eq!(plan.elements(), 0);
}

#[test]
fn wrong_shapes_and_overflows_are_refused() {
    let invalid = |to: &[Axis], from: &[Axis]| match Plan::copy(8, to, from) {
        Err(Error::Invalid(text)) => text,
        other => panic!("{other:?}"),
    };
    let text = invalid(&[stride(3, 8), stride(2, 24)], &[stride(3, 8), stride(4, 24)]);
    assert_eq!(text, "the shapes do not conform: (3,2) at the destination, (3,4) at the source");
    invalid(&[stride(3, 8)], &[stride(3, 8), stride(2, 24)]);
    invalid(&[stride(3, 8), stride(2, 24)], &[stride(3, 8)]);
    invalid(&[stride(3, 8)], &[stride(1, 8)]);
    invalid(&[stride(0, 8)], &[stride(3, 8)]);
    invalid(&[stride(3, 8)], &[stride(0, 8)]);
    invalid(&[], &[stride(2, 8)]);
    assert!(invalid(&[stride(3, 0)], &[]).contains("coincide"));
    for apart in [4, -7] {
        let text = invalid(&[stride(2, 64), stride(3, apart)], &[]);
        assert!(
            text.contains("the 3 elements of a dimension of the destination overlap"),
            "{text}"
        );
    }
    assert!(Plan::copy(8, &[stride(3, -8)], &[stride(3, 4)]).is_ok());

    let far = i64::MAX / 2;
    for (to, from) in [
        (vec![stride(usize::MAX, 8), stride(2, 8)], vec![]),
        (vec![stride(1 << 62, 8)], vec![]),
        (vec![stride(1 << 60, 1 << 10)], vec![]),
        (vec![stride(4, far)], vec![]),
        (vec![stride(2, i64::MAX)], vec![]),
        (vec![stride(2, i64::MIN)], vec![]),
        (vec![stride(2, far), stride(2, far), stride(2, far)], vec![]),
        (vec![stride(2, -far - 9), stride(2, far)], vec![]),
        (vec![stride(2, 8)], vec![stride(2, i64::MIN)]),
        (vec![Axis::Index(&[i64::MIN, i64::MAX, 0])], vec![]),
        (vec![Axis::Index(&[far]), Axis::Index(&[far, 8]), stride(2, 8)], vec![stride(2, 8); 2]),
    ] {
        let made = Plan::copy(8, &to, &from);
        assert!(matches!(made, Err(Error::SizeOverflow(_))), "{to:?} {made:?}");
    }
}

#[test]
fn interleaved_sections_need_no_temporary() {
    let every_second = [stride(10, 16)];
    let plan = Plan::copy(8, &every_second, &every_second).unwrap();
    assert!(!plan.overlaps(0, 8));
    assert!(!plan.overlaps(8, 0));
    assert!(plan.overlaps(0, 16));
    assert!(plan.overlaps(0, 4));
    assert!(!plan.overlaps(0, 160));
    assert!(!plan.overlaps(1000, 0));
}

#[test]
fn blocks_of_any_length() {
    for len in 0..70 {
        let source: Vec<u8> = (0..len as u8).collect();
        let mut got = vec![0; len];
        // SAFETY: both have `len` bytes.
        unsafe { copy_block(got.as_mut_ptr(), source.as_ptr(), len) };
        assert_eq!(got, source);
    }
}
