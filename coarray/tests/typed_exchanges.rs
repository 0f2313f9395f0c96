//! Collectives with a part for each image, and such that go on in the background: on all images and on teams.

use xmp_coarray::prelude::*;
use xmp_core::transport::threads;

fn everywhere(body: impl Fn(&Image) -> Result<()> + Sync) {
    for (images, hosts) in [(1, 1), (2, 1), (4, 1), (4, 2), (6, 1), (6, 3)] {
        for (k, outcome) in threads::run(images, hosts, &body).unwrap().into_iter().enumerate() {
            outcome.unwrap_or_else(|error| panic!("image {} of {images}: {error}", k + 1));
        }
    }
}

fn text<T: std::fmt::Debug>(outcome: Result<T>) -> String {
    outcome.unwrap_err().to_string()
}

#[test]
fn parts_are_exchanged_on_teams() {
    everywhere(|image| {
        let (me, n) = (image.this_image(), image.num_images());
        let mirror = image.form_team_as(1, n + 1 - me)?;
        let on = image.on(&mirror)?;
        let (index, mut all) = (n + 1 - me, vec![0; n]);
        on.co_allgather(&[me], &mut all)?;
        assert_eq!(all, (1..=n).rev().collect::<Vec<_>>());
        let (mut gathered, mut mine) = (vec![0; 2 * n], [0; 2]);
        on.co_gather(&[me, index], &mut gathered, n)?;
        if index == n {
            assert_eq!(gathered, (1..=n).flat_map(|k| [n + 1 - k, k]).collect::<Vec<_>>());
        }
        on.co_scatter(&gathered, &mut mine, n)?;
        assert_eq!(mine, [me, index]);
        // Image k has k elements.
        let lens: Vec<usize> = (1..=n).collect();
        let offsets: Vec<usize> = (0..n).map(|k| k * (k + 1) / 2).collect();
        let parts = Parts::Given { lens: &lens, offsets: &offsets };
        let mut triangle = vec![0; n * (n + 1) / 2];
        on.co_gatherv(&vec![index; index], &mut triangle, parts, 1)?;
        let mut back = vec![0; index];
        on.co_scatterv(&triangle, parts, &mut back, 1)?;
        assert_eq!(back, vec![index; index]);
        let send: Vec<usize> = (1..=n).map(|k| 100 * index + k).collect();
        let mut receive = vec![0; n];
        on.co_alltoall(&send, &mut receive)?;
        assert_eq!(receive, (1..=n).map(|k| 100 * k + index).collect::<Vec<_>>());
        let mut again = vec![0; n];
        on.co_alltoallv(&send, Parts::Equal(1), &mut again, Parts::Equal(1))?;
        assert_eq!(again, receive);
        let stranger = Error::ImageIndex { index: n as i64 + 1, images: n };
        assert_eq!(on.co_gather(&[1], &mut [1], n + 1), Err(stranger.clone()));
        assert_eq!(on.co_scatterv(&[1], parts, &mut [1], n + 1), Err(stranger));
        assert!(text(on.co_allgather(&[1], &mut vec![0; n + 1])).contains("has 1 element"));
        text(on.co_alltoall(&vec![1; n], &mut vec![0; n + 1]));
        image.sync_all()
    });
}

#[test]
fn operations_in_the_background_outlive_their_team() {
    everywhere(|image| {
        let (me, n) = (image.this_image(), image.num_images());
        let halves = image.form_team((me % 2) as i64 + 1)?;
        let peers = (1..=n).filter(|index| index % 2 == me % 2).collect::<Vec<_>>();
        let on = image.on(&halves)?;
        for _ in 0..5 {
            // Begun on two sets, inside and outside of teams, and completed in another order.
            let all = image.begin_co_sum(vec![me as f64; 1000]);
            let half = on.begin_co_reduce(vec![me], |a, b| a.max(b));
            let inside = image.change_team(&halves, |_| {
                let first = image.begin_co_broadcast(vec![me; 3], 1)?;
                let greatest = image.begin_co_max(vec![me]);
                let met = image.begin_sync_all()?;
                Ok((first, greatest, met))
            })?;
            let gathered = on.begin_co_allgather(&[me]);
            let to_first = on.begin_co_gather(&[me], 1)?;
            let parts = if on.this_image() == 1 { peers.clone() } else { Vec::new() };
            let scattered = on.begin_co_scatter(parts, 1, 1)?;
            let least = image.on(&halves)?.begin_co_min(vec![me]);
            let dealt = on.begin_co_alltoall(peers.iter().map(|peer| 10 * me + peer).collect())?;
            // Image i of the team has i values, each its index in the job.
            let (index, size) = (on.this_image(), peers.len());
            let (mine, lens) = (vec![me; index], (1..=size).collect::<Vec<_>>());
            let whole: Vec<usize> =
                (peers.iter().zip(&lens)).flat_map(|(peer, len)| vec![*peer; *len]).collect();
            let at_last = on.begin_co_gatherv(mine.clone(), &lens, size)?;
            let given = if index == size { whole.clone() } else { vec![] };
            let from_last = on.begin_co_scatterv(given, &lens, index, size)?;
            let each = on.begin_co_alltoallv(mine.repeat(size), &vec![index; size], &lens)?;
            let upto = on.begin_co_scan(vec![me], Op::Sum);
            let before = on.begin_co_exscan(vec![me], Op::Max);
            let (keep_first, keep_last) = (|a, _| a, |_, b| b);
            let first_upto = on.begin_co_scan_by(vec![me], keep_first);
            let last_before = on.begin_co_exscan_by(vec![me], keep_last);
            image.sync_all()?;
            assert_eq!((from_last.wait()?, each.wait()?), (mine, whole.clone()));
            assert_eq!(at_last.wait()?, if index == size { whole } else { vec![] });
            assert_eq!(upto.wait()?, [peers[..index].iter().sum::<usize>()]);
            let neighbour = if index == 1 { me } else { peers[index - 2] };
            assert_eq!((before.wait()?, last_before.wait()?), (vec![neighbour], vec![neighbour]));
            assert_eq!(first_upto.wait()?, [peers[0]]);
            assert_eq!((gathered.wait()?, scattered.wait()?), (peers.clone(), vec![me]));
            assert_eq!(to_first.wait()?, if on.this_image() == 1 { peers.clone() } else { vec![] });
            assert_eq!(least.wait()?, [peers[0]]);
            assert_eq!(dealt.wait()?, peers.iter().map(|peer| 10 * peer + me).collect::<Vec<_>>());
            let (first, greatest, met) = inside;
            met.wait()?;
            assert_eq!(greatest.wait()?, [*peers.last().unwrap()]);
            assert_eq!(first.wait()?, [peers[0]; 3]);
            while !half.test()? {
                std::thread::yield_now();
            }
            assert_eq!(half.wait()?, [*peers.last().unwrap()]);
            assert_eq!(all.wait()?, [(n * (n + 1) / 2) as f64; 1000]);
        }
        let stranger = Error::ImageIndex { index: n as i64 + 1, images: peers.len() };
        assert_eq!(on.begin_co_broadcast(vec![1], n + 1).map(drop), Err(stranger.clone()));
        assert_eq!(on.begin_co_gatherv(vec![1], &[], n + 1).map(drop), Err(stranger.clone()));
        assert_eq!(on.begin_co_scatterv(vec![1], &[], 0, n + 1).map(drop), Err(stranger));
        image.sync_all()
    });
}

#[test]
fn scans_go_by_the_indices_in_the_team() {
    everywhere(|image| {
        let (me, n) = (image.this_image(), image.num_images());
        let mirror = image.form_team_as(1, n + 1 - me)?;
        let before = me + 1..=n;
        let (mut upto, mut without) = (me, vec![me as i64, 1]);
        let on = image.on(&mirror)?;
        on.co_scan(&mut upto, Op::Sum)?;
        on.co_exscan(&mut without, Op::Sum)?;
        assert_eq!(upto, (me..=n).sum::<usize>());
        let sum: usize = before.clone().sum();
        let expected = if me == n { [n as i64, 1] } else { [sum as i64, (n - me) as i64] };
        assert_eq!(without, expected);
        // The digits of the images before, and of this one: not commutative.
        let join = |a: u64, b: u64| 10u64.pow(b.to_string().len() as u32) * a + b;
        let (mut digits, mut less) = (me as u64, me as u64);
        on.co_scan_by(&mut digits, join)?;
        on.co_exscan_by(&mut less, join)?;
        let number = |indices: std::ops::RangeInclusive<usize>| {
            indices.rev().fold(0, |number, index| join(number, index as u64))
        };
        assert_eq!(digits, number(me..=n));
        assert_eq!(less, if me == n { n as u64 } else { number(before) });
        let mut greatest = me;
        image.co_scan(&mut greatest, Op::Max)?;
        assert_eq!(greatest, me);
        image.sync_all()
    });
}
