use super::*;
use crate::global::distribution::{Format, tests::owners as dealt};
use crate::global::nodes::{Kind, Size};
use crate::global::template::Template;
use crate::members::Members;
use proptest::prelude::*;
use std::collections::HashMap;

/// What a random array is made of, and the owner of each of its template indices.
#[derive(Clone, Debug)]
pub(in crate::global) struct Case {
    pub(in crate::global) array: Rc<Array>,
    formats: Vec<Format>,
}

/// Arrays of 1 to 3 dimensions over at most `images` images, with everything that can be.
pub(in crate::global) fn any_array(images: usize) -> impl Strategy<Value = Case> {
    let dims = prop::collection::vec(
        (1i64..14, -5i64..6, -3i64..4, 0i64..3, 0i64..3, 0usize..7, 0usize..6, 0i64..1000),
        1..4,
    );
    (dims, prop::collection::vec(1usize..5, 3), any::<[bool; 4]>(), 0i64..8)
        .prop_map(move |(dims, shape, flags, at)| build(images, &dims, &shape, flags, at))
}

type DimDice = (i64, i64, i64, i64, i64, usize, usize, i64);

fn build(
    images: usize,
    dims: &[DimDice],
    shape: &[usize],
    [c, reversed, extra, fixed]: [bool; 4],
    at: i64,
) -> Case {
    let order = if c { Order::C } else { Order::Fortran };
    // As many dimensions of nodes as are distributed, and perhaps one more.
    let spread = dims.iter().filter(|dice| dice.5 < 5).count() + usize::from(extra);
    let mut left = images;
    let mut sizes = Vec::new();
    for k in 0..spread.max(1) {
        let size = shape[k % 3].min(left);
        left /= size;
        sizes.push(size);
    }
    let all: Vec<Rank> = (0..images as u32).map(Rank::new).collect();
    let ranks: Vec<Rank> = if reversed { all.into_iter().rev().collect() } else { all };
    let sizes_of_nodes: Vec<Size> = sizes.iter().map(|&size| Size::Nodes(size)).collect();
    let set = Members::from_list(&ranks).unwrap();
    let nodes = Rc::new(Nodes::new(&sizes_of_nodes, order, Kind::Entire, &set).unwrap());
    let (mut bounds, mut formats, mut aligns) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = 0;
    for &(extent, lower, offset, before, after, kind, shadow, dice) in dims {
        let (extra_before, extra_behind) = (dice % 3, dice / 3 % 3);
        let of_template = extent + extra_before + extra_behind;
        let over = if kind < 5 { sizes[next] } else { 1 };
        let least = (of_template - 1) / over as i64 + 1;
        let format = match kind {
            0 => Format::Block,
            1 => Format::BlockOf(least + dice % 4),
            2 => Format::Cyclic,
            3 => Format::CyclicOf(1 + dice % 5),
            4 => {
                let cut = |k: usize| of_template * k as i64 * (dice % 7 + 1) / over as i64 / 7;
                let cuts: Vec<i64> = (0..over).map(cut).chain([of_template]).collect();
                Format::Gblock(cuts.windows(2).map(|pair| pair[1] - pair[0]).collect())
            }
            _ => Format::Collapsed,
        };
        next += usize::from(kind < 5);
        let template_lower = lower + offset - extra_before;
        let axis = bounds.len();
        bounds.push((template_lower, template_lower + of_template - 1));
        let shadow = match (shadow, kind) {
            (0, _) => Shadow::Full,
            (1 | 2, 0 | 1 | 4..) => Shadow::Widths { lower: before, upper: after },
            _ => Shadow::NONE,
        };
        // A dimension that is not aligned at all is as one that is not distributed.
        let upper = lower + extent - 1;
        let align = match (kind, dice % 2) {
            (6, 0) => Align::collapsed(lower, upper),
            _ => Align::with(lower, upper, axis, offset),
        };
        aligns.push(align.shadow(shadow));
        formats.push(format);
    }
    // One more dimension of the template, which the array is not aligned with.
    let mut fixed_at = Vec::new();
    let mut extra_format = Vec::new();
    if extra {
        bounds.push((0, 7));
        extra_format.push(Format::Cyclic);
        if fixed {
            fixed_at.push((bounds.len() - 1, at));
        }
    }
    let mut template = Template::fixed(&bounds).unwrap();
    template.distribute([&formats[..], &extra_format[..]].concat(), nodes).unwrap();
    let distribution = template.distribution().unwrap().clone();
    let array = Rc::new(Array::new(distribution, &aligns, &fixed_at, order).unwrap());
    Case { array, formats }
}

/// All indices of an array.
fn indices(array: &Array) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for dim in array.dims() {
        let with = |head: &Vec<i64>, index| [&head[..], &[index]].concat();
        all = all
            .iter()
            .flat_map(|head| (dim.lower..=dim.upper).map(move |index| with(head, index)))
            .collect();
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn elements_have_owners_and_places(case in any_array(12)) {
        let array = &case.array;
        let all = indices(array);
        // Places are different, inside, and in order.
        let mut used: HashMap<(Rank, i64), Vec<i64>> = HashMap::new();
        for index in &all {
            let owners = array.owners(index);
            for position in 0..array.nodes().len() {
                let coords = array.nodes().coords_at(position);
                let place = array.place(&coords, index);
                prop_assert_eq!(place.is_some(), owners.contains(&coords));
                let Some(place) = place else { continue };
                prop_assert!(place >= 0 && place < array.stored_len(&coords).unwrap());
                let before = used.insert((array.nodes().rank(&coords), place), index.clone());
                prop_assert_eq!(before, None);
            }
            // By dealing out.
            for (dim, format) in case.formats.iter().enumerate() {
                let align = array.dims()[dim];
                let (Some(axis), Some(over)) = (align.axis, array.node_dim(dim)) else { continue };
                let axis = &array.distribution().axes()[axis];
                let nodes = array.nodes().shape()[over];
                let distance = index[dim] + align.offset - axis.lower();
                let owner = dealt(axis.extent(), format, nodes)[distance as usize];
                prop_assert!(owners.iter().all(|coords| coords[over] == owner));
            }
        }
    }

    #[test]
    fn local_and_global_indices_are_inverse(case in any_array(12)) {
        let array = &case.array;
        for dim in 0..array.dims().len() {
            let align = array.dims()[dim];
            let mut owned_by_all = 0;
            for part in 0..array.parts(dim) {
                let owned = array.owned(dim, part);
                let mut count = 0;
                for index in align.lower - 3..=align.upper + 3 {
                    let is_owned = owned.iter().any(|runs| runs.contains(index));
                    let local = array.local(dim, part, index);
                    prop_assert_eq!(local.is_some(), is_owned);
                    if let Some(local) = local {
                        prop_assert_eq!(array.global(dim, part, local), index);
                        prop_assert_eq!(array.local_with_shadow(dim, part, index), Some(local));
                        if let Shadow::Widths { lower, .. } = align.shadow {
                            prop_assert_eq!(local, lower + count, "densely, in order");
                        }
                        count += 1;
                    } else if let Some(local) = array.local_with_shadow(dim, part, index) {
                        prop_assert!((0..array.stored(dim, part)).contains(&local));
                        prop_assert_eq!(array.global(dim, part, local), index);
                    }
                }
                prop_assert_eq!(count, array.count(dim, part));
                owned_by_all += count;
            }
            prop_assert_eq!(owned_by_all, align.extent());
        }
    }
}

#[test]
fn bad_alignments_are_named() {
    let all = Members::all(4);
    let sizes = [Size::Nodes(2), Size::Nodes(2)];
    let nodes = Rc::new(Nodes::new(&sizes, Order::Fortran, Kind::Entire, &all).unwrap());
    let mut template = Template::fixed(&[(1, 10), (1, 10)]).unwrap();
    template.distribute(vec![Format::Block, Format::Cyclic], nodes).unwrap();
    let text = |dims: &[Align], at: &[(usize, i64)]| {
        let distribution = template.distribution().unwrap().clone();
        Array::new(distribution, dims, at, Order::Fortran).unwrap_err().of("array a").to_string()
    };
    assert_eq!(
        text(&[Align::with(1, 10, 0, 0), Align::with(0, 9, 1, 2)], &[]),
        "array a: dimension 2: indices 0:9 are aligned with 2:11 of a template dimension 1:10"
    );
    assert_eq!(
        text(&[Align::with(1, 10, 0, 0), Align::with(1, 10, 0, 0)], &[]),
        "array a: dimension 2: template dimension 1 is used twice"
    );
    assert_eq!(
        text(&[Align::with(1, 10, 2, 0)], &[]),
        "array a: dimension 1: there is no template dimension 3"
    );
    assert_eq!(
        text(&[Align::with(3, 2, 0, 0)], &[]),
        "array a: dimension 1: bounds 3:2 have no index"
    );
    assert_eq!(
        text(&[Align::with(1, 10, 0, 0)], &[(1, 11)]),
        "array a: dimension 2: 11:11 is not within 1:10"
    );
    assert_eq!(
        text(&[Align::with(1, 10, 0, 0)], &[(0, 1)]),
        "array a: dimension 1: of the template is used twice"
    );
    assert_eq!(text(&[], &[]), "array a: 0 extents for 1 dimension");
    let shadow = Shadow::Widths { lower: 1, upper: 1 };
    assert_eq!(
        text(&[Align::with(1, 10, 1, 0).shadow(shadow)], &[]),
        "array a: dimension 1: a shadow of 1:1 around cyclic blocks; only a full shadow can be there"
    );
    let shadow = Shadow::Widths { lower: -1, upper: 1 };
    assert_eq!(
        text(&[Align::with(1, 10, 0, 0).shadow(shadow)], &[]),
        "array a: dimension 1: a shadow of -1:1"
    );
    assert_eq!(
        text(&[Align::with(i64::MAX - 1, i64::MAX, 0, 5)], &[]),
        format!(
            "array a: dimension 1: indices {}:{m} are aligned with {m}:{m} of a template dimension 1:10",
            i64::MAX - 1,
            m = i64::MAX
        )
    );
    // The sum of these wraps to less than what is owned.
    let shadow = Shadow::Widths { lower: i64::MAX, upper: i64::MAX };
    for dim in [Align::with(1, 10, 0, 0), Align::collapsed(1, 10)] {
        assert_eq!(
            text(&[dim.shadow(shadow)], &[]),
            format!(
                "array a: dimension 1: 1:10 with a shadow of {m}:{m} is too long",
                m = i64::MAX
            )
        );
    }
}
