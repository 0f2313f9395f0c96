//! Members in groups: every grouping gives the bits of members without groups.

use crate::common::{buffer, random};
use xmp_collectives::host::reduce::Operand;
use xmp_collectives::reduce::reduce_with;
use xmp_collectives::select::{Choices, HostMove, HostReduce};
use xmp_collectives::{Op, Parts, Reduction};
use xmp_core::Image;
use xmp_core::settings::Settings;
use xmp_core::transport::threads;

/// One level and several, uneven groups, groups of one member, members dealt in turn, lists that name some only.
const GROUPINGS: [&str; 8] =
    ["2", "3", "2x2", "3x2x2", "2x4x8", "1-2,5/3,7", "1,4,7,10,13/2,5,8,11/3,6,9,12", "2-13/1"];

/// Everything that an image gets, in bits. `how` forces algorithms.
fn program(image: &Image, how: &Choices) -> Vec<u64> {
    let set = image.executing();
    let (me, n) = (set.position().unwrap(), set.len());
    let sum = Reduction::number::<f64>(Op::Sum);
    // Not commutative: matrices (a b; 0 1) of small numbers.
    let affine = |left: [u64; 2], right: [u64; 2]| {
        [left[0].wrapping_mul(right[0]), left[0].wrapping_mul(right[1]).wrapping_add(left[1])]
    };
    let user = |left: *mut u8, right: *const u8| {
        // SAFETY: the operands are elements of 16 bytes.
        unsafe {
            let operands = [left.cast_const(), right];
            let operands = operands.map(|it| it.cast::<[u64; 2]>().read_unaligned());
            left.cast::<[u64; 2]>().write_unaligned(affine(operands[0], operands[1]));
        }
    };
    let composed = Reduction::user(16, &user);
    let mut results = Vec::new();
    for (round, len) in [1, 7, 1000, 3000, 40_000].into_iter().enumerate() {
        for shared in [false, true] {
            // In the third round the operands of some members are in segments.
            let data = buffer(image, 8 * len, shared && (round != 2 || me % 2 == 0));
            let own: Vec<f64> = (0..len).map(|at| random(me, at, 4) as f64 / 1e9).collect();
            for to in [None, Some(len % n)] {
                data.fill(&own);
                let operand = Operand { elements: data.elements(&sum), to };
                reduce_with(image, &set, &operand, how).unwrap();
                if to.is_none_or(|to| to == me) {
                    results.extend(data.read::<f64>().iter().map(|x| x.to_bits()));
                }
            }
            let pairs = buffer(image, 16 * len.min(3000), shared);
            let own: Vec<u64> = (0..2 * len.min(3000)).map(|at| random(me, at, 5)).collect();
            pairs.fill(&own);
            let operand = Operand { elements: pairs.elements(&composed), to: None };
            reduce_with(image, &set, &operand, how).unwrap();
            results.extend(pairs.read::<u64>());

            data.fill(&own.repeat(len.div_ceil(own.len())));
            xmp_collectives::broadcast::broadcast_with(image, &set, data.message(len % n), how)
                .unwrap();
            results.extend(data.read::<u64>());
        }
        let mine: Vec<u64> = (0..len).map(|at| random(me, at, 6)).collect();
        let mut all = vec![0; n * len];
        xmp_collectives::allgather(image, &set, &mine, &mut all).unwrap();
        results.extend(&all);
        results.extend(exchanged(image, len.min(3000)));
    }
    results
}

/// The elements that an image gets in an alltoall of parts of this length, in one of shorter parts for some images, and in a scatter.
fn exchanged(image: &Image, len: usize) -> Vec<u64> {
    let set = image.executing();
    let (me, n) = (set.position().unwrap(), set.len());
    let own: Vec<u64> = (0..n * len).map(|at| random(me, at, 7)).collect();
    let mut into = vec![0; n * len];
    xmp_collectives::alltoall(image, &set, &own, &mut into).unwrap();
    let mut results = into.clone();
    let part = |from: usize, to: usize| len - (from + to) % 3 % len;
    let offsets: Vec<usize> = (0..n).map(|member| member * len).collect();
    let sends: Vec<usize> = (0..n).map(|to| part(me, to)).collect();
    let receives: Vec<usize> = (0..n).map(|from| part(from, me)).collect();
    let [out, back] = [&sends, &receives].map(|lens| Parts::Given { lens, offsets: &offsets });
    into.fill(0);
    xmp_collectives::alltoallv(image, &set, &own, out, &mut into, back).unwrap();
    results.extend(&into);
    xmp_collectives::scatter(image, &set, len % n, &own, &mut into[..len]).unwrap();
    results.extend(&into[..len]);
    results
}

fn outcome(images: u32, groups: Option<&str>, forced: &str) -> Vec<Vec<u64>> {
    let settings = Settings::from_lookup(|name| {
        Ok(match name {
            "XMP_VIRTUAL_GROUPS" => groups.map(str::to_string),
            "XMP_COLL" if !forced.is_empty() => Some(forced.to_string()),
            "XMP_SEGMENT_SIZE" => Some("256M".into()),
            _ => None,
        })
    });
    let mut how = Choices::default();
    if !forced.is_empty() {
        how.reduce.host = Some(HostReduce::Grouped);
        how.allreduce.host = Some(HostReduce::Grouped);
        how.broadcast.host = Some(HostMove::Grouped);
    }
    threads::run_with(settings.unwrap(), images, 1, |image| program(image, &how)).unwrap()
}

#[test]
fn every_grouping_gives_the_same_bits() {
    let forced = "allreduce:grouped,reduce:grouped,broadcast:grouped,allgather:grouped";
    for images in [3, 8, 13] {
        let expected = outcome(images, None, "");
        for groups in GROUPINGS {
            assert!(outcome(images, Some(groups), forced) == expected, "{images} in {groups}");
        }
    }
}

/// Each image in one of four caches, by chance.
#[test]
fn random_groupings_give_the_same_bits() {
    let forced = "allreduce:grouped,reduce:grouped,broadcast:grouped,allgather:grouped";
    let images = 13;
    let expected = outcome(images, None, "");
    for seed in 0..4 {
        let mut lists = vec![Vec::new(); 4];
        for image in 1..=images {
            let cache = random(image as usize, 0, 50 + seed) >> 32;
            lists[cache as usize % 4].push(image.to_string());
        }
        let lists: Vec<String> =
            lists.iter().filter(|list| !list.is_empty()).map(|list| list.join(",")).collect();
        let groups = lists.join("/");
        assert!(outcome(images, Some(&groups), forced) == expected, "{groups}");
    }
}
