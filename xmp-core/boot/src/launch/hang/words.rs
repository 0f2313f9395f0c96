//! Images and their needs, in words.

use crate::rank::Rank;
use crate::wait::Need;
use std::collections::BTreeSet;

/// Ranges of numbers that are written of many images.
const MAX_RANGES: usize = 16;

/// Images by number: `image 2`, `images 1-4, 7`.
pub(super) fn images(ranks: &BTreeSet<Rank>) -> String {
    let plural = if ranks.len() == 1 { "" } else { "s" };
    format!("image{plural} {}", numbers(ranks))
}

/// The numbers of images: `1-4, 7`; where these are too many to be read, the first ones and how many there are.
pub(super) fn numbers(ranks: &BTreeSet<Rank>) -> String {
    let mut ranges: Vec<[u32; 2]> = Vec::new();
    for image in ranks.iter().map(|rank| rank.image()) {
        match ranges.last_mut() {
            Some([_, last]) if *last + 1 == image => *last = image,
            _ => ranges.push([image, image]),
        }
    }
    let text = |[first, last]: [u32; 2]| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}-{last}"),
    };
    let left_out = ranges.len() > MAX_RANGES;
    let written = ranges.into_iter().take(MAX_RANGES).map(text).collect::<Vec<_>>().join(", ");
    if left_out { format!("{written}, ... ({} in all)", ranks.len()) } else { written }
}

/// The need of `waiting` images, as the end of a sentence, if it is known: `needs 1 post`, `wait for image 1`.
pub(super) fn need(need: &Need, missing: &BTreeSet<Rank>, waiting: usize) -> Option<String> {
    let verb =
        |one: &str, several: &str| if waiting == 1 { one.to_owned() } else { several.to_owned() };
    match need.posts {
        0 if missing.is_empty() => None,
        0 => Some(format!("{} {}", verb("waits for", "wait for"), images(missing))),
        1 => Some(format!("{} 1 post", verb("needs", "need"))),
        posts => Some(format!("{} {posts} posts", verb("needs", "need"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait::WaitKind;

    fn ranks(images: &[u32]) -> BTreeSet<Rank> {
        images.iter().map(|&image| Rank::new(image - 1)).collect()
    }

    #[test]
    fn images_that_follow_one_another_are_a_range() {
        for (list, expected) in [
            (&[2][..], "image 2"),
            (&[1, 2], "images 1, 2"),
            (&[1, 2, 3, 4, 7], "images 1-4, 7"),
            (&[1, 3, 5, 6, 7], "images 1, 3, 5-7"),
        ] {
            assert_eq!(images(&ranks(list)), expected);
        }
    }

    #[test]
    fn thousands_of_ranges_are_not_listed() {
        let odd: Vec<u32> = (0..16).map(|number| 2 * number + 1).collect();
        assert!(numbers(&ranks(&odd)).ends_with(", 29, 31"));
        let more: Vec<u32> = (0..1000).map(|number| 2 * number + 1).collect();
        assert!(numbers(&ranks(&more)).ends_with(", 29, 31, ... (1000 in all)"));
    }

    #[test]
    fn needs_agree_with_the_number_of_images() {
        let event = |posts| Need { posts, ..Need::any_image(WaitKind::Event) };
        let nothing = BTreeSet::new();
        assert_eq!(need(&event(1), &nothing, 1).unwrap(), "needs 1 post");
        assert_eq!(need(&event(3), &nothing, 2).unwrap(), "need 3 posts");
        let barrier = Need::all_of(WaitKind::Barrier, []);
        assert_eq!(need(&barrier, &ranks(&[1]), 3).unwrap(), "wait for image 1");
        assert_eq!(need(&barrier, &ranks(&[2, 3]), 1).unwrap(), "waits for images 2, 3");
        assert_eq!(need(&barrier, &nothing, 1), None);
    }
}
