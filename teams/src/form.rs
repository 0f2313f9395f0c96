//! FORM TEAM (Fortran 2018, 11.6.9).

use crate::siblings::Siblings;
use crate::split::{Choice, split};
use crate::sync::complete;
use crate::team::{Origin, Team};
use xmp_collectives::allgather;
use xmp_collectives::check::{self, Call};
use xmp_core::{Image, Result};

/// Forms teams of the executing set and returns the one that this image is in. All images of the set call it, and are
/// synchronised by it. Those that give the same `number` (1 or more) are a team; `new_index` asks for an index in it,
/// from 1. Images of a team that do not ask get what indices are left, in the order of their indices in the executing
/// set.
///
/// Costs one allgather of 16 bytes an image, and where the teams are irregular one broadcast of a word on each host;
/// nothing else is communicated, now or when teams are used.
///
/// ```
/// use xmp_core::transport::threads;
/// use xmp_teams::{form, within};
///
/// // A 2 x 2 grid: sums over the rows.
/// let sums = threads::run(4, 1, |image| {
///     let me = i64::from(image.rank().get());
///     let row = form(image, 1 + me / 2, None)?;
///     within(image, &row, |image| {
///         let mut sum = [me];
///         xmp_collectives::allreduce(image, &image.executing(), &mut sum, xmp_collectives::Op::Sum)?;
///         Ok(sum[0])
///     })
/// })?;
/// assert_eq!(sums, [Ok(1), Ok(1), Ok(5), Ok(5)]);
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// [`xmp_core::Error::Invalid`] when an image gives a number that is not positive, [`xmp_core::Error::Team`] when it
/// gives an index that its team does not have or that another image of the team has asked for: the same on all
/// images, and no team is formed. When an image of the executing set has stopped or failed.
pub fn form(image: &Image, number: i64, new_index: Option<i64>) -> Result<Team> {
    complete(image)?;
    let parent = image.executing();
    check::agree(image, &parent, || Call::of("form team"))?;
    let mine = [Choice { number, new_index }.to_words()];
    let mut all = vec![[0; 2]; parent.len()];
    allgather(image, &parent, &mine, &mut all)?;
    let choices: Vec<Choice> = all.into_iter().map(Choice::from_words).collect();
    let siblings = Siblings::new(image, parent, split(&choices)?);
    let set = siblings.set(image, number)?.expect("this image's own team");
    let entry = image.stack().top().serial();
    Ok(Team::new(number, set, Origin { parent: Team::current(image), siblings, entry }))
}
