//! Teams over real images: what they are, what may be done with them and what not.

use xmp_collectives::{Op, allreduce};
use xmp_core::transport::threads;
use xmp_core::{Error, Image};
use xmp_teams::{Team, change, end, form, sync, task, within};

fn me(image: &Image) -> i64 {
    i64::from(image.rank().image())
}

fn sum(image: &Image, mut value: i64) -> i64 {
    let all = std::slice::from_mut(&mut value);
    allreduce(image, &image.executing(), all, Op::Sum).unwrap();
    value
}

#[test]
fn rows_and_columns_of_a_grid() {
    for hosts in [1, 2, 3] {
        threads::run(6, hosts, |image| {
            let me = me(image) - 1;
            let row = form(image, 1 + me / 3, None).unwrap();
            let column = form(image, 10 + me % 3, None).unwrap();
            assert_eq!(Team::current(image), Team::initial(image));
            for _ in 0..10 {
                let rows = within(image, &row, |image| {
                    assert_eq!(Team::current(image), row);
                    assert_eq!(Team::parent(image), Team::initial(image));
                    let sibling = row.sibling(image, 2 - me / 3)?;
                    let first = sibling.rank_at(0).unwrap().get();
                    assert_eq!((sibling.len(), i64::from(first)), (3, 3 - me / 3 * 3));
                    Ok(sum(image, me))
                });
                assert_eq!(rows, Ok(3 + me / 3 * 9));
                let columns = within(image, &column, |image| Ok(sum(image, me)));
                assert_eq!(columns, Ok(3 + me % 3 * 2));
                sync(image, &row).unwrap();
            }
            assert_eq!(image.stack().depth(), 1);
        })
        .unwrap();
    }
}

#[test]
fn new_index_orders_a_team() {
    threads::run(5, 2, |image| {
        let me = me(image);
        let team = form(image, 3, Some(6 - me)).unwrap();
        within(image, &team, |image| {
            assert_eq!(image.executing().position(), Some(5 - me as usize));
            let twice = form(image, 3, (me == 2).then_some(1)).unwrap();
            let expected = [4, 0, 3, 2, 1][me as usize - 1];
            assert_eq!(twice.set().position(), Some(expected));
            Ok(())
        })
        .unwrap();
    })
    .unwrap();
}

#[test]
fn bad_choices_are_the_same_error_everywhere() {
    let outcomes = threads::run(4, 2, |image| {
        let me = me(image);
        let bad = [
            form(image, me - 1, None),
            form(image, 1, Some(me / 2)),
            form(image, 1, (me == 4).then_some(5)),
        ];
        let bad = bad.map(|outcome| outcome.unwrap_err());
        within(image, &form(image, 1, None).unwrap(), |image| Ok(sum(image, 1))).unwrap();
        bad
    })
    .unwrap();
    assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]), "{outcomes:?}");
    assert!(matches!(&outcomes[0], [Error::Invalid(_), Error::Team { .. }, Error::Team { .. }]));
}

#[test]
fn only_children_of_the_current_team_and_the_initial_team_can_be_entered() {
    threads::run(4, 1, |image| {
        let me = me(image);
        let half = form(image, 1 + (me - 1) / 2, None).unwrap();
        let other = form(image, 1 + (me - 1) % 2, None).unwrap();
        change(image, &half).unwrap();
        for team in [&other, &half] {
            let text = change(image, team).unwrap_err().to_string();
            assert!(text.contains("formed by the current one (number"), "{text}");
        }
        sync(image, &half).unwrap();
        let text = sync(image, &other).unwrap_err().to_string();
        assert!(text.contains("SYNC TEAM needs"), "{text}");
        let deep = form(image, 5, None).unwrap();
        sync(image, &deep).unwrap();
        change(image, &deep).unwrap();
        assert_eq!(Team::parent(image), half);
        for ancestor in [&half, &deep, &Team::initial(image)] {
            sync(image, ancestor).unwrap();
        }
        change(image, &Team::initial(image)).unwrap();
        assert_eq!((sum(image, 1), Team::current(image).number()), (4, -1));
        assert_eq!(Team::parent(image), Team::initial(image));
        for _ in 0..3 {
            end(image).unwrap().outcome().unwrap();
        }
        assert!(end(image).unwrap_err().to_string().contains("without CHANGE TEAM"));
    })
    .unwrap();
}

#[test]
fn teams_are_undefined_after_their_parent() {
    threads::run(2, 1, |image| {
        let outer = form(image, 1, None).unwrap();
        let inner = within(image, &outer, |image| form(image, 2, None)).unwrap();
        for outcome in [
            change(image, &inner),
            sync(image, &inner),
            inner.check_usable(image),
            inner.sibling(image, 2).map(|_| ()),
        ] {
            let text = outcome.unwrap_err().to_string();
            assert!(text.starts_with("team 2: it is undefined since END TEAM"), "{text}");
        }
        // Also when the team that formed it is entered again.
        change(image, &outer).unwrap();
        assert!(change(image, &inner).is_err());
        end(image).unwrap().outcome().unwrap();
        outer.check_usable(image).unwrap();
    })
    .unwrap();
}

#[test]
fn siblings_are_those_of_the_same_form_team() {
    threads::run(3, 1, |image| {
        let team = form(image, 2 * me(image), None).unwrap();
        assert_eq!(team.sibling(image, 6).unwrap().rank_at(0).unwrap().image(), 3);
        for stranger in [1, 8, -1] {
            let text = team.sibling(image, stranger).unwrap_err().to_string();
            assert!(text.contains("not formed together with team"), "{text}");
        }
        let initial = Team::initial(image);
        assert_eq!(initial.sibling(image, -1).unwrap().len(), 3);
        assert!(initial.sibling(image, 2).is_err());
    })
    .unwrap();
}

#[test]
fn tasks_and_teams_share_one_stack() {
    threads::run(4, 1, |image| {
        let me = me(image);
        task(image, ..=3, |image| {
            assert_eq!(Team::current(image), Team::initial(image));
            let team = form(image, 1 + me % 2, None).unwrap();
            assert!(end(image).unwrap_err().to_string().contains("task region"));
            within(image, &team, |image| {
                assert_eq!(sum(image, 1), 1 + me % 2);
                task(image, ..=1, |image| {
                    assert_eq!(Team::current(image), team);
                    assert!(end(image).unwrap_err().to_string().contains("task region"));
                })?;
                Ok(())
            })
            .unwrap();
            team
        })
        .unwrap()
        .inspect(|team| assert!(team.check_usable(image).is_err()));
    })
    .unwrap();
}
