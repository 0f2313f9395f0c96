//! Gmoves between random sections of arrays with random mappings.

use super::calls::{gmove, gmove_async};
use super::model::{Part, Wanted, array, indices, on_shapes, product, rows, section, value};
use crate::common::Dice;
use std::rc::Rc;
use xmp_collectives::global::{Async, Plans, Remote, RemoteAddress, Storage, gmove_in, gmove_out};
use xmp_core::global::{
    Align, Array, Format, Kind, Nodes, Order, Pick, Progression, Section, Template,
};
use xmp_core::image_set::Members;
use xmp_core::{Image, Rank};

/// Compares all of `left` with what it should be after the assignment.
fn compare(left: &Part<'_>, to: &Section, right: &Array, from: &Section, what: &str) {
    let array = left.storage.array();
    // Positions in both sections correspond in the order of their dimensions.
    let (targets, sources) = (product(&rows(array, to)), product(&rows(right, from)));
    let mut expected = std::collections::HashMap::new();
    for (k, target) in targets.iter().enumerate() {
        let source = if sources.len() == 1 { &sources[0] } else { &sources[k] };
        expected.insert(target.clone(), value(2, source));
    }
    for index in indices(array) {
        let Some(place) = left.place(&index) else { continue };
        let wanted = expected.get(&index).copied().unwrap_or_else(|| value(1, &index));
        left.check(place, wanted, || format!("{what}: {index:?} of {array:#?}"));
    }
}

/// How a gmove is made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Collective,
    Async,
    In,
    Out,
}

fn one(image: &Image, plans: &Plans, way: Way, seed: u64) {
    let dice = Dice::new(seed * 1000);
    let images = image.job().images();
    let any = |dice: &Dice| {
        let ndims = 1 + dice.roll(3);
        array(dice, images, Wanted { ndims, shadows: false })
    };
    let (left, right) = (any(&dice), any(&dice));
    // Extents that both may have.
    let dims = left.dims().len().min(right.dims().len());
    let extents: Vec<i64> = (0..dims)
        .filter(|_| dice.roll(4) > 0)
        .map(|dim| {
            let most = left.dims()[dim].extent().min(right.dims()[dim].extent());
            1 + dice.roll(most as usize) as i64
        })
        .collect();
    let extents = if dice.roll(12) == 0 { vec![0] } else { extents };
    let Some(to) = section(&dice, &left, &extents) else { return };
    let scalar = dice.roll(6) == 0 && !extents.contains(&0);
    let Some(from) = section(&dice, &right, if scalar { &[] } else { &extents }) else { return };
    let element = [1, 4, 8, 24][dice.roll(4)];
    let [a, b] = [0, 1].map(|_| dice.roll(3) > 0);
    let l = Part::new(image, left, element, a || way == Way::Out, 1);
    let r = Part::new(image, right.clone(), element, b || way == Way::In, 2);
    let set = image.executing();
    let sides = (l.storage.section(&to), r.storage.section(&from));
    // SAFETY: parts of this test.
    unsafe {
        match way {
            Way::Collective => gmove(image, &set, plans, sides.0, sides.1).unwrap(),
            Way::Async => {
                let pending = Async::default();
                gmove_async(image, &set, plans, sides.0, sides.1, pending.id(7)).unwrap();
                match seed % 2 {
                    0 => pending.wait(7).unwrap(),
                    _ => while !pending.test(7).unwrap() {},
                }
            }
            Way::In => {
                let offsets = r.offsets();
                let place = |rank: Rank| Ok(RemoteAddress::Segment(offsets[rank.index()]));
                let remote = Remote::new(&right, element, &place);
                gmove_in(image, &set, sides.0, remote.section(&from)).unwrap();
            }
            Way::Out => {
                let offsets = l.offsets();
                let place = |rank: Rank| Ok(RemoteAddress::Segment(offsets[rank.index()]));
                let remote = Remote::new(l.storage.array(), element, &place);
                gmove_out(image, &set, remote.section(&to), sides.1).unwrap();
                xmp_collectives::barrier(image, &set).unwrap();
            }
        }
    }
    compare(&l, &to, &right, &from, &format!("{way:?} case {seed}"));
    for index in indices(&right) {
        if let Some(place) = r.place(&index) {
            r.check(place, value(2, &index), || format!("case {seed}: source {index:?}"));
        }
    }
    // No image frees what others read.
    xmp_collectives::barrier(image, &set).unwrap();
}

#[test]
fn any_section_goes_to_any_section() {
    on_shapes(|image| {
        let plans = Plans::default();
        (0..40).for_each(|seed| one(image, &plans, Way::Collective, seed));
    });
}

#[test]
fn sections_arrive_in_the_background() {
    on_shapes(|image| {
        let plans = Plans::default();
        (40..60).for_each(|seed| one(image, &plans, Way::Async, seed));
    });
}

#[test]
fn sections_are_fetched_and_delivered() {
    on_shapes(|image| {
        let plans = Plans::default();
        (60..80).for_each(|seed| one(image, &plans, Way::In, seed));
        (80..100).for_each(|seed| one(image, &plans, Way::Out, seed));
    });
}

#[test]
fn who_owns_what_is_fetched_need_not_take_part() {
    xmp_core::transport::threads::run(4, 2, |image| {
        let set = image.executing();
        let nodes = Rc::new(Nodes::row(set.members(), Order::Fortran, Kind::Entire));
        let array = line(&nodes, 30, Format::CyclicOf(4));
        let part = Part::new(image, array.clone(), 8, true, 2);
        let offsets = part.offsets();
        let place = |rank: Rank| Ok(RemoteAddress::Segment(offsets[rank.index()]));
        // SAFETY: the parts of all images, which do nothing with them before the barrier.
        let remote = unsafe { Remote::new(&array, 8, &place) };
        let alone = image.set(Members::range(image.rank(), 1, 1).unwrap()).unwrap();
        let whole = Section::all(&array);
        if image.rank().get() == 3 {
            let mut copy = vec![0_u64; 30];
            let nodes = Rc::new(Nodes::row(alone.members(), Order::Fortran, Kind::Executing));
            let base = copy.as_mut_ptr().cast();
            // SAFETY: `copy` has all elements.
            let local = unsafe { Storage::local(nodes, &[(1, 30)], Order::Fortran, 8, base) };
            let local = local.unwrap();
            let all = Section::all(local.array());
            gmove_in(image, &alone, local.section(&all), remote.section(&whole)).unwrap();
            let expected: Vec<u64> = (1..=30).map(|index| value(2, &[index])).collect();
            assert_eq!(copy, expected);
            copy.iter_mut().for_each(|value| *value = value.wrapping_add(1));
            gmove_out(image, &alone, remote.section(&whole), local.section(&all)).unwrap();
            // Not to be had where it is not known where that is.
            let nowhere = |rank: Rank| match rank.get() {
                2 => Err(xmp_core::Error::Invalid("unknown distribution".into())),
                _ => place(rank),
            };
            // SAFETY: the addresses are those of `remote`.
            let unknown = unsafe { Remote::new(&array, 8, &nowhere) };
            let before = copy.clone();
            // SAFETY: as above.
            let error = gmove_in(image, &alone, local.section(&all), unknown.section(&whole));
            assert!(error.unwrap_err().to_string().contains("unknown distribution"));
            assert_eq!(copy, before);
            // Not to be had, or given, by a collective one.
            let error = gmove(
                image,
                &alone,
                &Plans::default(),
                local.section(&all),
                part.storage.section(&whole),
            );
            assert!(error.unwrap_err().to_string().contains("not among those that execute this"));
        }
        xmp_collectives::barrier(image, &set).unwrap();
        for index in 1..=30 {
            if let Some(place) = part.place(&[index]) {
                part.check(place, value(2, &[index]).wrapping_add(1), || {
                    format!("element {index}")
                });
            }
        }
        xmp_collectives::barrier(image, &set).unwrap();
    })
    .unwrap();
}

/// A 1-dimensional array.
fn line(nodes: &Rc<Nodes>, extent: i64, format: Format) -> Rc<Array> {
    let mut template = Template::fixed(&[(1, extent)]).unwrap();
    template.distribute(vec![format], nodes.clone()).unwrap();
    let distribution = template.distribution().unwrap().clone();
    Rc::new(Array::new(distribution, &[Align::with(1, extent, 0, 0)], &[], Order::Fortran).unwrap())
}

fn triplet(first: i64, last: i64, step: i64) -> Pick {
    Pick::Row(Progression::from_bounds(first, last, step).unwrap())
}

#[test]
fn sections_of_one_array_may_overlap() {
    on_shapes(|image| {
        let plans = Plans::default();
        let set = image.executing();
        let nodes = Rc::new(Nodes::row(set.members(), Order::Fortran, Kind::Entire));
        for (format, in_segment) in
            [(Format::Block, true), (Format::CyclicOf(3), true), (Format::Block, false)]
        {
            let array = line(&nodes, 40, format);
            let part = Part::new(image, array.clone(), 8, in_segment, 1);
            let to = Section::new(&array, &[triplet(2, 40, 1)]).unwrap();
            let from = Section::new(&array, &[triplet(1, 39, 1)]).unwrap();
            let back = Section::new(&array, &[triplet(40, 2, -1)]).unwrap();
            gmove(image, &set, &plans, part.storage.section(&to), part.storage.section(&from))
                .unwrap();
            gmove(image, &set, &plans, part.storage.section(&to), part.storage.section(&back))
                .unwrap();
            for index in 1..=40 {
                let Some(place) = part.place(&[index]) else { continue };
                let source = if index == 1 { 1 } else { 41 - index };
                part.check(place, value(1, &[source]), || format!("element {index}"));
            }
            xmp_collectives::barrier(image, &set).unwrap();
        }
    });
}

/// More than a step carries: read in place or, where it is private or overlaps, packed.
#[test]
fn much_arrives_however_it_lies() {
    const EXTENT: i64 = 600;
    // As much as a step carries are 256 of them.
    const ELEMENT: usize = 4096;
    for (images, hosts) in [(2, 1), (4, 2)] {
        xmp_core::transport::threads::run(images, hosts, |image| {
            let plans = Plans::default();
            let set = image.executing();
            let nodes = Rc::new(Nodes::row(set.members(), Order::Fortran, Kind::Entire));
            let block = line(&nodes, EXTENT, Format::Block);
            let dealt = line(&nodes, EXTENT, Format::Cyclic);
            for in_segment in [true, false] {
                let from = Part::new(image, block.clone(), ELEMENT, in_segment, 1);
                let to = Part::new(image, dealt.clone(), ELEMENT, in_segment, 2);
                let (all, whole) = (Section::all(&dealt), Section::all(&block));
                let back = Section::new(&block, &[triplet(EXTENT, 1, -1)]).unwrap();
                let right = from.storage.section(&whole);
                gmove(image, &set, &plans, to.storage.section(&all), right).unwrap();
                // The array reversed in itself.
                let right = from.storage.section(&back);
                gmove(image, &set, &plans, from.storage.section(&whole), right).unwrap();
                for index in 1..=EXTENT {
                    let name = || format!("element {index}");
                    if let Some(place) = to.place(&[index]) {
                        to.check(place, value(1, &[index]), name);
                    }
                    if let Some(place) = from.place(&[index]) {
                        from.check(place, value(1, &[EXTENT + 1 - index]), name);
                    }
                }
                // No image frees what others read.
                xmp_collectives::barrier(image, &set).unwrap();
            }
        })
        .unwrap();
    }
}

#[test]
fn local_and_global_arrays_are_assigned_to_one_another() {
    on_shapes(|image| {
        let plans = Plans::default();
        let set = image.executing();
        let nodes = Rc::new(Nodes::row(set.members(), Order::Fortran, Kind::Executing));
        let array = line(&nodes, 30, Format::CyclicOf(2));
        let part = Part::new(image, array.clone(), 8, true, 1);
        let mut copy = vec![0_u64; 5 * 30];
        let base = copy.as_mut_ptr().cast();
        // SAFETY: `copy` has all elements.
        let local = unsafe { Storage::local(nodes, &[(0, 29), (0, 4)], Order::Fortran, 8, base) };
        let local = local.unwrap();
        let all = Section::all(&array);
        let column = Section::new(local.array(), &[Pick::All, Pick::At(3)]).unwrap();
        gmove(image, &set, &plans, local.section(&column), part.storage.section(&all)).unwrap();
        for (k, &found) in copy.iter().enumerate() {
            let expected = if k / 30 == 3 { value(1, &[k as i64 % 30 + 1]) } else { 0 };
            assert_eq!(found, expected, "element {k}");
        }
        copy.iter_mut().enumerate().for_each(|(k, value)| *value = k as u64);
        let two = Section::new(local.array(), &[triplet(29, 0, -1), Pick::At(2)]).unwrap();
        gmove(image, &set, &plans, part.storage.section(&all), local.section(&two)).unwrap();
        for index in 1..=30 {
            if let Some(place) = part.place(&[index]) {
                part.check(place, 60 + 30 - index as u64, || format!("element {index}"));
            }
        }
        xmp_collectives::barrier(image, &set).unwrap();
    });
}

#[test]
fn bad_gmoves_change_nothing() {
    xmp_core::transport::threads::run(4, 2, |image| {
        let plans = Plans::default();
        let set = image.executing();
        let nodes = Rc::new(Nodes::row(set.members(), Order::Fortran, Kind::Entire));
        let array = line(&nodes, 20, Format::Block);
        let (a, b) = (
            Part::new(image, array.clone(), 8, true, 1),
            Part::new(image, array.clone(), 4, true, 2),
        );
        let all = Section::all(&array);
        let half = Section::new(&array, &[triplet(1, 10, 1)]).unwrap();
        let text = |set: &xmp_core::image_set::ImageSet, left, right| {
            gmove(image, set, &plans, left, right).unwrap_err().to_string()
        };
        assert_eq!(
            text(&set, a.storage.section(&all), a.storage.section(&half)),
            "gmove: shape (20) is assigned from shape (10)"
        );
        assert_eq!(
            text(&set, a.storage.section(&all), b.storage.section(&all)),
            "gmove: elements of 8 bytes are assigned from elements of 4 bytes"
        );
        let some = image.set(Members::range(image.rank(), 1, 1).unwrap()).unwrap();
        let error = text(&some, a.storage.section(&all), a.storage.section(&all));
        assert!(error.contains("is needed, but is not among those that execute this"), "{error}");
        // What a set has is its own affair.
        let first = array.global(0, image.rank().index(), 0);
        let mine = Section::new(&array, &[triplet(first, first + 4, 1)]).unwrap();
        gmove(image, &some, &plans, a.storage.section(&mine), a.storage.section(&mine)).unwrap();
        for place in 0..a.places() {
            let index = array.global(0, image.rank().index(), place);
            a.check(place, value(1, &[index]), || format!("element {index}"));
        }
        xmp_collectives::barrier(image, &set).unwrap();
    })
    .unwrap();
}

#[test]
fn different_sections_are_found_out_when_that_is_asked_for() {
    let settings = xmp_core::settings::Settings::from_pairs(&[("XMP_CHECK", "1")]).unwrap();
    xmp_core::transport::threads::run_with(settings, 3, 1, |image| {
        let (plans, set) = (Plans::default(), image.executing());
        let nodes = Rc::new(Nodes::row(set.members(), Order::Fortran, Kind::Entire));
        let array = line(&nodes, 20, Format::Block);
        let part = Part::new(image, array.clone(), 8, true, 1);
        let other = Part::new(image, array.clone(), 8, true, 2);
        let first = if image.rank().get() == 2 { 2 } else { 1 };
        let to = Section::new(&array, &[triplet(first, first + 9, 1)]).unwrap();
        let from = Section::new(&array, &[triplet(3, 12, 1)]).unwrap();
        let sides = (part.storage.section(&to), other.storage.section(&from));
        let error = gmove(image, &set, &plans, sides.0, sides.1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "image 1 and image 3 give arrays that are mapped differently, or different parts of them"
        );
        for index in 1..=20 {
            if let Some(place) = part.place(&[index]) {
                part.check(place, value(1, &[index]), || format!("element {index}"));
            }
        }
        xmp_collectives::barrier(image, &set).unwrap();
    })
    .unwrap();
}
