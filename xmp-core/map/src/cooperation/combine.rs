//! Requests that take effect together: which ones of a message are merged into one.
//!
//! Read-modify-writes of one word, all of the same kind, are one read-modify-write with the operands combined. The
//! value that each of them would have returned follows from the one that this returns (Kruskal, Rudolph, Snir:
//! Efficient Synchronization on Multiprocessors with Shared Memory, ACM TOPLAS 10(4), 1988). All of them take effect at
//! that instant, in the order of the group, with no other access between.
//!
//! A request joins the group of an earlier one, so it is executed earlier than it came. That is correct as long as it
//! overtakes none of the same image; those of different images have no order.

use smallvec::SmallVec;
use std::collections::HashMap;
use std::hash::Hash;

/// Requests that take effect together, in this order; most groups have one.
pub type Group<T> = SmallVec<[T; 1]>;

/// The requests of a message in groups, in an order that keeps that of each image. `about` returns the image of a
/// request, and its operation, if it can be merged with equal ones.
pub fn combine<T, K: Eq + Hash>(
    items: Vec<T>,
    about: impl Fn(&T) -> (u32, Option<K>),
) -> Vec<Group<T>> {
    let mut groups: Vec<Group<T>> = Vec::with_capacity(items.len());
    let mut open: HashMap<K, usize> = HashMap::new();
    // The group of the last request of each image.
    let mut last: HashMap<u32, usize> = HashMap::new();
    for item in items {
        let (image, key) = about(&item);
        let before = last.get(&image).copied();
        let known = key.as_ref().and_then(|key| open.get(key).copied());
        let place = known.filter(|&place| before.is_none_or(|before| before <= place));
        let place = place.unwrap_or_else(|| {
            groups.push(Group::new());
            let place = groups.len() - 1;
            if let Some(key) = key {
                open.insert(key, place);
            }
            place
        });
        groups[place].push(item);
        last.insert(image, place);
    }
    groups
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn groups(items: &[(u32, Option<char>)]) -> Vec<Vec<usize>> {
        let numbers: Vec<usize> = (0..items.len()).collect();
        let groups = combine(numbers, |&number| items[number]);
        groups.into_iter().map(|group| group.to_vec()).collect()
    }

    #[test]
    fn equal_ones_of_different_images_are_merged() {
        let add = Some('a');
        assert_eq!(
            groups(&[(0, add), (1, None), (2, add), (3, Some('b'))]),
            [vec![0, 2], vec![1], vec![3]]
        );
        assert!(groups(&[]).is_empty());
    }

    #[test]
    fn none_overtakes_another_one_of_its_image() {
        let add = Some('a');
        // The image puts, then counts: the put is first. A later counter joins the later group.
        assert_eq!(
            groups(&[(0, add), (1, None), (1, add), (2, add)]),
            [vec![0], vec![1], vec![2, 3]]
        );
        // Two of one image are in their order.
        assert_eq!(
            groups(&[(0, add), (0, add), (0, None), (0, add)]),
            [vec![0, 1], vec![2], vec![3]]
        );
    }

    proptest! {
        #[test]
        fn every_request_is_in_one_group_and_each_image_keeps_its_order(
            items in prop::collection::vec((0..5u32, prop::option::of(0..3u8)), 0..40)
        ) {
            let numbers: Vec<usize> = (0..items.len()).collect();
            let groups = combine(numbers.clone(), |&number| items[number]);
            let order: Vec<usize> = groups.iter().flatten().copied().collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, numbers);
            for image in 0..5 {
                let of = order.iter().filter(|&&number| items[number].0 == image);
                prop_assert!(of.is_sorted());
            }
            for group in &groups {
                prop_assert!(group.len() == 1 || items[group[0]].1.is_some());
                prop_assert!(group.iter().all(|&number| items[number].1 == items[group[0]].1));
            }
        }
    }
}
