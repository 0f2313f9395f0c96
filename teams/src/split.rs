//! The members of all teams of one FORM TEAM, computed from the choices of all images. Pure: the result is the same on
//! every image.
//!
//! The form of the result depends on the teams. Teams that are the rows, columns or layers of a grid of images, blocks
//! of one length or every n-th image are a formula, of one size for any number of images and teams. Other teams with a
//! constant distance between their images are stored as first image, distance and length. Only irregular teams are
//! stored image by image.

mod grid;
mod part;

pub use part::{Choice, Part};

use grid::Grid;
use std::collections::BTreeMap;
use xmp_core::{Error, Result};

/// All teams of one FORM TEAM. Images are 0-based positions in the set that formed them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split(Shape);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    Grid(Grid),
    /// By number.
    Every(Box<[(i64, Every)]>),
    Table {
        /// Number, and where its images start in the list; by number.
        teams: Box<[(i64, u32)]>,
        images: Box<[u32]>,
    },
}

/// `start`, `start + stride`, ... (`len` of them).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Every {
    start: u32,
    stride: i32,
    len: u32,
}

/// The teams that images with these choices form: the images with one number are a team, those that ask for an
/// index have it, and the others fill the rest in order (Fortran 2018, 11.6.9).
///
/// # Errors
/// [`Error::Invalid`] when a number is not positive; [`Error::Team`] when an index is not one of the team's or is asked
/// for twice. They name an image.
pub fn split(choices: &[Choice]) -> Result<Split> {
    by_number(choices, Gaps::Wrong)
}

/// Splits a set of which some images have failed. Those that are left ask for the indices that they would
/// have had beside them, as they may not know better (Fortran 2018, C.6.8, where spare images take the places of failed
/// ones, and their own stay empty): an index that no image has is closed, so that the order of the images stays what
/// they ask for.
///
/// # Errors
/// The errors of [`split`], but for indices that are too large.
pub fn split_rest(choices: &[Choice]) -> Result<Split> {
    by_number(choices, Gaps::Closed)
}

/// The treatment of indices that no image of a team has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gaps {
    /// There are none: an index that a team cannot have is an error.
    Wrong,
    /// The images after move up.
    Closed,
}

fn by_number(choices: &[Choice], gaps: Gaps) -> Result<Split> {
    if let Some((position, choice)) = choices.iter().enumerate().find(|(_, c)| c.number < 1) {
        return Err(Error::Invalid(format!(
            "team number {}, which image {} gave, is not positive",
            choice.number,
            position + 1
        )));
    }
    if let Some(grid) = Grid::find(choices) {
        return Ok(Split(Shape::Grid(grid)));
    }
    let mut asked: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
    for (position, choice) in choices.iter().enumerate() {
        asked.entry(choice.number).or_default().push(position as u32);
    }
    let mut teams = Vec::with_capacity(asked.len());
    let mut images = Vec::with_capacity(choices.len());
    for (number, members) in asked {
        teams.push((number, images.len() as u32));
        images.append(&mut in_order(choices, number, &members, gaps)?);
    }
    let split = Split(Shape::Table { teams: teams.into(), images: images.into() });
    Ok(split.regular().unwrap_or(split))
}

/// The members of a team by index.
fn in_order(choices: &[Choice], number: i64, members: &[u32], gaps: Gaps) -> Result<Vec<u32>> {
    let wrong = |image: u32, index: i64, why: &str| {
        let why = format!("new index {index} of image {} {why}", image + 1);
        Error::Team { number, why }
    };
    let last = match gaps {
        Gaps::Wrong => members.len() as i64,
        Gaps::Closed => i64::MAX,
    };
    let mut asked = BTreeMap::new();
    for &image in members {
        let Some(index) = choices[image as usize].new_index else { continue };
        if !(1..=last).contains(&index) {
            let range = format!("is not in 1:{}, the images of the team", members.len());
            return Err(wrong(image, index, &range));
        }
        if let Some(other) = asked.insert(index, image) {
            return Err(wrong(image, index, &format!("is asked for by image {}, too", other + 1)));
        }
    }
    let mut asked = asked.into_iter().peekable();
    let mut rest = members.iter().filter(|&&image| choices[image as usize].new_index.is_none());
    let places = 1..=members.len() as i64;
    let filled = places.map(|place| {
        let is_due = asked.peek().is_some_and(|&(index, _)| index <= place);
        let other = if is_due { None } else { rest.next().copied() };
        other.or_else(|| asked.next().map(|(_, image)| image))
    });
    Ok(filled.map(|image| image.expect("as many images as places")).collect())
}

impl Split {
    /// The team with this number.
    pub fn part(&self, number: i64) -> Option<Part<'_>> {
        match &self.0 {
            Shape::Grid(grid) => grid.part(number),
            Shape::Every(teams) => {
                let found = teams.binary_search_by_key(&number, |team| team.0).ok()?;
                let Every { start, stride, len } = teams[found].1;
                Some(Part::Every { start, stride, len })
            }
            Shape::Table { teams, images } => {
                let found = teams.binary_search_by_key(&number, |team| team.0).ok()?;
                Some(Part::List(listed(teams, images, found)))
            }
        }
    }

    /// All teams, with their numbers.
    pub fn teams(&self) -> impl Iterator<Item = (i64, Part<'_>)> {
        let numbers: Box<dyn Iterator<Item = i64>> = match &self.0 {
            Shape::Grid(grid) => Box::new(grid.numbers()),
            Shape::Every(teams) => Box::new(teams.iter().map(|team| team.0)),
            Shape::Table { teams, .. } => Box::new(teams.iter().map(|team| team.0)),
        };
        numbers.map(|number| (number, self.part(number).expect("a team")))
    }

    /// Whether each team is given by first image, distance and length.
    pub fn is_regular(&self) -> bool {
        !matches!(self.0, Shape::Table { .. })
    }

    /// Bytes that the teams take, beyond the size of this value itself.
    pub fn memory(&self) -> usize {
        match &self.0 {
            Shape::Grid(_) => 0,
            Shape::Every(teams) => size_of_val(&**teams),
            Shape::Table { teams, images } => size_of_val(&**teams) + size_of_val(&**images),
        }
    }

    /// The same with a distance for each team, if all have one.
    fn regular(&self) -> Option<Split> {
        let Shape::Table { teams, images } = &self.0 else { return None };
        let every = |team: usize| Some((teams[team].0, Every::of(listed(teams, images, team))?));
        let all = (0..teams.len()).map(every).collect::<Option<Box<[(i64, Every)]>>>()?;
        Some(Split(Shape::Every(all)))
    }
}

fn listed<'a>(teams: &[(i64, u32)], images: &'a [u32], team: usize) -> &'a [u32] {
    let end = teams.get(team + 1).map_or(images.len(), |next| next.1 as usize);
    &images[teams[team].1 as usize..end]
}

impl Every {
    /// The list, if its images have one distance.
    fn of(images: &[u32]) -> Option<Every> {
        let distance = |pair: &[u32]| i64::from(pair[1]) - i64::from(pair[0]);
        let stride = images.get(..2).map_or(1, distance);
        if images.windows(2).any(|pair| distance(pair) != stride) {
            return None;
        }
        let stride = i32::try_from(stride).ok()?;
        Some(Every { start: images[0], stride, len: images.len() as u32 })
    }
}

#[cfg(test)]
mod tests;
