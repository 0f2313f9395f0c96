//! Task regions over real images: what the executing set is inside and outside, and that collectives keep to it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use xmp_collectives::{Op, allreduce, barrier};
use xmp_core::transport::threads;
use xmp_core::{Error, Image};
use xmp_teams::{Selection, task};

fn index(image: &Image) -> usize {
    image.executing().position().unwrap() + 1
}

fn sum(image: &Image, mut value: u64) -> u64 {
    let all = std::slice::from_mut(&mut value);
    allreduce(image, &image.executing(), all, Op::Sum).unwrap();
    value
}

#[test]
fn indices_count_within_the_innermost_set() {
    threads::run(8, 1, |image| {
        let me = index(image);
        let inside = task(image, Selection::every(2, 2..), |image| {
            let inner = index(image);
            assert_eq!((inner, image.executing().len()), (me / 2, 4));
            let deeper = task(image, Selection::list([4, 1]), index).unwrap();
            assert_eq!(index(image), inner);
            deeper
        })
        .unwrap();
        let expected = match me {
            2 => Some(Some(2)),
            8 => Some(Some(1)),
            even if even % 2 == 0 => Some(None),
            _ => None,
        };
        assert_eq!(inside, expected);
        assert_eq!((index(image), image.executing().len(), image.stack().depth()), (me, 8, 1));
    })
    .unwrap();
}

#[test]
fn collectives_need_the_members_only() {
    for (images, hosts) in [(4, 1), (5, 2), (6, 3)] {
        threads::run(images, hosts, |image| {
            let me = index(image);
            let n = images as usize;
            for round in 0..20 {
                // Halves that work at the same time, at different paces, and nest.
                let low = task(image, ..=n / 2, |image| {
                    for _ in 0..round % 3 {
                        barrier(image, &image.executing()).unwrap();
                    }
                    let all = sum(image, me as u64);
                    let ends =
                        task(image, Selection::strided(n / 2, 2, 1 - n as isize / 2), |image| {
                            sum(image, me as u64)
                        });
                    (all, ends.unwrap())
                })
                .unwrap();
                let high = task(image, n / 2 + 1.., |image| sum(image, me as u64)).unwrap();
                let below = (n / 2 * (n / 2 + 1) / 2) as u64;
                let total = (n * (n + 1) / 2) as u64;
                if me <= n / 2 {
                    let at_end = me == 1 || me == n / 2;
                    assert_eq!(low, Some((below, at_end.then_some(n as u64 / 2 + 1))));
                    assert_eq!(high, None);
                } else {
                    assert_eq!((low, high), (None, Some(total - below)));
                }
                assert_eq!(sum(image, me as u64), total);
            }
        })
        .unwrap();
    }
}

#[test]
fn images_outside_do_not_wait() {
    threads::run(3, 1, |image| {
        if index(image) == 1 {
            // Would hang if entering needed image 1: it never enters, and ends before the others leave.
            assert_eq!(task(image, 2..=3, |_| ()), Ok(None));
            return;
        }
        let last = task(image, 2..=3, |image| {
            while image.job().state(xmp_core::Rank::new(0))
                == xmp_core::job::page::ImageState::Running
            {
                std::thread::yield_now();
            }
            barrier(image, &image.executing())
        });
        assert_eq!(last, Ok(Some(Ok(()))));
    })
    .unwrap();
}

#[test]
fn a_set_is_left_when_its_body_panics() {
    threads::run(4, 1, |image| {
        let body = || {
            task(image, ..3, |image| {
                task(image, ..2, |_| std::panic::resume_unwind(Box::new("enough"))).unwrap()
            })
        };
        let outcome = catch_unwind(AssertUnwindSafe(body));
        assert_eq!(outcome.is_err(), index(image) == 1);
        assert_eq!(image.stack().depth(), 1);
        assert_eq!(sum(image, 1), 4);
    })
    .unwrap();
}

#[test]
fn an_empty_selection_is_allowed_and_strangers_are_an_error() {
    threads::run(2, 1, |image| {
        assert_eq!(task(image, 3.., |_| ()), Ok(None));
        let stranger = Err(Error::ImageIndex { index: 3, images: 2 });
        assert_eq!(task(image, 1..=3, |_| ()), stranger);
        assert_eq!(task(image, Selection::list([1, 1]), |_| ()), Err(Error::RepeatedImage(1)));
    })
    .unwrap();
}
