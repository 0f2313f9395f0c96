//! A program that forms ever new teams: collective areas run out, sets come and go, and everything goes on.

use xmp_collectives::{Op, allreduce, barrier};
use xmp_core::transport::threads;
use xmp_teams::{form, within};

#[test]
fn ever_new_teams_work_and_leave_nothing_behind() {
    for hosts in [1, 2] {
        threads::run(5, hosts, |image| {
            let me = i64::from(image.rank().get());
            for round in 0..600i64 {
                // Another order of another half each time.
                let number = 1 + (me * (round + 3) + round / 7) % 11 % 2;
                let key = |k: i64| (k * 31 + round * 17) % 13;
                let before = |&k: &i64| (key(k), k) < (key(me), me);
                let whole = form(image, 1, Some(1 + (0..5).filter(before).count() as i64)).unwrap();
                within(image, &whole, |image| {
                    let mut sum = [me];
                    allreduce(image, &image.executing(), &mut sum, Op::Sum)?;
                    assert_eq!(sum, [10]);
                    let part = form(image, number, None)?;
                    within(image, &part, |image| {
                        let mut count = [1];
                        allreduce(image, &image.executing(), &mut count, Op::Sum)?;
                        assert_eq!(count, [image.executing().len()]);
                        Ok(())
                    })
                })
                .unwrap();
            }
            barrier(image, &image.executing()).unwrap();
            image.memory().reclaim();
            assert_eq!(image.memory().usage().map(|heap| heap.0), [0; 3]);
        })
        .unwrap();
    }
}
