//! The wait-for graph of images, and those that can never continue. The proof is in `../README.md` ("Deadlocks").

use crate::rank::Rank;
use crate::wait::{EndedBy, Need};
use std::collections::{BTreeMap, BTreeSet};

/// The needs of images that wait, by image.
pub type Needs = BTreeMap<Rank, Need>;

/// The images that a waiting image needs: those of its need, without those that have arrived at the same barrier.
pub fn missing(need: &Need, needs: &Needs) -> BTreeSet<Rank> {
    let has_arrived = |rank: &Rank| {
        let other = needs.get(rank).map(|need| need.barrier);
        need.barrier != [0, 0] && other == Some(need.barrier)
    };
    need.images.iter().copied().filter(|rank| !has_arrived(rank)).collect()
}

/// The images that can never continue: the largest set in which each image needs only images of the set, also for its operations in
/// the background. `running`: all images that have not ended. Images that are not in `needs` may act at any time; if they stop, `stat=`
/// ends the waits for them.
pub fn deadlocked(needs: &Needs, running: &BTreeSet<Rank>) -> BTreeSet<Rank> {
    let mut stuck: BTreeSet<Rank> = needs.keys().copied().collect();
    loop {
        let needs_stuck_image = |rank: &Rank| {
            let need = &needs[rank];
            let is_stuck = match need.by {
                EndedBy::Unknown => false,
                EndedBy::AllOf => {
                    let missing = missing(need, needs);
                    !missing.is_empty() && missing.is_subset(&stuck)
                }
                EndedBy::AnyImage => running.iter().all(|other| stuck.contains(other)),
            };
            is_stuck && need.background.iter().all(|other| stuck.contains(other))
        };
        let left: BTreeSet<Rank> = stuck.iter().copied().filter(needs_stuck_image).collect();
        if left.len() == stuck.len() {
            return stuck;
        }
        stuck = left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait::WaitKind;

    fn ranks(images: &[u32]) -> BTreeSet<Rank> {
        images.iter().map(|&image| Rank::new(image)).collect()
    }

    fn all_of(images: &[u32]) -> Need {
        Need::all_of(WaitKind::SyncImages, ranks(images))
    }

    fn at_barrier(number: u64, others: &[u32]) -> Need {
        Need { barrier: [64, number], ..all_of(others) }
    }

    fn event() -> Need {
        Need::any_image(WaitKind::Event)
    }

    fn check(needs: &[(u32, Need)], running: &[u32], expected: &[u32]) {
        let needs: Needs =
            needs.iter().map(|(image, need)| (Rank::new(*image), need.clone())).collect();
        assert_eq!(deadlocked(&needs, &ranks(running)), ranks(expected), "{needs:?}");
    }

    #[test]
    fn a_circle_is_stuck_and_what_waits_for_it() {
        let circle = [(0, all_of(&[1])), (1, all_of(&[2])), (2, all_of(&[0]))];
        check(&circle, &[0, 1, 2, 3], &[0, 1, 2]);
        let tail = [(0, all_of(&[1])), (1, all_of(&[0])), (2, all_of(&[1]))];
        check(&tail, &[0, 1, 2, 3], &[0, 1, 2]);
        check(&circle[..2], &[0, 1, 2], &[]);
    }

    /// Image 4 runs. If it stops, `sync images (1, 4, stat=status)` of image 2 ends.
    #[test]
    fn a_circle_is_not_stuck_where_the_end_of_a_running_image_breaks_it() {
        let circle = [(0, all_of(&[1])), (1, all_of(&[0, 3]))];
        check(&circle, &[0, 1, 2, 3], &[]);
        let all_wait = [circle[0].clone(), circle[1].clone(), (3, all_of(&[0]))];
        check(&all_wait, &[0, 1, 2, 3], &[0, 1, 3]);
        let tail = [(0, all_of(&[1])), (1, all_of(&[0])), (2, all_of(&[1, 3]))];
        check(&tail, &[0, 1, 2, 3], &[0, 1]);
    }

    #[test]
    fn a_chain_that_ends_at_a_running_image_is_not_stuck() {
        check(&[(0, all_of(&[1])), (1, all_of(&[2]))], &[0, 1, 2], &[]);
    }

    #[test]
    fn events_are_stuck_when_every_running_image_is() {
        check(&[(0, event()), (1, event())], &[0, 1], &[0, 1]);
        check(&[(0, event()), (1, event())], &[0, 1, 2], &[]);
        check(&[(0, event()), (1, all_of(&[0]))], &[0, 1], &[0, 1]);
        check(&[(0, event())], &[0], &[0]);
    }

    #[test]
    fn a_wait_of_unknown_need_may_end() {
        check(&[(0, event()), (1, Need::default())], &[0, 1], &[]);
        check(&[(0, all_of(&[1])), (1, Need::default())], &[0, 1], &[]);
    }

    /// An image in a barrier sends what others wait for when it gets messages of its own operations.
    #[test]
    fn an_image_whose_operations_get_messages_of_a_running_image_is_not_stuck() {
        let begun = |need: Need, others: &[u32]| Need {
            background: ranks(others).into_iter().collect(),
            ..need
        };
        let circle = [(0, begun(all_of(&[1]), &[1])), (1, begun(all_of(&[0]), &[0]))];
        check(&circle, &[0, 1, 2], &[0, 1]);
        let of_another = [(0, begun(all_of(&[1]), &[2])), (1, all_of(&[0]))];
        check(&of_another, &[0, 1, 2], &[]);
        // Images 1 and 2 are at one barrier, for which image 3 is missing. Image 2 waits for a message of image 4, and image 1 for
        // one of image 2.
        let barrier = [
            (0, begun(at_barrier(5, &[1, 2]), &[1])),
            (1, begun(at_barrier(5, &[0, 2]), &[3])),
            (2, all_of(&[0])),
        ];
        check(&barrier, &[0, 1, 2, 3], &[]);
        check(&[(0, begun(event(), &[1])), (1, all_of(&[0]))], &[0, 1], &[0, 1]);
    }

    #[test]
    fn images_at_the_same_barrier_do_not_wait_for_one_another() {
        let same = [(0, at_barrier(5, &[1])), (1, at_barrier(5, &[0]))];
        check(&same, &[0, 1], &[]);
        let different = [(0, at_barrier(5, &[1])), (1, at_barrier(6, &[0]))];
        check(&different, &[0, 1], &[0, 1]);
        let one_elsewhere =
            [(0, event()), (1, at_barrier(5, &[0, 2])), (2, at_barrier(5, &[0, 1]))];
        check(&one_elsewhere, &[0, 1, 2], &[0, 1, 2]);
        assert_eq!(
            missing(
                &one_elsewhere[1].1,
                &one_elsewhere
                    .iter()
                    .cloned()
                    .map(|(image, need)| (Rank::new(image), need))
                    .collect()
            ),
            ranks(&[0])
        );
    }
}
