//! Task regions and teams as methods of [`Image`].

use super::call_site::called;
use super::on_team::OnTeam;
use super::party::Party;
use xmp_core::{Image, Result};
use xmp_teams::{Selection, Team, form, sync, task, within};

/// Regions in which some of the images execute, and the teams that images form (Fortran 2018, 11.1.5 and 11.6.8 to
/// 11.6.9).
///
/// A *task region* is for images that are given by a formula: it costs nothing, and the others go on. A *team* is made
/// from data, by all executing images together: each says the number of the team that it joins.
///
/// ```
/// use xmp_coarray::prelude::*;
///
/// run_on_threads(6, |image| {
///     // A grid of 2 rows and 3 columns.
///     let (row, col) = ((image.this_image() - 1) / 3, (image.this_image() - 1) % 3);
///     let row_team = image.form_team(row as i64 + 1)?;
///     let col_team = image.form_team(col as i64 + 1)?;
///     // On teams without changing to them.
///     let (mut in_row, mut in_col) = (1, 1);
///     image.on(&row_team)?.co_sum(&mut in_row)?;
///     image.on(&col_team)?.co_sum(&mut in_col)?;
///     assert_eq!((in_row, in_col), (3, 2));
///     // Within a team, only its images count.
///     image.change_team(&row_team, |image| {
///         assert_eq!((image.this_image(), image.num_images()), (col + 1, 3));
///         assert_eq!(image.team_number(), row as i64 + 1);
///         let shared = Coarray::filled(image, 1, image.this_image())?;
///         assert_eq!(shared.get_one(3, 0)?, 3);
///         // END TEAM frees what is left of what was made within.
///         Ok(())
///     })
/// })?;
/// # Ok::<(), Error>(())
/// ```
///
/// [`Team::initial`], [`Team::current`] and [`Team::parent`] are GET_TEAM.
pub trait Regions: Party {
    /// Runs `body` on the images that `on` selects, which are the executing set meanwhile; the others go on at once,
    /// with `None`. Entering and leaving communicate nothing. See [`xmp_teams::task`].
    ///
    /// ```
    /// use xmp_coarray::prelude::*;
    ///
    /// run_on_threads(4, |image| {
    ///     let total = image.task(2..=4, |image| {
    ///         let mut total = image.this_image();
    ///         image.co_sum(&mut total)?;
    ///         Ok(total)
    ///     })?;
    ///     assert_eq!(total, (image.this_image() > 1).then_some(6));
    ///     // One image alone.
    ///     let alone = image.task(3, |image| Ok(image.num_images()))?;
    ///     assert_eq!(alone, (image.this_image() == 3).then_some(1));
    ///     Ok(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`xmp_core::Error::ImageIndex`] and [`xmp_core::Error::RepeatedImage`] for indices that the executing set does
    /// not have or that are selected twice; what `body` returns.
    fn task<T>(
        &self,
        on: impl Into<Selection>,
        body: impl FnOnce(&Image) -> Result<T>,
    ) -> Result<Option<T>> {
        task(self.image(), on, body)?.transpose()
    }

    /// Joins the team with this number, from 1, together with all executing images that give the same; image indices
    /// in it follow those of the executing set (FORM TEAM). All executing images call this.
    ///
    /// # Errors
    /// A number less than 1; when an image has stopped or failed.
    #[track_caller]
    fn form_team(&self, number: i64) -> Result<Team> {
        let image = self.image();
        called("form_team", image, || form(image, number, None))
    }

    /// Forms teams ([`Regions::form_team`]); this image will have the index `new_index` in its team (NEW_INDEX=).
    ///
    /// # Errors
    /// The errors of [`Regions::form_team`], on all images; when an index is out of range or given twice.
    #[track_caller]
    fn form_team_as(&self, number: i64, new_index: usize) -> Result<Team> {
        let image = self.image();
        called("form_team_as", image, || {
            form(image, number, Some(i64::try_from(new_index).unwrap_or(i64::MAX)))
        })
    }

    /// Runs `body` in the team: its images are the executing set meanwhile (CHANGE TEAM). All images of the team do so;
    /// they wait for one another at the start and at the end, and for no other image. What is made within and not freed
    /// is freed at the end.
    ///
    /// The team must have been formed by the current team, or be the initial team.
    ///
    /// Coarrays made with the image that `body` gets cannot outlive it:
    ///
    /// ```compile_fail
    /// use xmp_coarray::prelude::*;
    ///
    /// fn lost(image: &Image, team: &Team) -> Result<()> {
    ///     let a = image.change_team(team, |image| Coarray::<f64>::new(image, 1))?;
    ///     a.free()
    /// }
    /// ```
    ///
    /// # Errors
    /// When the team is neither, or does not exist any more; when an image of the team has stopped or failed; what
    /// `body` returns.
    fn change_team<T>(&self, team: &Team, body: impl FnOnce(&Image) -> Result<T>) -> Result<T> {
        within(self.image(), team, body)
    }

    /// Waits for the images of the team (SYNC TEAM): the current team, one around it, or one that it has formed.
    ///
    /// # Errors
    /// When it is none of these; when an image has stopped or failed.
    #[track_caller]
    fn sync_team(&self, team: &Team) -> Result<()> {
        let image = self.image();
        called("sync_team", image, || sync(image, team))
    }

    /// The number of the current team, -1 for the initial one (TEAM_NUMBER).
    fn team_number(&self) -> i64 {
        Team::current(self.image()).number()
    }

    /// The [`Statements`](super::Statements) on this team, without changing to it: `image.on(&team)?.co_sum(&mut x)`.
    /// All images of the team call them, in the same order, wherever they are.
    ///
    /// # Errors
    /// When the team does not exist any more: what was formed in a team ends with it.
    fn on(&self, team: &Team) -> Result<OnTeam<'_>> {
        team.check_usable(self.image())?;
        Ok(OnTeam { image: self.image(), set: team.set().clone() })
    }
}

impl Regions for Image {}
