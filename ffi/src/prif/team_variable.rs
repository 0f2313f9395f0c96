//! Team variables: the teams that they stand for.
//!
//! A variable holds a handle of the process's table of teams. END TEAM of the team that has formed it makes it
//! undefined, so what it holds is only compared with the handles that there are.

use super::dummies::TeamVariable;
use crate::process::{self, instance};
use std::rc::Rc;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Result};
use xmp_teams::Team;

/// The team that a variable stands for.
///
/// # Errors
/// When it is not defined.
pub fn team_of(variable: &TeamVariable) -> Result<Team> {
    process::teams(instance()).get(variable.handle()).ok_or_else(|| {
        Error::Invalid(
            "team is not defined: prif_form_team has not been executed for it, or the team that executed it has ended"
                .into(),
        )
    })
}

/// The images of the team of a variable, or of the current team.
///
/// # Errors
/// When the variable is not defined.
pub fn set_of(variable: Option<&TeamVariable>) -> Result<Rc<ImageSet>> {
    match variable {
        Some(variable) => Ok(team_of(variable)?.set().clone()),
        None => Ok(instance().image.executing()),
    }
}
