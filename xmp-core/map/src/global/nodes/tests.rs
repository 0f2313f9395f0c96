use super::*;
use proptest::prelude::*;

fn sizes(sizes: &[i64]) -> Vec<Size> {
    let size = |&size: &i64| if size < 0 { Size::Star } else { Size::Nodes(size as usize) };
    sizes.iter().map(size).collect()
}

fn nodes(shape: &[i64], order: Order, images: usize) -> Result<Nodes> {
    Nodes::new(&sizes(shape), order, Kind::Entire, &Members::all(images))
}

fn ranks(members: &Members) -> Vec<u32> {
    (0..members.len()).map(|position| members.rank(position).unwrap().get()).collect()
}

#[test]
fn element_order_is_that_of_the_language() {
    let fortran = nodes(&[4, 3], Order::Fortran, 12).unwrap();
    let c = nodes(&[4, 3], Order::C, 12).unwrap();
    assert_eq!(fortran.rank(&[1, 2]).get(), 9);
    assert_eq!(c.rank(&[1, 2]).get(), 5);
    for array in [fortran, c] {
        for position in 0..12 {
            let coords = array.coords_at(position);
            assert_eq!(array.rank(&coords).index(), position);
            assert_eq!(array.coords(Rank::new(position as u32)), Some(coords));
        }
        assert_eq!(array.coords(Rank::new(12)), None);
    }
}

#[test]
fn a_star_takes_what_is_left() {
    assert_eq!(nodes(&[2, -1], Order::Fortran, 8).unwrap().shape(), [2, 4]);
    assert_eq!(nodes(&[-1, 3], Order::C, 9).unwrap().shape(), [3, 3]);
    assert_eq!(nodes(&[-1], Order::Fortran, 5).unwrap().shape(), [5]);
    assert_eq!(nodes(&[2, 2], Order::Fortran, 8).unwrap().len(), 4, "the first ones");
}

#[test]
fn bad_shapes_are_named() {
    let text = |shape: &[i64], images| {
        nodes(shape, Order::Fortran, images).unwrap_err().of("nodes p").to_string()
    };
    assert_eq!(text(&[4, 2], 7), "nodes p: (4,2) needs 8 nodes, there are 7");
    assert_eq!(text(&[4, -1], 7), "nodes p: (4,*) needs a multiple of 4 nodes, there are 7");
    assert_eq!(text(&[-1, -1], 4), "nodes p: dimension 2: is a second `*`");
    assert_eq!(text(&[0], 4), "nodes p: dimension 1: has no node");
    assert_eq!(text(&[], 4), "nodes p: 0 sizes for 1 dimension");
    let text = text(&[i64::MAX, i64::MAX], 4);
    assert!(text.contains("more than can be counted"), "{text}");
}

#[test]
fn bad_references_are_named() {
    let array = nodes(&[4, 2], Order::Fortran, 8).unwrap();
    let text = |subscripts: &[Subscript], own| {
        array.section(subscripts, Rank::new(own)).unwrap_err().of("p").to_string()
    };
    let some =
        |first, last, step| Subscript::Some(Progression::from_bounds(first, last, step).unwrap());
    assert_eq!(
        text(&[Subscript::At(5), Subscript::All], 0),
        "p: dimension 1: 5:5 is not within 1:4"
    );
    assert_eq!(text(&[Subscript::All, some(0, 2, 1)], 0), "p: dimension 2: 0:2 is not within 1:2");
    assert_eq!(text(&[Subscript::All], 0), "p: 1 subscript for 2 dimensions");
    assert_eq!(
        text(&[some(3, 2, 1), Subscript::All], 0),
        "p: dimension 1: the subscript selects no node"
    );
    assert_eq!(
        text(&[Subscript::Own, Subscript::All], 9),
        "p: dimension 1: `*` on image 10, which is not a node of the array"
    );
}

#[test]
fn formulas_stay_formulas() {
    let array = nodes(&[8, 4], Order::Fortran, 64).unwrap();
    let some =
        |first, last, step| Subscript::Some(Progression::from_bounds(first, last, step).unwrap());
    for (subscripts, stride) in [
        ([Subscript::All, Subscript::All], Some(1)),
        ([Subscript::All, Subscript::At(2)], Some(1)),
        ([Subscript::At(3), Subscript::All], Some(8)),
        ([some(8, 1, -2), Subscript::Own], Some(-2)),
        ([Subscript::All, some(2, 3, 1)], Some(1)),
        ([some(1, 7, 2), Subscript::All], Some(2)),
        ([some(1, 3, 1), Subscript::All], None),
    ] {
        let section = array.section(&subscripts, Rank::new(17)).unwrap();
        assert_eq!(section.members().stride(), stride, "{subscripts:?}");
    }
}

proptest! {
    /// Against a list of all nodes.
    #[test]
    fn sections_are_what_their_lists_are(
        shape in prop::collection::vec(1i64..5, 1..4),
        c in any::<bool>(),
        picks in prop::collection::vec((0..4u8, 0i64..5, 0i64..5, 1i64..3), 3),
        reversed in any::<bool>(),
        own in 0usize..64,
    ) {
        let order = if c { Order::C } else { Order::Fortran };
        let len = shape.iter().product::<i64>() as usize;
        let base: Vec<Rank> = (0..len as u32).map(|k| Rank::new(if reversed { 3 * (len as u32 - k) } else { k * k })).collect();
        let set = Members::from_list(&base).unwrap();
        let array = Nodes::new(&sizes(&shape), order, Kind::Executing, &set).unwrap();
        let own = base[own % len];
        let own_coords = array.coords(own).unwrap();
        let first = order.first();
        let mut subscripts = Vec::new();
        let mut wanted: Vec<Vec<i64>> = Vec::new();
        let mut expected_shape = Vec::new();
        for (dim, &(kind, a, b, step)) in picks[..shape.len()].iter().enumerate() {
            let (a, b) = (a % shape[dim], b % shape[dim]);
            let step = if b < a { -step } else { step };
            let row = Progression::from_bounds(a, b, step).unwrap();
            let (subscript, indices, stays) = match kind {
                0 => (Subscript::All, (0..shape[dim]).collect(), true),
                1 => (Subscript::At(a + first), vec![a], false),
                2 => (Subscript::Own, vec![own_coords[dim] as i64], false),
                _ => (Subscript::Some(row.shifted(first)), row.iter().collect(), true),
            };
            subscripts.push(subscript);
            if stays {
                expected_shape.push(indices.len());
            }
            wanted.push(indices);
        }
        let section = array.section(&subscripts, own).unwrap();
        let mut expected = vec![Vec::new()];
        for dim in (0..shape.len()).map(|k| if c { k } else { shape.len() - 1 - k }) {
            expected = expected.iter().flat_map(|head: &Vec<(usize, i64)>| {
                wanted[dim].iter().map(move |&index| [&head[..], &[(dim, index)]].concat())
            }).collect();
        }
        let expected: Vec<u32> = expected.iter().map(|at| {
            let mut coords = vec![0; shape.len()];
            at.iter().for_each(|&(dim, index)| coords[dim] = index as usize);
            array.rank(&coords).get()
        }).collect();
        prop_assert_eq!(ranks(section.members()), expected);
        if expected_shape.is_empty() {
            expected_shape.push(1);
        }
        prop_assert_eq!(section.shape(), &expected_shape[..]);
    }
}
