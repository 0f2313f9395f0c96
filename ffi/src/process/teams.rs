//! The table of teams that programs hold handles of, and END TEAM.

use super::front_end;
use super::handles::Handles;
use super::instance::{Instance, OfImage};
use std::cell::{RefCell, RefMut};
use std::rc::Rc;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};
use xmp_teams::{EndTeamOutcome, Team};

/// Teams by their handles. Those that a team has formed are forgotten when it ends: the handles are not defined then.
#[derive(Debug, Default)]
pub struct Teams {
    handles: Handles<Team>,
    /// How many sets had been entered, and what was formed there, in that order.
    formed: Vec<(usize, u64)>,
}

static TEAMS: OfImage<RefCell<Teams>> =
    OfImage::new(RefCell::new(Teams { handles: Handles::new(), formed: Vec::new() }));

/// The teams of the program.
pub fn teams(instance: &Instance) -> RefMut<'static, Teams> {
    TEAMS.of(instance).borrow_mut()
}

impl Teams {
    /// A handle for a team that was formed just now; `variable` is what the team variable has held, if anything.
    ///
    /// A team that is like the one that the variable has stood for keeps that handle. So programs that form the same
    /// teams again and again do not use ever more memory. Other teams stay, because the program may have copied the
    /// variable.
    pub fn formed(&mut self, image: &Image, team: Team, variable: u64) -> u64 {
        if self.handles.get(variable).is_some_and(|former| former.is_like(&team)) {
            return variable;
        }
        let handle = self.handles.insert(team);
        self.formed.push((image.stack().depth(), handle));
        handle
    }

    /// The handle of a team that has been entered, or of the initial team.
    pub fn handle_of(&mut self, team: Team) -> u64 {
        match self.handles.find(|known| *known == team) {
            Some(handle) => handle,
            None => self.handles.insert(team),
        }
    }

    /// The team of which this is true that was formed before all others. Images of a team know the same teams of the same images, in one
    /// order.
    pub fn first_formed(&self, is_it: impl Fn(&Team) -> bool) -> Option<Team> {
        let mut known = self.formed.iter().filter_map(|&(_, handle)| self.handles.get(handle));
        known.find(|team| is_it(team)).cloned()
    }

    /// The team with this handle, if there is one.
    pub fn get(&self, handle: u64) -> Option<Team> {
        self.handles.get(handle).cloned()
    }

    /// A team was left: forgets what was formed in it.
    pub fn left(&mut self, image: &Image) {
        let depth = image.stack().depth();
        while let Some(&(formed_at, handle)) = self.formed.last()
            && formed_at > depth
        {
            self.handles.remove(handle);
            self.formed.pop();
        }
    }
}

/// The images of the sibling of the current team with this number; -1 is the initial team.
pub fn numbered(image: &Image, number: i64) -> Result<Rc<ImageSet>> {
    match number {
        -1 => Ok(image.stack().initial()),
        number => Team::current(image).sibling(image, number),
    }
}

/// END TEAM: every front end forgets what it had in the team, whichever one ends it.
///
/// # Errors
/// When no team has been entered; when an image of the team has stopped or failed, but then the team was left.
pub fn end_team(instance: &Instance) -> Result<()> {
    end_team_by(instance, xmp_teams::end)
}

/// END TEAM with `stat=`: the images that are left synchronise also when others have failed.
///
/// # Errors
/// When no team has been entered; when an image of the team has stopped or failed, but then the team was left.
pub fn end_team_active(instance: &Instance) -> Result<()> {
    end_team_by(instance, xmp_teams::end_active)
}

fn end_team_by(
    instance: &Instance,
    end: impl FnOnce(&Image) -> Result<EndTeamOutcome>,
) -> Result<()> {
    front_end::leaving(instance);
    let ended = end(&instance.image)?;
    let freed = front_end::released(instance, ended.released());
    teams(instance).left(&instance.image);
    freed.and(ended.outcome())
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_core::transport::threads;
    use xmp_teams::{change, end, form};

    #[test]
    fn handles_last_as_long_as_their_teams() {
        threads::run(3, 1, |image| {
            let me = i64::from(image.rank().get());
            let mut teams = Teams::default();
            let initial = teams.handle_of(Team::initial(image));
            let halves = || form(image, 1 + me % 2, None).unwrap();
            let first = teams.formed(image, halves(), 0);
            // The same once more in the same variable, and in another one; then something else in it.
            assert_eq!(teams.formed(image, halves(), first), first);
            let second = teams.formed(image, halves(), 0x5555);
            assert_ne!(second, first);
            let numbered = |number| teams.first_formed(|team| team.number() == number);
            let found = numbered(1 + me % 2).unwrap();
            assert!(found == teams.get(first).unwrap() && found != teams.get(second).unwrap());
            assert!(numbered(-1).is_none());
            let other = teams.formed(image, form(image, 1, None).unwrap(), second);
            assert!(other != second && teams.get(second).is_some());

            let entered = teams.get(first).unwrap();
            change(image, &entered).unwrap();
            assert_eq!(teams.handle_of(Team::current(image)), first);
            assert_eq!(teams.handle_of(Team::parent(image)), initial);
            let inner = teams.formed(image, form(image, 1, None).unwrap(), other);
            assert!(teams.get(inner).is_some());
            end(image).unwrap().outcome().unwrap();
            teams.left(image);
            assert!(teams.get(inner).is_none());
            for handle in [initial, first, second, other] {
                assert!(teams.get(handle).is_some());
            }
            let again = teams.formed(image, form(image, 1, None).unwrap(), inner);
            assert_ne!(again, inner);
        })
        .unwrap();
    }
}
