//! Irregular teams: one table for all teams of a FORM TEAM, that the images of a host keep together.
//!
//! Words of 32 bits: the number of teams T, three words a team (its number in two, and where its images start), then
//! the ranks of all images, team by team, then, in the same places, the positions in the team by rank. So a team is
//! found by binary search, and an image in a team, too; a host needs 8 bytes an image and 12 a team.

use crate::split::Split;
use xmp_collectives::broadcast;
use xmp_core::image::Words;
use xmp_core::image_set::{ImageSet, Members, by_rank};
use xmp_core::{Error, Image, Result};

/// Words in front of those of the images.
const fn head(teams: usize) -> usize {
    1 + 3 * teams
}

/// Bytes of the table for this number of images and of teams: what a host keeps of a FORM TEAM with irregular teams.
pub const fn bytes(images: usize, teams: usize) -> usize {
    (head(teams) + 2 * images) * size_of::<u32>()
}

/// The teams of a FORM TEAM, by ranks.
#[derive(Debug)]
pub(crate) struct Table {
    words: Words,
}

impl Table {
    /// The table of a split of `parent`: in the segment of the first image of this host, the others learn where. Where
    /// images cannot meet at a collective area, or one of them has ended, or there is no memory, this image has its
    /// own: what is in it all images know already.
    pub fn shared(image: &Image, parent: &ImageSet, split: &Split) -> Table {
        let own = || Words::own(build(parent, split));
        Table { words: share(image, parent, split).unwrap_or_else(|_| own()) }
    }

    /// The images of the team with this number.
    pub fn members(&self, number: i64) -> Option<Members> {
        let teams = self.words[0] as usize;
        let images = (self.words.len() - head(teams)) / 2;
        let entry = |team: usize| &self.words[head(team)..head(team + 1)];
        let (mut low, mut high) = (0, teams);
        while low < high {
            let middle = (low + high) / 2;
            if number_of(entry(middle)) < number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low == teams || number_of(entry(low)) != number {
            return None;
        }
        let start = entry(low)[2] as usize;
        let end = if low + 1 == teams { images } else { entry(low + 1)[2] as usize };
        let ranks = head(teams) + start;
        Some(Members::in_table(self.words.clone(), ranks, ranks + images, end - start))
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        self.words[..] == other.words[..]
    }
}

fn number_of(entry: &[u32]) -> i64 {
    (u64::from(entry[1]) << 32 | u64::from(entry[0])) as i64
}

fn build(parent: &ImageSet, split: &Split) -> Vec<u32> {
    let mut teams: Vec<_> = split.teams().collect();
    teams.sort_unstable_by_key(|team| team.0);
    let images: usize = teams.iter().map(|team| team.1.len()).sum();
    let mut words = Vec::with_capacity(bytes(images, teams.len()) / size_of::<u32>());
    words.push(teams.len() as u32);
    let mut start = 0;
    for (number, part) in &teams {
        words.extend([*number as u32, (*number as u64 >> 32) as u32, start]);
        start += part.len() as u32;
    }
    let rank = |position: u32| parent.rank_at(position as usize).expect("of the parent").get();
    let mut order = Vec::with_capacity(images);
    for (_, part) in &teams {
        let ranks: Vec<u32> = part.positions().map(rank).collect();
        order.append(&mut by_rank(&ranks));
        words.extend(ranks);
    }
    words.append(&mut order);
    words
}

/// # Errors
/// When the images of this host have not shared a table.
fn share(image: &Image, parent: &ImageSet, split: &Split) -> Result<Words> {
    let levels = parent.levels(image)?;
    if levels.area().is_none() {
        return Err(Error::Invalid("no other image on this host to share a table with".into()));
    }
    let local_peers = image.set(Members::from_list(levels.local_peers())?)?;
    let published = match levels.position() {
        0 => image.memory().publish(&build(parent, split), levels.local_peers().len() as u32).ok(),
        _ => None,
    };
    // 0 is the control area: no block has that offset.
    let mut offset = [published.as_ref().map_or(0, |(_, offset)| *offset)];
    let received = broadcast(image, &local_peers, 0, &mut offset);
    if let Some((shared, _)) = published {
        if received.is_err() {
            shared.withdraw();
        }
        return Ok(Words::of(shared));
    }
    received?;
    if offset[0] == 0 {
        return Err(Error::Invalid("the first image of the host has no memory for a table".into()));
    }
    // SAFETY: the first image has just published the offset, and has counted this image among the holders.
    let shared = unsafe { image.memory().attach(levels.local_peers()[0], offset[0]) };
    Ok(Words::of(shared))
}
