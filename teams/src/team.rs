//! Team values: GET_TEAM, TEAM_NUMBER and what a team variable stands for (Fortran 2018, 16.9.85, 16.9.189).

use crate::siblings::Siblings;
use std::rc::Rc;
use xmp_core::image_set::{Frame, ImageSet, Key};
use xmp_core::{Error, Image, Result};

/// A team: the initial one, or one that [`crate::form()`] has made. A cheap handle of one image; clones are the same
/// team.
///
/// A team that was formed while another one executed is *undefined* when that one ends: it can be kept, but every
/// use is an error ([`Team::check_usable`]).
#[derive(Clone, Debug)]
pub struct Team(Rc<Inner>);

#[derive(Debug)]
struct Inner {
    number: i64,
    set: Rc<ImageSet>,
    /// `None` for the initial team.
    origin: Option<Origin>,
}

/// The origin of a team.
#[derive(Debug)]
pub(crate) struct Origin {
    /// The team that executed.
    pub parent: Team,
    /// The teams formed together with it.
    pub siblings: Siblings,
    /// The entry, of that team or of a task region within it, that has to last as long as the team is used.
    pub entry: u64,
}

/// TEAM_NUMBER of the initial team.
const INITIAL: i64 = -1;

impl Team {
    pub(crate) fn new(number: i64, set: Rc<ImageSet>, origin: Origin) -> Team {
        Team(Rc::new(Inner { number, set, origin: Some(origin) }))
    }

    /// The initial team; its number is -1.
    pub fn initial(image: &Image) -> Team {
        Team(Rc::new(Inner { number: INITIAL, set: image.stack().initial(), origin: None }))
    }

    /// The current team: that of the innermost CHANGE TEAM that has not ended, else the initial team. Task regions
    /// do not change it.
    pub fn current(image: &Image) -> Team {
        let entered = image.stack().frames().iter().rev().find_map(Team::of_frame);
        entered.unwrap_or_else(|| Team::initial(image))
    }

    /// The parent of the current team: the team that executed when it was formed. That of the initial team is the
    /// initial team.
    pub fn parent(image: &Image) -> Team {
        let current = Team::current(image);
        match current.origin() {
            Some(origin) => origin.parent.clone(),
            None => current,
        }
    }

    /// The team `distance` steps outwards from the current one, which is 0 steps away. Beyond the initial team there is
    /// nothing but that.
    pub fn ancestor(image: &Image, distance: usize) -> Team {
        let mut team = Team::current(image);
        for _ in 0..distance {
            let Some(origin) = team.origin() else { break };
            team = origin.parent.clone();
        }
        team
    }

    /// The number that its images gave in FORM TEAM; -1 for the initial team.
    pub fn number(&self) -> i64 {
        self.0.number
    }

    /// The key of the team: the same on all its images, and another one for teams of the same images with another number, or that
    /// were formed in another team. Teams that were formed with the same number in the same team have the same key.
    pub fn key(&self) -> Key {
        let mut key = self.set().key();
        let mut team = self;
        while let Some(origin) = team.origin() {
            key = key.with_number(team.number() as u64);
            team = &origin.parent;
        }
        key
    }

    /// Its images.
    pub fn set(&self) -> &Rc<ImageSet> {
        &self.0.set
    }

    /// Whether it is the initial team.
    pub fn is_initial(&self) -> bool {
        self.origin().is_none()
    }

    /// The images among which an error has searched an image index, for the end of its message; `None` if these are all images of the
    /// program, as readers count them, and for other errors.
    #[cold]
    pub fn counted_by(image: &Image, error: &Error) -> Option<String> {
        let Error::ImageIndex { images, .. } = *error else { return None };
        let team = Team::current(image);
        if images == image.job().images() {
            None
        } else if images == team.set().len() {
            Some(format!("the images of the current team (number {})", team.number()))
        } else if images == image.executing().len() {
            Some("the executing images".into())
        } else {
            Some("the images of another team".into())
        }
    }

    /// The images of the team with this `number` that was formed by the same FORM TEAM. This image need not be one.
    ///
    /// # Errors
    /// When there is no such team, or this one is undefined.
    pub fn sibling(&self, image: &Image, number: i64) -> Result<Rc<ImageSet>> {
        self.check_usable(image)?;
        let found = match self.origin() {
            _ if number == self.number() => Some(self.set().clone()),
            Some(origin) => origin.siblings.set(image, number)?,
            None => None,
        };
        found.ok_or_else(|| match self.origin() {
            Some(_) => {
                let why = format!("not formed together with team {}", self.number());
                Error::Team { number, why }
            }
            None => Error::Team { number, why: "the initial team has no siblings".into() },
        })
    }

    /// Whether the team is defined still.
    ///
    /// # Errors
    /// [`Error::Team`] when the team that formed it has ended.
    pub fn check_usable(&self, image: &Image) -> Result<()> {
        let Some(origin) = self.origin() else { return Ok(()) };
        if image.stack().frames().iter().any(|frame| frame.serial() == origin.entry) {
            Ok(())
        } else {
            Err(self.error(
                "it is undefined since END TEAM of the team that formed it; form it again".into(),
            ))
        }
    }

    /// Whether nothing tells the two teams apart: the same team has formed them, in the same execution of it, with the
    /// same images, numbers and siblings.
    pub fn is_like(&self, other: &Team) -> bool {
        match (self.origin(), other.origin()) {
            (None, None) => true,
            (Some(mine), Some(theirs)) => {
                mine.entry == theirs.entry
                    && self.number() == other.number()
                    && mine.siblings.equal(&theirs.siblings)
            }
            _ => false,
        }
    }

    pub(crate) fn origin(&self) -> Option<&Origin> {
        self.0.origin.as_ref()
    }

    pub(crate) fn error(&self, why: String) -> Error {
        Error::Team { number: self.number(), why }
    }

    /// The team that was entered with this frame.
    fn of_frame(frame: &Frame) -> Option<Team> {
        frame.owner().and_then(|owner| owner.clone().downcast().ok()).map(Team)
    }

    /// Whether this team was entered with this frame.
    pub(crate) fn owns(&self, frame: &Frame) -> bool {
        frame.owner().is_some_and(|owner| std::ptr::addr_eq(Rc::as_ptr(owner), Rc::as_ptr(&self.0)))
    }

    pub(crate) fn to_owner(&self) -> xmp_core::image::Owner {
        xmp_core::image::Owner { number: self.number(), team: self.0.clone() }
    }
}

impl PartialEq for Team {
    /// Whether both are the same team of the same FORM TEAM.
    fn eq(&self, other: &Team) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.is_initial() && other.is_initial()
    }
}

impl Eq for Team {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{form, within};
    use xmp_core::transport::threads;

    #[test]
    fn teams_formed_alike_are_alike() {
        threads::run(5, 2, |image| {
            let me = i64::from(image.rank().get());
            let form = |number: i64| form(image, number, None).unwrap();
            for scattered in [false, true] {
                let number = |k: i64| if scattered { 1 + (k * k + k / 3) % 3 } else { 1 + k % 2 };
                let (team, again) = (form(number(me)), form(number(me)));
                assert!(team.is_like(&team) && team.is_like(&again) && team != again);
                assert!(!team.is_like(&form(number(me) + 1)), "other numbers");
                assert!(!team.is_like(&form(number(4 - me) + 10)), "other images");
                assert!(!team.is_like(&Team::initial(image)));
                // The same images, but other siblings.
                let alone = form(me + 1);
                if me == 4 {
                    assert!(!alone.is_like(&form(5)));
                } else {
                    form(6);
                }
                let inner = within(image, &team, |image| crate::form(image, 1, None)).unwrap();
                let later = within(image, &team, |image| crate::form(image, 1, None)).unwrap();
                assert!(!inner.is_like(&later), "formed in another execution");
            }
            assert!(Team::initial(image).is_like(&Team::current(image)));
        })
        .unwrap();
    }
}
