//! Views: what an image sees of a file. Pure.

use xmp_core::global::Sequence;
use xmp_core::global::sequence::Stretch;

/// The bytes of a file that an image sees: those of a sequence that begins at a displacement, and again, as often as
/// needed, after its end. They are numbered from 0 in the order of the file.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    displacement: i64,
    sequence: &'a Sequence,
}

impl<'a> View<'a> {
    /// The view of a sequence from the byte `displacement` of the file on.
    pub fn new(displacement: i64, sequence: &'a Sequence) -> View<'a> {
        View { displacement, sequence }
    }

    /// Whether the image sees nothing.
    pub fn is_empty(&self) -> bool {
        self.sequence.own() == 0
    }

    /// Whether it sees everything from the displacement on.
    fn is_contiguous(&self) -> bool {
        self.sequence.own() == self.sequence.whole()
    }

    /// The place of a byte in the file, if there is one: that of the next byte that the image does not see yet, for a
    /// number beyond those that can be.
    pub fn place(&self, number: i64) -> Option<i64> {
        if number < 0 || self.is_empty() {
            return (number == 0).then_some(self.displacement);
        }
        let tile = (number / self.sequence.own()).checked_mul(self.sequence.whole())?;
        let within = self.sequence.stretch(number % self.sequence.own()).offset;
        tile.checked_add(within)?.checked_add(self.displacement)
    }

    /// The bytes that are contiguous in the file from one on. The view is not empty, and the byte has a place.
    pub fn stretch(&self, number: i64) -> Stretch {
        if self.is_contiguous() {
            return Stretch { offset: self.displacement + number, len: i64::MAX - number };
        }
        let own = self.sequence.own();
        let stretch = self.sequence.stretch(number % own);
        let tile = self.displacement + number / own * self.sequence.whole();
        Stretch { offset: tile + stretch.offset, ..stretch }
    }

    /// Number of bytes that the image sees before a place in the file.
    pub fn before(&self, place: i64) -> i64 {
        let distance = place - self.displacement;
        if distance <= 0 || self.is_empty() {
            return 0;
        }
        if self.is_contiguous() {
            return distance;
        }
        let whole = self.sequence.whole();
        distance / whole * self.sequence.own() + self.sequence.before(distance % whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;
    use xmp_core::global::{Align, Array, Format, Kind, Nodes, Order, Section, Template};
    use xmp_core::image_set::Members;

    /// The sequence of one of `images` images that has bytes `cyclic(width)` of `len`.
    fn cyclic(images: u32, image: usize, width: i64, len: i64) -> Sequence {
        let nodes = Rc::new(Nodes::row(&Members::all(images as usize), Order::C, Kind::Entire));
        let mut template = Template::fixed(&[(0, len - 1)]).unwrap();
        template.distribute(vec![Format::CyclicOf(width)], nodes).unwrap();
        let (distribution, align) =
            (template.distribution().unwrap().clone(), Align::with(0, len - 1, 0, 0));
        let array = Array::new(distribution, &[align], &[], Order::C).unwrap();
        Sequence::new(&array, &Section::all(&array), Some(&[image]), 1).unwrap()
    }

    #[test]
    fn views_repeat_behind_their_end() {
        // 3 images, bytes 0..10 by 2: this one has 2 3 8 9, and again 12 13 18 19.
        let sequence = cyclic(3, 1, 2, 10);
        let view = View::new(100, &sequence);
        let places: Vec<i64> = (0..9).map(|number| view.place(number).unwrap()).collect();
        assert_eq!(places, [102, 103, 108, 109, 112, 113, 118, 119, 122]);
        for (number, place) in (0..).zip(places) {
            assert_eq!((view.before(place), view.before(place + 1)), (number, number + 1));
            let stretch = view.stretch(number);
            assert_eq!((stretch.offset, stretch.len), (place, 2 - number % 2));
        }
        assert_eq!((view.before(0), view.before(102)), (0, 0));
        assert_eq!(view.place(i64::MAX), None);
    }

    #[test]
    fn a_view_without_a_mapping_is_contiguous() {
        let all = Sequence::all(1);
        let view = View::new(7, &all);
        assert_eq!((view.place(5), view.before(12)), (Some(12), 5));
        assert_eq!(view.stretch(5).offset, 12);
        assert!(view.stretch(5).len > 1 << 60);
        assert_eq!(view.place(i64::MAX), None);
    }

    #[test]
    fn an_image_without_elements_sees_nothing() {
        let sequence = cyclic(3, 2, 5, 10);
        let view = View::new(7, &sequence);
        assert!(view.is_empty());
        assert_eq!((view.before(1000), view.place(0), view.place(1)), (0, Some(7), None));
    }
}
