//! Each operation gives what the blocking one gives, to the last bit.

use crate::common::{on_all_shapes, random, sets};
use xmp_collectives::{Combine, Op, Reduction, nonblocking};
use xmp_core::settings::{Settings, Techniques};
use xmp_core::transport::threads;
use xmp_core::{Error, Image};

/// Numbers whose sum depends on the order.
fn numbers(image: &Image, len: usize) -> Vec<f64> {
    (0..len).map(|i| random(image.rank().index(), i, 3) as f64 / 1e9).collect()
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn all_operations_on_all_sets(image: &Image) {
    for set in sets(image) {
        for len in [0, 1, 7, 1023, 1024, 1025, 9000, 20_000] {
            let root = len % set.len();
            let is_root = set.position() == Some(root);
            let data = numbers(image, len);
            let all = nonblocking::allreduce(image, &set, data.clone(), Op::Sum);
            let one = nonblocking::reduce(image, &set, root, data.clone(), Op::Sum).unwrap();
            let sent = nonblocking::broadcast(image, &set, root, data.clone()).unwrap();
            let some = &data[..len.min(3000)];
            let everywhere = nonblocking::allgather(image, &set, some);
            let there = nonblocking::gather(image, &set, root, some).unwrap();
            nonblocking::barrier(image, &set).wait().unwrap();

            let mut sum = data.clone();
            xmp_collectives::allreduce(image, &set, &mut sum, Op::Sum).unwrap();
            assert_eq!(bits(&all.wait().unwrap()), bits(&sum));
            let one = one.wait().unwrap();
            assert!(!is_root || bits(&one) == bits(&sum));
            let mut from_root = data.clone();
            xmp_collectives::broadcast(image, &set, root, &mut from_root).unwrap();
            assert_eq!(bits(&sent.wait().unwrap()), bits(&from_root));
            let mut gathered = vec![0.0; some.len() * set.len()];
            xmp_collectives::allgather(image, &set, some, &mut gathered).unwrap();
            assert_eq!(bits(&everywhere.wait().unwrap()), bits(&gathered));
            let there = there.wait().unwrap();
            assert_eq!(bits(&there), if is_root { bits(&gathered) } else { vec![] });

            let given = if is_root { gathered } else { vec![] };
            let part = nonblocking::scatter(image, &set, root, given, some.len()).unwrap();
            assert_eq!(bits(&part.wait().unwrap()), bits(some));

            let data = numbers(image, some.len() / 3 * set.len());
            let parts = nonblocking::alltoall(image, &set, data.clone()).unwrap();
            let mut expected = data.clone();
            xmp_collectives::alltoall(image, &set, &data, &mut expected).unwrap();
            assert_eq!(bits(&parts.wait().unwrap()), bits(&expected));
        }
    }
}

#[test]
fn all_give_what_the_blocking_ones_give() {
    on_all_shapes(all_operations_on_all_sets);
}

#[test]
fn techniques_do_not_matter() {
    for techniques in [Techniques::NONE, Techniques::TWO_LEVEL, Techniques::CANARY] {
        let settings = Settings { techniques, ..Settings::default() };
        threads::run_with(settings, 5, 2, all_operations_on_all_sets).unwrap();
    }
}

/// A user's operation, that is not commutative, on elements that are no numbers.
#[test]
fn a_users_operation_is_applied_in_order() {
    on_all_shapes(|image| {
        for set in sets(image) {
            // Maps x -> a x + b modulo 2^64: composition is associative.
            let map = |i| [random(image.rank().index(), i, 1) | 1, random(i, 1, 2)];
            let data: Vec<[u64; 2]> = (0..5000).map(map).collect();
            let after = |f: [u64; 2], g: [u64; 2]| {
                [f[0].wrapping_mul(g[0]), g[0].wrapping_mul(f[1]).wrapping_add(g[1])]
            };
            let composed = nonblocking::allreduce_by(image, &set, data.clone(), after);
            let mut expected = data;
            xmp_collectives::allreduce_by(image, &set, &mut expected, after).unwrap();
            assert_eq!(composed.wait().unwrap(), expected);
        }
    });
}

#[test]
fn memory_of_the_caller_is_used_in_place() {
    threads::run(4, 2, |image| {
        let set = image.executing();
        let me = u64::from(image.rank().get());
        let (mut sum, mut most, mut sent) = (vec![me; 20_000], vec![me; 3], [me; 2]);
        let (mine, mut all) = ([me, 7], [0; 8]);
        let combine = |op| Combine::By(Reduction::number::<u64>(op));
        // SAFETY: all is valid until the last wait.
        unsafe {
            use nonblocking::raw;
            let start = |data: &mut [u64]| data.as_mut_ptr().cast::<u8>();
            let a = raw::allreduce(image, &set, start(&mut sum), 20_000, combine(Op::Sum));
            let b = raw::reduce(image, &set, 1, start(&mut most), 3, combine(Op::Max)).unwrap();
            let c = raw::broadcast(image, &set, 3, start(&mut sent), 16).unwrap();
            let d = raw::allgather(image, &set, mine.as_ptr().cast(), start(&mut all), 16);
            d.wait().and(c.wait()).and(b.wait()).and(a.wait()).unwrap();
        }
        assert_eq!((sum, sent), (vec![6; 20_000], [3; 2]));
        assert_eq!(all, [0, 7, 1, 7, 2, 7, 3, 7]);
        assert!(me != 1 || most == [3; 3]);
    })
    .unwrap();
}

#[test]
fn wrong_arguments_are_errors_and_begin_nothing() {
    threads::run(3, 1, |image| {
        let set = image.executing();
        let no_such = |error| assert!(matches!(error, Error::ImageIndex { index: 4, images: 3 }));
        no_such(nonblocking::broadcast(image, &set, 3, vec![1]).unwrap_err());
        no_such(nonblocking::reduce(image, &set, 3, vec![1], Op::Sum).unwrap_err());
        let error = nonblocking::alltoall(image, &set, vec![1; 4]).unwrap_err();
        assert!(error.to_string().contains("4 elements to 3 images"), "{error}");
        no_such(nonblocking::gather(image, &set, 3, &[1]).unwrap_err());
        no_such(nonblocking::scatter(image, &set, 3, vec![1; 3], 1).unwrap_err());
        if image.rank().get() == 0 {
            let error = nonblocking::scatter(image, &set, 0, vec![1; 4], 1).unwrap_err();
            assert!(error.to_string().contains("4 elements to 3 images"), "{error}");
        }
        let sum = nonblocking::allreduce(image, &set, vec![1], Op::Sum);
        assert_eq!(sum.wait(), Ok(vec![3]));
    })
    .unwrap();
}
