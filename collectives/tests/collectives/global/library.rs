//! The procedures on whole arrays with random mappings, against what one process does with the whole arrays.

use super::model::{Part, array_of, indices, on_shapes, value};
use crate::common::Dice;
use std::cmp::Ordering;
use std::collections::HashMap;
use xmp_collectives::global::library::{
    Caller, Direction, Typed, gather, matmul, pack, scatter, sort, transpose, unpack,
};
use xmp_collectives::global::{Element, Plans};
use xmp_core::Image;
use xmp_core::global::{Align, Array, Order};

type Whole = HashMap<Vec<i64>, u64>;

/// A part of an array of this shape, and what the whole array has: for each index what `of` says.
fn part<'i>(
    image: &'i Image,
    dice: &Dice,
    extents: &[i64],
    order: Order,
    element: usize,
    of: impl Fn(&[i64]) -> u64,
) -> (Part<'i>, Whole) {
    let array = array_of(dice, image.job().images(), false, extents, order);
    let part = Part::new(image, array.clone(), element, dice.roll(2) == 0, 1);
    let whole: Whole =
        indices(&array).into_iter().map(|index| (index.clone(), of(&index))).collect();
    for (index, &value) in &whole {
        if let Some(place) = part.place(index) {
            part.put(place, value);
        }
    }
    (part, whole)
}

/// All indices in the order of elements.
fn in_order(array: &Array) -> Vec<Vec<i64>> {
    let mut all = indices(array);
    if array.order() == Order::Fortran {
        all.sort_by_key(|index| index.iter().rev().copied().collect::<Vec<_>>());
    }
    all
}

/// The index at the same place in an array of the same shape.
fn same_place(index: &[i64], from: &Array, to: &Array) -> Vec<i64> {
    let dims = from.dims().iter().zip(to.dims());
    index.iter().zip(dims).map(|(i, (from, to))| i - from.lower + to.lower).collect()
}

fn check(part: &Part<'_>, whole: &Whole, what: &str) {
    for (index, &value) in whole {
        if let Some(place) = part.place(index) {
            part.check(place, value, || {
                format!("{what}: {index:?} of {:#?}", part.storage.array())
            });
        }
    }
}

fn typed<'a>(part: &'a Part<'_>, element: Element) -> Typed<'a> {
    Typed { storage: &part.storage, element }
}

fn any_order(dice: &Dice) -> Order {
    if dice.roll(2) == 0 { Order::C } else { Order::Fortran }
}

/// Does it with all of these seeds on all shapes; no image frees what others read.
fn for_each(seeds: std::ops::Range<u64>, one: impl Fn(Caller<'_>, &Dice, &str) + Sync) {
    on_shapes(|image| {
        let (plans, set) = (Plans::default(), image.executing());
        let caller = Caller { image, set: &set, plans: &plans };
        for seed in seeds.clone() {
            one(caller, &Dice::new(seed * 1000), &format!("case {seed}"));
            xmp_collectives::barrier(image, &set).unwrap();
        }
    });
}

#[test]
fn transposes() {
    for_each(0..8, |caller, dice, what| {
        let extents = [1 + dice.roll(9) as i64, 1 + dice.roll(9) as i64];
        let turned = [extents[1], extents[0]];
        let element = [1, 4, 8, 24][dice.roll(4)];
        let (a, of_a) =
            part(caller.image, dice, &extents, any_order(dice), element, |i| value(3, i));
        let (x, _) = part(caller.image, dice, &turned, any_order(dice), element, |_| 0);
        transpose(caller, &x.storage, &a.storage).unwrap();
        let lower = |part: &Part<'_>, dim: usize| part.storage.array().dims()[dim].lower;
        let expected = of_a.iter().map(|(index, &value)| {
            let (row, column) = (index[1] - lower(&a, 1), index[0] - lower(&a, 0));
            (vec![row + lower(&x, 0), column + lower(&x, 1)], value)
        });
        check(&x, &expected.collect(), what);
        check(&a, &of_a, what);
    });
}

#[test]
fn multiplies_matrices() {
    for_each(20..28, |caller, dice, what| {
        let [m, n, k] = [(); 3].map(|()| 1 + dice.roll(30) as i64);
        let small = |salt| move |index: &[i64]| value(salt, index) % 1000;
        let image = caller.image;
        let (a, of_a) = part(image, dice, &[m, k], any_order(dice), 8, small(3));
        let (b, of_b) = part(image, dice, &[k, n], any_order(dice), 8, small(4));
        let (x, of_x) = part(image, dice, &[m, n], any_order(dice), 8, |_| 77);
        let typed = |part| Typed { storage: part, element: Element::Unsigned(8) };
        matmul(caller, typed(&x.storage), typed(&a.storage), typed(&b.storage)).unwrap();
        let lower = |part: &Part<'_>, dim: usize| part.storage.array().dims()[dim].lower;
        let element = |index: &Vec<i64>| {
            let (i, j) = (index[0] - lower(&x, 0), index[1] - lower(&x, 1));
            let one = |l| {
                let of_a = of_a[&vec![i + lower(&a, 0), l + lower(&a, 1)]];
                of_a.wrapping_mul(of_b[&vec![l + lower(&b, 0), j + lower(&b, 1)]])
            };
            (0..k).map(one).fold(0, u64::wrapping_add)
        };
        let expected = of_x.keys().map(|index| (index.clone(), element(index))).collect();
        check(&x, &expected, what);
    });
}

#[test]
fn multiplies_more_columns_than_a_panel_has() {
    on_shapes(|image| {
        let (plans, set, dice) = (Plans::default(), image.executing(), Dice::new(1));
        let caller = Caller { image, set: &set, plans: &plans };
        let order = Order::Fortran;
        let real = |number: i64| (number as f64).to_bits();
        let (a, _) = part(image, &dice, &[3, 600], order, 8, |i| real(i[0] - i[1] % 7));
        let (b, _) = part(image, &dice, &[600, 2], order, 8, |i| real(i[0] % 5 + i[1]));
        let (x, of_x) = part(image, &dice, &[3, 2], order, 8, |_| 0);
        let typed = |part| Typed { storage: part, element: Element::Real(8) };
        matmul(caller, typed(&x.storage), typed(&a.storage), typed(&b.storage)).unwrap();
        let dims = |part: &Part<'_>| part.storage.array().dims().to_vec();
        let (of_a, of_b, dims) = (dims(&a), dims(&b), dims(&x));
        let element = |index: &Vec<i64>| {
            let (i, j) = (index[0] - dims[0].lower, index[1] - dims[1].lower);
            let one = |l: i64| {
                let of_a = (i + of_a[0].lower) - (l + of_a[1].lower) % 7;
                of_a * ((l + of_b[0].lower) % 5 + j + of_b[1].lower)
            };
            (index.clone(), real((0..600).map(one).sum()))
        };
        check(&x, &of_x.keys().map(element).collect(), "many columns");
        xmp_collectives::barrier(image, &set).unwrap();
    });
}

#[test]
fn sorts() {
    for_each(40..52, |caller, dice, what| {
        let extent = 1 + dice.roll(200) as i64;
        let image = caller.image;
        // Many equal ones, or all different.
        let different = [1, 5, u64::MAX][dice.roll(3)];
        let of = |index: &[i64]| value(5, index) % different;
        let (a, of_a) = part(image, dice, &[extent], Order::C, 8, of);
        let (x, _) = part(image, dice, &[extent], Order::Fortran, 8, |_| 0);
        let mut values: Vec<u64> = of_a.values().copied().collect();
        let [up, signed] = [(); 2].map(|()| dice.roll(2) == 0);
        let element = if signed { Element::Integer(8) } else { Element::Unsigned(8) };
        values.sort_by_key(|&value| if signed { (value as i64) as i128 } else { value.into() });
        if !up {
            values.reverse();
        }
        let direction = if up { Direction::Up } else { Direction::Down };
        let typed = |storage| Typed { storage, element };
        let to = if dice.roll(3) == 0 { &a } else { &x };
        sort(caller, typed(&to.storage), typed(&a.storage), direction).unwrap();
        let lower = to.storage.array().dims()[0].lower;
        let expected = values.into_iter().enumerate();
        check(to, &expected.map(|(k, value)| (vec![lower + k as i64], value)).collect(), what);
    });
}

#[test]
fn elements_of_every_type_are_sorted_both_ways() {
    type Compare = fn(&u64, &u64) -> Ordering;
    let types: [(Element, Compare); 10] = [
        (Element::Integer(1), |a, b| (*a as i8).cmp(&(*b as i8))),
        (Element::Integer(2), |a, b| (*a as i16).cmp(&(*b as i16))),
        (Element::Integer(4), |a, b| (*a as i32).cmp(&(*b as i32))),
        (Element::Integer(8), |a, b| (*a as i64).cmp(&(*b as i64))),
        (Element::Unsigned(1), |a, b| (*a as u8).cmp(&(*b as u8))),
        (Element::Unsigned(2), |a, b| (*a as u16).cmp(&(*b as u16))),
        (Element::Unsigned(4), |a, b| (*a as u32).cmp(&(*b as u32))),
        (Element::Unsigned(8), u64::cmp),
        (Element::Real(4), |a, b| f32::from_bits(*a as u32).total_cmp(&f32::from_bits(*b as u32))),
        (Element::Real(8), |a, b| f64::from_bits(*a).total_cmp(&f64::from_bits(*b))),
    ];
    for_each(0..4, |caller, dice, what| {
        for (element, compare) in types {
            let size = element.size();
            // Random bits, among them negative and positive zeros, infinities and NaNs.
            let of = |index: &[i64]| {
                let random = value(9, index);
                let special = match size {
                    4 => f32::INFINITY.to_bits().into(),
                    _ => f64::INFINITY.to_bits(),
                };
                let negative = (random & 1) << (8 * size - 1);
                let bits = match random >> 1 & 7 {
                    0 => negative,
                    1 => special | negative,
                    2 => special | negative | 1,
                    _ => random,
                };
                bits & (u64::MAX >> (64 - 8 * size))
            };
            let (a, of_a) = part(caller.image, dice, &[97], Order::C, size, of);
            let mut values: Vec<u64> = of_a.values().copied().collect();
            values.sort_by(compare);
            let lower = a.storage.array().dims()[0].lower;
            for direction in [Direction::Up, Direction::Down] {
                sort(caller, typed(&a, element), typed(&a, element), direction).unwrap();
                let expected = values.iter().enumerate();
                let expected = expected.map(|(k, value)| (vec![lower + k as i64], *value));
                check(&a, &expected.collect(), &format!("{what}, {element}, {direction:?}"));
                values.reverse();
            }
        }
    });
}

#[test]
fn packs_and_unpacks() {
    for_each(70..86, |caller, dice, what| {
        let image = caller.image;
        let ndims = 1 + dice.roll(3);
        let most = [60, 9, 5][ndims - 1];
        let extents: Vec<i64> = (0..ndims).map(|_| 1 + dice.roll(most) as i64).collect();
        let order = any_order(dice);
        let element = [4, 8, 24][dice.roll(3)];
        let density = [0, 1, 3][dice.roll(3)];
        let (a, of_a) = part(image, dice, &extents, order, element, |i| value(6, i));
        let truth = |index: &[i64]| u64::from(density == 1 || value(7, index) % 4 < density);
        let (mask, of_mask) = part(image, dice, &extents, order, 4, truth);
        let typed = Typed { storage: &mask.storage, element: Element::Logical(4) };
        let masked = (dice.roll(4) > 0).then_some(typed);
        let (a_map, mask_map) = (a.storage.array(), mask.storage.array());
        let selects = |index: &Vec<i64>| {
            masked.is_none() || of_mask[&same_place(index, a_map, mask_map)] != 0
        };
        let selected: Vec<Vec<i64>> = in_order(a_map).into_iter().filter(selects).collect();
        let room = [(selected.len() + dice.roll(5)).max(1) as i64];
        let (v, of_v) = part(image, dice, &room, Order::C, element, |i| value(8, i));
        let lower = v.storage.array().dims()[0].lower;
        if dice.roll(2) == 0 {
            let count = pack(caller, &v.storage, &a.storage, masked).unwrap();
            assert_eq!(count, selected.len() as u64);
            let mut expected = of_v;
            let packed = selected.iter().zip(lower..);
            expected.extend(packed.map(|(index, k)| (vec![k], of_a[index])));
            check(&v, &expected, what);
            check(&a, &of_a, what);
        } else {
            unpack(caller, &a.storage, &v.storage, masked).unwrap();
            let mut expected = of_a.clone();
            let packed = selected.iter().zip(lower..);
            expected.extend(packed.map(|(index, k)| (index.clone(), of_v[&vec![k]])));
            check(&a, &expected, what);
            check(&v, &of_v, what);
        }
    });
}

#[test]
fn scatters_and_gathers() {
    for_each(110..126, |caller, dice, what| {
        let image = caller.image;
        let extents = |dice: &Dice| -> Vec<i64> {
            let ndims = 1 + dice.roll(3);
            (0..ndims).map(|_| 1 + dice.roll([40, 8, 5][ndims - 1]) as i64).collect()
        };
        let (shape, indexed) = (extents(dice), extents(dice));
        let element = [4, 8, 24][dice.roll(3)];
        let order = any_order(dice);
        let (regular, of_regular) = part(image, dice, &shape, order, element, |i| value(11, i));
        let (by_index, of_indexed) =
            part(image, dice, &indexed, any_order(dice), element, |i| value(12, i));
        let size = [2, 4, 8][dice.roll(3)];
        let map = by_index.storage.array().clone();
        let parts: Vec<(Part<'_>, Whole)> = (0..indexed.len())
            .map(|dim| {
                let of = |index: &[i64]| {
                    let Align { lower, .. } = map.dims()[dim];
                    let far = value(13 + dim as u64, index) % map.dims()[dim].extent() as u64;
                    (lower + far as i64) as u64
                };
                part(image, dice, &shape, order, size, of)
            })
            .collect();
        let typed: Vec<Typed<'_>> = parts
            .iter()
            .map(|(part, _)| Typed {
                storage: &part.storage,
                element: Element::Integer(size as u8),
            })
            .collect();
        let target = |index: &Vec<i64>| -> Vec<i64> {
            let at = |(part, whole): &(Part<'_>, Whole)| {
                let place = same_place(index, regular.storage.array(), part.storage.array());
                whole[&place] as i64
            };
            parts.iter().map(at).collect()
        };
        if dice.roll(2) == 0 {
            gather(caller, &regular.storage, &by_index.storage, &typed).unwrap();
            let one = |index: &Vec<i64>| (index.clone(), of_indexed[&target(index)]);
            check(&regular, &of_regular.keys().map(one).collect(), what);
            check(&by_index, &of_indexed, what);
        } else {
            scatter(caller, &by_index.storage, &regular.storage, &typed).unwrap();
            let mut times: HashMap<Vec<i64>, u32> = HashMap::new();
            of_regular.keys().for_each(|index| *times.entry(target(index)).or_default() += 1);
            let mut expected = of_indexed;
            for (index, &value) in &of_regular {
                let target = target(index);
                if times[&target] == 1 {
                    expected.insert(target, value);
                } else {
                    // One of several.
                    expected.remove(&target);
                }
            }
            check(&by_index, &expected, what);
        }
    });
}

#[test]
fn what_does_not_fit_is_an_error_everywhere() {
    on_shapes(|image| {
        let (plans, set, dice) = (Plans::default(), image.executing(), Dice::new(3));
        let caller = Caller { image, set: &set, plans: &plans };
        let any = |extents: &[i64], element| {
            part(image, &dice, extents, Order::Fortran, element, |i| i[0] as u64 % 2).0
        };
        let (square, wide) = (any(&[4, 4], 4), any(&[4, 5], 4));
        let (short, long) = (any(&[6], 4), any(&[20], 4));

        let integer = Element::Integer(4);
        let text = |outcome: xmp_core::Result<()>| outcome.unwrap_err().to_string();
        assert_eq!(
            text(transpose(caller, &square.storage, &wide.storage)),
            "transpose: shape (4,4) is assigned from shape (5,4)"
        );
        let [s, w] = [&square, &wide].map(|part| typed(part, integer));
        assert_eq!(
            text(matmul(caller, w, s, s)),
            "matmul: (4,5) cannot be the product of (4,4) and (4,4)"
        );
        let logical = typed(&square, Element::Logical(4));
        assert_eq!(
            text(matmul(caller, logical, logical, logical)),
            "matmul: there is no product of logicals of 4 bytes"
        );
        assert_eq!(
            text(matmul(caller, s, s, typed(&square, Element::Real(4)))),
            "matmul: integers of 4 bytes from integers of 4 bytes and reals of kind 4"
        );
        let real = typed(&square, Element::Real(8));
        assert_eq!(
            text(matmul(caller, real, real, real)),
            "matmul: elements of 4 bytes are no reals of kind 8"
        );
        assert_eq!(
            text(sort(caller, typed(&long, integer), typed(&short, integer), Direction::Up)),
            "sort: (20) cannot be the sorted elements of (6)"
        );
        let complex = typed(&long, Element::Complex(4));
        assert_eq!(
            text(sort(caller, complex, complex, Direction::Up)),
            "sort: elements of 4 bytes are no complex numbers of kind 4"
        );
        assert_eq!(
            text(pack(caller, &short.storage, &square.storage, None).map(drop)),
            "pack: there is room for 6 of 16 elements"
        );
        assert_eq!(
            text(pack(caller, &long.storage, &square.storage, Some(w)).map(drop)),
            "pack: a mask (4,5) for (4,4)"
        );
        assert_eq!(
            text(unpack(caller, &short.storage, &square.storage, None).map(drop)),
            "unpack: the packed elements are (4,4), not in one dimension"
        );
        assert_eq!(
            text(gather(caller, &short.storage, &square.storage, &[typed(&short, integer)])),
            "gather: 1 index array for 2 dimensions"
        );
        let far = part(image, &dice, &[6], Order::C, 4, |_| 1000).0;
        let error = text(scatter(caller, &long.storage, &short.storage, &[typed(&far, integer)]));
        assert!(
            error.contains("index 1000 of dimension 1 is not within")
                || error == "scatter: an index of another image is outside the array",
            "{error}"
        );
        xmp_collectives::barrier(image, &set).unwrap();
    });
}
