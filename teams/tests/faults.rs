//! Images that end instead of taking part: the others get an error, know what they are in, and go on.

use std::sync::atomic::{AtomicUsize, Ordering};
use xmp_collectives::barrier;
use xmp_core::job::page::ImageState;
use xmp_core::transport::threads;
use xmp_core::{Error, Image, Rank, Result, failure};
use xmp_teams::{Selection, Team, change, end, form, form_active, sync, task, within};

const LAYOUTS: [(u32, u32); 6] = [(2, 1), (3, 1), (4, 2), (5, 3), (8, 1), (6, 2)];

fn me(image: &Image) -> i64 {
    i64::from(image.rank().get())
}

/// How the image that does not take part ends: it returns, or has failed before it does.
fn stop(_: &Image) {}

fn fail(image: &Image) {
    failure::publish_failed(image.job(), image.rank());
}

fn is_of(outcome: &Result<()>, error: fn(Rank) -> Error, who: u32) -> bool {
    // Images that have returned with the error may have stopped before the others look.
    *outcome == Err(error(Rank::new(who))) || matches!(outcome, Err(Error::StoppedImage(_)))
}

/// Runs `statement` on all images but the `who`-th, which ends; the outcomes of the others.
fn without_one(
    layout: (u32, u32),
    who: u32,
    ends: fn(&Image),
    before: impl Fn(&Image) -> Team + Sync,
    statement: impl Fn(&Image, &Team) -> Result<()> + Sync,
) -> Vec<Result<()>> {
    let (images, hosts) = layout;
    let outcomes = threads::run(images, hosts, |image| {
        let team = before(image);
        if image.rank().get() == who {
            ends(image);
            return None;
        }
        Some(statement(image, &team))
    });
    outcomes.unwrap().into_iter().flatten().collect()
}

fn all_together(image: &Image) -> Team {
    // In another order, so that it is not the initial set.
    let images = i64::from(image.job().images() as u32);
    form(image, 4, Some(images - me(image))).unwrap()
}

#[test]
fn no_team_is_formed_without_an_image() {
    for layout in LAYOUTS {
        for (ends, error) in [
            (stop as fn(&Image), Error::StoppedImage as fn(Rank) -> Error),
            (fail, Error::FailedImage),
        ] {
            let who = layout.0 / 2;
            let outcomes = without_one(layout, who, ends, Team::initial, |image, _| {
                for irregular in [false, true] {
                    let number = if irregular { 1 + me(image) * me(image) % 5 % 2 } else { 1 };
                    let outcome = form(image, number, None).map(|_| ());
                    assert!(is_of(&outcome, error, who), "{outcome:?}");
                }
                // Those that are left can form teams among themselves.
                let left: Vec<usize> = (0..image.job().images())
                    .filter(|&k| k != who as usize)
                    .map(|k| k + 1)
                    .collect();
                task(image, Selection::list(left), |image| {
                    let team = form(image, 1 + me(image) % 2, None)?;
                    within(image, &team, |image| barrier(image, &image.executing()))
                })?
                .expect("one of them")
            });
            assert!(outcomes.iter().all(Result::is_ok), "{layout:?}: {outcomes:?}");
        }
    }
}

/// Returns when all images that run have called it: an image that ends before has stopped for those that are late.
fn until_all_are_through(image: &Image, through: &AtomicUsize) {
    through.fetch_add(1, Ordering::AcqRel);
    let runs = |rank: &Rank| image.job().state(*rank) == ImageState::Running;
    while through.load(Ordering::Acquire) < image.job().ranks().filter(runs).count() {
        std::thread::yield_now();
    }
}

/// One image fails before the statement, one when it has learnt of that: the others come to the same teams.
#[test]
fn those_that_are_left_form_teams() {
    for round in 0..30 {
        let hosts = 1 + round as u32 % 3;
        let through = AtomicUsize::new(0);
        let outcomes = threads::run(6, hosts, |image| {
            let me = me(image);
            if me == round % 3 {
                fail(image);
                return None;
            }
            let number = if round % 2 == 0 { 1 + me / 3 } else { 1 + me * me % 5 % 2 };
            if me == 4 {
                assert!(form(image, number, None).is_err());
                fail(image);
                return None;
            }
            for turn in 0..3 {
                let (team, outcome) = form_active(image, number, None).unwrap();
                assert!(matches!(outcome, Err(Error::FailedImage(_))), "{outcome:?}");
                // Between hosts an image that came to FORM TEAM and failed over it may still be a member.
                if hosts > 1 && turn == 0 {
                    continue;
                }
                let twice = within(image, &team, |image| {
                    let inner = form(image, 1, None)?;
                    within(image, &inner, |image| barrier(image, &image.executing()))?;
                    let (again, outcome) = form_active(
                        image,
                        7,
                        Some(1 + image.executing().position().unwrap() as i64),
                    )?;
                    assert_eq!((again.set().len(), outcome), (team.set().len(), Ok(())));
                    Ok(())
                });
                assert_eq!(twice, Ok(()));
                let members: Vec<u32> = team.set().ranks().map(Rank::get).collect();
                let active = |&k: &i64| k != 4 && k != round % 3;
                let same =
                    |&k: &i64| number == if round % 2 == 0 { 1 + k / 3 } else { 1 + k * k % 5 % 2 };
                let expected: Vec<u32> =
                    (0..6).filter(active).filter(same).map(|k| k as u32).collect();
                assert_eq!(members, expected);
            }
            until_all_are_through(image, &through);
            Some(())
        });
        assert_eq!(outcomes.unwrap().into_iter().flatten().count(), 4);
    }
}

/// Two images fail at any point of forming, entering and leaving, again and again: no image hangs, and in the end the
/// others are a team.
#[test]
fn failures_at_any_time_leave_a_team_of_the_others() {
    for round in 0..60u64 {
        let hosts = 1 + round as u32 % 3;
        let through = AtomicUsize::new(0);
        let outcomes = threads::run(5, hosts, |image| {
            let me = image.rank().get();
            if me == 1 || me == 3 {
                let doomed = std::panic::AssertUnwindSafe(|| {
                    turns(image, 1 + (round * 37 + u64::from(me) * 101) % 300)
                });
                let _ = std::panic::catch_unwind(doomed);
                fail(image);
                return None;
            }
            turns(image, u64::MAX);
            let (team, outcome) = form_active(image, 1, None).unwrap();
            assert!(matches!(outcome, Err(Error::FailedImage(_))), "{outcome:?}");
            until_all_are_through(image, &through);
            Some(team.set().ranks().map(Rank::get).collect::<Vec<u32>>())
        });
        for left in outcomes.unwrap().into_iter().flatten() {
            assert_eq!(left, [0, 2, 4]);
        }
    }
}

/// Forms, enters and leaves teams until both images that fail have done so. An image that is to fail does when its
/// budget is spent, in the middle of some turn.
fn turns(image: &Image, mut budget: u64) {
    let both = [1, 3].map(Rank::new);
    let gone = |rank: &Rank| image.job().state(*rank) == ImageState::Failed;
    let mut spend = |cost: u64| {
        budget = budget.saturating_sub(cost);
        if budget == 0 {
            std::panic::resume_unwind(Box::new("fails"));
        }
    };
    let mut done = false;
    while !done {
        spend(5);
        let (team, _) = form_active(image, 1, None).unwrap();
        spend(7);
        // All that are left have the same team, so they end together.
        done = both.iter().all(|&rank| team.set().position_of(rank).is_none());
        if change(image, &team).is_ok() {
            spend(11);
            let _ = barrier(image, &image.executing());
            spend(3);
            let _ = end(image).unwrap().outcome();
        }
        assert!(!done || both.iter().all(gone));
    }
}

#[test]
fn stopped_images_are_errors_of_forming() {
    for hosts in [1, 2, 4] {
        let outcomes = without_one((4, hosts), 3, stop, Team::initial, |image, _| {
            form_active(image, 1, None).map(|_| ())
        });
        assert!(outcomes.iter().all(Result::is_err), "{outcomes:?}");
    }
}

#[test]
fn a_subset_that_forms_teams_while_others_stop_gets_an_error() {
    for (images, hosts) in LAYOUTS {
        let outcomes = threads::run(images, hosts, |image| {
            (me(image) % 2 == 0).then(|| form(image, 1, None).map(|_| ()))
        });
        for outcome in outcomes.unwrap().into_iter().flatten() {
            assert!(matches!(outcome, Err(Error::StoppedImage(_))), "{outcome:?}");
        }
    }
}

#[test]
fn a_team_is_not_entered_without_an_image() {
    for layout in LAYOUTS {
        for (ends, error) in [
            (stop as fn(&Image), Error::StoppedImage as fn(Rank) -> Error),
            (fail, Error::FailedImage),
        ] {
            for to_initial in [false, true] {
                let who = layout.0 - 1;
                let outcomes = without_one(layout, who, ends, all_together, |image, team| {
                    let team = if to_initial { &Team::initial(image) } else { team };
                    for _ in 0..2 {
                        let outcome = change(image, team);
                        assert!(is_of(&outcome, error, who), "{outcome:?}");
                        assert_eq!(image.stack().depth(), 1);
                    }
                    Ok(())
                });
                assert!(outcomes.iter().all(Result::is_ok));
            }
        }
    }
}

#[test]
fn a_team_is_left_also_without_an_image() {
    for layout in LAYOUTS {
        for (ends, error) in [
            (stop as fn(&Image), Error::StoppedImage as fn(Rank) -> Error),
            (fail, Error::FailedImage),
        ] {
            let before = |image: &Image| {
                let team = all_together(image);
                change(image, &team).unwrap();
                image.memory().allocate_symmetric(1000, 64).unwrap();
                let inner = form(image, 2, None).unwrap();
                change(image, &inner).unwrap();
                image.memory().allocate_symmetric(1000, 64).unwrap();
                team
            };
            let outcomes = without_one(layout, 0, ends, before, |image, _| {
                for depth in [2, 1] {
                    let ended = end(image).unwrap();
                    assert!(is_of(&ended.outcome(), error, 0), "{ended:?}");
                    assert_eq!((image.stack().depth(), ended.released().len()), (depth, 1));
                }
                assert_eq!(image.memory().usage()[2].0, 0);
                Ok(())
            });
            assert!(outcomes.iter().all(Result::is_ok));
        }
    }
}

#[test]
fn an_image_that_ends_concerns_its_own_team_only() {
    for hosts in [1, 2, 3] {
        let outcomes = threads::run(6, hosts, |image| {
            let me = me(image);
            let pair = form(image, 1 + me / 2, None).unwrap();
            if me == 3 {
                return None;
            }
            let twice = || {
                within(image, &pair, |image| barrier(image, &image.executing()))?;
                sync(image, &pair)
            };
            Some((me, [twice(), twice()]))
        });
        for (me, outcomes) in outcomes.unwrap().into_iter().flatten() {
            for outcome in outcomes {
                assert_eq!(outcome.is_err(), me == 2, "{me}: {outcome:?}");
            }
        }
    }
}

#[test]
fn sync_team_reports_an_image_that_has_ended() {
    for layout in LAYOUTS {
        for (ends, error) in [
            (stop as fn(&Image), Error::StoppedImage as fn(Rank) -> Error),
            (fail, Error::FailedImage),
        ] {
            let outcomes = without_one(layout, 1, ends, all_together, sync);
            assert!(outcomes.iter().all(|outcome| is_of(outcome, error, 1)), "{outcomes:?}");
        }
    }
}

#[test]
fn a_body_that_panics_leaves_its_team() {
    let outcomes = threads::run(3, 1, |image| {
        let team = form(image, 1 + me(image) % 2, None).unwrap();
        let body = || {
            within(image, &team, |image| -> Result<()> {
                let inner = form(image, 1, None)?;
                change(image, &inner)?;
                image.memory().allocate_symmetric(100, 64)?;
                if me(image) == 1 {
                    std::panic::resume_unwind(Box::new("enough"));
                }
                // Left open: closed with the team.
                Err(Error::Invalid("enough".into()))
            })
        };
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
        assert_eq!(image.stack().depth(), 1);
        assert_eq!(image.memory().usage()[2].0, 0);
        barrier(image, &image.executing()).unwrap();
        outcome.map_err(|_| ())
    })
    .unwrap();
    let error = Ok(Err(Error::Invalid("enough".into())));
    assert_eq!(outcomes, [error.clone(), Err(()), error]);
}
