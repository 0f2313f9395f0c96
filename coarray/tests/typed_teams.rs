//! Teams as Rust programs use them: statements on them, access across them, and what is made within.

use std::cell::RefCell;
use std::panic::AssertUnwindSafe;
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

/// Bytes of the teams heap in use.
fn in_use(image: &Image) -> u64 {
    image.memory().usage()[2].0
}

#[test]
fn statements_refer_to_the_team_that_they_are_made_on() {
    everywhere(|image| {
        let (me, n) = (image.this_image(), image.num_images());
        let number = me % 2;
        let halves = image.form_team(number as i64 + 1)?;
        // In reverse.
        let mirror = image.form_team_as(7, n + 1 - me)?;
        let peers = (1..=n).filter(|index| index % 2 == number).collect::<Vec<_>>();
        let on = image.on(&halves)?;
        assert_eq!((on.this_image(), on.num_images()), (me.div_ceil(2), peers.len()));
        assert_eq!(image.on(&mirror)?.this_image(), n + 1 - me);
        for _ in 0..10 {
            let (mut sum, mut last, mut first) = (me, [me, 2 * me], me);
            on.co_sum(&mut sum)?;
            on.co_broadcast(&mut last, peers.len())?;
            image.on(&mirror)?.co_broadcast(&mut first, n)?;
            let greatest = *peers.last().unwrap();
            assert_eq!((sum, last, first), (peers.iter().sum(), [greatest, 2 * greatest], 1));
            image.sync_team(&mirror)?;
            let next = on.this_image() % on.num_images() + 1;
            if peers.len() == 2 {
                on.sync_images(&[next])?;
            }
            on.sync_all()?;
            let stranger = Error::ImageIndex { index: n as i64 + 1, images: peers.len() };
            assert_eq!(on.co_broadcast(&mut sum, n + 1), Err(stranger));
        }
        assert_eq!(image.team_number(), -1);
        image.change_team(&mirror, |image| {
            assert_eq!((image.this_image(), image.team_number()), (n + 1 - me, 7));
            // One that another team has formed: not to be changed to, but to work on.
            let mut sum = 1;
            image.on(&halves)?.co_sum(&mut sum)?;
            assert_eq!(sum, peers.len());
            let refused = text(image.change_team(&halves, |_| Ok(())));
            assert!(refused.contains("formed by the current one (number 7)"), "{refused}");
            let refused = text(image.sync_team(&halves));
            assert!(refused.contains("SYNC TEAM"), "{refused}");
            image.sync_team(&Team::initial(image))
        })
    });
}

#[test]
fn images_are_named_in_teams_around_and_beside() {
    everywhere(|image| {
        let (me, n) = (image.this_image(), image.num_images());
        let (a, ready) = (Coarray::filled(image, 3, me)?, Event::new(image)?);
        let counts = AtomicCoarray::<u64>::new(image, 1)?;
        let all = Team::initial(image);
        let own = image.form_team(me as i64)?;
        image.change_team(&own, |image| {
            assert_eq!(image.num_images(), 1);
            let right = me % n + 1;
            assert_eq!(a.get_one((&all, right), 1)?, right);
            assert_eq!(a.get_vec((Sibling(right as i64), 1), ..)?, [right; 3]);
            a.put((&all, right), 2.., &[me + 100])?;
            counts.fetch_add((Sibling(1), 1), 0, me as u64)?;
            ready.post((Sibling(right as i64), 1))?;
            ready.wait()?;
            let left = (me + n - 2) % n + 1;
            assert_eq!(a.read_vec(..)?, [me, me, left + 100]);
            assert_eq!(a.get_one(1, 0)?, me);
            // Indices are those of the team that is named.
            let stranger = |index: usize, images| Error::ImageIndex { index: index as i64, images };
            let refused = a.get_one(2, 0).unwrap_err();
            assert_eq!(refused, stranger(2, 1));
            let call = image.failed_call(&refused).expect("the last call that has failed");
            let team = format!("the images of the current team (number {me})");
            assert_eq!(call.note, (n > 1).then_some(team));
            assert_eq!(a.get_one((&all, n + 1), 0), Err(stranger(n + 1, n)));
            assert_eq!(a.get_one((Sibling(1), 2), 0), Err(stranger(2, 1)));
            let missing = text(a.get_one((Sibling(n as i64 + 1), 1), 0));
            assert!(missing.contains("not formed together"), "{missing}");
            Ok(())
        })?;
        image.sync_all()?;
        assert_eq!(counts.load(1, 0)?, (n * (n + 1) / 2) as u64);
        let none = text(a.get_one((Sibling(2), 1), 0));
        assert!(none.contains("initial team has no siblings"), "{none}");
        image.sync_all()
    });
}

/// The message that ends a job says which images an index counts, unless these are all images.
#[test]
fn a_wrong_index_in_a_team_or_a_task_is_reported_with_the_images_that_it_counts() {
    everywhere(|image| {
        let (me, n) = (image.this_image(), image.num_images());
        let a = Coarray::filled(image, 1, me)?;
        let own = image.form_team(me as i64)?;
        let note = |image: &Image| {
            let error = image.co_broadcast(&mut [0], n + 1).unwrap_err();
            image.failed_call(&error).expect("the last call that has failed").note
        };
        assert_eq!(note(image), None);
        let error = a.get_one((&own, 2), 0).unwrap_err();
        let call = image.failed_call(&error).expect("the last call that has failed");
        let other = (n > 1).then(|| "the images of another team".to_owned());
        assert_eq!(call.note, other);
        let in_task = image.task(1..=1, |image| Ok(note(image)))?;
        let executing = (n > 1).then(|| "the executing images".to_owned());
        assert_eq!(in_task, (me == 1).then_some(executing));
        image.sync_all()
    });
}

#[test]
fn what_a_team_makes_is_its_own_and_ends_with_it() {
    everywhere(|image| {
        let (me, all) = (image.this_image(), image.num_images());
        let outer = Coarray::filled(image, 4, me)?;
        let halves = image.form_team((me % 2) as i64 + 1)?;
        let initial = Team::initial(image);
        for round in 1..20 {
            image.change_team(&halves, |image| {
                let (me, n) = (image.this_image(), image.num_images());
                // The teams make different numbers of them, of different sizes.
                let number = image.team_number() as usize;
                let kept = Coarray::filled(image, 100 * round * number, me)?;
                for _ in 0..number {
                    let freed = Coarray::<u64>::new(image, 10)?;
                    freed.free()?;
                }
                assert_eq!(kept.get_one(n, 5)?, n);
                // A team of all images shares the heap of the initial one.
                assert!(in_use(image) > 0 || n == all);
                Ok(())
            })?;
            assert_eq!(in_use(image), 0);
        }
        image.change_team(&halves, |image| {
            let inner = Coarray::filled(image, 1, image.team_number())?;
            // Not even of the images around: they do not have it.
            for index in (1..=all).filter(|index| index % 2 != me % 2) {
                let strange = text(inner.get_one((&initial, index), 0));
                assert!(strange.contains("does not have the coarray"), "{strange}");
                let strange = text(inner.get_one((Sibling((index % 2) as i64 + 1), 1), 0));
                assert!(strange.contains("does not have the coarray"), "{strange}");
            }
            assert_eq!(inner.get_one((&initial, me), 0)?, image.team_number());
            let alone = image.form_team(image.this_image() as i64)?;
            image.change_team(&alone, |_| {
                let refused = text(inner.free());
                assert!(refused.contains("cannot be freed in team"), "{refused}");
                Ok(())
            })
        })?;
        image.change_team(&halves, |_| {
            assert!(text(outer.free()).contains("cannot be freed in team"));
            Ok(())
        })
    });
}

#[test]
fn a_handle_that_outlives_its_team_is_refused_everywhere() {
    everywhere(|image| {
        let team = image.form_team(1)?;
        let kept = RefCell::new(None);
        // With the image of the program, whose lifetime is longer than the team's.
        image.change_team(&team, |_| {
            let a = Coarray::filled(image, 2, 1u32)?;
            let made =
                (a, Event::new(image)?, Lock::new(image)?, AtomicCoarray::<u32>::new(image, 1)?);
            made.0.put_one(1, 0, 5)?;
            kept.replace(Some(made));
            Ok(())
        })?;
        let (a, event, lock, atomic) = kept.take().unwrap();
        // What comes after may be in the same place.
        image.change_team(&team, |image| {
            let other = Coarray::filled(image, 2, 8u32)?;
            for outcome in [
                a.put(1, .., &[1, 2]),
                a.get(1, .., &mut [1, 2]),
                a.put_one((&team, 1), 1, 3),
                a.get_one(1, 1).map(drop),
                a.write(.., &[1, 2]),
                a.write_one(1, 1),
                a.read(.., &mut [1, 2]),
                a.read_one(0).map(drop),
                a.fill(.., 9),
                event.post(1),
                event.wait(),
                event.pending().map(drop),
                lock.acquire(1).map(drop),
                lock.try_acquire(1).map(drop),
                atomic.load(1, 0).map(drop),
                atomic.store(1, 0, 4),
            ] {
                assert!(text(outcome).contains("the coarray is gone"));
            }
            image.sync_all()?;
            assert_eq!(other.read_vec(..)?, [8, 8]);
            image.sync_all()
        })?;
        assert!(text(a.free()).contains("the coarray is gone"));
        assert!(text(event.free()).contains("the coarray is gone"));
        Ok(())
    });
}

#[test]
fn a_lock_that_is_held_when_its_team_ends_is_gone() {
    everywhere(|image| {
        let team = image.form_team(1)?;
        let lock = std::cell::OnceCell::new();
        let guard = image.change_team(&team, |_| {
            lock.set(Lock::new(image)?).unwrap();
            lock.get().unwrap().acquire(image.this_image())
        })?;
        image.change_team(&team, |image| {
            let same_place = Coarray::filled(image, 8, u64::MAX)?;
            assert!(text(guard.release()).contains("the coarray is gone"));
            image.sync_all()?;
            assert_eq!(same_place.read_vec(..)?, [u64::MAX; 8]);
            image.sync_all()
        })
    });
}

#[test]
fn teams_end_with_the_team_that_formed_them() {
    everywhere(|image| {
        let outer = image.form_team(1)?;
        let a = Coarray::filled(image, 1, 4)?;
        let inner = image.change_team(&outer, |image| image.form_team(2))?;
        for outcome in [
            image.on(&inner).map(drop),
            image.sync_team(&inner),
            image.change_team(&inner, |_| Ok(())),
            a.get_one((&inner, 1), 0).map(drop),
        ] {
            let refused = text(outcome);
            assert!(refused.contains('2') && refused.contains("undefined"), "{refused}");
        }
        // Another entry of the same team does not bring it back.
        image.change_team(&outer, |image| {
            assert!(text(image.on(&inner)).contains("undefined"));
            Ok(())
        })
    });
}

#[test]
fn the_initial_team_can_be_entered_from_within() {
    everywhere(|image| {
        let (me, n) = (image.this_image(), image.num_images());
        let halves = image.form_team((me % 2) as i64 + 1)?;
        image.change_team(&halves, |image| {
            let small = Coarray::filled(image, 100 * image.team_number() as usize, me)?;
            image.change_team(&Team::initial(image), |image| {
                assert_eq!((image.this_image(), image.num_images()), (me, n));
                let all = Coarray::filled(image, 10, me)?;
                let right = me % n + 1;
                assert_eq!(all.get_one(right, 9)?, right);
                // Index `right` is one of all images here; only those of the half have the other one.
                if right % 2 == me % 2 {
                    assert_eq!(small.get_one(right, 0)?, right)
                } else {
                    assert!(text(small.get_one(right, 0)).contains("does not have"))
                }
                image.sync_all()
            })?;
            small.free()
        })?;
        assert_eq!(image.memory().usage().map(|heap| heap.0), [0; 3]);
        Ok(())
    });
}

#[test]
fn bad_team_numbers_and_indices_are_refused_on_all_images() {
    everywhere(|image| {
        let n = image.num_images();
        for number in [0, -1, i64::MIN] {
            text(image.form_team(number));
        }
        for index in [0, n + 1, usize::MAX] {
            text(image.form_team_as(1, index));
        }
        if n > 1 {
            text(image.form_team_as(1, 1));
        }
        // Nothing is left of that.
        let team = image.form_team(i64::MAX)?;
        image.change_team(&team, |image| image.sync_all())
    });
}

#[test]
fn errors_and_panics_leave_the_team() {
    everywhere(|image| {
        let team = image.form_team(1)?;
        let early = image.change_team(&team, |_| -> Result<()> { Err(Error::Locked) });
        assert_eq!(early, Err(Error::Locked));
        let caught = std::panic::catch_unwind(AssertUnwindSafe(|| {
            image.change_team(&team, |image| -> Result<()> {
                Coarray::<u8>::new(image, 10)?;
                std::panic::resume_unwind(Box::new(()))
            })
        }));
        assert!(caught.is_err());
        assert_eq!((image.team_number(), in_use(image)), (-1, 0));
        image.sync_all()
    });
}
