//! Alltoall and alltoallv: every algorithm, on every shape of job and set.

use crate::common::{buffer, forced_on_either_level, on_all_shapes, random, sets_and_interleaved};
use xmp_collectives::Parts;
use xmp_collectives::alltoall::{alltoall_with, alltoallv_with};
use xmp_collectives::part_buffers::AlltoallBuffers;
use xmp_core::transport::threads;

/// What `from` has for `to`.
fn part(from: usize, to: usize, len: usize) -> Vec<u8> {
    (0..len).map(|index| random(from * 100 + to, index, 41) as u8).collect()
}

#[test]
fn every_algorithm_exchanges_equal_parts() {
    on_all_shapes(|image| {
        for set in sets_and_interleaved(image) {
            let (n, me) = (set.len(), set.position().unwrap());
            for (len, shared) in [(0, false), (1, false), (7, true), (900, true), (5_000, false)] {
                let own: Vec<u8> = (0..n).flat_map(|to| part(me, to, len)).collect();
                let expected: Vec<u8> = (0..n).flat_map(|from| part(from, me, len)).collect();
                for (name, choices) in
                    forced_on_either_level(|choices, forced| choices.alltoall = forced)
                {
                    let send = buffer(image, len * n, shared);
                    send.fill(&own);
                    let mut receive = vec![0; len * n];
                    let parts = Parts::Equal(len);
                    let (from, to) = (send.start(), receive.as_mut_ptr());
                    // SAFETY: the buffers' bytes.
                    let buffers = unsafe { AlltoallBuffers::new(from, parts, to, parts) };
                    alltoall_with(image, &set, &buffers, &choices).unwrap();
                    assert!(receive == expected, "{name} of {len}");
                }
            }
        }
    });
}

/// Parts of different lengths, some empty, from and to the opposite order with gaps between them.
#[test]
fn every_algorithm_exchanges_different_parts() {
    on_all_shapes(|image| {
        for set in sets_and_interleaved(image) {
            let (n, me) = (set.len(), set.position().unwrap());
            for (scale, shared) in [(0, false), (1, false), (30, true), (3_000, true)] {
                let len = |from: usize, to: usize| (from + 2 * to) % 3 * scale + from * to % 2;
                let place = 2 * scale + 2;
                let offsets: Vec<usize> = (0..n).map(|p| (n - 1 - p) * place).collect();
                let sends: Vec<usize> = (0..n).map(|to| len(me, to)).collect();
                let receives: Vec<usize> = (0..n).map(|from| len(from, me)).collect();
                let [mut own, mut expected] = [vec![0; n * place], vec![0; n * place]];
                for p in 0..n {
                    let at = offsets[p];
                    own[at..at + sends[p]].copy_from_slice(&part(me, p, sends[p]));
                    expected[at..at + receives[p]].copy_from_slice(&part(p, me, receives[p]));
                }
                for (name, choices) in
                    forced_on_either_level(|choices, forced| choices.alltoall = forced)
                {
                    let send = buffer(image, n * place, shared);
                    send.fill(&own);
                    let mut receive = vec![0; n * place];
                    let [out, into] =
                        [&sends, &receives].map(|lens| Parts::Given { lens, offsets: &offsets });
                    let (from, to) = (send.start(), receive.as_mut_ptr());
                    // SAFETY: as long as the lengths say.
                    let buffers = unsafe { AlltoallBuffers::new(from, out, to, into) };
                    alltoallv_with(image, &set, &buffers, &choices).unwrap();
                    assert!(receive == expected, "{name} of {scale}");
                }
            }
        }
    });
}

/// An image that gives another one more or less than that expects: an error there, no byte beside its place is
/// touched, and the others, and the next operation, are as always.
#[test]
fn unexpected_lengths_are_errors_where_they_come() {
    for hosts in 1..=3 {
        for (_, choices) in forced_on_either_level(|choices, forced| choices.alltoall = forced) {
            for (giver, given) in [(0, 0), (3, 2), (2, 90), (0, 20_000), (1, 41)] {
                threads::run(5, hosts, |image| {
                    let set = image.executing();
                    let me = set.position().unwrap();
                    let send = vec![7u8; 20 + given];
                    let mut sends = [3; 5];
                    let mut receive = [9u8; 20];
                    let offsets = [0, 4, 8, 12, 16];
                    if me == giver {
                        sends[1] = given;
                    }
                    let [out, into] =
                        [&sends, &[3; 5]].map(|lens| Parts::Given { lens, offsets: &offsets });
                    let (from, to) = (send.as_ptr(), receive.as_mut_ptr());
                    // SAFETY: as long as the lengths say.
                    let buffers = unsafe { AlltoallBuffers::new(from, out, to, into) };
                    let outcome = alltoallv_with(image, &set, &buffers, &choices);
                    if me == 1 {
                        let image = giver + 1;
                        assert_eq!(
                            outcome.unwrap_err().to_string(),
                            format!(
                                "alltoallv: image index {image} gives {given} bytes where 3 are \
                                 expected"
                            )
                        );
                    } else {
                        outcome.unwrap();
                        assert!((0..20).all(|i| receive[i] == if i % 4 == 3 { 9 } else { 7 }));
                    }
                    assert!((3..20).step_by(4).all(|gap| receive[gap] == 9));
                    let mut receive = [0; 5];
                    xmp_collectives::alltoall(image, &set, &[me; 5], &mut receive).unwrap();
                    assert_eq!(receive, [0, 1, 2, 3, 4]);
                })
                .unwrap();
            }
        }
    }
}

/// Nothing is read directly where only some of the parts are in segments.
#[test]
fn mixed_segments() {
    threads::run(4, 1, |image| {
        let set = image.executing();
        let me = set.position().unwrap();
        let own: Vec<u8> = (0..4).flat_map(|to| part(me, to, 30_000)).collect();
        let send = buffer(image, own.len(), me % 2 == 0);
        send.fill(&own);
        let mut receive = vec![0; own.len()];
        let to = receive.as_mut_ptr();
        // SAFETY: the buffers' bytes.
        unsafe {
            xmp_collectives::raw::alltoall(image, &set, send.start(), to, 30_000).unwrap();
        }
        assert!((0..4).flat_map(|from| part(from, me, 30_000)).eq(receive));
    })
    .unwrap();
}

#[test]
fn wrong_arguments_are_errors() {
    threads::run(2, 1, |image| {
        let set = image.executing();
        let text = |outcome: xmp_core::Result<()>| outcome.unwrap_err().to_string();
        let outcome = xmp_collectives::alltoall(image, &set, &[1, 2, 3], &mut [0; 3]);
        assert_eq!(text(outcome), "alltoall: 3 elements where each of 2 images has 1 element");
        let outcome = xmp_collectives::alltoall(image, &set, &[1, 2], &mut [0; 4]);
        assert_eq!(text(outcome), "alltoall: 4 elements where each of 2 images has 1 element");
        let good = Parts::Given { lens: &[1, 1], offsets: &[0, 1] };
        let short = Parts::Given { lens: &[1], offsets: &[0, 1] };
        let long = Parts::Given { lens: &[1, 1], offsets: &[0, 2] };
        let alltoallv = |send, receive| {
            text(xmp_collectives::alltoallv(image, &set, &[1, 2], send, &mut [0; 2], receive))
        };
        assert_eq!(alltoallv(short, good), "alltoallv, to send: 1 length for 2 images");
        let expected = "alltoallv, to receive: the part of image index 2, 1 element from 2 on, is not \
                        within the 2 elements of the buffer";
        assert_eq!(alltoallv(good, long), expected);
    })
    .unwrap();
}
