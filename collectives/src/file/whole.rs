//! Sections of arrays as a whole on one image, in the order of a file: it reads and writes for all.

use super::collective::{length, table};
use super::failure::Outcome;
use super::memory::Memory;
use super::positioned::each_stretch;
use super::view::View;
use super::views::Views;
use crate::global::StoredSection;
use crate::{gatherv, scatterv};
use std::ops::Range;
use xmp_core::Image;
use xmp_core::image_set::ImageSet;

/// The images that have a section, and the first of them, which has all of it.
struct Whole<'a> {
    image: &'a Image,
    set: &'a ImageSet,
    views: Views,
    memory: Memory<'a>,
    /// All elements, on the first image.
    all: Memory<'a>,
}

/// Gathers a section in `all` of the first image of the set. All images call it.
///
/// # Errors
/// [`xmp_core::Error::Invalid`] for elements that no image of the set has; when an image of the set has ended.
pub fn collect(
    image: &Image,
    set: &ImageSet,
    stored: StoredSection<'_>,
    all: Memory<'_>,
) -> Outcome {
    let whole = Whole::new(image, set, stored, all)?;
    for piece in whole.pieces() {
        let numbers = whole.of_all(&piece);
        let (parts, len) = table(&numbers);
        let mine = &numbers[whole.me()];
        let (mut out, mut came) =
            (vec![0; length(mine)], vec![0; if whole.is_first() { len } else { 0 }]);
        if !out.is_empty() {
            whole.memory.get(mine.start, &mut out);
        }
        gatherv(image, set, 0, &out, &mut came, parts.parts())?;
        if whole.is_first() {
            whole.each(&numbers, |position, from, place, len| {
                let at = parts.parts().offset(position) + (from - numbers[position].start) as usize;
                whole.all.put(place, &came[at..at + len as usize]);
            });
        }
    }
    Ok(())
}

/// Scatters a section from `all` of the first image of the set. All images call it.
///
/// # Errors
/// Those of [`collect`].
pub fn spread(
    image: &Image,
    set: &ImageSet,
    stored: StoredSection<'_>,
    all: Memory<'_>,
) -> Outcome {
    let whole = Whole::new(image, set, stored, all)?;
    for piece in whole.pieces() {
        let numbers = whole.of_all(&piece);
        let (parts, len) = table(&numbers);
        let mine = &numbers[whole.me()];
        let (mut out, mut came) =
            (vec![0; if whole.is_first() { len } else { 0 }], vec![0; length(mine)]);
        if whole.is_first() {
            whole.each(&numbers, |position, from, place, len| {
                let at = parts.parts().offset(position) + (from - numbers[position].start) as usize;
                whole.all.get(place, &mut out[at..at + len as usize]);
            });
        }
        scatterv(image, set, 0, &out, parts.parts(), &mut came)?;
        if !came.is_empty() {
            whole.memory.put(mine.start, &came);
        }
    }
    Ok(())
}

impl<'a> Whole<'a> {
    fn new(
        image: &'a Image,
        set: &'a ImageSet,
        stored: StoredSection<'a>,
        all: Memory<'a>,
    ) -> Outcome<Whole<'a>> {
        let views = Views::parts(set, stored)?;
        Ok(Whole { image, set, views, memory: Memory::part(stored, image.rank()), all })
    }

    fn me(&self) -> usize {
        self.set.position().expect("a member of the set")
    }

    fn is_first(&self) -> bool {
        self.me() == 0
    }

    /// The pieces of the section that travel at a time.
    fn pieces(&self) -> impl Iterator<Item = Range<i64>> + use<> {
        let buffer = i64::from(self.image.settings().io_buffer);
        let end = self.views.of(0).whole();
        let pieces = (end + buffer - 1) / buffer;
        (0..pieces).map(move |k| k * buffer..((k + 1) * buffer).min(end))
    }

    /// The numbers of the bytes that each image has in a piece.
    fn of_all(&self, piece: &Range<i64>) -> Vec<Range<i64>> {
        let of = |position| {
            let sequence = self.views.of(position);
            sequence.before(piece.start)..sequence.before(piece.end)
        };
        (0..self.set.len()).map(of).collect()
    }

    /// Calls `visit` for the contiguous bytes of all images: the position, the number of the first byte, its place in
    /// the section, and how many there are.
    fn each(&self, numbers: &[Range<i64>], mut visit: impl FnMut(usize, i64, i64, i64)) {
        for (position, numbers) in
            numbers.iter().enumerate().filter(|(_, numbers)| !numbers.is_empty())
        {
            let view = View::new(0, self.views.of(position));
            each_stretch(view, numbers.clone(), |from, place, len| {
                visit(position, from, place, len)
            });
        }
    }
}
