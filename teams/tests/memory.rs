//! Memory of teams: nothing is left behind, and what cannot be had is the same error on all images.

use xmp_collectives::{allgather, barrier};
use xmp_core::sync::Ordering;
use xmp_core::transport::threads;
use xmp_core::{Error, Image};
use xmp_teams::{change, end, form, task, within};

fn me(image: &Image) -> i64 {
    i64::from(image.rank().get())
}

/// Frees a block that the test uses no more.
fn free(image: &Image, offset: u64) -> Result<(), Error> {
    // SAFETY: no image of the test uses the block any more.
    unsafe { image.memory().free_symmetric(offset) }
}

#[test]
fn a_thousand_nested_teams_leave_nothing_behind() {
    for (images, hosts) in [(4, 1), (5, 2)] {
        threads::run(images, hosts, |image| {
            let outside = image.memory().allocate_symmetric(1000, 64).unwrap();
            let all = image.executing();
            let mut first = None;
            for round in 0..1000 {
                // Regular and irregular, of three and of two images.
                let number = [me(image) % 2, me(image) * me(image) % 7 % 3][round % 2];
                let outer = form(image, 1 + number, None).unwrap();
                change(image, &outer).unwrap();
                for size in [8, 5000, 100_000] {
                    image.memory().allocate_symmetric(size, 64).unwrap();
                }
                let inner = form(
                    image,
                    5,
                    (round % 3 == 0).then_some(1).filter(|_| outer.set().len() == 1),
                );
                change(image, &inner.unwrap()).unwrap();
                let block = image.memory().allocate_symmetric(300, 4096).unwrap();
                image.memory().allocate_symmetric(20_000, 64).unwrap();
                if round % 5 == 0 {
                    barrier(image, &image.executing()).unwrap();
                    free(image, block).unwrap();
                }
                for _ in 0..2 {
                    end(image).unwrap().outcome().unwrap();
                }
                if round % 100 == 99 {
                    drop(outer);
                    barrier(image, &all).unwrap();
                    image.memory().reclaim();
                    let usage = image.memory().usage();
                    assert_eq!(*first.get_or_insert(usage), usage, "round {round}");
                    assert_eq!([usage[1].0, usage[2].0], [0, 0]);
                    assert_eq!(image.stack().depth(), 1);
                    barrier(image, &all).unwrap();
                    let in_use = &image.job().page().unsymmetric_in_use;
                    assert_eq!(in_use.load(Ordering::Relaxed), 0);
                    barrier(image, &all).unwrap();
                }
            }
            free(image, outside).unwrap();
            assert_eq!(image.memory().usage()[0].0, 0);
        })
        .unwrap();
    }
}

#[test]
fn end_team_gives_pages_back() {
    threads::run(2, 1, |image| {
        let team = form(image, 1 + me(image), None).unwrap();
        let fill = |image: &Image| {
            let mut found = 0;
            for _ in 0..80 {
                let offset = image.memory().allocate_symmetric(1 << 20, 64)?;
                // SAFETY: this image's own block of 1 MiB.
                let bytes = unsafe {
                    let start = image.own_segment().add(offset as usize);
                    std::slice::from_raw_parts_mut(start, 1 << 20)
                };
                found += bytes.iter().filter(|&&byte| byte != 0).count();
                bytes.fill(1);
            }
            Ok(found)
        };
        for _ in 0..2 {
            // No block has the pages that are left: they read as zero again, but for the ends.
            assert!(within(image, &team, fill).unwrap() < 8192);
        }
    })
    .unwrap();
}

#[test]
fn no_room_is_the_same_error_on_all_members_and_changes_nothing() {
    threads::run(4, 1, |image| {
        // Allocations that differ between images do not matter.
        image.memory().allocate_local(1000 << me(image), 64).unwrap();
        let half = form(image, 1 + me(image) / 2, None).unwrap();
        within(image, &half, |image| {
            let before = image.memory().usage();
            for size in [1 << 29, 1 << 40, u64::MAX] {
                let error = image.memory().allocate_symmetric(size, 64).unwrap_err();
                let Error::OutOfMemory { requested, available, .. } = error else {
                    panic!("{error}")
                };
                assert_eq!(requested, size);
                let mut all = [0; 2];
                allgather(image, &image.executing(), &[available], &mut all)?;
                assert_eq!(all[0], all[1]);
            }
            assert_eq!(image.memory().usage(), before);
            // All that is left can be had, by one half as by the other.
            let Err(Error::OutOfMemory { available, .. }) =
                image.memory().allocate_symmetric(1 << 40, 64)
            else {
                panic!("there is no such memory");
            };
            image.memory().allocate_symmetric(available, 64)?;
            assert!(image.memory().allocate_symmetric(64, 64).is_err());
            Ok(())
        })
        .unwrap();
    })
    .unwrap();
}

#[test]
fn a_region_frees_what_it_has_allocated_when_all_its_images_are_through() {
    threads::run(3, 1, |image| {
        for _ in 0..50 {
            let sum = task(image, 2.., |image| {
                let offset = image.memory().allocate_symmetric(64, 64)?;
                let set = image.executing();
                let at = |k: usize| {
                    let at =
                        image.local_address(set.rank_at(k).unwrap(), offset).expect("one host");
                    at.cast::<i64>()
                };
                // SAFETY: each writes its own part, and reads both after a barrier, before the end of the region.
                unsafe {
                    at(set.position().unwrap()).write(me(image));
                    barrier(image, &set)?;
                    Ok::<i64, Error>(at(0).read() + at(1).read())
                }
            });
            assert_eq!(sum, Ok((me(image) > 0).then_some(Ok(3))));
            assert_eq!(image.memory().usage()[2].0, 0);
        }
    })
    .unwrap();
}
