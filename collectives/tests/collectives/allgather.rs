//! Allgather: every algorithm, on every shape of job and set.

use crate::common::{buffer, forced, forced_between_hosts, on_all_shapes, random, sets};
use xmp_collectives::allgather::allgather_with;
use xmp_collectives::host::allgather::{Contribution, Offsets};
use xmp_collectives::select::Choices;

#[test]
fn every_algorithm_gathers_equal_contributions() {
    on_all_shapes(|image| {
        for set in sets(image) {
            let bytes = |p: usize, len| (0..len).map(move |index| random(p, index, 9) as u8);
            for (len, shared) in
                [(0, false), (1, false), (56, false), (57, true), (9000, true), (70_000, false)]
            {
                let own: Vec<u8> = bytes(set.position().unwrap(), len).collect();
                let expected: Vec<u8> = (0..set.len()).flat_map(|p| bytes(p, len)).collect();
                let put = |choices: &mut Choices, forced| choices.allgather = forced;
                for (name, choices) in forced(put).into_iter().chain(forced_between_hosts(put)) {
                    // Between leaders nothing changes with the length from a packet on.
                    if len > 10_000 && !["table", "staged", "direct", "messages"].contains(&name) {
                        continue;
                    }
                    let mut mine = buffer(image, len, shared);
                    mine.fill(&own);
                    let mut all = vec![0; len * set.len()];
                    let (mine, offsets) = (&*mine.bytes(), Offsets::Equal(len));
                    let mut contribution = Contribution { mine, all: &mut all, offsets };
                    allgather_with(image, &set, &mut contribution, &choices).unwrap();
                    assert!(all == expected, "{name} of {len}");
                }
            }
        }
    });
}

#[test]
fn contributions_of_different_lengths() {
    on_all_shapes(|image| {
        for set in sets(image) {
            for scale in [0, 1, 30, 50_000] {
                let lens: Vec<usize> = (0..set.len()).map(|p| p % 3 * scale + p % 2).collect();
                let byte = |p: usize, index: usize| random(p, index, 1) as u8;
                let me = set.position().unwrap();
                let mine: Vec<u8> = (0..lens[me]).map(|index| byte(me, index)).collect();
                let expected: Vec<u8> =
                    (0..set.len()).flat_map(|p| (0..lens[p]).map(move |i| byte(p, i))).collect();
                let mut all = vec![0; expected.len()];
                let ends = lens.iter().scan(0, |end, len| {
                    *end += len;
                    Some(*end)
                });
                let offsets: Vec<usize> = std::iter::once(0).chain(ends).collect();
                let offsets = Offsets::Table(&offsets);
                let mut contribution = Contribution { mine: &mine, all: &mut all, offsets };
                allgather_with(image, &set, &mut contribution, &Choices::default()).unwrap();
                assert!(all == expected, "{lens:?}");
            }
        }
    });
}

#[test]
fn wrong_lengths_are_errors() {
    xmp_core::transport::threads::run(2, 1, |image| {
        let set = image.executing();
        let outcome = xmp_collectives::allgather(image, &set, &[1, 2], &mut [0; 5]);
        let text = outcome.unwrap_err().to_string();
        assert_eq!(text, "allgather: 5 elements where each of 2 images has 2 elements");
    })
    .unwrap();
}
