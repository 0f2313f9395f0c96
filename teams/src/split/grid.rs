//! Teams that are the lines of a grid of images along one of its dimensions.
//!
//! Image p is at `a + inner (b + len c)`: the b-th member of the team with the place `(a, c)`. With `inner = 1` teams are
//! blocks of images; with one `c` only, every `inner`-th image; otherwise lines along a middle dimension. Where the images
//! do not fill the grid, blocks and every n-th image still work: the last ones are shorter.

use super::part::{Choice, Part};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    images: u32,
    inner: u32,
    len: u32,
    numbers: Numbers,
}

/// The numbers of teams in the order of their places: `first`, `first + step`, ..., from the `rotation`-th on, then from
/// the first on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    first: i64,
    step: i64,
    rotation: u32,
    teams: u32,
}

impl Grid {
    /// The grid that gives these teams, if there is one; linear in the number of images.
    pub fn find(choices: &[Choice]) -> Option<Grid> {
        let number = |position: usize| choices.get(position).map(|choice| choice.number);
        let first = number(0);
        let (inner, len) = match (1..choices.len()).find(|&position| number(position) == first) {
            None => (1, 1),
            Some(inner) => {
                let more = (1..).take_while(|k| number(k * inner) == first);
                (inner, 1 + more.count())
            }
        };
        let images = choices.len();
        let layers = images.div_ceil(inner * len);
        if images != inner * len * layers && inner != 1 && layers != 1 {
            return None;
        }
        let of_places: Vec<i64> = (0..inner * layers)
            .map_while(|place| number(place % inner + inner * len * (place / inner)))
            .collect();
        let numbers = Numbers::find(&of_places)?;
        let (images, inner, len) = (images as u32, inner as u32, len as u32);
        let grid = Grid { images, inner, len, numbers };
        let fits = |(position, choice): (usize, &Choice)| {
            let (place, index) = grid.place(position as u32);
            choice.number == numbers.of_place(place)
                && choice.new_index.is_none_or(|asked| asked == i64::from(index) + 1)
        };
        choices.iter().enumerate().all(fits).then_some(grid)
    }

    /// The team with this number.
    pub fn part(&self, number: i64) -> Option<Part<'static>> {
        let place = self.numbers.place(number)?;
        let start = place % self.inner + self.inner * self.len * (place / self.inner);
        let len = self.len.min((self.images - start).div_ceil(self.inner));
        Some(Part::Every { start, stride: self.inner as i32, len })
    }

    /// The numbers of all teams.
    pub fn numbers(&self) -> impl Iterator<Item = i64> + use<> {
        let numbers = self.numbers;
        (0..numbers.teams).map(move |place| numbers.of_place(place))
    }

    /// The place of an image's team, and its index in the team.
    fn place(&self, position: u32) -> (u32, u32) {
        let (a, line) = (position % self.inner, position / self.inner);
        (a + self.inner * (line / self.len), line % self.len)
    }
}

impl Numbers {
    /// The formula for these numbers, if there is one.
    fn find(of_places: &[i64]) -> Option<Numbers> {
        let teams = of_places.len();
        let step = |place: usize| of_places[place + 1] - of_places[place];
        // Only one step is not the common one, so one of the first two is.
        let candidates = (0..teams.saturating_sub(1).min(2)).map(step);
        let formula = |step: i64| {
            let breaks =
                |&place: &usize| of_places[place] != of_places[place - 1].wrapping_add(step);
            let rotation = match (1..teams).find(breaks) {
                None => 0,
                Some(place) => teams - place,
            };
            let first = of_places[(teams - rotation) % teams];
            let (teams, rotation) = (teams as u32, rotation as u32);
            let numbers = Numbers { first, step, rotation, teams };
            let fits = |(place, &number)| numbers.of_place(place) == number;
            (step != 0 && (0..).zip(of_places).all(fits)).then_some(numbers)
        };
        candidates.chain((teams == 1).then_some(1)).find_map(formula)
    }

    fn of_place(&self, place: u32) -> i64 {
        let k = (place + self.rotation) % self.teams;
        // Wrapping where this is not the formula: then it does not give the number.
        self.first.wrapping_add(self.step.wrapping_mul(i64::from(k)))
    }

    /// The place with this number.
    fn place(&self, number: i64) -> Option<u32> {
        let distance = i128::from(number) - i128::from(self.first);
        let step = i128::from(self.step);
        let k = u32::try_from(distance / step).ok().filter(|&k| k < self.teams)?;
        (distance % step == 0).then_some((k + self.teams - self.rotation) % self.teams)
    }
}
