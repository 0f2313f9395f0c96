//! A machine with little memory: in a program of its own, because the limit is a setting of the process.

use xmp_core::transport::threads;
use xmp_core::{Error, Image};
use xmp_teams::{Team, form, within};

#[test]
fn members_of_a_team_are_refused_alike() {
    // SAFETY: the only test of this program; no other thread runs yet.
    unsafe { std::env::set_var("XMP_MEMORY_LIMIT", (64u64 << 20).to_string()) };
    let available = |image: &Image| match image.memory().allocate_symmetric(200 << 20, 64) {
        Err(Error::OutOfMemory { available, .. }) => available,
        other => panic!("{other:?}"),
    };
    let outcomes = threads::run(4, 1, |image| {
        let me = i64::from(image.rank().get());
        // 16 MiB an image.
        image.memory().allocate_symmetric(4 << 20, 64)?;
        let half = form(image, 1 + me / 2, None)?;
        let in_half = within(image, &half, |image| {
            let all = available(image);
            image.memory().allocate_symmetric((2 + me as u64 / 2) << 20, 64)?;
            let rest = available(image);
            // All images again: as if all had what the half with most has.
            let in_initial = within(image, &Team::initial(image), |image| Ok(available(image)))?;
            Ok([all, rest, in_initial])
        })?;
        Ok::<_, Error>((in_half, available(image)))
    })
    .unwrap();
    for (rank, outcome) in outcomes.into_iter().enumerate() {
        let held = 2 + rank as u64 / 2;
        assert_eq!(outcome, Ok(([12 << 20, (12 - held) << 20, 9 << 20], 12 << 20)), "{rank}");
    }
}
