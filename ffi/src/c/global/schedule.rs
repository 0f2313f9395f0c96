//! Loops over distributed arrays: the iterations that this image executes.

use super::array::mapped;
use super::objects::{ObjectHandle, array_of, dimension};
use super::range::Range;
use crate::c::argument::{OutputList, null, place};
use crate::c::outcome::functions;
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::counted::counted;
use xmp_core::global::{Align, Array, Axis, Format, Loop, MappingError, Progression, Widths};
use xmp_core::{Error, Result};

/// `xmprt_piece`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    index: i64,
    index_step: i64,
    place: i64,
    place_step: i64,
    count: i64,
}

/// A loop over a dimension, on an image that has elements.
struct Looped {
    array: Rc<Array>,
    dim: usize,
    /// This image's part of the dimension.
    part: usize,
    /// All iterations; one at least.
    iterations: Progression,
}

impl Looped {
    /// None where there is nothing to execute.
    fn new(array: ObjectHandle, dim: c_int, range: Range) -> Result<Option<Looped>> {
        let (array, coords) = mapped(&*array_of(array)?)?;
        let dim = dimension(dim, array.dims().len())?;
        let Align { lower, upper, .. } = array.dims()[dim];
        let whole = Progression { first: lower, step: 1, count: upper - lower + 1 };
        let iterations = range.iterations(whole)?;
        if !iterations.is_within(lower, upper) {
            let (first, last) = (iterations.first, iterations.last());
            let error = MappingError::Outside { dim: dim + 1, first, last, lower, upper };
            return Err(error.of("loop"));
        }
        let coords = coords.filter(|_| iterations.count > 0);
        Ok(coords.map(|coords| Looped { part: array.part(dim, &coords), array, dim, iterations }))
    }

    /// The iterations that this image executes.
    fn pieces(&self) -> Vec<Piece> {
        let &Looped { ref array, dim, part, iterations } = self;
        let piece = |(index, second): (i64, i64), count: i64| {
            let place = |index| array.local_of_owned(dim, part, index);
            Piece {
                index,
                index_step: second - index,
                place: place(index),
                place_step: place(second) - place(index),
                count,
            }
        };
        let Align { axis, offset, .. } = array.dims()[dim];
        let Some(axis) = axis else {
            let second = iterations.at(i64::from(iterations.count > 1));
            return vec![piece((iterations.first, second), iterations.count)];
        };
        let axis = &array.distribution().axes()[axis];
        let regular = axis.is_blocked() || axis.width() == Some(1);
        let mut pieces = Vec::new();
        let schedule = Loop { axis, offset, iterations };
        for row in schedule.of(part) {
            let index = |k| axis.index(part, row.at(k)) - offset;
            let mut start = 0;
            while start < row.count {
                // Across blocks, elements at equal distances in memory have indices at other distances.
                let second = index((start + 1).min(row.count - 1));
                let step = second - index(start);
                let end = if regular {
                    row.count
                } else {
                    let uneven = |k: &i64| index(*k) - index(*k - 1) != step;
                    (start + 1..row.count).find(uneven).unwrap_or(row.count)
                };
                pieces.push(piece((index(start), second), end - start));
                start = end;
            }
        }
        pieces
    }

    /// The loop after `rows`, as pieces of the stored part.
    fn widened<const N: usize>(
        &self,
        rows: impl FnOnce(&Loop<'_>, usize) -> Result<[Progression; N], MappingError>,
    ) -> Result<[Piece; N]> {
        let &Looped { ref array, dim, part, iterations } = self;
        let Align { lower, upper, axis, offset, .. } = array.dims()[dim];
        // A node that has the whole dimension executes all iterations.
        let whole;
        let (axis, offset, part_of) = match axis {
            Some(axis) => (&array.distribution().axes()[axis], offset, part),
            None => {
                whole = Axis::new(dim + 1, (lower, upper), &Format::Collapsed, 1);
                (whole.as_ref().map_err(|error| error.clone().of("loop"))?, 0, 0)
            }
        };
        let rows = rows(&Loop { axis, offset, iterations }, part_of).map_err(|error| {
            let why = match error {
                MappingError::Dimension { why, .. } => why,
                other => return other.of("loop"),
            };
            MappingError::Dimension { dim: dim + 1, why }.of("loop")
        })?;
        let mut pieces = [Piece::default(); N];
        for (piece, row) in pieces.iter_mut().zip(rows).filter(|(_, row)| row.count > 0) {
            let index = |k| axis.index(part_of, row.at(k)) - offset;
            let stored = |index| {
                array.local_with_shadow(dim, part, index).ok_or_else(|| {
                    let dim = dim + 1;
                    let why = format!("index {index} is not stored here: the shadow is narrower");
                    Error::Invalid(format!("loop: dimension {dim}: {why}"))
                })
            };
            stored(index(row.count - 1))?;
            let step = if row.count > 1 { row.step } else { 0 };
            let (index, place) = (index(0), stored(index(0))?);
            *piece = Piece { index, index_step: step, place, place_step: step, count: row.count };
        }
        Ok(pieces)
    }
}

/// `xmprt_widths`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LoopWidths {
    before: i64,
    after: i64,
    unbound: c_int,
}

impl LoopWidths {
    fn widths(self) -> Widths {
        let LoopWidths { before: lower, after: upper, unbound } = self;
        Widths { lower, upper, unbound: unbound != 0 }
    }
}

functions! {
    /// The iterations of a loop on this image. `pieces` has room for `most`; `count` becomes their number, also when
    /// that is more.
    fn xmprt_loop(
        array: ObjectHandle, dim: c_int, range: Range, pieces: OutputList<Piece>, most: usize, count: Option<&Cell<usize>>,
    ) {
        let count = place(count, "count")?;
        let found = Looped::new(array, dim, range)?.map_or_else(Vec::new, |of| of.pieces());
        count.set(found.len());
        if found.len() > most {
            let len = counted(found.len(), "piece");
            return Err(Error::Invalid(format!("{len}, and room for {most}")));
        }
        if !found.is_empty() {
            let places = pieces.of(found.len()).ok_or_else(|| null("pieces"))?;
            places.iter().zip(found).for_each(|(place, piece)| place.set(piece));
        }
        Ok(())
    }

    /// The iterations on this image of a loop that is made wider or narrower.
    fn xmprt_loop_expand(
        array: ObjectHandle, dim: c_int, range: Range, widths: LoopWidths, piece: Option<&Cell<Piece>>,
    ) {
        let piece = place(piece, "piece")?;
        let rows = |of: &Loop<'_>, node| Ok([of.expanded(node, widths.widths())?]);
        let [found] = Looped::new(array, dim, range)?
            .map_or(Ok([Piece::default()]), |of| of.widened(rows))?;
        piece.set(found);
        Ok(())
    }

    /// The difference between [`xmprt_loop_expand`] and the loop itself, on its two sides.
    fn xmprt_loop_margins(
        array: ObjectHandle, dim: c_int, range: Range, widths: LoopWidths, margins: Option<&Cell<[Piece; 2]>>,
    ) {
        let margins = place(margins, "margins")?;
        let rows = |of: &Loop<'_>, node| of.margins(node, widths.widths());
        let found = Looped::new(array, dim, range)?
            .map_or(Ok([Piece::default(); 2]), |of| of.widened(rows))?;
        margins.set(found);
        Ok(())
    }
}
