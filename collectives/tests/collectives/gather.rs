//! Gather and gatherv: every algorithm, on every shape of job and set, to every root.

use crate::common::{buffer, forced_on_either_level, on_all_shapes, random, sets_and_interleaved};
use xmp_collectives::Parts;
use xmp_collectives::gather::gather_with;
use xmp_collectives::part_buffers::GatherBuffers;
use xmp_core::transport::threads;

fn part(position: usize, len: usize) -> Vec<u8> {
    (0..len).map(|index| random(position, index, 21) as u8).collect()
}

#[test]
fn every_algorithm_gathers_equal_parts_to_every_root() {
    on_all_shapes(|image| {
        for set in sets_and_interleaved(image) {
            let me = set.position().unwrap();
            for (len, shared) in [(0, false), (1, false), (57, true), (9000, true), (20_000, false)]
            {
                // Every root once.
                let roots =
                    if len == 1 { 0..set.len() } else { len % set.len()..len % set.len() + 1 };
                let own = part(me, len);
                let expected: Vec<u8> = (0..set.len()).flat_map(|p| part(p, len)).collect();
                for (name, choices) in
                    forced_on_either_level(|choices, forced| choices.gather = forced)
                {
                    if len > 1000 && name == "slots" {
                        continue;
                    }
                    for root in roots.clone() {
                        let mine = buffer(image, len, shared);
                        mine.fill(&own);
                        let all =
                            buffer(image, if me == root { len * set.len() } else { 0 }, false);
                        // SAFETY: the buffers' bytes.
                        let buffers =
                            unsafe { GatherBuffers::equal(mine.start(), len, all.start()) };
                        gather_with(image, &set, root, &buffers, &choices).unwrap();
                        if me == root {
                            assert!(all.read::<u8>() == expected, "{name} of {len} to {root}");
                        }
                    }
                }
            }
        }
    });
}

/// Parts of different lengths, some empty, put in the opposite order with gaps between them.
#[test]
fn every_algorithm_gathers_different_parts() {
    on_all_shapes(|image| {
        for set in sets_and_interleaved(image) {
            let (n, me) = (set.len(), set.position().unwrap());
            for (scale, shared) in [(0, false), (1, false), (30, true), (9_000, true)] {
                let lens: Vec<usize> = (0..n).map(|p| (p + 1) % 3 * scale + p % 2).collect();
                let place = lens.iter().max().unwrap() + 1;
                let offsets: Vec<usize> = (0..n).map(|p| (n - 1 - p) * place).collect();
                let own = part(me, lens[me]);
                let mut expected = vec![0; n * place];
                for p in 0..n {
                    expected[offsets[p]..offsets[p] + lens[p]].copy_from_slice(&part(p, lens[p]));
                }
                for (name, choices) in
                    forced_on_either_level(|choices, forced| choices.gather = forced)
                {
                    if scale > 1000 && name == "slots" {
                        continue;
                    }
                    let root = scale % n;
                    let mine = buffer(image, lens[me], shared);
                    mine.fill(&own);
                    let mut all = vec![0; n * place];
                    let parts = if me == root {
                        Parts::Given { lens: &lens, offsets: &offsets }
                    } else {
                        Parts::Equal(0)
                    };
                    let (from, to) = (mine.start(), all.as_mut_ptr());
                    // SAFETY: as long as the lengths say.
                    let buffers = unsafe { GatherBuffers::new(from, lens[me], to, parts) };
                    gather_with(image, &set, root, &buffers, &choices).unwrap();
                    assert!(me != root || all == expected, "{name} of {lens:?} to {root}");
                }
            }
        }
    });
}

/// An image that gives more or less than the root expects: an error that names it, no image waits for ever, no byte
/// beside its place is touched, and the next operation is as always.
#[test]
fn unexpected_lengths_are_errors_on_the_root() {
    for hosts in 1..=3 {
        for (_, choices) in forced_on_either_level(|choices, forced| choices.gather = forced) {
            for given in [0, 2, 90, 20_000] {
                threads::run(5, hosts, |image| {
                    let set = image.executing();
                    let me = set.position().unwrap();
                    let mine = vec![7u8; if me == 2 { given } else { 3 }];
                    let mut all = [9u8; 20];
                    let (lens, offsets) = ([3; 5], [0, 4, 8, 12, 16]);
                    let parts = Parts::Given { lens: &lens, offsets: &offsets };
                    let (from, to) = (mine.as_ptr(), all.as_mut_ptr());
                    // SAFETY: as long as the lengths say.
                    let buffers = unsafe { GatherBuffers::new(from, mine.len(), to, parts) };
                    let outcome = gather_with(image, &set, 4, &buffers, &choices);
                    if me == 4 {
                        let text = "gatherv: image index 3 gives";
                        assert_eq!(
                            outcome.unwrap_err().to_string(),
                            format!("{text} {given} bytes where 3 are expected")
                        );
                        assert!((3..20).step_by(4).all(|gap| all[gap] == 9));
                    } else {
                        outcome.unwrap();
                    }
                    let mut all = [0; 5];
                    xmp_collectives::gather(image, &set, 1, &[me], &mut all[..]).unwrap();
                    assert!(me != 1 || all == [0, 1, 2, 3, 4]);
                })
                .unwrap();
            }
        }
    }
}

#[test]
fn wrong_arguments_are_errors() {
    threads::run(2, 1, |image| {
        let set = image.executing();
        let text = |outcome: xmp_core::Result<()>| outcome.unwrap_err().to_string();
        let outcome = xmp_collectives::gather(image, &set, 2, &[1], &mut [0; 2]);
        assert_eq!(text(outcome), "image index 3 is not in 1:2");
        if set.position() != Some(0) {
            return;
        }
        let outcome = xmp_collectives::gather(image, &set, 0, &[1, 2], &mut [0; 5]);
        assert_eq!(text(outcome), "gather: 5 elements where each of 2 images has 2 elements");
        let gatherv = |lens: &[usize], offsets: &[usize]| {
            let parts = Parts::Given { lens, offsets };
            text(xmp_collectives::gatherv(image, &set, 0, &[1, 2], &mut [0; 5], parts))
        };
        assert_eq!(gatherv(&[2], &[0, 2]), "gatherv: 1 length for 2 images");
        assert_eq!(gatherv(&[2, 2], &[0, 2, 4]), "gatherv: 3 offsets for 2 images");
        let text = "gatherv: the part of image index 2, 2 elements from 4 on, is not within the 5 elements \
                    of the buffer";
        assert_eq!(gatherv(&[2, 2], &[0, 4]), text);
        assert!(gatherv(&[2, 2], &[0, usize::MAX]).contains("image index 2"));
    })
    .unwrap();
}
