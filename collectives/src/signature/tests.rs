//! Tests of what images compare: each on threads that are images.

use super::*;
use crate::fast_path::reduce;
use crate::raw;
use std::sync::Mutex;
use xmp_core::Result;
use xmp_core::image_set::ImageSet;
use xmp_core::transport::threads;

/// A reduction of one image; `None` where the fast path does not apply.
type Call<'a> = dyn Fn(&Image, &ImageSet) -> Option<Result<()>> + Sync + 'a;

/// The errors of images that execute these functions with a set of all of them; `None` where the fast path did not apply.
fn errors(calls: &[&Call<'_>]) -> Vec<String> {
    let errors = Mutex::new(Vec::new());
    threads::run(calls.len() as u32, 1, |image| {
        let outcome = calls[image.rank().index()](image, &image.executing());
        if let Some(Err(error)) = outcome {
            errors.lock().unwrap().push(error.to_string());
        }
    })
    .unwrap();
    let mut errors = errors.into_inner().unwrap();
    errors.sort();
    errors
}

/// A call of the fast path, for all or the one at `to`.
fn fast<T: Number + Default>(
    to: Option<usize>,
    op: Op,
    count: usize,
) -> impl Fn(&Image, &ImageSet) -> Option<Result<()>> {
    move |image, set| {
        let mut numbers = vec![T::default(); count];
        // SAFETY: this many numbers.
        let outcome = unsafe { reduce(image, set, to, numbers.as_mut_ptr(), count, op) };
        outcome.map(|outcome| Ok(outcome?))
    }
}

/// A call of the slow path.
fn slow<T: Number + Default>(
    to: Option<usize>,
    op: Op,
    count: usize,
) -> impl Fn(&Image, &ImageSet) -> Option<Result<()>> {
    move |image, set| {
        let mut numbers = vec![T::default(); count];
        let (start, reduction) = (numbers.as_mut_ptr().cast(), Reduction::number::<T>(op));
        // SAFETY: this many numbers.
        Some(unsafe {
            match to {
                None => raw::allreduce(image, set, start, count, &reduction),
                Some(to) => raw::reduce(image, set, to, start, count, &reduction),
            }
        })
    }
}

const NONE: [String; 0] = [];

#[test]
fn reductions_that_differ_are_errors() {
    let [two, three] = [2, 3].map(|count| fast::<f64>(None, Op::Sum, count));
    let greatest = fast::<i32>(None, Op::Max, 2);
    assert_eq!(errors(&[&two, &two, &two]), NONE);
    assert_eq!(errors(&[&two, &three]), ["image 1 gives 2 elements, image 2 gives 3"; 2]);
    assert_eq!(
        errors(&[&two, &greatest]),
        ["image 1 wants the sum of f64, image 2 the maximum of i32"; 2]
    );
    // On both paths.
    let seven = errors(&[&two, &slow::<f64>(None, Op::Sum, 7)]);
    assert_eq!(seven, ["image 1 gives 2 elements, image 2 gives 7"; 2]);
}

#[test]
fn the_image_that_gets_the_result_finds_that_another_reduces_otherwise() {
    let of = |to, count| fast::<f64>(Some(to), Op::Sum, count);
    assert_eq!(errors(&[&of(1, 2), &of(1, 2)]), NONE);
    assert_eq!(errors(&[&of(1, 6), &of(1, 6)]), NONE);
    assert_eq!(errors(&[&of(1, 2), &of(1, 3)]), ["image 2 gives 3 elements, image 1 gives 2"]);
    assert_eq!(
        errors(&[&of(0, 2), &fast::<i32>(Some(0), Op::Max, 2)]),
        ["image 1 wants the sum of f64, image 2 the maximum of i32"]
    );
}

#[test]
fn images_on_both_paths_agree() {
    for to in [None, Some(0), Some(2)] {
        let (near, far) = (fast::<f64>(to, Op::Min, 6), slow::<f64>(to, Op::Min, 6));
        assert_eq!(errors(&[&near, &far, &near, &far]), NONE, "{to:?}");
        assert_eq!(errors(&[&far, &near, &far]), NONE, "{to:?}");
        let (near, far) = (fast::<i8>(to, Op::Sum, 48), slow::<i8>(to, Op::Sum, 48));
        assert_eq!(errors(&[&near, &far, &near]), NONE, "{to:?}");
        let (near, far) = (fast::<i64>(to, Op::Sum, 6), slow::<i64>(to, Op::Sum, 6));
        assert_eq!(errors(&[&near, &far, &near]), NONE, "{to:?}");
    }
}

/// The errors of images that broadcast this many bytes from this position.
fn broadcasts(calls: &[(usize, usize)]) -> Vec<String> {
    let call = |len, root| {
        move |image: &Image, set: &ImageSet| {
            let mut bytes = vec![image.rank().get() as u8; len];
            // SAFETY: this many bytes.
            let outcome = unsafe { raw::broadcast(image, set, root, bytes.as_mut_ptr(), len) };
            let untouched = bytes.iter().all(|&byte| byte == image.rank().get() as u8);
            assert!(outcome.is_ok() || untouched, "nothing is written");
            // The next operation is a correct one.
            let next =
                crate::barrier(image, set).and(crate::broadcast(image, set, 0, &mut [0u64; 3]));
            Some(outcome.and(next))
        }
    };
    let calls: Vec<_> = calls.iter().map(|&(len, root)| call(len, root)).collect();
    errors(&calls.iter().map(|call| call as &Call<'_>).collect::<Vec<_>>())
}

#[test]
fn broadcasts_that_differ_are_errors_and_write_nothing() {
    for (len, other) in
        [(8, 16), (48, 49), (8, 4000), (4000, 8), (1000, 9000), (9000, 1000), (5000, 5008)]
    {
        let text = format!("image 2 gives {other} bytes, image 1 gives {len}");
        let many = "image 2 and image 1 give another type, shape or number of elements: XMP_CHECK=1 names them";
        let found = broadcasts(&[(len, 0), (other, 0), (len, 0)]);
        assert!(
            found == [text] || other < 49 && len >= 255 && found == [many],
            "{len} {other}: {found:?}"
        );
    }
    for (len, other) in [(20_000, 20_008), (1 << 20, 1 << 19), (100_000, 300_000)] {
        let text = format!("image 1 gives {len} bytes, image 3 gives {other}");
        assert_eq!(broadcasts(&[(len, 0), (len, 0), (other, 0)]), vec![text; 3]);
        let text = "the root is image 1 on image 1, image 2 on image 2";
        assert_eq!(broadcasts(&[(len, 0), (len, 1)]), [text; 2]);
    }
}

/// The errors of images that execute these functions, and then a barrier and a broadcast.
fn errors_with_barrier(calls: &[&Call<'_>]) -> Vec<String> {
    let and_barrier = |at: usize| {
        move |image: &Image, set: &ImageSet| {
            let outcome = calls[at](image, set)?.and_then(|()| crate::barrier(image, set));
            let mut number = [image.rank().get(); 3];
            crate::broadcast(image, set, 1, &mut number).unwrap();
            assert_eq!(number, [1; 3], "the next operation is a correct one");
            crate::barrier(image, set).unwrap();
            Some(outcome)
        }
    };
    let calls: Vec<_> = (0..calls.len()).map(and_barrier).collect();
    errors(&calls.iter().map(|call| call as &Call<'_>).collect::<Vec<_>>())
}

#[test]
fn images_that_each_name_themselves_as_the_root_are_found_at_the_next_barrier() {
    let broadcast = |len: usize, root: usize| {
        move |image: &Image, set: &ImageSet| {
            let mut bytes = vec![0_u8; len];
            // SAFETY: this many bytes.
            Some(unsafe { raw::broadcast(image, set, root, bytes.as_mut_ptr(), len) })
        }
    };
    for len in [1, 8, 56, 57, 4000, 9000, 16 << 10] {
        let [one, two] = [0, 1].map(|root| broadcast(len, root));
        let text = "image 1 and image 2 each are the root of an earlier broadcast; XMP_CHECK=1 finds the statement";
        assert_eq!(errors_with_barrier(&[&one, &two]), [text; 2], "{len}");
        assert_eq!(errors_with_barrier(&[&one, &two, &one]), [text; 3], "{len}");
        assert_eq!(errors_with_barrier(&[&one, &one, &one]), NONE);
    }
    // Each gives its operand to the other one, and none gets the result.
    let [one, two] = [0, 1].map(|to| fast::<f64>(Some(to), Op::Sum, 3));
    let text = "no image names itself as the root of an earlier reduce that has one; XMP_CHECK=1 finds the statement";
    assert_eq!(errors_with_barrier(&[&two, &one]), [text; 2]);
    assert_eq!(errors_with_barrier(&[&two, &two]), NONE);
    let broadcast = broadcast(8, 0);
    let text = "image 1 is the root of an earlier broadcast, instead of which image 2 executes reduce; XMP_CHECK=1 finds \
                the statements";
    assert_eq!(errors_with_barrier(&[&broadcast, &one]), [text; 2]);
    let none = |_: &Image, _: &ImageSet| Some(Ok(()));
    let text = "image 1 has executed a broadcast in which image 2 has not taken part; XMP_CHECK=1 finds the statement";
    assert_eq!(errors_with_barrier(&[&broadcast, &none]), [text; 2]);
}

#[test]
fn flows_that_differ_are_found_at_the_end_unless_a_barrier_has_found_them() {
    for (own, with_barrier) in [(true, false), (false, false), (true, true)] {
        let found = Mutex::new(0);
        threads::run(2, 1, |image| {
            let set = image.executing();
            let (me, mut number) = (image.rank().index(), [7]);
            for root in [1, if own { me } else { 0 }] {
                crate::broadcast(image, &set, root, &mut number).unwrap();
            }
            if with_barrier {
                crate::barrier(image, &set).unwrap_err();
            }
            if crate::flows::compare_at_end(image).is_err() {
                *found.lock().unwrap() += 1;
            }
        })
        .unwrap();
        let found = found.into_inner().unwrap();
        assert_eq!(found > 0, own && !with_barrier);
    }
}

#[test]
fn long_reductions_that_differ_are_errors() {
    for (count, other) in
        [(7, 8), (40, 41), (1010, 1020), (101_000, 102_000), (1010, 101_000), (3, 1010)]
    {
        for to in [None, Some(1)].into_iter().filter(|to| to.is_none() || count > 7) {
            let call = slow::<f64>(to, Op::Sum, count);
            let text = format!("image 1 gives {count} elements, image 3 gives {other}");
            let found = errors(&[&call, &call, &slow::<f64>(to, Op::Sum, other)]);
            let many = "image 1 and image 3 give another type, shape or number of elements: XMP_CHECK=1 names them";
            assert!(
                found == [text.as_str(); 3] || count == 3 && found == [many; 3],
                "{to:?}: {found:?}"
            );
        }
        let (one, two) = (slow::<f64>(Some(0), Op::Sum, 9), slow::<f64>(Some(1), Op::Sum, 9));
        let text = "the root is image 1 on image 1, image 2 on image 2";
        assert_eq!(errors(&[&one, &two, &one]), [text; 3]);
        let [sum, max] = [Op::Sum, Op::Max].map(|op| slow::<f64>(None, op, other));
        let text = "image 1 wants the sum of f64, image 2 the maximum of f64";
        assert_eq!(errors(&[&sum, &max]), [text; 2]);
    }
}

/// A call with an operation of the program.
fn call_by(
    count: usize,
    operation: impl Fn(u64, u64) -> u64 + Copy + Sync,
) -> impl Fn(&Image, &ImageSet) -> Option<Result<()>> {
    move |image, set| Some(crate::allreduce_by(image, set, &mut vec![1; count], operation))
}

fn product(left: u64, right: u64) -> u64 {
    left.wrapping_mul(right)
}

fn exclusive_or(left: u64, right: u64) -> u64 {
    left ^ right
}

#[test]
fn reductions_by_different_functions_are_errors() {
    for count in [1, 7, 1000, 100_000] {
        let (by_product, by_or) = (call_by(count, product), call_by(count, exclusive_or));
        assert_eq!(errors(&[&by_product, &by_product, &by_product]), NONE);
        let text = "image 1 and image 3 give different operations";
        assert_eq!(errors(&[&by_product, &by_product, &by_or]), [text; 3]);
    }
}

#[test]
fn numbers_of_epochs_may_wrap() {
    let many = |image: &Image, set: &ImageSet| {
        let call = fast::<i32>(None, Op::Sum, 1);
        let mut outcomes = (0..70_000).map(|_| call(image, set));
        outcomes.find(|outcome| !matches!(outcome, Some(Ok(())))).flatten()
    };
    assert_eq!(errors(&[&many, &many]), NONE);
}

#[test]
fn images_without_elements_are_found_and_do_not_shift_what_follows() {
    assert_eq!(broadcasts(&[(0, 0), (0, 0), (0, 0)]), NONE);
    for (len, other) in [(0, 8), (8, 0), (4000, 0)] {
        let text = format!("image 2 gives {other} bytes, image 1 gives {len}");
        assert_eq!(broadcasts(&[(len, 0), (other, 0)]), [text]);
    }
    for to in [None, Some(0)] {
        let [none, some] = [0, 9].map(|count| slow::<f64>(to, Op::Sum, count));
        assert_eq!(errors(&[&none, &none, &none]), NONE);
        let text = "image 1 gives 0 elements, image 3 gives 9";
        assert_eq!(errors(&[&none, &none, &some]), [text; 3], "{to:?}");
    }
}

#[test]
fn lengths_that_grow_from_image_to_image_have_numbers_that_do_not_cancel() {
    let number = |count| u64::from(Signature::of_numbers::<f64>(Op::Max, count).number());
    for first in 1..4000 {
        for growth in 1..100 {
            let ends = number(first) + number(first + 2 * growth);
            assert_ne!(ends, 2 * number(first + growth), "{first} and {growth} more");
        }
    }
    let [one, other, middle] = [8952, 8984, 8968].map(number);
    assert_ne!(one + other, 2 * middle);
}
