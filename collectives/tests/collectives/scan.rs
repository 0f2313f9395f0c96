//! Scans: every algorithm, on every shape of job and set, gives the bits of the documented brackets.

use crate::common::{
    buffer, elements, forced_on_either_level, on_all_shapes, random, sets_and_interleaved,
};
use xmp_collectives::host::scan::Operand;
use xmp_collectives::scan::scan_with;
use xmp_collectives::{Op, Reduction};
use xmp_core::Image;
use xmp_core::image_set::ImageSet;
use xmp_core::transport::threads;

/// Element `index` of the image at `position` of a set: sums depend on their brackets.
fn number(position: usize, index: usize) -> f64 {
    (random(position, index, 51) as f64).sqrt() * 1e-3
}

/// The sum in prefix brackets.
fn prefix(operands: &[f64]) -> f64 {
    if let [operand] = operands {
        return *operand;
    }
    let (before, last) = operands.split_at(operands.len() - operands.len().next_power_of_two() / 2);
    prefix(before) + prefix(last)
}

/// The elements that the image at `me` ends with, by the brackets that the module documents.
fn expected(image: &Image, set: &ImageSet, index: usize, exclusive: bool) -> f64 {
    let me = set.position().unwrap();
    let hosts: Vec<u32> = set.ranks().map(|rank| image.host_of(rank)).collect();
    let operands: Vec<f64> = (0..set.len()).map(|p| number(p, index)).collect();
    if exclusive && me == 0 {
        return operands[0];
    }
    let mut groups: Vec<(u32, Vec<f64>)> = Vec::new();
    for p in 0..set.len() {
        match groups.last_mut() {
            Some((host, group)) if *host == hosts[p] => group.push(operands[p]),
            _ => groups.push((hosts[p], vec![operands[p]])),
        }
    }
    let end = if exclusive { me } else { me + 1 };
    let mut different = hosts.clone();
    different.sort_unstable();
    different.dedup();
    if groups.len() != different.len() || [1, set.len()].contains(&groups.len()) {
        return prefix(&operands[..end]);
    }
    let own_group = groups.iter().position(|(host, _)| *host == hosts[me]).unwrap();
    let first = hosts.iter().position(|host| *host == hosts[me]).unwrap();
    let total = |(_, group): &(u32, Vec<f64>)| match group.as_slice() {
        [operand] => *operand,
        [before @ .., last] if exclusive => prefix(before) + last,
        all => prefix(all),
    };
    let totals: Vec<f64> = groups[..own_group].iter().map(total).collect();
    match (totals.is_empty(), first == end) {
        (true, _) => prefix(&operands[first..end]),
        (false, true) => prefix(&totals),
        (false, false) => prefix(&totals) + prefix(&operands[first..end]),
    }
}

#[test]
fn every_algorithm_gives_the_bits_of_the_brackets() {
    on_all_shapes(|image| {
        let sum = Reduction::number::<f64>(Op::Sum);
        for set in sets_and_interleaved(image) {
            let me = set.position().unwrap();
            let own: Vec<f64> = (0..2000).map(|index| number(me, index)).collect();
            for exclusive in [false, true] {
                let expected: Vec<f64> =
                    (0..2000).map(|index| expected(image, &set, index, exclusive)).collect();
                for (name, choices) in
                    forced_on_either_level(|choices, forced| choices.scan = forced)
                {
                    for (count, shared) in
                        [(0, false), (1, false), (8, true), (300, false), (2000, true)]
                    {
                        if count > 1000 && name == "slots" {
                            continue;
                        }
                        let data = buffer(image, count * 8, shared);
                        data.fill(&own);
                        let operand = Operand { elements: data.elements(&sum), exclusive };
                        scan_with(image, &set, &operand, &choices).unwrap();
                        let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                        assert!(
                            bits(&data.read::<f64>()) == bits(&expected[..count]),
                            "{name} of {count}, exclusive: {exclusive}"
                        );
                    }
                }
            }
        }
    });
}

/// 2 x 2 matrices do not commute: products must be taken in the order of the set, whatever the algorithm and however
/// hosts alternate in it.
#[test]
fn user_operations_are_applied_in_order() {
    type Matrix = [u64; 4];
    let product = |a: Matrix, b: Matrix| {
        let dot = |r: usize, c: usize| {
            a[2 * r].wrapping_mul(b[c]).wrapping_add(a[2 * r + 1].wrapping_mul(b[2 + c]))
        };
        [dot(0, 0), dot(0, 1), dot(1, 0), dot(1, 1)]
    };
    let matrix = |p: usize, i: usize| -> Matrix { std::array::from_fn(|k| random(p, i, k as u64)) };
    on_all_shapes(|image| {
        for set in sets_and_interleaved(image) {
            let me = set.position().unwrap();
            for count in [1, 2, 700] {
                let products = |end: usize| -> Vec<Matrix> {
                    let all = |i| (0..end).map(move |p| matrix(p, i)).reduce(product).unwrap();
                    (0..count).map(all).collect()
                };
                let own: Vec<Matrix> = (0..count).map(|i| matrix(me, i)).collect();
                let mut data = own.clone();
                xmp_collectives::scan_by(image, &set, &mut data, product).unwrap();
                assert!(data == products(me + 1), "{count}");
                let mut data = own.clone();
                xmp_collectives::exscan_by(image, &set, &mut data, product).unwrap();
                assert!(data == if me == 0 { own } else { products(me) }, "{count}");
            }
        }
    });
}

/// Elements too long for slots and for staging.
#[test]
fn long_elements() {
    for len in [57, 5000, 1_100_000] {
        for hosts in 1..=2 {
            threads::run(3, hosts, |image| {
                let set = image.executing();
                // SAFETY: called with pointers to `len` bytes.
                let add = move |acc: *mut u8, x: *const u8| unsafe {
                    for i in 0..len {
                        *acc.add(i) = (*acc.add(i)).wrapping_add(*x.add(i));
                    }
                };
                let reduction = Reduction::user(len, &add);
                let me = image.rank().get() as u8;
                for (name, choices) in
                    forced_on_either_level(|choices, forced| choices.scan = forced)
                {
                    for exclusive in [false, true] {
                        let mut data: Vec<u8> =
                            (0..2 * len).map(|i| (i as u8).wrapping_mul(me + 1)).collect();
                        let elements = elements(&mut data, &reduction);
                        let operand = Operand { elements, exclusive };
                        scan_with(image, &set, &operand, &choices).unwrap();
                        let factor = match (exclusive, me) {
                            (true, 1..) => me * (me + 1) / 2,
                            _ => (me + 1) * (me + 2) / 2,
                        };
                        let expected = |i: usize| (i as u8).wrapping_mul(factor);
                        assert!(
                            data.iter().enumerate().all(|(i, &x)| x == expected(i)),
                            "{name} of {len}"
                        );
                    }
                }
            })
            .unwrap();
        }
    }
}

/// Operands of which only some are in segments are staged.
#[test]
fn mixed_segments() {
    threads::run(4, 1, |image| {
        let set = image.executing();
        let me = set.position().unwrap();
        let sum = Reduction::number::<i64>(Op::Sum);
        let data = buffer(image, 8 * 20_000, me % 2 == 0);
        data.fill(&(0..20_000).map(|i| i * (me as i64 + 1)).collect::<Vec<_>>());
        // SAFETY: the buffer's elements.
        unsafe {
            xmp_collectives::raw::scan(image, &set, data.start(), 20_000, &sum).unwrap();
        }
        let factor = (me as i64 + 1) * (me as i64 + 2) / 2;
        assert!(data.read::<i64>().into_iter().eq((0..20_000).map(|i| i * factor)));
    })
    .unwrap();
}
