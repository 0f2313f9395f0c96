//! Reductions: every algorithm, on every shape of job and set, gives what a sequential fold gives.

use crate::common::{
    buffer, elements, forced, forced_between_hosts, on_all_shapes, random, roots, sets,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use xmp_collectives::host::reduce::Operand;
use xmp_collectives::reduce::reduce_with;
use xmp_collectives::select::{Choices, LeaderReduce};
use xmp_collectives::{Op, Reduction};
use xmp_core::Image;
use xmp_core::image_set::ImageSet;
use xmp_core::number::{ElemType, F80, F128};
use xmp_core::transport::threads;

/// Element `index` of the image at `position` of a set.
fn number(position: usize, index: usize) -> i64 {
    random(position, index, 7) as i64 >> 8
}

/// Sums of as many elements as asked for, computed once for many operations.
fn sums(set: &ImageSet, count: usize) -> Vec<i64> {
    (0..count).map(|index| (0..set.len()).map(|p| number(p, index)).sum()).collect()
}

#[test]
fn every_algorithm_sums_for_all() {
    on_all_shapes(|image| {
        let sum = Reduction::number::<i64>(Op::Sum);
        for (number_of_set, set) in sets(image).into_iter().enumerate() {
            let me = set.position().unwrap();
            let most = if number_of_set == 0 { 100_000 } else { 5000 };
            let own: Vec<i64> = (0..most).map(|index| number(me, index)).collect();
            let expected = sums(&set, most);
            for (name, choices) in forced(|choices, forced| choices.allreduce = forced) {
                for count in [0, 1, 7, 8, 100, 5000, 100_000].into_iter().filter(|&c| c <= most) {
                    for shared in [false, true] {
                        if count > 5000 && !["table", "direct", "messages"].contains(&name) {
                            continue;
                        }
                        let data = buffer(image, count * 8, shared);
                        data.fill(&own);
                        let operand = Operand { elements: data.elements(&sum), to: None };
                        reduce_with(image, &set, &operand, &choices).unwrap();
                        assert!(data.read::<i64>() == expected[..count], "{name} of {count}");
                    }
                }
            }
        }
    });
}

#[test]
fn every_algorithm_sums_for_each_root() {
    on_all_shapes(|image| {
        let sum = Reduction::number::<i64>(Op::Sum);
        for set in sets(image) {
            let me = set.position().unwrap();
            let own: Vec<i64> = (0..5000).map(|index| number(me, index)).collect();
            let expected = sums(&set, 5000);
            for (name, choices) in forced(|choices, forced| choices.reduce = forced) {
                for (count, shared) in [(1, false), (100, false), (5000, false), (5000, true)] {
                    for root in roots::<LeaderReduce>(name, set.len()) {
                        let data = buffer(image, count * 8, shared);
                        data.fill(&own);
                        let operand = Operand { elements: data.elements(&sum), to: Some(root) };
                        reduce_with(image, &set, &operand, &choices).unwrap();
                        if me == root {
                            assert!(data.read::<i64>() == expected[..count], "{name} of {count}");
                        }
                    }
                }
            }
        }
    });
}

/// Floating-point sums depend on the order; all algorithms use the same one, so bits are equal.
#[test]
fn all_algorithms_and_images_get_the_same_bits() {
    for hosts in [1, 2, 3, 7] {
        let outcomes = threads::run(7, hosts, |image| {
            let set = image.executing();
            let me = set.position().unwrap();
            let sum = Reduction::number::<f64>(Op::Sum);
            let mut results = Vec::new();
            let element = |index| (random(me, index, 3) as f64).sqrt() * 1e-3;
            let own: Vec<f64> = (0..1000).map(element).collect();
            let mut keep = |data: Vec<u64>| results.push(data);
            let put = |choices: &mut Choices, forced| choices.allreduce = forced;
            for (_, choices) in forced(put).into_iter().chain(forced_between_hosts(put)) {
                for shared in [false, true] {
                    let data = buffer(image, 8000, shared);
                    data.fill(&own);
                    let operand = Operand { elements: data.elements(&sum), to: None };
                    reduce_with(image, &set, &operand, &choices).unwrap();
                    keep(data.read());
                }
            }
            let put = |choices: &mut Choices, forced| choices.reduce = forced;
            for (_, choices) in forced(put).into_iter().chain(forced_between_hosts(put)) {
                for root in 0..set.len() {
                    let data = buffer(image, 8000, false);
                    data.fill(&own);
                    let operand = Operand { elements: data.elements(&sum), to: Some(root) };
                    reduce_with(image, &set, &operand, &choices).unwrap();
                    if root == me {
                        keep(data.read());
                    }
                }
            }
            results
        })
        .unwrap();
        let first = &outcomes[0][0];
        assert!(outcomes.iter().flatten().all(|result| result == first), "{hosts} hosts");
    }
}

/// The fast path for few numbers, and that for more in one piece, give what the general path gives, for all sizes
/// around their limits.
#[test]
fn the_fast_path_gives_the_same_bits() {
    on_all_shapes(|image| {
        for set in sets(image) {
            let me = set.position().unwrap();
            for count in (1..=9).chain([100, 513, 2000]) {
                for op in [Op::Sum, Op::Min, Op::Max] {
                    let element = |index| (random(me, index, 3) as f64).sqrt() * 1e-3;
                    let mut short: Vec<f64> = (0..count).map(element).collect();
                    let mut general = short.clone();
                    xmp_collectives::allreduce(image, &set, &mut short, op).unwrap();
                    let reduction = Reduction::number::<f64>(op);
                    let choices = Choices::default();
                    let operand =
                        Operand { elements: elements(&mut general, &reduction), to: None };
                    reduce_with(image, &set, &operand, &choices).unwrap();
                    assert_eq!(short, general, "{op:?}");
                }
            }
        }
    });
}

/// Sums all images' data of one type, and takes its minimum and maximum, and compares with a fold.
fn check_type<T: xmp_collectives::Number + PartialEq + std::fmt::Debug>(
    image: &Image,
    from: impl Fn(u64) -> T,
) {
    let set = image.executing();
    let me = set.position().unwrap();
    type Fold<T> = fn(T, T) -> T;
    let folds: [(Op, Fold<T>); 3] =
        [(Op::Sum, T::sum), (Op::Min, T::least), (Op::Max, T::greatest)];
    for (op, fold) in folds {
        for count in [1, 3, 500] {
            let element = |p, index| from(random(p, index, 11));
            let mut data: Vec<T> = (0..count).map(|index| element(me, index)).collect();
            xmp_collectives::allreduce(image, &set, &mut data, op).unwrap();
            for (index, &result) in data.iter().enumerate() {
                let all = (0..set.len()).map(|p| element(p, index));
                assert_eq!(result, all.reduce(fold).unwrap(), "{op:?}");
            }
        }
    }
}

#[test]
fn every_type_of_number() {
    for images in [2, 4, 5] {
        threads::run(images, 1, |image| {
            check_type(image, |x| x as i8);
            check_type(image, |x| x as i16);
            check_type(image, |x| x as i32);
            check_type(image, |x| x as i64);
            check_type(image, |x| i128::from(x as i64) << 60);
            check_type(image, |x| x as u8);
            check_type(image, |x| x);
            // Sums of small whole numbers are exact in any order.
            check_type(image, |x| f32::from(x as i16));
            check_type(image, |x| f64::from(x as i32));
            check_type(image, |x| F80::from(f64::from(x as i32)));
            check_type(image, |x| F128::from(f64::from(x as i32)));
        })
        .unwrap();
    }
}

#[test]
fn complex_sums() {
    threads::run(3, 1, |image| {
        let set = image.executing();
        let mut data: Vec<f32> =
            (0..40).map(|i| (i as u32 * image.rank().image()) as f32).collect();
        let sum = Reduction::of(Op::Sum, ElemType::Complex(4)).unwrap();
        let start = data.as_mut_ptr().cast();
        // SAFETY: 20 pairs of floats.
        unsafe { xmp_collectives::raw::allreduce(image, &set, start, 20, &sum).unwrap() };
        assert!(data.iter().enumerate().all(|(i, &x)| x == (i * 6) as f32));
    })
    .unwrap();
}

#[test]
fn characters_by_their_codes() {
    on_all_shapes(|image| {
        let set = image.executing();
        let me = set.position().unwrap();
        let text = |p: usize, i: usize| format!("{:03}\u{e9}", random(p, i, 5) % 1000).into_bytes();
        for (greatest, count) in [(false, 1), (true, 1), (false, 3000), (true, 3000)] {
            let mut data: Vec<u8> = (0..count).flat_map(|i| text(me, i)).collect();
            let op = if greatest { Op::Max } else { Op::Min };
            let reduction = Reduction::of(op, ElemType::Character { kind: 1, len: 5 }).unwrap();
            let start = data.as_mut_ptr();
            // SAFETY: `count` strings of 5 bytes.
            unsafe {
                xmp_collectives::raw::allreduce(image, &set, start, count, &reduction).unwrap();
            }
            for (i, result) in data.chunks(5).enumerate() {
                let all = (0..set.len()).map(|p| text(p, i));
                assert_eq!(result, if greatest { all.max() } else { all.min() }.unwrap());
            }
        }
        let mut wide = [0x1_0000 + me as u32, 7];
        let reduction = Reduction::of(Op::Max, ElemType::Character { kind: 4, len: 2 }).unwrap();
        // SAFETY: one string of two 4-byte characters.
        unsafe {
            let start = wide.as_mut_ptr().cast();
            xmp_collectives::raw::allreduce(image, &set, start, 1, &reduction).unwrap();
        }
        assert_eq!(wide, [0x1_0000 + set.len() as u32 - 1, 7]);
    });
}

/// 2 x 2 matrices do not commute: the product must be taken in the order of the images, whatever the algorithm.
#[test]
fn user_operations_are_applied_in_order() {
    type Matrix = [u64; 4];
    let product = |a: Matrix, b: Matrix| {
        let dot = |r: usize, c: usize| {
            a[2 * r].wrapping_mul(b[c]).wrapping_add(a[2 * r + 1].wrapping_mul(b[2 + c]))
        };
        [dot(0, 0), dot(0, 1), dot(1, 0), dot(1, 1)]
    };
    let matrix = |p: usize, i: usize| std::array::from_fn(|k| random(p, i, k as u64));
    on_all_shapes(|image| {
        // Hosts hold contiguous blocks of this set, so that host by host is image by image.
        let set = image.executing();
        let me = set.position().unwrap();
        // SAFETY: called with pointers to matrices.
        let combine = |acc: *mut u8, x: *const u8| unsafe {
            let acc = acc.cast::<Matrix>();
            *acc = product(*acc, *x.cast::<Matrix>());
        };
        let reduction = Reduction::user(32, &combine);
        for (name, choices) in forced(|choices, forced| choices.allreduce = forced) {
            for (count, shared) in [(1, false), (9, false), (3000, false), (3000, true)] {
                let data = buffer(image, 32 * count, shared);
                data.fill(&(0..count).map(|i| matrix(me, i)).collect::<Vec<_>>());
                let operand = Operand { elements: data.elements(&reduction), to: None };
                reduce_with(image, &set, &operand, &choices).unwrap();
                for (i, result) in data.read::<Matrix>().into_iter().enumerate() {
                    let all = (0..set.len()).map(|p| matrix(p, i));
                    assert_eq!(result, all.reduce(product).unwrap(), "{name} of {count}");
                }
            }
        }
    });
}

/// All images together call the operation once for each operand but the first, also where operands are in segments.
#[test]
fn user_operations_are_called_once_an_element_and_operand() {
    for images in [2, 3, 4, 7, 8] {
        for (count, shared) in
            [(8, false), (9, false), (1024, false), (30_000, false), (300_000, false), (1024, true)]
        {
            let calls = AtomicUsize::new(0);
            threads::run(images, 1, |image| {
                let set = image.executing();
                let me = set.position().unwrap();
                // SAFETY: called with pointers to numbers.
                let add = |acc: *mut u8, x: *const u8| unsafe {
                    calls.fetch_add(1, Ordering::Relaxed);
                    let acc = acc.cast::<u64>();
                    *acc = acc.read().wrapping_add(x.cast::<u64>().read());
                };
                let reduction = Reduction::user(8, &add);
                let data = buffer(image, 8 * count, shared);
                data.fill(&(0..count).map(|i| random(me, i, 0)).collect::<Vec<u64>>());
                let operand = Operand { elements: data.elements(&reduction), to: None };
                reduce_with(image, &set, &operand, &Choices::default()).unwrap();
                for (i, result) in data.read::<u64>().into_iter().enumerate() {
                    let all = (0..set.len()).map(|p| random(p, i, 0));
                    assert_eq!(result, all.reduce(u64::wrapping_add).unwrap());
                }
            })
            .unwrap();
            let expected = (images as usize - 1) * count;
            assert_eq!(calls.into_inner(), expected, "{images} images, {count}, {shared}");
        }
    }
}

/// Elements too long for slots, for slices and for staging.
#[test]
fn long_elements() {
    for len in [57, 5000, 200_000, 300_000] {
        threads::run(3, 1, |image| {
            let set = image.executing();
            // SAFETY: called with pointers to `len` bytes.
            let add = move |acc: *mut u8, x: *const u8| unsafe {
                for i in 0..len {
                    *acc.add(i) = (*acc.add(i)).wrapping_add(*x.add(i));
                }
            };
            let reduction = Reduction::user(len, &add);
            for (_, choices) in forced(|choices, forced| choices.allreduce = forced) {
                let me = image.rank().get() as u8 + 1;
                let mut data: Vec<u8> = (0..3 * len).map(|i| (i as u8).wrapping_mul(me)).collect();
                let operand = Operand { elements: elements(&mut data, &reduction), to: None };
                reduce_with(image, &set, &operand, &choices).unwrap();
                assert!(data.iter().enumerate().all(|(i, &x)| x == (i as u8).wrapping_mul(6)));
            }
        })
        .unwrap();
    }
}

#[test]
fn a_root_outside_the_set_is_an_error() {
    threads::run(2, 1, |image| {
        let outcome = xmp_collectives::reduce(image, &image.executing(), 2, &mut [1], Op::Sum);
        assert_eq!(outcome.unwrap_err().to_string(), "image index 3 is not in 1:2");
    })
    .unwrap();
}

/// Operands of which only some are in segments are staged.
#[test]
fn mixed_operands() {
    threads::run(4, 1, |image| {
        let set = image.executing();
        let me = set.position().unwrap();
        let sum = Reduction::number::<i64>(Op::Sum);
        let data = buffer(image, 8 * 20_000, me % 2 == 0);
        let own: Vec<i64> = (0..20_000).map(|index| number(me, index)).collect();
        data.fill(&own);
        let operand = Operand { elements: data.elements(&sum), to: None };
        reduce_with(image, &set, &operand, &Choices::default()).unwrap();
        assert!(data.read::<i64>() == sums(&set, 20_000));
    })
    .unwrap();
}
