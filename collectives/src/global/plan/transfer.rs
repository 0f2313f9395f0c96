//! The elements that one image has for another, as nests of strided loops over the memory of both sides. Pure.

use smallvec::SmallVec;
use xmp_core::global::{Array, Runs};
use xmp_core::nest;

/// A loop of a [`Cell`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellLoop {
    /// Number of iterations.
    pub extent: i64,
    /// Bytes between iterations on the side that gives.
    pub from: i64,
    /// Bytes between iterations on the side that gets.
    pub to: i64,
}

/// Bytes in a nest of loops: `unit` of them at each point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Offset in bytes on the side that gives, in its part of the array.
    pub from: i64,
    /// Offset in bytes on the side that gets.
    pub to: i64,
    /// Contiguous bytes on both sides.
    pub unit: usize,
    /// The loops, innermost first; each has more than one iteration.
    pub loops: SmallVec<[CellLoop; 4]>,
}

/// The elements that one image has for another. Both images compute the same transfer, so its bytes have the same order on
/// both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    cells: Vec<Cell>,
    /// Bytes of all cells.
    bytes: usize,
}

impl Cell {
    /// Number of bytes.
    pub fn bytes(&self) -> usize {
        self.unit * self.loops.iter().map(|each| each.extent as usize).product::<usize>()
    }

    /// About the number of cache lines that it touches on the side that gives.
    pub fn lines(&self) -> usize {
        const LINE: usize = 64;
        let (inner, outer) = match self.loops.split_first() {
            None => return self.unit.div_ceil(LINE),
            Some((inner, outer)) => (inner, outer),
        };
        let apart = inner.from.unsigned_abs() as usize;
        let extent = inner.extent as usize;
        let lines = if apart < LINE {
            (apart * extent).div_ceil(LINE).max(1)
        } else {
            extent * self.unit.div_ceil(LINE)
        };
        lines * outer.iter().map(|each| each.extent as usize).product::<usize>()
    }

    /// Calls `visit` with the beginning of each innermost loop on the side that gives and on the side that gets, and with
    /// the loop.
    #[inline]
    pub fn for_each(&self, mut visit: impl FnMut(i64, i64, CellLoop)) {
        fn level(
            loops: &[CellLoop],
            from: i64,
            to: i64,
            inner: CellLoop,
            visit: &mut impl FnMut(i64, i64, CellLoop),
        ) {
            match loops.split_last() {
                None => visit(from, to, inner),
                Some((outer, rest)) => {
                    for i in 0..outer.extent {
                        level(rest, from + i * outer.from, to + i * outer.to, inner, visit);
                    }
                }
            }
        }
        let once = CellLoop { extent: 1, from: 0, to: 0 };
        let (inner, outer) = match self.loops.split_first() {
            None => (once, &[][..]),
            Some((inner, outer)) => (*inner, outer),
        };
        if outer.is_empty() {
            // The common case of short transfers.
            return visit(self.from, self.to, inner);
        }
        level(outer, self.from, self.to, inner, &mut visit);
    }
}

impl Transfer {
    /// A transfer of these cells.
    pub fn new(cells: Vec<Cell>) -> Transfer {
        let bytes = cells.iter().map(Cell::bytes).sum();
        Transfer { cells, bytes }
    }

    /// Its cells.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The transfer in the other direction.
    #[must_use]
    pub fn reversed(&self) -> Transfer {
        let back = |cell: &Cell| Cell {
            from: cell.to,
            to: cell.from,
            unit: cell.unit,
            loops: cell
                .loops
                .iter()
                .map(|each| CellLoop { from: each.to, to: each.from, ..*each })
                .collect(),
        };
        Transfer::new(self.cells.iter().map(back).collect())
    }
}

/// Positions in one dimension, and their places on both sides in bytes.
#[derive(Debug)]
pub struct Strips {
    /// For each strip its beginning, the loop within a run, and the loop over the runs.
    strips: Vec<[CellLoop; 3]>,
}

impl Strips {
    /// The strips of these positions. `from` and `to` give the place of a position, which grows evenly within a run and from
    /// run to run.
    pub fn new(runs: &[Runs], from: impl Fn(i64) -> i64, to: impl Fn(i64) -> i64) -> Strips {
        let strip = |runs: &Runs| {
            let start = CellLoop { extent: 1, from: from(runs.first), to: to(runs.first) };
            let each = |extent, further: i64| match extent {
                1 => CellLoop { extent, from: 0, to: 0 },
                _ => CellLoop {
                    extent,
                    from: from(runs.first + further) - start.from,
                    to: to(runs.first + further) - start.to,
                },
            };
            [start, each(runs.len, 1), each(runs.count, runs.step)]
        };
        Strips { strips: runs.iter().map(strip).collect() }
    }
}

/// The transfer of all combinations of strips, one of each dimension, of elements of `element` bytes that begin at
/// `from` and `to`.
pub fn product(element: usize, from: i64, to: i64, dims: &[Strips]) -> Transfer {
    let mut cells = vec![Cell { from, to, unit: element, loops: SmallVec::new() }];
    for dim in dims {
        let mut wider = Vec::with_capacity(cells.len() * dim.strips.len());
        for cell in &cells {
            for [start, within, between] in &dim.strips {
                let mut cell = cell.clone();
                cell.from += start.from;
                cell.to += start.to;
                cell.loops.extend([*within, *between].into_iter().filter(|each| each.extent > 1));
                wider.push(cell);
            }
        }
        cells = wider;
    }
    cells.iter_mut().for_each(simplify);
    Transfer::new(cells)
}

/// Orders the loops by the memory of the side that gets, and merges what is contiguous on both sides.
fn simplify(cell: &mut Cell) {
    nest::sort_by_key(&mut cell.loops, |each| (each.to.abs(), each.from.abs()));
    let mut loops: SmallVec<[CellLoop; 4]> = SmallVec::new();
    for &next in &cell.loops {
        let unit = cell.unit as i64;
        if loops.is_empty() && next.from == unit && next.to == unit {
            cell.unit *= next.extent as usize;
            continue;
        }
        match loops.last_mut() {
            Some(last)
                if last.from * last.extent == next.from && last.to * last.extent == next.to =>
            {
                last.extent *= next.extent;
            }
            _ => loops.push(next),
        }
    }
    cell.loops = loops;
}

/// Distances in bytes between elements that differ by 1 in a local index of `array`, on the node with these
/// coordinates.
pub fn strides(array: &Array, coords: &[usize], element: usize) -> SmallVec<[i64; 4]> {
    array.strides(coords).into_iter().map(|stride| stride * element as i64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_on_the_side_that_gives() {
        let cell = |unit, loops: &[[i64; 2]]| {
            let of = |&[extent, from]: &[i64; 2]| CellLoop { extent, from, to: unit as i64 };
            Cell { from: 0, to: 0, unit, loops: loops.iter().map(of).collect() }
        };
        assert_eq!(cell(8, &[]).lines(), 1);
        assert_eq!(cell(640, &[]).lines(), 10);
        assert_eq!(cell(8, &[[512, 16]]).lines(), 128);
        assert_eq!(cell(8, &[[512, -4096]]).lines(), 512);
        assert_eq!(cell(8, &[[64, 272], [10, 20_000]]).lines(), 640);
        assert_eq!(cell(128, &[[10, 4096]]).lines(), 20);
        // The same element for many.
        assert_eq!(cell(8, &[[512, 0]]).lines(), 1);
    }

    #[test]
    fn what_is_contiguous_is_one_piece() {
        let all = |len| Strips::new(&[Runs::one(0, len).unwrap()], |k| k * 8, |k| k * 8);
        let rows = |len, from, to| {
            Strips::new(&[Runs::one(0, len).unwrap()], move |k| k * from, move |k| k * to)
        };
        let whole = product(8, 16, 0, &[all(10), rows(5, 80, 80)]);
        assert_eq!(whole.cells, [Cell { from: 16, to: 0, unit: 400, loops: SmallVec::new() }]);
        let part = product(8, 0, 0, &[all(10), rows(5, 160, 80), rows(3, 800, 400)]);
        let row = CellLoop { extent: 15, from: 160, to: 80 };
        assert_eq!(
            part.cells,
            [Cell { from: 0, to: 0, unit: 80, loops: SmallVec::from_slice(&[row]) }]
        );
        assert_eq!(part.bytes(), 1200);
        assert_eq!(part.reversed().reversed(), part);
        let transposed = product(8, 0, 0, &[rows(4, 8, 40), rows(5, 32, 8)]);
        assert_eq!(transposed.cells[0].loops[0], CellLoop { extent: 5, from: 32, to: 8 });
        let cyclic = Strips::new(&[Runs::every(0, 1, 3, 7).unwrap()], |k| k / 3 * 8, |k| k * 8);
        let cell = &product(8, 0, 0, &[cyclic]).cells[0];
        assert_eq!(cell.loops.as_slice(), [CellLoop { extent: 7, from: 8, to: 24 }]);
    }
}
