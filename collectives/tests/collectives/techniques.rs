//! All combinations of the techniques of messages give the same results.

use crate::common::random;
use xmp_collectives::{Op, Parts};
use xmp_core::image_set::{ImageSet, Members};
use xmp_core::settings::{Settings, Techniques};
use xmp_core::transport::threads;
use xmp_core::{Image, Rank, Result};

fn combinations() -> impl Iterator<Item = Techniques> {
    (0..16).map(|bits| {
        let chosen =
            Techniques::NAMES.iter().enumerate().filter(move |(at, _)| bits >> at & 1 == 1);
        chosen.fold(Techniques::NONE, |set, (_, (_, technique))| set.with(*technique))
    })
}

/// Everything that an image gets from a program of all collectives, in bits. With `exact` operands, sums do not depend
/// on the order.
fn program(image: &Image, exact: bool) -> Result<Vec<u64>> {
    let me = image.rank().index();
    let images = image.job().images();
    let all = image.executing();
    // Every other image, the last first; a set whose hosts are split unevenly.
    let ranks: Vec<Rank> = (0..images as u32).rev().step_by(2).map(Rank::new).collect();
    let some = image.set(Members::from_list(&ranks)?)?;
    let mut results = Vec::new();
    for set in [&all, &some, &all].into_iter().filter(|set| set.position().is_some()) {
        for len in [0, 1, 5, 1000, 3000, 20_000] {
            let number = |index| {
                let bits = random(me, index, len as u64);
                if exact { (bits % 1024) as f64 } else { bits as f64 / 1e9 }
            };
            let mut data: Vec<f64> = (0..len).map(number).collect();
            xmp_collectives::barrier(image, set)?;
            xmp_collectives::allreduce(image, set, &mut data, Op::Sum)?;
            results.extend(data.iter().map(|x| x.to_bits()));
            let root = len % set.len();
            xmp_collectives::reduce(image, set, root, &mut data, Op::Max)?;
            xmp_collectives::broadcast(image, set, root, &mut data)?;
            results.extend(data.iter().map(|x| x.to_bits()));
            let mine: Vec<u64> = (0..len.min(3000)).map(|i| random(me, i, 7)).collect();
            let mut gathered = vec![0; mine.len() * set.len()];
            xmp_collectives::allgather(image, set, &mine, &mut gathered)?;
            results.extend(&gathered);
            let mut turned = vec![0; gathered.len()];
            let from_root: Vec<u64> = gathered.iter().map(|x| x.rotate_left(me as u32)).collect();
            xmp_collectives::alltoall(image, set, &from_root, &mut turned)?;
            results.extend(&turned);
            let mut part = vec![0; mine.len()];
            xmp_collectives::scatter(image, set, root, &from_root, &mut part)?;
            results.extend(&part);
            xmp_collectives::gather(image, set, root, &part, &mut turned)?;
            results.extend(turned);
            let mut so_far = mine.clone();
            xmp_collectives::scan(image, set, &mut so_far, Op::Sum)?;
            results.extend(so_far);
            results.extend(moved(image, set, len.min(500))?);
            let mut data: Vec<f64> = (0..len).map(number).collect();
            xmp_collectives::scan(image, set, &mut data, Op::Sum)?;
            results.extend(data.iter().map(|x| x.to_bits()));
            let mut data: Vec<f64> = (0..len).map(number).collect();
            xmp_collectives::exscan(image, set, &mut data, Op::Sum)?;
            results.extend(data.iter().map(|x| x.to_bits()));
        }
    }
    Ok(results)
}

/// What an image gets of parts of this length, and of parts of different lengths.
fn moved(image: &Image, set: &ImageSet, len: usize) -> Result<Vec<u64>> {
    let (n, me) = (set.len(), set.position().unwrap());
    let root = (len + 1) % n;
    let rows: Vec<u64> = (0..n * len).map(|i| random(me, i, 8)).collect();
    let mut columns = vec![0; n * len];
    xmp_collectives::alltoall(image, set, &rows, &mut columns)?;
    let mut gathered = vec![0; if me == root { n * n * len } else { 0 }];
    xmp_collectives::gather(image, set, root, &columns, &mut gathered)?;
    let mut back = vec![0; n * len];
    xmp_collectives::scatter(image, set, root, &gathered, &mut back)?;
    assert!(back == columns);

    // The image at position i has len + i of something for each.
    let lens: Vec<usize> = (0..n).map(|i| len + i).collect();
    let offsets: Vec<usize> = (0..n).map(|i| i * (len + n)).collect();
    let theirs = Parts::Given { lens: &lens, offsets: &offsets };
    let mine: Vec<u64> = (0..n * (len + me)).map(|i| random(me, i, 9)).collect();
    let mut received = vec![0; n * (len + n)];
    let own = Parts::Equal(len + me);
    xmp_collectives::alltoallv(image, set, &mine, own, &mut received, theirs)?;
    let mut gathered = vec![0; received.len()];
    let first = &mine[..len + me];
    xmp_collectives::gatherv(image, set, root, first, &mut gathered, theirs)?;
    let mut back = vec![0; len + me];
    xmp_collectives::scatterv(image, set, root, &gathered, theirs, &mut back)?;
    assert!(back == first);
    Ok([columns, received, gathered].concat())
}

fn outcome(techniques: Techniques, images: u32, hosts: u32, exact: bool) -> Vec<Vec<u64>> {
    let settings = Settings { techniques, ..Settings::default() };
    let outcomes = threads::run_with(settings, images, hosts, |image| program(image, exact));
    outcomes.unwrap().into_iter().collect::<Result<_>>().unwrap()
}

#[test]
fn all_combinations_give_the_same_results() {
    for (images, hosts) in [(1, 1), (2, 2), (3, 1)] {
        let expected = outcome(Techniques::ALL, images, hosts, true);
        for techniques in combinations() {
            let found = outcome(techniques, images, hosts, true);
            assert!(found == expected, "{images} images on {hosts} hosts: {techniques:?}");
        }
    }
    // On several hosts with several images the next test compares the combinations with levels, and those without.
    let without = Techniques::ALL.without(Techniques::TWO_LEVEL);
    assert!(outcome(without, 5, 2, true) == outcome(Techniques::ALL, 5, 2, true));
}

/// The layout is part of what a floating-point sum depends on, and `two-level` is part of the layout; the other
/// techniques are not.
#[test]
fn only_the_levels_have_a_say_in_the_bits_of_sums() {
    let levels = Techniques::TWO_LEVEL;
    for base in [Techniques::ALL, Techniques::ALL.without(levels)] {
        let expected = outcome(base, 5, 2, false);
        for techniques in combinations().filter(|set| set.has(levels) == base.has(levels)) {
            assert!(outcome(techniques, 5, 2, false) == expected, "{techniques:?}");
        }
    }
    // On one host there is one order.
    let without = Techniques::ALL.without(levels);
    assert!(outcome(without, 5, 1, false) == outcome(Techniques::ALL, 5, 1, false));
}
