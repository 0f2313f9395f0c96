//! Plans against a model that visits one element after the other in array element order.

use super::super::shape::Dim;
use super::super::*;
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

/// A section with these extents of an array of elements of `size` bytes that are `pitch` apart.
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
        // SAFETY: the arrays of both sides, and so their sections, are within the memory.
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
            // SAFETY: rows are within what the plan reports, which is within the memory.
            unsafe { from.wrapping_offset(k * row.src_stride).copy_to(to, case.size) };
        };
        // SAFETY: the arrays of both sides, and so their sections, are within the memory.
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
        // SAFETY: the section is within the memory, and `packed` has room for all its elements.
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
