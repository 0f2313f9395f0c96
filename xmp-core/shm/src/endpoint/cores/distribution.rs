//! An even distribution of the images of a host over the cores that they share.

use crate::job::Job;
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::sync::Ordering;
use smallvec::{SmallVec, smallvec};

/// An image that runs on one of the cores that this image may use.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    pub rank: Rank,
    pub core: u32,
    /// Whether it does not sleep.
    pub is_awake: bool,
}

/// The images of this region that share the cores `permitted`, in the order of their ranks.
pub fn running(job: &Job, permitted: &[u32]) -> SmallVec<[Running; 16]> {
    let images = job.region_ranks().iter().map(|&rank| (rank, job.entry(rank)));
    // Relaxed: a hint.
    let images = images
        .filter(|(_, entry)| entry.state.load(Ordering::Relaxed) == ImageState::Running as u32);
    let images = images.map(|(rank, entry)| Running {
        rank,
        core: entry.doorbell.core(),
        is_awake: !entry.doorbell.is_parked(),
    });
    images.filter(|image| permitted.binary_search(&image.core).is_ok()).collect()
}

/// The core of the image at `position` of `images` images that are distributed over `permitted` in blocks.
pub fn home(position: usize, images: usize, permitted: &[u32]) -> u32 {
    permitted[position * permitted.len() / images]
}

/// The core to which the image at the position `me` should move, if its own has at least two images more than another one: its home, or
/// else the core with the fewest images. Of the images on its core only one moves, an image that is not at home if there is one.
pub fn target(images: &[Running], me: usize, permitted: &[u32]) -> Option<u32> {
    let is_at_home =
        |position: usize| home(position, images.len(), permitted) == images[position].core;
    let shares_core =
        |&position: &usize| images[position].is_awake && images[position].core == images[me].core;
    let here = || (0..images.len()).rev().filter(shares_core);
    let moves = here().find(|&position| !is_at_home(position)).or_else(|| here().next());
    if moves != Some(me) {
        return None;
    }
    let mut counts: SmallVec<[usize; 64]> = smallvec![0; permitted.len()];
    for image in images.iter().filter(|image| image.is_awake) {
        if let Ok(core) = permitted.binary_search(&image.core) {
            counts[core] += 1;
        }
    }
    let count = |core| permitted.binary_search(&core).map_or(0, |core| counts[core]);
    let is_better = |&core: &u32| count(core) + 2 <= count(images[me].core);
    let fewest = permitted.iter().copied().min_by_key(|&core| count(core));
    let home = home(me, images.len(), permitted);
    [Some(home), fewest].into_iter().flatten().find(is_better)
}

/// The core with the most images that are awake, for an image on the core `mine`, if no other one is there.
pub fn refuge(images: &[Running], mine: u32) -> Option<u32> {
    let awake = || images.iter().filter(|image| image.is_awake);
    let count = |core| awake().filter(|image| image.core == core).count();
    if count(mine) > 1 {
        return None;
    }
    let others = awake().map(|image| image.core).filter(|&core| core != mine);
    others.max_by_key(|&core| count(core))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Images that are awake on these cores.
    fn on(cores: &[u32]) -> Vec<Running> {
        let image = |(rank, &core)| Running { rank: Rank::new(rank), core, is_awake: true };
        (0..).zip(cores).map(image).collect()
    }

    /// Where each image moves.
    fn moves(images: &[Running], permitted: &[u32]) -> Vec<Option<u32>> {
        (0..images.len()).map(|me| target(images, me, permitted)).collect()
    }

    #[test]
    fn one_image_of_a_full_core_moves_and_rather_one_that_is_not_at_home() {
        let none = None::<u32>;
        assert_eq!(moves(&on(&[1, 1, 2, 2]), &[1, 2]), [none; 4]);
        assert_eq!(moves(&on(&[1, 2, 1, 2]), &[1, 2]), [none; 4]);
        assert_eq!(moves(&on(&[1, 1, 2]), &[1, 2]), [none; 3]);
        assert_eq!(moves(&on(&[1, 1, 1, 2]), &[1, 2]), [none, none, Some(2), none]);
        assert_eq!(moves(&on(&[1, 2, 2, 2]), &[1, 2]), [none, Some(1), none, none]);
        assert_eq!(moves(&on(&[2, 2, 2, 2]), &[1, 2]), [none, Some(1), none, none]);
        // The home of the fourth image has as many as its own core.
        let cores = [3, 3, 3, 3, 7, 7, 7, 9, 7];
        let expected = [none, none, none, Some(9), none, none, none, none, Some(9)];
        assert_eq!(moves(&on(&cores), &[3, 7, 9]), expected);
    }

    #[test]
    fn an_image_that_sleeps_takes_no_core() {
        let mut images = on(&[1, 1, 2, 2]);
        images[2].is_awake = false;
        images[3].is_awake = false;
        assert_eq!(moves(&images, &[1, 2]), [None, Some(2), None, None]);
    }

    #[test]
    fn repeated_moves_end_with_an_even_distribution() {
        for (images, cores) in [(3, 2), (4, 2), (7, 3), (8, 2), (9, 4), (33, 8)] {
            let permitted: Vec<u32> = (1..=cores).collect();
            let mut images = on(&vec![1; images]);
            while let Some((me, core)) = moves(&images, &permitted)
                .into_iter()
                .enumerate()
                .find_map(|(me, to)| Some((me, to?)))
            {
                images[me].core = core;
            }
            let count = |core| images.iter().filter(|image| image.core == core).count();
            let counts: Vec<usize> = permitted.iter().map(|&core| count(core)).collect();
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(most - least <= 1, "{counts:?}");
        }
    }

    #[test]
    fn an_image_that_another_program_displaces_goes_where_the_others_are() {
        assert_eq!(refuge(&on(&[2, 1, 1, 1]), 2), Some(1));
        assert_eq!(refuge(&on(&[1, 3, 2, 3, 4]), 2), Some(3));
        // Other images are on its core: it may be these that have it.
        assert_eq!(refuge(&on(&[2, 2, 1, 1]), 2), None);
        assert_eq!(refuge(&on(&[2]), 2), None);
    }
}
