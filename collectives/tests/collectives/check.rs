//! `XMP_CHECK=1`: images that do not call the same get an error that says so, all of them, and nothing else happens.

use xmp_collectives::{Op, Parts, barrier};
use xmp_core::image_set::ImageSet;
use xmp_core::settings::Settings;
use xmp_core::transport::threads;
use xmp_core::{Error, Image, Result};

fn checking() -> Settings {
    Settings::from_pairs(&[("XMP_CHECK", "1")]).unwrap()
}

type Collective = fn(&Image, &ImageSet, &mut [f64]) -> Result<()>;

fn sum(image: &Image, set: &ImageSet, data: &mut [f64]) -> Result<()> {
    xmp_collectives::allreduce(image, set, data, Op::Sum)
}

/// What the last image calls, what all others call, and what the error says about the two.
fn mismatches() -> Vec<(Collective, Collective, &'static str)> {
    vec![
        (sum, |i, s, _| barrier(i, s), "image 1 executes allreduce, image N barrier"),
        (|i, s, _| barrier(i, s), sum, "image 1 executes barrier, image N allreduce"),
        (
            sum,
            |i, s, d| xmp_collectives::broadcast(i, s, 0, d),
            "image 1 executes allreduce, image N broadcast",
        ),
        (sum, |i, s, d| sum(i, s, &mut d[..2]), "image 1 gives 3 elements, image N gives 2"),
        (sum, |i, s, d| sum(i, s, &mut d[..0]), "image 1 gives 3 elements, image N gives 0"),
        (
            sum,
            |i, s, d| xmp_collectives::allreduce(i, s, d, Op::Max),
            "image 1 wants the sum of f64, image N the maximum of f64",
        ),
        (
            sum,
            |i, s, d| {
                let mut whole = [d[0] as i32; 3];
                xmp_collectives::allreduce(i, s, &mut whole, Op::Sum)
            },
            "image 1 wants the sum of f64, image N the sum of i32",
        ),
        (
            |i, s, d| xmp_collectives::reduce(i, s, 0, d, Op::Sum),
            |i, s, d| xmp_collectives::reduce(i, s, 1, d, Op::Sum),
            "the root is image 1 on image 1, image 2 on image N",
        ),
        (
            |i, s, d| xmp_collectives::broadcast(i, s, 0, d),
            |i, s, d| xmp_collectives::broadcast(i, s, 0, &mut d[..1]),
            "image 1 gives 24 bytes, image N gives 8",
        ),
        (
            |i, s, d| xmp_collectives::broadcast(i, s, 0, d),
            // Not in the set: an error of this image alone without the check, and the others would wait.
            |i, s, d| xmp_collectives::broadcast(i, s, 99, d),
            "the root is image 1 on image 1, image 100 on image N",
        ),
        (
            |i, s, _| xmp_collectives::allgather(i, s, &[1u8], &mut vec![0; s.len()]),
            |i, s, _| xmp_collectives::allgather(i, s, &[1u8; 2], &mut vec![0; 2 * s.len()]),
            "image 1 gives 1 byte, image N gives 2",
        ),
        (
            |i, s, d| xmp_collectives::scan(i, s, d, Op::Sum),
            |i, s, d| xmp_collectives::exscan(i, s, d, Op::Sum),
            "image 1 executes scan, image N exscan",
        ),
        (
            |i, s, _| xmp_collectives::alltoall(i, s, &vec![0u8; s.len()], &mut vec![0; s.len()]),
            |i, s, _| {
                let n = 2 * s.len();
                xmp_collectives::alltoall(i, s, &vec![0u8; n], &mut vec![0; n])
            },
            "image 1 gives 1 byte, image N gives 2",
        ),
    ]
}

#[test]
fn calls_that_differ_are_errors_on_all_images() {
    for images in 2..=8 {
        for hosts in 1..=2 {
            threads::run_with(checking(), images, hosts, |image| {
                let set = image.executing();
                let is_last = image.rank().image() == images;
                for (others, last, text) in mismatches() {
                    let mut data = [1.0, 2.0, 3.0];
                    let call = if is_last { last } else { others };
                    let text = text.replace('N', &images.to_string());
                    assert_eq!(call(image, &set, &mut data), Err(Error::Invalid(text)));
                    assert_eq!(data, [1.0, 2.0, 3.0], "nothing is written");
                }
                // And all goes on.
                let mut data = [1.0; 3];
                sum(image, &set, &mut data).unwrap();
                assert_eq!(data, [f64::from(images); 3]);
            })
            .unwrap();
        }
    }
}

/// Two groups of images that differ: the error names one of each.
#[test]
fn errors_name_two_that_differ() {
    for hosts in 1..=2 {
        let outcomes = threads::run_with(checking(), 6, hosts, |image| {
            let count = if image.rank().get() % 3 == 2 { 12 } else { 10 };
            sum(image, &image.executing(), &mut vec![1.0; count])
        });
        let text = "image 1 gives 10 elements, image 3 gives 12".to_string();
        assert_eq!(outcomes.unwrap(), vec![Err(Error::Invalid(text)); 6]);
    }
}

/// What is called alike works as without the check, whatever images give that may differ.
#[test]
fn calls_that_match_work() {
    for (images, hosts) in [(1, 1), (2, 1), (5, 1), (5, 2), (6, 3)] {
        threads::run_with(checking(), images, hosts, |image| {
            let set = image.executing();
            let me = set.position().unwrap();
            barrier(image, &set).unwrap();
            for count in [0, 1, 7, 8, 5000] {
                let mut data = vec![1.0; count];
                sum(image, &set, &mut data).unwrap();
                assert!(data.iter().all(|&x| x == f64::from(images)));
                let mut data = vec![me as u64; count];
                xmp_collectives::broadcast(image, &set, set.len() - 1, &mut data).unwrap();
                assert!(data.iter().all(|&x| x == set.len() as u64 - 1));
            }
            let mut all = vec![0; set.len()];
            xmp_collectives::allgather(image, &set, &[me], &mut all).unwrap();
            assert_eq!(all.last(), Some(&(set.len() - 1)));
            let send = vec![me; set.len() * me];
            let offsets: Vec<usize> = (0..set.len()).map(|i| i * set.len()).collect();
            let lens: Vec<usize> = (0..set.len()).collect();
            let theirs = Parts::Given { lens: &lens, offsets: &offsets };
            let mut receive = vec![0; set.len() * set.len()];
            let own = Parts::Equal(me);
            xmp_collectives::alltoallv(image, &set, &send, own, &mut receive, theirs).unwrap();
        })
        .unwrap();
    }
}

/// An image that stops instead of calling anything is the error that it is without the check.
#[test]
fn an_image_that_stops_is_no_disagreement() {
    for hosts in 1..=2 {
        let outcomes = threads::run_with(checking(), 4, hosts, |image| match image.rank().get() {
            2 => None,
            _ => Some(sum(image, &image.executing(), &mut [1.0])),
        });
        for outcome in outcomes.unwrap().into_iter().flatten() {
            assert!(matches!(outcome, Err(Error::StoppedImage(_))), "{outcome:?}");
        }
    }
}
