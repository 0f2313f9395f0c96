//! Plans against a model that visits one element after the other in array element order.

use super::*;
use proptest::prelude::*;

/// An axis that owns its list.
#[derive(Clone, Debug)]
enum Subscript {
    Triplet { extent: usize, stride: i64 },
    Vector(Vec<i64>),
}

impl Subscript {
    fn axis(&self) -> Axis<'_> {
        match self {
            Subscript::Triplet { extent, stride } => {
                Axis::Stride { extent: *extent, stride: *stride }
            }
            Subscript::Vector(list) => Axis::Index(list),
        }
    }

    fn offsets(&self) -> Vec<i64> {
        match self {
            Subscript::Triplet { extent, stride } => {
                (0..*extent as i64).map(|k| k * stride).collect()
            }
            Subscript::Vector(list) => list.clone(),
        }
    }
}

/// A section of an array in a buffer.
#[derive(Clone, Debug)]
struct Section {
    base: i64,
    subscripts: Vec<Subscript>,
    /// Bytes of the array that it is a section of.
    array: i64,
}

impl Section {
    fn axes(&self) -> Vec<Axis<'_>> {
        self.subscripts.iter().map(Subscript::axis).collect()
    }

    /// Offsets of all elements from `base`, in array element order.
    fn offsets(&self) -> Vec<i64> {
        let mut all = vec![0];
        for subscript in &self.subscripts {
            let steps = subscript.offsets();
            all = steps.iter().flat_map(|step| all.iter().map(move |at| at + step)).collect();
        }
        all
    }

    fn touched(&self, size: usize) -> Range<i64> {
        let offsets = self.offsets();
        match (offsets.iter().min(), offsets.iter().max()) {
            (Some(low), Some(high)) => *low..*high + size as i64,
            _ => 0..0,
        }
    }
}

/// How one dimension is taken: (elements of the array beyond what is needed, step, kind).
type Choice = (usize, usize, u8, u64);

fn choice() -> impl Strategy<Value = Choice> {
    (0usize..3, prop_oneof![3 => Just(1usize), 1 => 2usize..4], 0u8..8, any::<u64>())
}

/// A section with these extents of an array of elements of `size` bytes that lie `pitch` apart.
fn section(size: i64, pitch: i64, extents: &[usize], choices: &[Choice]) -> Section {
    let mut stride = size + pitch;
    let mut made = Section { base: 0, subscripts: Vec::new(), array: 0 };
    for (&extent, &(spare, step, kind, seed)) in extents.iter().zip(choices) {
        let dimension = ((extent.max(1) - 1) * step + 1 + spare) as i64;
        let step = step as i64 * stride;
        let from = spare as i64 * stride;
        let last = extent.max(1) as i64 - 1;
        made.subscripts.push(match kind {
            0 | 1 => {
                made.base += from + last * step;
                Subscript::Triplet { extent, stride: -step }
            }
            2 => {
                let mut list: Vec<i64> = (0..extent as i64).map(|k| from + k * step).collect();
                for k in (1..list.len()).rev() {
                    list.swap(k, (seed >> (k % 60)) as usize % (k + 1));
                }
                Subscript::Vector(list)
            }
            _ => {
                made.base += from;
                Subscript::Triplet { extent, stride: step }
            }
        });
        stride *= dimension;
    }
    made.array = stride;
    made
}

#[derive(Clone, Debug)]
struct Case {
    size: usize,
    dst: Section,
    src: Section,
    /// Where the source's array starts relative to the destination's, if in the same memory.
    shared: Option<i64>,
}

fn case() -> impl Strategy<Value = Case> {
    let sizes = prop_oneof![
        4 => prop_oneof![Just(1usize), Just(2), Just(4), Just(8), Just(16)],
        1 => 1usize..80
    ];
    let extents = proptest::collection::vec(
        prop_oneof![6 => 2usize..5, 2 => Just(1usize), 1 => Just(0usize), 1 => 5usize..20],
        0..5,
    );
    (sizes, extents)
        .prop_flat_map(|(size, extents)| {
            let choices = || proptest::collection::vec(choice(), extents.len());
            let pitch = || prop_oneof![4 => Just(0i64), 1 => 0i64..20];
            let scalar = prop_oneof![5 => Just(false), 1 => Just(true)];
            let shared = proptest::option::of(-64i64..64);
            (Just((size, extents.clone())), choices(), choices(), pitch(), pitch(), scalar, shared)
        })
        .prop_map(|((size, extents), dst, src, dst_pitch, src_pitch, scalar, shared)| {
            let source = if scalar { &[][..] } else { &extents[..] };
            Case {
                size,
                dst: section(size as i64, dst_pitch, &extents, &dst),
                src: section(size as i64, src_pitch, source, &src),
                shared,
            }
        })
}

/// Memory with recognisable content, and where the arrays of both sides start in it.
fn memory(case: &Case) -> (Vec<u8>, usize, usize) {
    let (dst, src) = match case.shared {
        Some(ahead) => (64, (64 + ahead) as usize),
        None => (64, 128 + case.dst.array as usize),
    };
    let len = 256 + dst + src + (case.dst.array + case.src.array) as usize;
    let content = (0..len).map(|k| (k * 7 + k / 251) as u8).collect();
    (content, dst + case.dst.base as usize, src + case.src.base as usize)
}

/// The assignment, right-hand side first.
fn assign(case: &Case, memory: &mut [u8], dst: usize, src: usize) {
    let at = |base: usize, offset: i64| (base as i64 + offset) as usize;
    let values: Vec<Vec<u8>> = case
        .src
        .offsets()
        .iter()
        .map(|&offset| memory[at(src, offset)..][..case.size].to_vec())
        .collect();
    for (k, &offset) in case.dst.offsets().iter().enumerate() {
        memory[at(dst, offset)..][..case.size].copy_from_slice(&values[k % values.len()]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_copy_is_the_assignment(case in case()) {
        let (mut expected, dst, src) = memory(&case);
        let mut got = expected.clone();
        assign(&case, &mut expected, dst, src);

        let (to, from) = (case.dst.axes(), case.src.axes());
        let plan = Plan::copy(case.size, &to, &from).unwrap();
        prop_assert_eq!(plan.elements(), case.dst.offsets().len());
        prop_assert_eq!(plan.dst_bytes(), case.dst.touched(case.size));
        if plan.elements() > 0 {
            prop_assert_eq!(plan.src_bytes(), case.src.touched(case.size));
        }
        let base = got.as_mut_ptr();
        // SAFETY: the arrays of both sides, and so their sections, lie within the memory.
        unsafe { plan.execute(base.add(dst), base.add(src)).unwrap() };
        prop_assert_eq!(got, expected);
    }

    #[test]
    fn rows_visit_every_element(case in case()) {
        let (mut expected, dst, src) = memory(&case);
        let mut got = expected.clone();
        assign(&case, &mut expected, dst, src);

        let (to, from) = (case.dst.axes(), case.src.axes());
        let plan = Plan::elementwise(case.size, case.size, &to, &from).unwrap();
        let base = got.as_mut_ptr();
        let copy = |row: Row| for k in 0..row.extent as isize {
            let (to, from) = (row.dst.wrapping_offset(k * row.dst_stride), row.src);
            // SAFETY: rows lie within what the plan reports, which is within the memory.
            unsafe { from.wrapping_offset(k * row.src_stride).copy_to(to, case.size) };
        };
        // SAFETY: the arrays of both sides, and so their sections, lie within the memory.
        unsafe { plan.for_each_row(base.add(dst), base.add(src), copy).unwrap() };
        prop_assert_eq!(got, expected);
    }

    #[test]
    fn unpack_undoes_pack(case in case()) {
        let (content, dst, _) = memory(&case);
        let axes = case.dst.axes();
        let offsets = case.dst.offsets();
        let mut packed = vec![0u8; offsets.len() * case.size];
        let mut again = vec![0u8; content.len()];
        // SAFETY: the section lies within the memory, and `packed` has room for all its elements.
        unsafe {
            let pack = Plan::pack(case.size, &axes).unwrap();
            pack.execute(packed.as_mut_ptr(), content.as_ptr().add(dst)).unwrap();
            let unpack = Plan::unpack(case.size, &axes).unwrap();
            unpack.execute(again.as_mut_ptr().add(dst), packed.as_ptr()).unwrap();
        }
        for (k, offset) in offsets.iter().enumerate() {
            let at = (dst as i64 + offset) as usize;
            prop_assert_eq!(&packed[k * case.size..][..case.size], &content[at..][..case.size]);
            prop_assert_eq!(&again[at..][..case.size], &content[at..][..case.size]);
        }
    }

    #[test]
    fn no_overlap_is_certain(case in case()) {
        let (to, from) = (case.dst.axes(), case.src.axes());
        let plan = Plan::copy(case.size, &to, &from).unwrap();
        let (_, dst, src) = memory(&case);
        let bytes = |base: usize, section: &Section| -> std::collections::HashSet<i64> {
            let offsets = section.offsets().into_iter();
            offsets.flat_map(|at| (0..case.size as i64).map(move |b| base as i64 + at + b)).collect()
        };
        let common = !bytes(dst, &case.dst).is_disjoint(&bytes(src, &case.src));
        if plan.elements() > 0 && common {
            prop_assert!(plan.overlaps(dst, src));
        }
        let strides = |dim: &Dim| matches!((dim.dst, dim.src), (Step::Stride(to), Step::Stride(from)) if to == from);
        if plan.overlaps(dst, src) && plan.dims.len() == 1 && plan.dims.iter().all(strides) {
            // One loop with one stride on both sides is decided exactly.
            prop_assert!(common);
        }
    }
}

fn stride(extent: usize, stride: i64) -> Axis<'static> {
    Axis::Stride { extent, stride }
}

#[test]
fn dimensions_merge() {
    let whole = [stride(10, 8), stride(20, 80), stride(3, 1600)];
    let plan = Plan::copy(8, &whole, &whole).unwrap();
    assert_eq!((plan.dims.len(), plan.dst.unit), (0, 4800));

    // Rows of 10 out of 12: what is contiguous on one side only is N_L or N_R.
    let rows = [stride(10, 8), stride(20, 96), stride(3, 1920)];
    let plan = Plan::copy(8, &whole, &rows).unwrap();
    assert_eq!((plan.dims.len(), plan.dst.unit), (1, 80));
    assert_eq!((plan.dst_contiguous(), plan.src_contiguous()), (4800, 80));

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
        assert_eq!((plan.dst_contiguous(), plan.src_contiguous()), (0, 0));
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
