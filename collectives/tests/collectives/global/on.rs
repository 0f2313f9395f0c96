//! Barrier, bcast and reduction on references to nodes; several sets at once.

use super::model::on_shapes;
use crate::common::random;
use xmp_collectives::global::{
    Async, Element, Extreme, Operator, Variable, reduce_with_locations, root_of, set_of,
};
use xmp_collectives::{Combine, barrier, nonblocking, raw};
use xmp_core::global::{Kind, Nodes, Order, Progression, Size, Subscript};
use xmp_core::image_set::Members;
use xmp_core::{Image, Rank, Result};

/// A grid of 2 rows, of an even number of the images.
fn grid(image: &Image) -> Option<Nodes> {
    let images = image.job().images() / 2 * 2;
    let all = Members::all(images.max(1));
    (images > 1).then(|| {
        Nodes::new(&[Size::Nodes(2), Size::Star], Order::Fortran, Kind::Entire, &all).unwrap()
    })
}

/// References to a grid: all, my row, my column, a part of row 1.
fn references(image: &Image) -> Vec<Nodes> {
    let Some(grid) = grid(image) else { return Vec::new() };
    let me = image.rank();
    let columns = grid.shape()[1] as i64;
    let some = Subscript::Some(Progression::from_bounds(columns, 1, -2).unwrap());
    let all = [
        Some([Subscript::All, Subscript::All]),
        grid.coords(me).map(|_| [Subscript::Own, Subscript::All]),
        grid.coords(me).map(|_| [Subscript::All, Subscript::Own]),
        Some([Subscript::At(1), some]),
    ];
    all.into_iter().flatten().map(|subscripts| grid.section(&subscripts, me).unwrap()).collect()
}

fn ranks(nodes: &Nodes) -> Vec<Rank> {
    (0..nodes.len()).map(|position| nodes.members().rank(position).unwrap()).collect()
}

/// Broadcasts numbers from the image `from`, or from the first node, at once or in the background.
fn bcast(
    image: &Image,
    nodes: &Nodes,
    from: Option<Rank>,
    data: &mut [u32],
    id: Option<i64>,
) -> Result<()> {
    let Some(set) = set_of(image, nodes)? else { return Ok(()) };
    let (root, start, len) = (root_of(&set, from)?, data.as_mut_ptr().cast(), size_of_val(data));
    // SAFETY: `data` is borrowed until the operation is complete.
    unsafe {
        let Some(id) = id else { return raw::broadcast(image, &set, root, start, len) };
        let pending = Async::default();
        let handle = nonblocking::raw::broadcast(image, &set, root, start, len)?;
        pending.add(id, handle, |()| ());
        pending.wait(id)
    }
}

/// Reduces one element by all means, and compares.
fn check<T: Copy + PartialEq + std::fmt::Debug>(
    image: &Image,
    nodes: &Nodes,
    operator: Operator,
    element: Element,
    value: impl Fn(Rank) -> T,
    combine: impl Fn(T, T) -> T,
) {
    assert_eq!(element.size(), size_of::<T>());
    let all = ranks(nodes);
    let is_in = all.contains(&image.rank());
    let expected = all.into_iter().map(&value).reduce(combine).unwrap();
    let expected = if is_in { expected } else { value(image.rank()) };
    let mut mine = [value(image.rank()); 3];
    let pending = Async::default();
    let reduction = operator.on(element).unwrap();
    if let Some(set) = set_of(image, nodes).unwrap() {
        // SAFETY: the test's own memory.
        unsafe {
            raw::allreduce(image, &set, mine.as_mut_ptr().cast(), 3, &reduction).unwrap();
            assert_eq!(mine, [expected; 3], "{operator:?}");
            mine = [value(image.rank()); 3];
            let (start, by) = (mine.as_mut_ptr().cast(), Combine::By(reduction));
            pending.add(5, nonblocking::raw::allreduce(image, &set, start, 3, by), |()| ());
        }
        pending.wait(5).unwrap();
    }
    assert_eq!(mine, [expected; 3], "{operator:?} in the background");
}

#[test]
fn every_operator_on_several_sets_at_once() {
    on_shapes(|image| {
        for nodes in references(image) {
            let bits = |rank: Rank| random(rank.index(), 3, 1) >> 11;
            let small = |rank: Rank| (bits(rank) % 5) as i32 - 2;
            let int = Element::Integer(4);
            check(image, &nodes, Operator::Sum, int, small, |a, b| a + b);
            check(image, &nodes, Operator::Product, int, small, |a, b| a * b);
            check(image, &nodes, Operator::Max, int, small, i32::max);
            check(image, &nodes, Operator::Min, Element::Unsigned(8), bits, u64::min);
            check(image, &nodes, Operator::BitAnd, Element::Unsigned(8), bits, |a, b| a & b);
            let short = |rank| bits(rank) as i16;
            check(image, &nodes, Operator::BitOr, Element::Integer(2), short, |a, b| a | b);
            let byte = |rank| bits(rank) as u8;
            check(image, &nodes, Operator::BitXor, Element::Unsigned(1), byte, |a, b| a ^ b);
            let truth = |rank| (bits(rank) % 3 > 0) as i32;
            let logical = Element::Logical(4);
            check(image, &nodes, Operator::And, logical, truth, |a, b| a & b);
            check(image, &nodes, Operator::Or, logical, truth, |a, b| a | b);
            check(image, &nodes, Operator::Eqv, logical, truth, |a, b| (a == b) as i32);
            check(image, &nodes, Operator::Neqv, logical, truth, |a, b| a ^ b);
            // C's operators on numbers.
            let and = |a: i32, b: i32| (a != 0 && b != 0) as i32;
            let twos = |rank: Rank| 2 * (rank.index() as i32 + 1);
            if nodes.len() > 1 {
                check(image, &nodes, Operator::And, int, twos, and);
            }
            let real = |rank: Rank| 1.0 + f64::from(rank.get() % 2);
            check(image, &nodes, Operator::Product, Element::Real(8), real, |a, b| a * b);
            let turn = |_| [0.0_f32, 1.0];
            let times =
                |a: [f32; 2], b: [f32; 2]| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
            check(image, &nodes, Operator::Product, Element::Complex(4), turn, times);
            let sum = |a: [f32; 2], b: [f32; 2]| [a[0] + b[0], a[1] + b[1]];
            check(image, &nodes, Operator::Sum, Element::Complex(4), turn, sum);
            if let Some(set) = set_of(image, &nodes).unwrap() {
                barrier(image, &set).unwrap();
            }
        }
    });
}

#[test]
fn locations_are_those_of_the_first_and_the_last() {
    on_shapes(|image| {
        for (nodes, order) in references(image)
            .into_iter()
            .flat_map(|nodes| [(nodes.clone(), Order::Fortran), (nodes, Order::C)])
        {
            // Values with many equal ones, and two loop variables that order images in one way or the other.
            let value = |rank: Rank| (random(rank.index(), 4, 9) >> 20) as i64 % 3;
            let place = |rank: Rank| [(rank.get() % 3) as i32, (rank.get() / 3) as i32];
            let key = |&rank: &Rank| {
                let [i, j] = place(rank);
                if order == Order::C { (i, j) } else { (j, i) }
            };
            let all = ranks(&nodes);
            let Some(set) = set_of(image, &nodes).unwrap() else { continue };
            for extreme in
                [Extreme::FirstMax, Extreme::FirstMin, Extreme::LastMax, Extreme::LastMin]
            {
                let best = all.iter().map(|&rank| value(rank));
                let best = match extreme {
                    Extreme::FirstMax | Extreme::LastMax => best.max(),
                    Extreme::FirstMin | Extreme::LastMin => best.min(),
                };
                let best = best.unwrap();
                let mut having: Vec<Rank> =
                    all.iter().copied().filter(|&rank| value(rank) == best).collect();
                having.sort_by_key(key);
                let chosen = match extreme {
                    Extreme::FirstMax | Extreme::FirstMin => having[0],
                    Extreme::LastMax | Extreme::LastMin => having[having.len() - 1],
                };
                let mut mine = [value(image.rank()); 2];
                let mut places = place(image.rank()).map(|index| [index; 2]);
                let variable = |start: *mut u8, element| Variable { start, element };
                let [i, j] = places
                    .each_mut()
                    .map(|place| variable(place.as_mut_ptr().cast(), Element::Integer(4)));
                let values = variable(mine.as_mut_ptr().cast(), Element::Integer(8));
                // SAFETY: the test's own memory.
                unsafe {
                    reduce_with_locations(image, &set, extreme, values, 2, &[i, j], order).unwrap();
                }
                assert_eq!(
                    (mine, places),
                    ([best; 2], place(chosen).map(|index| [index; 2])),
                    "{extreme:?}"
                );
            }
        }
    });
}

#[test]
fn a_nan_is_not_extreme() {
    xmp_core::transport::threads::run(3, 1, |image| {
        let mut value = [f64::NAN, 3.0, 5.0][image.rank().index()];
        let mut place = image.rank().get();
        let values = Variable { start: (&raw mut value).cast(), element: Element::Real(8) };
        let places = Variable { start: (&raw mut place).cast(), element: Element::Unsigned(4) };
        let set = image.executing();
        // SAFETY: the test's own memory.
        unsafe {
            let locations = &[places];
            reduce_with_locations(image, &set, Extreme::FirstMin, values, 1, locations, Order::C)
                .unwrap();
        }
        assert_eq!((value, place), (3.0, 1));
    })
    .unwrap();
}

#[test]
fn nodes_get_what_one_of_them_has() {
    on_shapes(|image| {
        for nodes in references(image) {
            let all = ranks(&nodes);
            let is_in = all.contains(&image.rank());
            for from in [None, Some(all[all.len() / 2])] {
                let of = |rank: Rank| [rank.get() + 7; 100];
                let expected = if is_in { of(from.unwrap_or(all[0])) } else { of(image.rank()) };
                for id in [None, Some(1)] {
                    let mut data = of(image.rank());
                    bcast(image, &nodes, from, &mut data, id).unwrap();
                    assert_eq!(data, expected);
                }
            }
        }
    });
}

#[test]
fn what_cannot_be_is_an_error_on_every_image() {
    xmp_core::transport::threads::run(4, 1, |image| {
        let nodes = Nodes::row(&Members::all(4), Order::Fortran, Kind::Entire);
        let mut value = 1.0_f64;
        let start = (&raw mut value).cast::<u8>();
        let text = |outcome: Result<()>| outcome.unwrap_err().to_string();
        // SAFETY: the test's own memory.
        unsafe {
            assert_eq!(
                Operator::BitAnd.on(Element::Real(8)).unwrap_err().to_string(),
                "there is no reduction of reals of kind 8 by bitwise and"
            );
            let some = Subscript::Some(Progression::from_bounds(1, 2, 1).unwrap());
            let two = nodes.section(&[some], image.rank()).unwrap();
            let outside = bcast(image, &two, Some(Rank::new(3)), &mut [1], None);
            match image.rank().get() {
                0 | 1 => assert_eq!(
                    text(outside),
                    "bcast: image 4 is needed, but is not among those that execute this"
                ),
                _ => outside.unwrap(),
            }
            let values = Variable { start, element: Element::Complex(4) };
            let set = image.executing();
            let last = Extreme::LastMax;
            assert_eq!(
                text(reduce_with_locations(image, &set, last, values, 1, &[], Order::C)),
                "there is no LastMax of complex numbers of kind 4"
            );
        }
        // A reference to nodes that do not execute.
        let half = Members::range(Rank::new(image.rank().get() / 2 * 2), 1, 2).unwrap();
        image.enter(&image.set(half).unwrap(), None, None);
        let missing = if image.rank().get() < 2 { 3 } else { 1 };
        assert_eq!(
            set_of(image, &nodes).unwrap_err().to_string(),
            format!("on: image {missing} is needed, but is not among those that execute this")
        );
        image.leave().unwrap();
    })
    .unwrap();
}
