//! The pipelines of host-level algorithms with chunks of all sizes, down to one element.

use crate::common::{elements, message, random};
use xmp_collectives::Parts;
use xmp_collectives::host::Host;
use xmp_collectives::host::allgather::{self, Contribution, Offsets};
use xmp_collectives::host::alltoall::{self, Alltoall};
use xmp_collectives::host::broadcast::{self, Ways};
use xmp_collectives::host::gather::{self, Gather};
use xmp_collectives::host::reduce::copy_in::CopyIn;
use xmp_collectives::host::reduce::sliced::Sliced;
use xmp_collectives::host::reduce::{Operand, slots};
use xmp_collectives::host::scan;
use xmp_collectives::host::scatter::{self, Scatter};
use xmp_collectives::part_buffers::{AlltoallBuffers, GatherBuffers, ScatterBuffers};
use xmp_collectives::parts::Lens;
use xmp_collectives::{Op, Reduction};
use xmp_core::transport::threads;
use xmp_core::{BoxedResult, Image};

const CHUNKS: [usize; 5] = [1, 16, 100, 4096, 65_536];

/// Runs `body` on the collective area of 2 to 8 images.
fn on_areas(body: impl Fn(&Image, &Host<'_>) + Sync) {
    for images in [2, 3, 4, 7, 8] {
        threads::run(images, 1, |image| {
            let set = image.executing();
            let area = set.levels(image).unwrap().area().unwrap();
            body(image, &Host::new(image, area));
        })
        .unwrap();
    }
}

#[test]
fn reductions() {
    type Algorithm = fn(&Host<'_>, &Operand<'_>, usize) -> BoxedResult<()>;
    let algorithms: [Algorithm; 3] = [
        |host, operand, chunk| CopyIn::new(host, operand, chunk).run(),
        |host, operand, chunk| Sliced::new(host, operand, chunk).run(),
        |host, operand, _| slots::run(host, operand),
    ];
    on_areas(|_, host| {
        let sum = Reduction::number::<i32>(Op::Sum);
        let number = |p: usize, index: usize| random(p, index, 2) as i32;
        for count in [1, 2, 100, 1001] {
            let own: Vec<i32> = (0..count).map(|index| number(host.me(), index)).collect();
            let all = |index| (0..host.members()).map(move |p| number(p, index));
            let expected: Vec<i32> =
                (0..count).map(|index| all(index).fold(0, i32::wrapping_add)).collect();
            for (which, algorithm) in algorithms.into_iter().enumerate() {
                for chunk in CHUNKS {
                    for to in [None, Some(0), Some(1)] {
                        let mut data = own.clone();
                        let operand = Operand { elements: elements(&mut data, &sum), to };
                        algorithm(host, &operand, chunk).unwrap();
                        if to.is_none_or(|to| to == host.me()) {
                            assert!(data == expected, "{which}: {count} in chunks of {chunk}");
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn broadcasts_and_allgathers() {
    on_areas(|_, host| {
        let byte = |p: usize, index: usize| random(p, index, 3) as u8;
        for len in [1, 63, 64, 1000, 70_000] {
            for chunk in CHUNKS.into_iter().filter(|&chunk| len / chunk < 2000) {
                let own = |p| (0..len).map(move |index| byte(p, index));
                let mut data: Vec<u8> = own(host.me()).collect();
                let root = len % host.members();
                let ways = Ways { direct: false, single_copy: false };
                broadcast::large(host, &message(&mut data, root), chunk, ways).unwrap();
                assert!(own(root).eq(data), "{len} in chunks of {chunk}");

                let mine: Vec<u8> = own(host.me()).collect();
                let mut all = vec![0; len * host.members()];
                let offsets = Offsets::Equal(len);
                let mut contribution = Contribution { mine: &mine, all: &mut all, offsets };
                allgather::staged(host, &mut contribution, chunk).unwrap();
                assert!((0..host.members()).flat_map(own).eq(all), "{len} in chunks of {chunk}");
            }
        }
    });
}

#[test]
fn gathers_scatters_and_alltoalls() {
    on_areas(|_, host| {
        let (n, me) = (host.members(), host.me());
        let byte = |from: usize, to: usize, index: usize| random(from * 9 + to, index, 4) as u8;
        let part = |from, to, len: usize| (0..len).map(move |index| byte(from, to, index));
        for longest in [1, 63, 1000, 70_000] {
            // One has nothing.
            let lens: Vec<usize> = (0..n).map(|p| longest - longest * (p % 2)).collect();
            let (known, root) = (Lens::Each(lens.clone()), longest % n);
            let offsets: Vec<usize> = (0..n).map(|p| p * longest).collect();
            let parts = Parts::Given { lens: &lens, offsets: &offsets };
            for chunk in CHUNKS.into_iter().filter(|&chunk| longest / chunk < 300) {
                let text = format!("{longest} in chunks of {chunk}");
                let mine: Vec<u8> = part(me, 0, lens[me]).collect();
                let mut all = vec![0; n * longest];
                let (from, to) = (mine.as_ptr(), all.as_mut_ptr());
                // SAFETY: as long as the lengths say.
                let buffers = unsafe { GatherBuffers::new(from, lens[me], to, parts) };
                let gather = Gather { buffers, lens: &known, root };
                gather::staged(host, &gather, chunk).unwrap();
                let came = |all: &[u8], p: usize| all[offsets[p]..offsets[p] + lens[p]].to_vec();
                assert!(
                    me != root || (0..n).all(|p| part(p, 0, lens[p]).eq(came(&all, p))),
                    "{text}"
                );

                let mut everything = vec![0; n * longest];
                for p in 0..n {
                    part(root, p, lens[p])
                        .enumerate()
                        .for_each(|(i, x)| everything[offsets[p] + i] = x);
                }
                let mut mine = vec![0; lens[me]];
                let (from, to) = (everything.as_ptr(), mine.as_mut_ptr());
                // SAFETY: as long as the lengths say.
                let buffers = unsafe { ScatterBuffers::new(from, parts, to, lens[me]) };
                let scatter = Scatter { buffers, lens: &known, root };
                scatter::staged(host, &scatter, chunk).unwrap();
                assert!(part(root, me, lens[me]).eq(mine), "{text}");

                // Each gives all as much as it has: the parts that come have the lengths of their givers.
                let send: Vec<u8> = (0..n).flat_map(|to| part(me, to, lens[me])).collect();
                let mut receive = vec![0; n * longest];
                let (from, to) = (send.as_ptr(), receive.as_mut_ptr());
                let out = Parts::Equal(lens[me]);
                // SAFETY: as long as the lengths say.
                let buffers = unsafe { AlltoallBuffers::new(from, out, to, parts) };
                let alltoall = Alltoall { buffers, given: &known, longest };
                alltoall::staged(host, &alltoall, chunk).unwrap();
                assert!((0..n).all(|p| part(p, me, lens[p]).eq(came(&receive, p))), "{text}");
            }
        }
    });
}

#[test]
fn scans() {
    type Algorithm = fn(&Host<'_>, &scan::Operand<'_>, usize) -> BoxedResult<()>;
    let algorithms: [Algorithm; 3] =
        [scan::staged, scan::doubling, |host, operand, _| scan::slots(host, operand)];
    on_areas(|_, host| {
        let sum = Reduction::number::<i32>(Op::Sum);
        let number = |p: usize, index: usize| random(p, index, 2) as i32;
        for count in [1, 2, 100, 1001] {
            for exclusive in [false, true] {
                let own: Vec<i32> = (0..count).map(|index| number(host.me(), index)).collect();
                let members = match (exclusive, host.me()) {
                    (false, me) => 0..me + 1,
                    (true, 0) => 0..1,
                    (true, me) => 0..me,
                };
                let all = |index| members.clone().map(move |p| number(p, index));
                let expected: Vec<i32> =
                    (0..count).map(|index| all(index).fold(0, i32::wrapping_add)).collect();
                for (which, algorithm) in algorithms.into_iter().enumerate() {
                    for chunk in CHUNKS {
                        let mut data = own.clone();
                        let elements = elements(&mut data, &sum);
                        let operand = scan::Operand { elements, exclusive };
                        algorithm(host, &operand, chunk).unwrap();
                        assert!(data == expected, "{which}: {count} in chunks of {chunk}");
                    }
                }
            }
        }
    });
}
