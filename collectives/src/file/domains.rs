//! The range of a file that images access together, cut into domains, of which an image has one at most. Pure.

use std::ops::Range;

/// Domains start at multiples of this, or of the buffer if that is less: so two images do not write to one block of
/// the file system.
const ALIGNMENT: i64 = 1 << 20;

/// The domains of an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domains {
    range: Range<i64>,
    /// Where the first domain would start.
    start: i64,
    /// Bytes of a domain.
    size: i64,
    /// Bytes that are buffered at a time.
    buffer: i64,
    images: usize,
}

impl Domains {
    /// The domains of a range that is not empty, on `images` images with a buffer of `buffer` bytes each.
    pub fn new(range: Range<i64>, images: usize, buffer: i64) -> Domains {
        let alignment = ALIGNMENT.min(buffer);
        let start = range.start - range.start % alignment;
        let each = (range.end - start - 1) / images as i64 + 1;
        let size = (each - 1) / alignment * alignment + alignment;
        Domains { range, start, size, buffer, images }
    }

    /// Number of domains.
    pub fn count(&self) -> usize {
        ((self.range.end - self.start - 1) / self.size + 1) as usize
    }

    /// The position of the image that has a domain. Those of few domains are far apart, so that they are on different
    /// hosts.
    pub fn owner(&self, domain: usize) -> usize {
        domain * self.images / self.count()
    }

    /// Number of rounds; in each the owners buffer a piece of their domains.
    pub fn rounds(&self) -> i64 {
        let longest = self.size.min(self.range.end - self.start);
        (longest - 1) / self.buffer + 1
    }

    /// The piece of a domain in a round; it may be empty.
    pub fn piece(&self, domain: usize, round: i64) -> Range<i64> {
        let first = self.start + domain as i64 * self.size;
        let from = first + round * self.buffer;
        let to = (from + self.buffer).min(first + self.size);
        let inside = |place: i64| place.clamp(self.range.start, self.range.end);
        inside(from.min(to))..inside(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_cover_the_range_once(
            start in 0i64..5000, len in 1i64..9000, images in 1usize..9, buffer in 1i64..3000,
        ) {
            let range = start..start + len;
            let domains = Domains::new(range.clone(), images, buffer);
            prop_assert!((1..=images).contains(&domains.count()));
            let mut pieces = Vec::new();
            let mut owners = Vec::new();
            for domain in 0..domains.count() {
                owners.push(domains.owner(domain));
                for round in 0..domains.rounds() {
                    let piece = domains.piece(domain, round);
                    prop_assert!(piece.end - piece.start <= buffer);
                    if !piece.is_empty() {
                        pieces.push(piece);
                    }
                }
            }
            prop_assert!(owners.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(owners.iter().all(|owner| *owner < images));
            prop_assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].start));
            prop_assert_eq!(pieces[0].start..pieces[pieces.len() - 1].end, range);
        }
    }

    #[test]
    fn short_ranges_have_one_domain_and_long_ones_an_aligned_one_for_each_image() {
        let domains = Domains::new(10..1000, 4, 16 << 20);
        assert_eq!((domains.count(), domains.rounds(), domains.piece(0, 0)), (1, 1, 10..1000));
        let domains = Domains::new(0..100 << 20, 4, 16 << 20);
        assert_eq!((domains.count(), domains.rounds()), (4, 2));
        assert_eq!(domains.piece(1, 1), 41 << 20..50 << 20);
        let domains = Domains::new(0..2 << 20, 8, 16 << 20);
        assert_eq!((domains.count(), domains.owner(0), domains.owner(1)), (2, 0, 4));
    }
}
