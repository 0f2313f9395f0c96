//! Reflects and reduce_shadows of arrays with random mappings.

use super::calls::{reduce_shadow, reduce_shadow_async, reflect, reflect_async};
use super::model::{Part, UNTOUCHED, Wanted, array, indices, on_shapes, value};
use crate::common::Dice;
use std::collections::HashMap;
use xmp_collectives::Reduction;
use xmp_collectives::global::{Async, Plans, Shape, Width};
use xmp_core::Image;
use xmp_core::global::{Array, Coords, Shadow};

/// What a node stores in one dimension: local index, the index of the element there (around the array if it is
/// periodic), and whether it is its own.
fn stored(array: &Array, dim: usize, part: usize, width: Width) -> Vec<(i64, i64, bool)> {
    let align = array.dims()[dim];
    let own = |local: i64| {
        (align.lower..=align.upper).find(|&index| array.local(dim, part, index) == Some(local))
    };
    (0..array.stored(dim, part))
        .filter_map(|local| {
            if let Some(index) = own(local) {
                return Some((local, index, true));
            }
            let index = array.global(dim, part, local);
            if align.shadow == Shadow::Full {
                return Some((local, index, false));
            }
            let (first, last) = array.block(dim, part)?;
            let wanted = (first - width.lower..=last + width.upper).contains(&index);
            let inside = (align.lower..=align.upper).contains(&index);
            let around = (index - align.lower).rem_euclid(align.extent()) + align.lower;
            (wanted && (inside || width.periodic)).then_some((local, around, false))
        })
        .collect()
}

/// All places of this image that a reflect fills, with the index of the element that belongs there.
fn shadow_of(
    array: &Array,
    coords: Option<&Coords>,
    widths: &[Width],
    orthogonal: bool,
) -> HashMap<i64, Vec<i64>> {
    let Some(coords) = coords else { return HashMap::new() };
    let strides = array.strides(coords);
    let mut all = vec![(0, Vec::new(), 0)];
    for dim in 0..array.dims().len() {
        let places = stored(array, dim, array.part(dim, coords), widths[dim]);
        all = all
            .iter()
            .flat_map(|(place, index, foreign): &(i64, Vec<i64>, usize)| {
                let strides = &strides;
                places.iter().map(move |&(local, i, own)| {
                    let index = [&index[..], &[i]].concat();
                    (place + local * strides[dim], index, foreign + usize::from(!own))
                })
            })
            .collect();
    }
    all.into_iter()
        .filter(|&(_, _, foreign)| foreign == 1 || (foreign > 1 && !orthogonal))
        .map(|(place, index, _)| (place, index))
        .collect()
}

fn random_widths(dice: &Dice, array: &Array) -> Vec<Width> {
    let mut widths = Width::whole(array).into_vec();
    for width in &mut widths {
        width.periodic = dice.roll(2) == 0;
        if dice.roll(3) == 0 {
            width.lower = dice.roll(width.lower as usize + 1) as i64;
            width.upper = dice.roll(width.upper as usize + 1) as i64;
        }
    }
    widths
}

fn one(image: &Image, plans: &Plans, seed: u64) {
    let dice = Dice::new(seed * 1000);
    let wanted = Wanted { ndims: 1 + dice.roll(3), shadows: dice.roll(4) > 0 };
    let array = array(&dice, image.job().images(), wanted);
    let widths = random_widths(&dice, &array);
    let orthogonal = dice.roll(2) == 0;
    let shape = Shape { widths: &widths, orthogonal };
    let element = [1, 4, 8, 24][dice.roll(4)];
    let part = Part::new(image, array.clone(), element, dice.roll(3) > 0, 1);
    let filled = shadow_of(&array, part.coords.as_ref(), &widths, orthogonal);
    let set = image.executing();
    let pending = Async::default();
    // Twice: the second time it is planned already, and goes on in the background.
    for again in [false, true] {
        if again {
            filled.keys().for_each(|&place| part.put(place, UNTOUCHED));
            xmp_collectives::barrier(image, &set).unwrap();
            reflect_async(image, &set, plans, &part.storage, shape, pending.id(3)).unwrap();
            pending.wait(3).unwrap();
            pending.wait(4).unwrap();
        } else {
            reflect(image, &set, plans, &part.storage, shape).unwrap();
        }
        let mut own = HashMap::new();
        for index in indices(&array) {
            if let Some(place) = part.place(&index) {
                own.insert(place, index);
            }
        }
        for place in 0..part.places() {
            let index = own.get(&place).or(filled.get(&place));
            let expected = index.map_or(UNTOUCHED, |index| value(1, index));
            part.check(place, expected, || {
                format!(
                    "case {seed}: place {place}, {index:?} {widths:?} {orthogonal} of {array:#?}"
                )
            });
        }
        xmp_collectives::barrier(image, &set).unwrap();
    }
}

#[test]
fn shadows_get_what_owners_have() {
    on_shapes(|image| {
        let plans = Plans::default();
        (0..40).for_each(|seed| one(image, &plans, seed));
    });
}

#[test]
fn shadows_are_added_to_what_owners_have() {
    on_shapes(|image| {
        let plans = Plans::default();
        for seed in 100..130 {
            let dice = Dice::new(seed * 1000);
            let images = image.job().images();
            let array = array(&dice, images, Wanted { ndims: 1 + dice.roll(3), shadows: true });
            let widths = random_widths(&dice, &array);
            let orthogonal = dice.roll(2) == 0;
            let shape = Shape { widths: &widths, orthogonal };
            let part = Part::new(image, array.clone(), 8, dice.roll(3) > 0, 1);
            for &place in shadow_of(&array, part.coords.as_ref(), &widths, orthogonal).keys() {
                part.put(place, 1000 + image.rank().get() as u64);
            }
            // What every image has in its shadow of each element: every image computes all.
            let mut expected: HashMap<Vec<i64>, u64> = indices(&array)
                .into_iter()
                .map(|index| (index.clone(), value(1, &index)))
                .collect();
            let mut copies = HashMap::new();
            for position in 0..array.nodes().len() {
                let coords = array.nodes().coords_at(position);
                if !array.has_elements(&coords) {
                    continue;
                }
                let rank = array.nodes().rank(&coords);
                for index in shadow_of(&array, Some(&coords), &widths, orthogonal).into_values() {
                    // Copies along a dimension where all have the array: each has its own neighbours.
                    *copies.entry((index, replica(&array, &coords))).or_insert(0_u64) +=
                        1000 + u64::from(rank.get());
                }
            }
            let set = image.executing();
            match seed % 3 {
                0 => {
                    let pending = Async::default();
                    let (storage, id) = (&part.storage, pending.id(1));
                    reduce_shadow_async(image, &set, &plans, storage, shape, &sum(), id).unwrap();
                    while !pending.test(1).unwrap() {}
                }
                _ => reduce_shadow(image, &set, &plans, &part.storage, shape, &sum()).unwrap(),
            }
            for (index, value) in &mut expected {
                let Some(place) = part.place(index) else { continue };
                let mine = replica(&array, part.coords.as_ref().unwrap());
                let more = copies.get(&(index.clone(), mine)).copied().unwrap_or(0);
                part.check(place, value.wrapping_add(more), || {
                    format!("case {seed}: {index:?} of {array:#?}")
                });
            }
            xmp_collectives::barrier(image, &set).unwrap();
        }
    });
}

fn sum() -> Reduction<'static> {
    Reduction::number::<u64>(xmp_collectives::Op::Sum)
}

/// Coordinates along the dimensions where all nodes have the array.
fn replica(array: &Array, coords: &[usize]) -> Vec<usize> {
    let along = array.along().iter().zip(coords);
    along
        .filter(|(along, _)| **along == xmp_core::global::Along::All)
        .map(|(_, &coord)| coord)
        .collect()
}

#[test]
fn too_wide_a_reflect_is_an_error() {
    xmp_core::transport::threads::run(2, 1, |image| {
        let dice = Dice::new(7);
        let array = loop {
            let array = array(&dice, 2, Wanted { ndims: 2, shadows: true });
            if array.dims().iter().all(|dim| dim.shadow != Shadow::Full) {
                break array;
            }
        };
        let part = Part::new(image, array.clone(), 8, true, 1);
        let text = |widths: &[Width]| {
            let shape = Shape { widths, orthogonal: false };
            let set = image.executing();
            reflect(image, &set, &Plans::default(), &part.storage, shape).unwrap_err().to_string()
        };
        let mut widths = Width::whole(&array);
        widths[1].upper += 1;
        let (asked, shadow) = (widths[1].upper, widths[1].upper - 1);
        assert_eq!(
            text(&widths),
            format!("reflect: dimension 2: width {asked} is more than the shadow of {shadow}")
        );
        widths[1].upper = -1;
        assert_eq!(text(&widths), "reflect: dimension 2: a width of -1");
        assert_eq!(text(&widths[..1]), "reflect: 1 width for 2 dimensions");
    })
    .unwrap();
}
