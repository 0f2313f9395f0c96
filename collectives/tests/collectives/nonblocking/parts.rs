//! Parts of any length, and memory that the caller keeps.

use crate::common::{Dice, on_all_shapes, random, sets};
use xmp_collectives::nonblocking::{self, Handle, raw};
use xmp_collectives::part_buffers::{AlltoallBuffers, GatherBuffers, ScatterBuffers};
use xmp_collectives::{Op, Parts, alltoallv, barrier, gatherv, scatterv};
use xmp_core::Image;
use xmp_core::image_set::ImageSet;
use xmp_core::transport::threads;

/// Elements that one position of a set has for another: often none, sometimes of several packets.
fn len(from: usize, to: usize, round: usize) -> usize {
    let dice = Dice::new((10_000 * round + 100 * from + to) as u64);
    [0, 0, 1, 3, 1024, 1025, 5000][dice.roll(7)]
}

fn lens(n: usize, len: impl Fn(usize) -> usize) -> Vec<usize> {
    (0..n).map(len).collect()
}

/// What one position has for another.
fn part(from: usize, to: usize, round: usize) -> Vec<u64> {
    (0..len(from, to, round)).map(|i| random(from * 100 + to, i, round as u64)).collect()
}

fn parts(pairs: impl Iterator<Item = (usize, usize)>, round: usize) -> Vec<u64> {
    pairs.flat_map(|(from, to)| part(from, to, round)).collect()
}

/// Gather, scatter and alltoall of one round, begun.
fn begin<'i>(image: &'i Image, set: &ImageSet, round: usize) -> [Handle<'i, Vec<u64>>; 3] {
    let (n, me) = (set.len(), set.position().unwrap());
    let root = round % n;
    // What others than the root say of the parts is not looked at.
    let of_root = |lens: Vec<usize>| if me == root { lens } else { vec![] };
    let into = lens(n, |from| len(from, me, round));
    let out = lens(n, |to| len(me, to, round));
    let mine = part(me, root, round);
    let gathered = nonblocking::gatherv(image, set, root, mine, &of_root(into.clone())).unwrap();
    let all = parts((0..n).map(|to| (me, to)), round);
    let own_len = len(root, me, round);
    let scattered =
        nonblocking::scatterv(image, set, root, all.clone(), &of_root(out.clone()), own_len);
    let dealt = nonblocking::alltoallv(image, set, all, &out, &into).unwrap();
    [gathered, scattered.unwrap(), dealt]
}

/// The same by blocking operations.
fn blocking(image: &Image, set: &ImageSet, round: usize) -> [Vec<u64>; 3] {
    let (n, me) = (set.len(), set.position().unwrap());
    let root = round % n;
    let packed = |lens: &[usize]| -> Vec<usize> {
        lens.iter().scan(0, |at, len| Some(std::mem::replace(at, *at + len))).collect()
    };
    let into = lens(n, |from| len(from, me, round));
    let out = lens(n, |to| len(me, to, round));
    let into_parts = Parts::Given { lens: &into, offsets: &packed(&into) };
    let out_parts = Parts::Given { lens: &out, offsets: &packed(&out) };
    let mut gathered = vec![0; if me == root { into.iter().sum() } else { 0 }];
    gatherv(image, set, root, &part(me, root, round), &mut gathered, into_parts).unwrap();
    let all = parts((0..n).map(|to| (me, to)), round);
    let mut mine = vec![0; len(root, me, round)];
    scatterv(image, set, root, &all, out_parts, &mut mine).unwrap();
    let mut dealt = vec![0; into.iter().sum()];
    alltoallv(image, set, &all, out_parts, &mut dealt, into_parts).unwrap();
    [gathered, mine, dealt]
}

#[test]
fn parts_of_any_length_are_those_of_the_blocking_operations() {
    on_all_shapes(|image| {
        for set in sets(image) {
            for round in 0..6 {
                let begun = begin(image, &set, round);
                let expected = blocking(image, &set, round);
                for (handle, expected) in begun.into_iter().zip(expected) {
                    assert!(handle.wait().unwrap() == expected, "round {round}");
                }
            }
        }
    });
}

#[test]
fn many_are_in_flight_on_several_sets() {
    on_all_shapes(|image| {
        let sets = sets(image);
        let mut begun = Vec::new();
        for round in 0..5 {
            for set in &sets {
                begun.push((set, round, begin(image, set, round)));
            }
        }
        // In an order of its own.
        let dice = Dice::new(u64::from(image.rank().get()) * 1000);
        while !begun.is_empty() {
            let (set, round, handles) = begun.swap_remove(dice.roll(begun.len()));
            let (n, me) = (set.len(), set.position().unwrap());
            let root = round % n;
            let into = parts((0..n).map(|from| (from, me)), round);
            let gathered = if me == root { into.clone() } else { vec![] };
            let expected = [gathered, part(root, me, round), into];
            for (handle, expected) in handles.into_iter().zip(expected) {
                assert!(handle.wait().unwrap() == expected, "round {round}");
            }
        }
    });
}

/// Parts in the opposite order of the images, with gaps between them.
#[test]
fn memory_of_the_caller_is_used_where_it_lies() {
    on_all_shapes(|image| {
        let set = image.executing();
        let (n, me) = (set.len(), set.position().unwrap());
        for round in 0..4 {
            let root = round % n;
            let bytes = |lens: Vec<usize>| lens.into_iter().map(|len| len * 8).collect::<Vec<_>>();
            let (into, out) = (
                bytes(lens(n, |from| len(from, me, round))),
                bytes(lens(n, |to| len(me, to, round))),
            );
            let places = lens(n, |i| (n - 1 - i) * 6000 * 8);
            let put = |all: &mut [u64], at: usize, part: &[u64]| {
                all[places[at] / 8..][..part.len()].copy_from_slice(part);
            };
            let mut given = vec![7_u64; n * 6000];
            (0..n).for_each(|to| put(&mut given, to, &part(me, to, round)));
            let mut expected = vec![9_u64; n * 6000];
            (0..n).for_each(|from| put(&mut expected, from, &part(from, me, round)));
            let [mut gathered, mut dealt] = [vec![9_u64; n * 6000], vec![9_u64; n * 6000]];
            let mut mine = vec![0_u64; len(root, me, round)];
            let own = part(me, root, round);
            let given_parts = Parts::Given { lens: &out, offsets: &places };
            let got_parts = Parts::Given { lens: &into, offsets: &places };
            let [to_gathered, to_dealt, to_mine] =
                [&mut gathered, &mut dealt, &mut mine].map(|all| all.as_mut_ptr().cast::<u8>());
            let (from, size) = (given.as_ptr().cast::<u8>(), mine.len() * 8);
            // SAFETY: all is valid until the last wait, and looked at after it.
            unsafe {
                let (own, len) = (own.as_ptr().cast(), own.len() * 8);
                let gather = GatherBuffers::new(own, len, to_gathered, got_parts);
                let scatter = ScatterBuffers::new(from, given_parts, to_mine, size);
                let exchange = AlltoallBuffers::new(from, given_parts, to_dealt, got_parts);
                let a = raw::gatherv(image, &set, root, &gather).unwrap();
                let b = raw::scatterv(image, &set, root, &scatter).unwrap();
                let c = raw::alltoallv(image, &set, &exchange).unwrap();
                c.wait().and(b.wait()).and(a.wait()).unwrap();
            }
            assert!(dealt == expected && mine == part(root, me, round));
            assert!(gathered == if me == root { expected } else { vec![9; n * 6000] });
        }
    });
}

#[test]
fn equal_parts_in_memory_of_the_caller() {
    on_all_shapes(|image| {
        for set in sets(image) {
            let (n, me) = (set.len(), set.position().unwrap());
            for (root, len) in [(0, 0), (n - 1, 1), (n / 2, 1025), (0, 5000)] {
                let number = |from: usize, to: usize| random(from, to, len as u64);
                let send: Vec<u64> = (0..n).flat_map(|to| vec![number(me, to); len]).collect();
                let expected: Vec<u64> =
                    (0..n).flat_map(|from| vec![number(from, me); len]).collect();
                // The root of a gather has its own part in place; the root of a scatter gets its part in place.
                let mut gathered = vec![number(me, root); len * n];
                let (mut mine, mut received) = (vec![0; len], vec![0; len * n]);
                let own = vec![number(me, root); len];
                let (is_root, size) = (me == root, len * 8);
                // SAFETY: all is valid until the last wait, and looked at after it.
                unsafe {
                    let all = gathered.as_mut_ptr().cast::<u8>();
                    let given = if is_root {
                        all.add(root * size).cast_const()
                    } else {
                        own.as_ptr().cast()
                    };
                    let from = send.as_ptr().cast::<u8>();
                    let to_mine = mine.as_mut_ptr().cast();
                    let a = raw::gather(image, &set, root, given, all, size).unwrap();
                    let b = raw::scatter(image, &set, root, from, to_mine, size).unwrap();
                    let c = raw::alltoall(image, &set, from, received.as_mut_ptr().cast(), size);
                    b.wait().and(a.wait()).and(c.wait()).unwrap();
                }
                assert!(received == expected && mine == vec![number(root, me); len]);
                assert!(!is_root || gathered == expected);
            }
        }
    });
}

/// An image that gets another number of bytes than it expects reports it, and no image waits for what does not come.
#[test]
fn lengths_that_disagree_are_an_error_of_who_gets_the_part() {
    for (given, expected) in
        [(0, 1), (1, 0), (2, 3), (1024, 1025), (5000, 1), (0, 5000), (9000, 5000)]
    {
        let outcomes = threads::run(3, 2, |image| {
            let (set, me) = (image.executing(), image.rank().index());
            // From image 1 to image 0.
            let mine = vec![1_u64; if me == 1 { given } else { 0 }];
            let get = [0, expected, 0];
            let gathered = nonblocking::gatherv(image, &set, 0, mine.clone(), &get).unwrap();
            let len = if me == 0 { expected } else { 0 };
            let scattered =
                nonblocking::scatterv(image, &set, 1, mine.clone(), &[given, 0, 0], len).unwrap();
            let (give, get) = match me {
                0 => ([0; 3], get),
                1 => ([given, 0, 0], [0; 3]),
                _ => ([0; 3], [0; 3]),
            };
            let dealt = nonblocking::alltoallv(image, &set, mine, &give, &get).unwrap();
            let outcomes = [gathered, scattered, dealt].map(Handle::wait);
            // The others are as good as before.
            barrier(image, &set).unwrap();
            let sum = nonblocking::allreduce(image, &set, vec![1], Op::Sum);
            assert_eq!(sum.wait(), Ok(vec![3]));
            outcomes
        })
        .unwrap();
        for outcome in &outcomes[0] {
            let text = outcome.as_ref().unwrap_err().to_string();
            let (sent, wanted) = (given * 8, expected * 8);
            let words = format!("sends {sent} bytes where this image expects {wanted}");
            assert!(text.contains(&words), "{given}, {expected}: {text}");
        }
        assert!(outcomes[1..].iter().flatten().all(Result::is_ok), "{given}, {expected}");
    }
}

#[test]
fn wrong_arguments_begin_nothing() {
    threads::run(3, 1, |image| {
        let (set, me) = (image.executing(), image.rank().index());
        let refused = |handle: xmp_core::Result<Handle<'_, Vec<u8>>>, words: &str| {
            let text = handle.unwrap_err().to_string();
            assert!(text.contains(words), "{text}");
        };
        refused(nonblocking::gatherv(image, &set, 3, vec![1], &[1; 3]), "not in 1:3");
        refused(nonblocking::scatterv(image, &set, 3, vec![1], &[1; 3], 1), "not in 1:3");
        let all = |give: &[usize], get: &[usize]| {
            nonblocking::alltoallv(image, &set, vec![1_u8; 3], give, get)
        };
        refused(all(&[1; 4], &[1; 3]), "4 lengths for 3 images");
        refused(all(&[1; 3], &[1; 2]), "2 lengths for 3 images");
        refused(all(&[2; 3], &[2; 3]), "not the 3 elements");
        refused(all(&[usize::MAX; 3], &[2; 3]), "not the 3 elements");
        refused(all(&[1; 3], &[usize::MAX; 3]), "more elements than there can be");
        let mut get = [1; 3];
        get[me] = 2;
        refused(all(&[1; 3], &get), "gives itself 1 element where it expects 2");
        if me == 0 {
            refused(nonblocking::gatherv(image, &set, 0, vec![1], &[1; 2]), "2 lengths");
            refused(nonblocking::gatherv(image, &set, 0, vec![1], &[2; 3]), "itself 1 element");
            refused(nonblocking::scatterv(image, &set, 0, vec![1; 3], &[1; 2], 1), "2 lengths");
            refused(nonblocking::scatterv(image, &set, 0, vec![1; 4], &[1; 3], 1), "4 elements");
            refused(nonblocking::scatterv(image, &set, 0, vec![1; 3], &[1; 3], 0), "itself 1");
        }
        let message = nonblocking::exchange(image, &set, vec![1; 3], &[1; 3], &[1; 3]);
        refused(message, "from this image itself");
        let refused = |handle: xmp_core::Result<Handle<'_, ()>>, words: &str| {
            let text = handle.unwrap_err().to_string();
            assert!(text.contains(words), "{text}");
        };
        let mut bytes = [0_u8; 9];
        let (start, short) = (bytes.as_mut_ptr(), Parts::Given { lens: &[1; 2], offsets: &[0; 2] });
        let (one, two) = (Parts::Equal(1), Parts::Equal(2));
        // SAFETY: nothing begins.
        unsafe {
            refused(raw::gather(image, &set, 3, start, start, 1), "not in 1:3");
            refused(raw::scatter(image, &set, 3, start, start, 1), "not in 1:3");
            refused(
                raw::gatherv(image, &set, 3, &GatherBuffers::new(start, 1, start, one)),
                "not in 1:3",
            );
            refused(
                raw::scatterv(image, &set, 3, &ScatterBuffers::new(start, one, start, 1)),
                "not in 1:3",
            );
            refused(
                raw::gatherv(image, &set, me, &GatherBuffers::new(start, 1, start, short)),
                "2 lengths",
            );
            refused(
                raw::gatherv(image, &set, me, &GatherBuffers::new(start, 1, start, two)),
                "gives 1 byte where 2",
            );
            refused(
                raw::scatterv(image, &set, me, &ScatterBuffers::new(start, short, start, 1)),
                "2 lengths",
            );
            refused(
                raw::alltoallv(image, &set, &AlltoallBuffers::new(start, short, start, one)),
                "2 lengths",
            );
            refused(
                raw::alltoallv(image, &set, &AlltoallBuffers::new(start, one, start, two)),
                "gives 1 byte where 2",
            );
        }
        let sum = nonblocking::allreduce(image, &set, vec![1], Op::Sum);
        assert_eq!(sum.wait(), Ok(vec![3]));
    })
    .unwrap();
}
