//! Reduce-scatter, and extreme values with their locations: what each image gets is its part of the result of a reduction, with its bits.

use crate::common::{on_all_shapes, random, sets};
use xmp_collectives::{Located, Op, allreduce, locate, nonblocking, reduce_scatter};
use xmp_core::Image;
use xmp_core::image_set::ImageSet;
use xmp_core::transport::threads;

/// Element `index` of the image at `position` of a set: sums depend on their brackets.
fn number(position: usize, index: usize) -> f64 {
    (random(position, index, 77) as f64).sqrt() * 1e-3
}

fn own(set: &ImageSet, count: usize) -> Vec<f64> {
    let me = set.position().unwrap();
    (0..count * set.len()).map(|index| number(me, index)).collect()
}

#[test]
fn each_image_gets_its_part_of_a_reduction_with_the_same_bits() {
    on_all_shapes(|image| {
        for set in sets(image) {
            let me = set.position().unwrap();
            for count in [0, 1, 7, 300, 5000] {
                for op in [Op::Sum, Op::Max] {
                    let all = own(&set, count);
                    let mut whole = all.clone();
                    allreduce(image, &set, &mut whole, op).unwrap();
                    let expected = &whole[me * count..(me + 1) * count];
                    let begun = nonblocking::reduce_scatter(image, &set, all.clone(), op).unwrap();
                    let mut mine = vec![0.0; count];
                    reduce_scatter(image, &set, &all, &mut mine, op).unwrap();
                    assert_eq!(mine, expected, "{count} elements of {} images", set.len());
                    assert_eq!(begun.wait().unwrap(), expected, "in the background, {count}");
                }
            }
        }
    });
}

#[test]
fn the_least_location_of_the_extreme_value_is_found_on_all_images() {
    on_all_shapes(|image| {
        for set in sets(image) {
            let (me, n) = (set.position().unwrap(), set.len());
            for count in [1, 3, 4000] {
                let value =
                    |position: usize, index: usize| (random(position, index, 3) >> 60) as i32;
                let values: Vec<i32> = (0..count).map(|index| value(me, index)).collect();
                // The image at a higher position has the lesser location.
                let location = |position: usize, index: usize| index as i64 - position as i64;
                let locations: Vec<i64> = (0..count).map(|index| location(me, index)).collect();
                for (located, is_greatest) in
                    [(Located::least::<i32>(), false), (Located::greatest::<i32>(), true)]
                {
                    let key = |position: usize, index: usize| {
                        let value = value(position, index);
                        (if is_greatest { -value } else { value }, location(position, index))
                    };
                    let expected: Vec<(i32, i64)> = (0..count)
                        .map(|index| (0..n).map(|position| key(position, index)).min().unwrap())
                        .map(|(value, place)| (if is_greatest { -value } else { value }, place))
                        .collect();
                    let begun = nonblocking::locate(
                        image,
                        &set,
                        values.clone(),
                        locations.clone(),
                        located,
                    );
                    let begun = begun.unwrap();
                    let (mut found, mut places) = (values.clone(), locations.clone());
                    locate(image, &set, &mut found, &mut places, located, None).unwrap();
                    let both: Vec<(i32, i64)> = found.into_iter().zip(places).collect();
                    assert_eq!(both, expected);
                    let (found, places) = begun.wait().unwrap();
                    assert_eq!(found.into_iter().zip(places).collect::<Vec<_>>(), expected);
                    let (mut found, mut places) = (values.clone(), locations.clone());
                    let root = Some(n - 1);
                    locate(image, &set, &mut found, &mut places, located, root).unwrap();
                    if me == n - 1 {
                        assert_eq!(found.into_iter().zip(places).collect::<Vec<_>>(), expected);
                    }
                }
            }
        }
    });
}

fn texts(body: impl Fn(&Image) -> xmp_core::Result<()> + Sync) -> Vec<String> {
    let outcomes = threads::run(2, 1, body).unwrap();
    outcomes.into_iter().map(|outcome| outcome.unwrap_err().to_string()).collect()
}

#[test]
fn images_that_combine_by_different_operations_get_an_error() {
    for text in texts(|image| {
        let op = if image.rank().get() == 0 { Op::Sum } else { Op::Min };
        reduce_scatter(image, &image.executing(), &[1, 2], &mut [0], op)
    }) {
        assert!(text.contains("sum of i32") && text.contains("minimum of i32"), "{text}");
    }
    for text in texts(|image| {
        let is_least = image.rank().get() == 0;
        let located = if is_least { Located::least::<u8>() } else { Located::greatest::<u8>() };
        locate(image, &image.executing(), &mut [1_u8; 100], &mut [2; 100], located, None)
    }) {
        assert!(text.ends_with("give different operations"), "{text}");
    }
}

#[test]
fn what_does_not_fit_is_refused_before_anything_has_happened() {
    for text in
        texts(|image| reduce_scatter(image, &image.executing(), &[1, 2, 3], &mut [0], Op::Sum))
    {
        assert!(text.contains("reduce_scatter"), "{text}");
    }
    for text in texts(|image| {
        let located = Located::least::<f32>();
        locate(image, &image.executing(), &mut [1.0_f32], &mut [1, 2], located, None)
    }) {
        assert_eq!(text, "locate: 2 locations for 1 value");
    }
    for text in texts(|image| {
        let located = Located::least::<f32>();
        locate(image, &image.executing(), &mut [1_i32], &mut [1], located, None)
    }) {
        assert_eq!(text, "locate: values of i32 as ones of another type");
    }
}
