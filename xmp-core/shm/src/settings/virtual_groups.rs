//! Groups that images are treated as bound to (`XMP_VIRTUAL_GROUPS`).

use super::value::{Parsed, count};
use std::ops::RangeInclusive;

/// Groups that images are treated as bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VirtualGroups {
    /// So many groups at each level, at most three levels, of which the innermost are caches; images are assigned to
    /// them in blocks. No levels: no such groups.
    Blocks(Vec<u32>),
    /// Caches with lists of images, by their numbers on the host from 1. Images in no list are a group.
    Lists(Vec<Vec<RangeInclusive<u32>>>),
}

impl VirtualGroups {
    /// No such groups.
    pub const NONE: VirtualGroups = VirtualGroups::Blocks(Vec::new());

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        *self == VirtualGroups::NONE
    }

    /// Numbers with `x` between them, or lists with `/` between them.
    pub fn parse(text: &str) -> Parsed<VirtualGroups> {
        let parsed = if text.contains(['/', ',', '-']) { lists(text) } else { blocks(text) };
        parsed.ok_or_else(|| {
            "one to three numbers from 1 to 1024 with x between them, such as 2x4, or lists of images with / between them, \
             such as 1-3,6/4,5"
                .to_string()
        })
    }
}

fn blocks(text: &str) -> Option<VirtualGroups> {
    let numbers: Parsed<Vec<u32>> = text.split('x').map(|number| count(number, 1)).collect();
    let numbers = numbers.ok()?;
    let few = numbers.len() <= 3 && numbers.iter().all(|&number| number <= 1 << 10);
    few.then_some(VirtualGroups::Blocks(numbers))
}

fn lists(text: &str) -> Option<VirtualGroups> {
    let images = |text: &str| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (count(first, 1).ok()?, count(last, 1).ok()?);
        (first <= last).then_some(first..=last)
    };
    let list = |text: &str| text.split(',').map(images).collect::<Option<Vec<_>>>();
    text.split('/').map(list).collect::<Option<Vec<_>>>().map(VirtualGroups::Lists)
}
