//! FORM TEAM (Fortran 2018, 11.6.9).

use crate::siblings::Siblings;
use crate::split::{Choice, split, split_rest};
use crate::sync::complete;
use crate::team::{Origin, Team};
use std::rc::Rc;
use xmp_collectives::allgather;
use xmp_collectives::check::Call;
use xmp_collectives::ordering::ordering;
use xmp_collectives::survivors::SurvivorSync;
use xmp_core::failure::arrivals::Words;
use xmp_core::image_set::{ImageSet, Members};
use xmp_core::{Error, Image, Rank, Result};

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
/// [`Error::Invalid`] when an image gives a number that is not positive, [`Error::Team`] when it
/// gives an index that its team does not have or that another image of the team has asked for: the same on all
/// images, and no team is formed. When an image of the executing set has stopped or failed.
pub fn form(image: &Image, number: i64, new_index: Option<i64>) -> Result<Team> {
    complete(image)?;
    let choice = Choice { number, new_index };
    let parent = image.executing();
    SurvivorSync::to(image, &parent, call, choice.to_words().map(|word| word as u64))?;
    let all = exchange(image, &parent, choice)?;
    team_of(image, parent, &all, number)
}

/// FORM TEAM with `stat=`, by which a program goes on after a failure (Fortran 2018, 5.3.6 and 11.6.11): images that have
/// *failed* do not prevent it. The live images form teams without them, and the error is returned together with the team. The
/// indices that failed images have asked for are left out, and the others keep their order.
///
/// # Errors
/// Those of [`form`] for everything else, an image that has stopped among it. [`Error::Invalid`] when an image has no
/// room to count its synchronisations of another set: the survivors cannot agree on who is left then.
pub fn form_active(
    image: &Image,
    number: i64,
    new_index: Option<i64>,
) -> Result<(Team, Result<()>)> {
    complete(image)?;
    let choice = Choice { number, new_index };
    let set = image.executing();
    let coming = SurvivorSync::to(image, &set, call, choice.to_words().map(|word| word as u64))?;
    match exchange(image, &set, choice) {
        Ok(all) => Ok((team_of(image, set, &all, number)?, Ok(()))),
        Err(error) if coming.needs_survivors(&error) => {
            let (came, outcome) = coming.meet(image, &set, error)?;
            let (set, all) = those_that_came(image, set, &came.words)?;
            Ok((team_of(image, set, &all, number)?, outcome))
        }
        Err(error) => Err(error),
    }
}

/// The images of a set that have come to FORM TEAM, and their choices. All survivors find the same, whichever image has
/// failed since.
fn those_that_came(
    image: &Image,
    set: Rc<ImageSet>,
    came: &[Option<Words>],
) -> Result<(Rc<ImageSet>, Vec<Choice>)> {
    let choice = |words: Words| Choice::from_words(words.map(|word| word as i64));
    let all = came.iter().flatten().map(|&words| choice(words)).collect();
    if came.iter().all(Option::is_some) {
        return Ok((set, all));
    }
    let ranks: Vec<Rank> =
        set.ranks().zip(came).filter(|(_, words)| words.is_some()).map(|(rank, _)| rank).collect();
    Ok((image.set(Members::from_list(&ranks)?)?, all))
}

/// The operation that the images announce to one another.
fn call() -> Call {
    Call::of("form team")
}

/// The arguments of all images of the set.
fn exchange(image: &Image, set: &ImageSet, mine: Choice) -> Result<Vec<Choice>> {
    let mut all = vec![[0; 2]; set.len()];
    ordering(image, set, || allgather(image, set, &[mine.to_words()], &mut all))?;
    Ok(all.into_iter().map(Choice::from_words).collect())
}

/// Adds to an error about a number or an index that the image named in it may execute another statement, unless
/// `XMP_CHECK` has compared the statements: what was read as its choice may then belong to that other statement. Every
/// image adds it, the named one as well, so that the error is the same on all.
fn doubt(image: &Image, error: Error) -> Error {
    match error {
        Error::Invalid(text) if !image.settings().check.calls => Error::Invalid(format!(
            "{text}; if that image executes another statement here, XMP_CHECK=1 names it"
        )),
        other => other,
    }
}

/// This image's team, where `all` are the choices of the images of `parent`.
fn team_of(image: &Image, parent: Rc<ImageSet>, all: &[Choice], number: i64) -> Result<Team> {
    let is_whole = parent.len() == image.executing().len();
    let split = if is_whole { split(all) } else { split_rest(all) };
    let split = split.map_err(|error| doubt(image, error))?;
    let siblings = Siblings::new(image, parent, split);
    let set = siblings.set(image, number)?.expect("this image's own team");
    let entry = image.stack().top().serial();
    Ok(Team::new(number, set, Origin { parent: Team::current(image), siblings, entry }))
}
