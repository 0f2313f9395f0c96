//! Scans give the bits of the blocking ones.

use crate::common::{on_all_shapes, random, sets_and_interleaved};
use xmp_collectives::nonblocking::{self, raw};
use xmp_collectives::{Combine, Op, Reduction};
use xmp_core::Image;
use xmp_core::settings::{Settings, Techniques};
use xmp_core::transport::threads;

/// Numbers whose sums depend on their brackets.
fn numbers(image: &Image, len: usize) -> Vec<f64> {
    (0..len).map(|i| (random(image.rank().index(), i, 17) as f64).sqrt() * 1e-3).collect()
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn scans_on_all_sets(image: &Image) {
    for set in sets_and_interleaved(image) {
        // From nothing to several parts of the vector.
        for len in [0, 1, 7, 1025, 9000, 20_000] {
            let data = numbers(image, len);
            let upto = nonblocking::scan(image, &set, data.clone(), Op::Sum);
            let before = nonblocking::exscan(image, &set, data.clone(), Op::Sum);
            let most = nonblocking::scan(image, &set, data.clone(), Op::Max);
            let mut expected = data.clone();
            xmp_collectives::exscan(image, &set, &mut expected, Op::Sum).unwrap();
            assert!(bits(&before.wait().unwrap()) == bits(&expected), "exclusive, {len}");
            let mut expected = data.clone();
            xmp_collectives::scan(image, &set, &mut expected, Op::Sum).unwrap();
            assert!(bits(&upto.wait().unwrap()) == bits(&expected), "{len}");
            let mut expected = data;
            xmp_collectives::scan(image, &set, &mut expected, Op::Max).unwrap();
            assert!(bits(&most.wait().unwrap()) == bits(&expected), "most, {len}");
        }
    }
}

#[test]
fn scans_give_the_bits_of_the_blocking_ones() {
    on_all_shapes(scans_on_all_sets);
}

#[test]
fn techniques_do_not_matter() {
    for techniques in [Techniques::NONE, Techniques::TWO_LEVEL, Techniques::CANARY] {
        let settings = Settings { techniques, ..Settings::default() };
        threads::run_with(settings, 5, 2, scans_on_all_sets).unwrap();
    }
}

/// All sets at once, completed in the opposite order; elements of a length that divides no part of a vector.
#[test]
fn a_users_operation_is_applied_in_order() {
    on_all_shapes(|image| {
        // Maps x -> a x + b modulo 2^64, and how many they are of.
        let map = |i| [random(image.rank().index(), i, 1) | 1, random(i, 1, 2), 1];
        let data: Vec<[u64; 3]> = (0..6000).map(map).collect();
        let after = |f: [u64; 3], g: [u64; 3]| {
            [f[0].wrapping_mul(g[0]), g[0].wrapping_mul(f[1]).wrapping_add(g[1]), f[2] + g[2]]
        };
        let sets = sets_and_interleaved(image);
        let mut begun: Vec<_> = (sets.iter())
            .map(|set| {
                let upto = nonblocking::scan_by(image, set, data.clone(), after);
                (set, upto, nonblocking::exscan_by(image, set, data.clone(), after))
            })
            .collect();
        let all: Vec<_> = (sets.iter())
            .map(|set| {
                let [mut upto, mut before] = [data.clone(), data.clone()];
                xmp_collectives::scan_by(image, set, &mut upto, after).unwrap();
                xmp_collectives::exscan_by(image, set, &mut before, after).unwrap();
                (upto, before)
            })
            .collect();
        for expected in all.into_iter().rev() {
            let (set, upto, before) = begun.pop().unwrap();
            let me = set.position().unwrap() as u64;
            assert!(expected.0[9][2] == me + 1 && expected.1[9][2] == me.max(1));
            assert!((upto.wait().unwrap(), before.wait().unwrap()) == expected);
        }
    });
}

#[test]
fn memory_of_the_caller_is_used_in_place() {
    on_all_shapes(|image| {
        let (set, me) = (image.executing(), u64::from(image.rank().get()));
        let [mut upto, mut before] = [vec![me + 1; 9000], vec![me + 1; 3]];
        let sum = || Combine::By(Reduction::number::<u64>(Op::Sum));
        // SAFETY: both are valid until the last wait.
        unsafe {
            let a = raw::scan(image, &set, upto.as_mut_ptr().cast(), 9000, sum());
            let b = raw::exscan(image, &set, before.as_mut_ptr().cast(), 3, sum());
            b.wait().and(a.wait()).unwrap();
        }
        assert_eq!(upto, vec![(me + 1) * (me + 2) / 2; 9000]);
        assert_eq!(before, [if me == 0 { 1 } else { me * (me + 1) / 2 }; 3]);
    });
}
