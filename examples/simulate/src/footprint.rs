//! Memory that the teams of one FORM TEAM take.

use xmp_teams::split::Split;
use xmp_teams::table_bytes;

/// Bytes that the index maps of the teams of one FORM TEAM take, beyond the fixed size of a team variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// On each image.
    pub image: usize,
    /// Once on each host.
    pub host: usize,
}

impl Footprint {
    /// Of this split. `formula`: the images of the parent have one distance, as those of the initial team have.
    pub fn of(split: &Split, formula: bool) -> Footprint {
        if formula && split.is_regular() {
            return Footprint { image: split.memory(), host: 0 };
        }
        let (teams, images) = split.teams().fold((0, 0), |(t, i), team| (t + 1, i + team.1.len()));
        Footprint { image: 0, host: table_bytes(images, teams) }
    }

    /// Of tables with one word of 4 bytes for every image of the parent on every image: those of the own team and those
    /// of its siblings (`image_index_map` and `sibling_maps` in "Ge, Eachempati, Khaldi, Chapman: An Evaluation of
    /// Anticipated Extensions for Fortran Coarrays", PGAS 2015, table I).
    pub fn of_full_tables(images: usize) -> Footprint {
        Footprint { image: images * 4, host: 0 }
    }

    /// Bytes of one host with this many images of the parent.
    pub fn on_host(&self, images: usize) -> usize {
        self.image * images + self.host
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_teams::split::{Choice, split};

    fn teams(number: impl Fn(i64) -> i64) -> Split {
        let choice = |k| Choice { number: number(k), new_index: None };
        split(&(0..4096).map(choice).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn rows_and_columns_take_nothing_and_others_little() {
        for regular in [teams(|k| 1 + k / 64), teams(|k| 1 + k % 64), teams(|_| 1)] {
            assert_eq!(Footprint::of(&regular, true), Footprint { image: 0, host: 0 });
        }
        let random = teams(|k| 1 + k * k * 2_654_435 % 977 % 64);
        let full = Footprint::of_full_tables(4096).on_host(64);
        assert!(Footprint::of(&random, true).on_host(64) * 25 < full);
    }
}
