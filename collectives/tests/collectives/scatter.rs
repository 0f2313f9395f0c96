//! Scatter and scatterv: every algorithm, on every shape of job and set, from every root.

use crate::common::{buffer, forced_on_either_level, on_all_shapes, random, sets_and_interleaved};
use xmp_collectives::Parts;
use xmp_collectives::part_buffers::ScatterBuffers;
use xmp_collectives::scatter::scatter_with;
use xmp_core::transport::threads;

fn part(position: usize, len: usize) -> Vec<u8> {
    (0..len).map(|index| random(position, index, 31) as u8).collect()
}

#[test]
fn every_algorithm_scatters_equal_parts_from_every_root() {
    on_all_shapes(|image| {
        for set in sets_and_interleaved(image) {
            let (n, me) = (set.len(), set.position().unwrap());
            for (len, shared) in [(0, false), (1, false), (30, true), (9000, true), (20_000, false)]
            {
                // Every root once.
                let roots = if len == 1 { 0..n } else { len % n..len % n + 1 };
                let everything: Vec<u8> = (0..n).flat_map(|p| part(p, len)).collect();
                for (name, choices) in
                    forced_on_either_level(|choices, forced| choices.scatter = forced)
                {
                    for root in roots.clone() {
                        let all = buffer(image, if me == root { len * n } else { 0 }, shared);
                        all.fill(&everything);
                        let mut mine = vec![0; len];
                        let (from, to) = (all.start(), mine.as_mut_ptr());
                        // SAFETY: the buffers' bytes.
                        let buffers = unsafe { ScatterBuffers::equal(from, to, len) };
                        scatter_with(image, &set, root, &buffers, &choices).unwrap();
                        let expected = &everything[me * len..(me + 1) * len];
                        assert!(mine == expected, "{name} of {len} from {root}");
                    }
                }
            }
        }
    });
}

/// Parts of different lengths, some empty, from the opposite order with gaps between them.
#[test]
fn every_algorithm_scatters_different_parts() {
    on_all_shapes(|image| {
        for set in sets_and_interleaved(image) {
            let (n, me) = (set.len(), set.position().unwrap());
            for (scale, shared) in [(0, false), (1, false), (30, true), (9_000, true)] {
                let lens: Vec<usize> = (0..n).map(|p| (p + 1) % 3 * scale + p % 2).collect();
                let place = lens.iter().max().unwrap() + 1;
                let offsets: Vec<usize> = (0..n).map(|p| (n - 1 - p) * place).collect();
                let mut everything = vec![0; n * place];
                for p in 0..n {
                    let at = offsets[p]..offsets[p] + lens[p];
                    everything[at].copy_from_slice(&part(p, lens[p]));
                }
                for (name, choices) in
                    forced_on_either_level(|choices, forced| choices.scatter = forced)
                {
                    let root = scale % n;
                    let all = buffer(image, if me == root { n * place } else { 0 }, shared);
                    all.fill(&everything);
                    let parts = if me == root {
                        Parts::Given { lens: &lens, offsets: &offsets }
                    } else {
                        Parts::Equal(0)
                    };
                    let mut mine = vec![0; lens[me]];
                    let (from, to) = (all.start(), mine.as_mut_ptr());
                    // SAFETY: as long as the lengths say.
                    let buffers = unsafe { ScatterBuffers::new(from, parts, to, lens[me]) };
                    scatter_with(image, &set, root, &buffers, &choices).unwrap();
                    let expected = &everything[offsets[me]..offsets[me] + lens[me]];
                    assert!(mine == expected, "{name} of {lens:?} from {root}");
                }
            }
        }
    });
}

/// An image that gets more or less than it expects: an error there, no byte after its place is touched, and the
/// others, and the next operation, are as always.
#[test]
fn unexpected_lengths_are_errors_where_they_come() {
    for hosts in 1..=3 {
        for (_, choices) in forced_on_either_level(|choices, forced| choices.scatter = forced) {
            for given in [0, 2, 90, 20_000] {
                threads::run(5, hosts, |image| {
                    let set = image.executing();
                    let me = set.position().unwrap();
                    let all = vec![7u8; 20 + given];
                    let (lens, offsets) = ([3, 3, given, 3, 3], [0, 4, 20, 12, 16]);
                    let mut mine = [9u8; 5];
                    let parts = Parts::Given { lens: &lens, offsets: &offsets };
                    let (from, to) = (all.as_ptr(), mine.as_mut_ptr());
                    // SAFETY: as long as the lengths say.
                    let buffers = unsafe { ScatterBuffers::new(from, parts, to, 3) };
                    let outcome = scatter_with(image, &set, 4, &buffers, &choices);
                    if me == 2 {
                        let text = "scatterv: image index 5 gives";
                        assert_eq!(
                            outcome.unwrap_err().to_string(),
                            format!("{text} {given} bytes where 3 are expected")
                        );
                        assert_eq!(mine[3..], [9, 9]);
                    } else {
                        outcome.unwrap();
                        assert_eq!(mine, [7, 7, 7, 9, 9]);
                    }
                    let (all, mut mine) = ([0, 1, 2, 3, 4], [9]);
                    let all = if me == 1 { &all[..] } else { &[] };
                    xmp_collectives::scatter(image, &set, 1, all, &mut mine).unwrap();
                    assert_eq!(mine, [me]);
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
        let outcome = xmp_collectives::scatter(image, &set, 2, &[1, 2], &mut [0]);
        assert_eq!(text(outcome), "image index 3 is not in 1:2");
        if set.position() != Some(0) {
            return;
        }
        let outcome = xmp_collectives::scatter(image, &set, 0, &[1, 2, 3], &mut [0, 0]);
        assert_eq!(text(outcome), "scatter: 3 elements where each of 2 images has 2 elements");
        let scatterv = |lens: &[usize], offsets: &[usize]| {
            let parts = Parts::Given { lens, offsets };
            text(xmp_collectives::scatterv(image, &set, 0, &[0; 5], parts, &mut [1, 2]))
        };
        assert_eq!(scatterv(&[2], &[0, 2]), "scatterv: 1 length for 2 images");
        let text = "scatterv: the part of image index 2, 2 elements from 4 on, is not within the 5 elements \
                    of the buffer";
        assert_eq!(scatterv(&[2, 2], &[0, 4]), text);
    })
    .unwrap();
}
