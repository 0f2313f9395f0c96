//! What one image has for another: places on both sides, as nests of strided loops. Pure.

use smallvec::SmallVec;
use xmp_core::global::{Array, Runs};

/// A loop of a [`Cell`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// How often.
    pub extent: i64,
    /// Bytes further on the side that gives.
    pub from: i64,
    /// Bytes further on the side that gets.
    pub to: i64,
}

/// Some bytes: `unit` of them at each point of a nest of loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Where they begin on the side that gives, from the start of what it stores of the array, in bytes.
    pub from: i64,
    /// Where they begin on the side that gets.
    pub to: i64,
    /// Contiguous bytes on both sides.
    pub unit: usize,
    /// The loops, innermost first. Never more than once around nothing.
    pub steps: SmallVec<[Step; 4]>,
}

/// What one image has for another. Both make the same one, so its bytes are in the same order for both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    cells: Vec<Cell>,
    /// Of all of them: asked for whenever it is carried out.
    bytes: usize,
}

impl Cell {
    /// Bytes.
    pub fn bytes(&self) -> usize {
        self.unit * self.steps.iter().map(|step| step.extent as usize).product::<usize>()
    }

    /// About as many lines of memory it lies in on the side that gives.
    pub fn lines(&self) -> usize {
        const LINE: usize = 64;
        let (inner, outer) = match self.steps.split_first() {
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
        lines * outer.iter().map(|step| step.extent as usize).product::<usize>()
    }

    /// Calls `visit(from, to, step)` for each innermost loop.
    #[inline]
    pub fn for_each(&self, mut visit: impl FnMut(i64, i64, Step)) {
        fn level(
            steps: &[Step],
            from: i64,
            to: i64,
            inner: Step,
            visit: &mut impl FnMut(i64, i64, Step),
        ) {
            match steps.split_last() {
                None => visit(from, to, inner),
                Some((outer, rest)) => {
                    for i in 0..outer.extent {
                        level(rest, from + i * outer.from, to + i * outer.to, inner, visit);
                    }
                }
            }
        }
        let once = Step { extent: 1, from: 0, to: 0 };
        let (inner, outer) = match self.steps.split_first() {
            None => (once, &[][..]),
            Some((inner, outer)) => (*inner, outer),
        };
        if outer.is_empty() {
            // A row or a piece: what is short has nothing else.
            return visit(self.from, self.to, inner);
        }
        level(outer, self.from, self.to, inner, &mut visit);
    }
}

impl Transfer {
    /// One of these parts.
    pub fn new(cells: Vec<Cell>) -> Transfer {
        let bytes = cells.iter().map(Cell::bytes).sum();
        Transfer { cells, bytes }
    }

    /// The parts of it.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The way back.
    #[must_use]
    pub fn reversed(&self) -> Transfer {
        let back = |cell: &Cell| Cell {
            from: cell.to,
            to: cell.from,
            unit: cell.unit,
            steps: cell
                .steps
                .iter()
                .map(|step| Step { from: step.to, to: step.from, ..*step })
                .collect(),
        };
        Transfer::new(self.cells.iter().map(back).collect())
    }
}

/// Positions in one dimension, and where they lie on both sides, in bytes.
#[derive(Debug)]
pub struct Strips {
    strips: Vec<[Place; 3]>,
}

/// A loop over positions: how many, and the way from one to the next; of the first entry of a strip the beginning.
type Place = Step;

impl Strips {
    /// Of these positions; `from` and `to` say where one lies. Within a run, and from run to run, that grows evenly.
    pub fn new(runs: &[Runs], from: impl Fn(i64) -> i64, to: impl Fn(i64) -> i64) -> Strips {
        let strip = |runs: &Runs| {
            let start = Step { extent: 1, from: from(runs.first), to: to(runs.first) };
            let way = |extent, further: i64| match extent {
                1 => Step { extent, from: 0, to: 0 },
                _ => Step {
                    extent,
                    from: from(runs.first + further) - start.from,
                    to: to(runs.first + further) - start.to,
                },
            };
            [start, way(runs.len, 1), way(runs.count, runs.step)]
        };
        Strips { strips: runs.iter().map(strip).collect() }
    }
}

/// The transfer of all combinations of strips, one of each dimension, of elements of `element` bytes that begin at
/// `from` and `to`.
pub fn product(element: usize, from: i64, to: i64, dims: &[Strips]) -> Transfer {
    let mut cells = vec![Cell { from, to, unit: element, steps: SmallVec::new() }];
    for dim in dims {
        let mut wider = Vec::with_capacity(cells.len() * dim.strips.len());
        for cell in &cells {
            for [start, within, between] in &dim.strips {
                let mut cell = cell.clone();
                cell.from += start.from;
                cell.to += start.to;
                cell.steps.extend([*within, *between].into_iter().filter(|step| step.extent > 1));
                wider.push(cell);
            }
        }
        cells = wider;
    }
    cells.iter_mut().for_each(simplify);
    Transfer::new(cells)
}

/// Brings the loops in the order of the memory of the side that gets, and what is contiguous on both sides together.
fn simplify(cell: &mut Cell) {
    cell.steps.sort_by_key(|step| (step.to.abs(), step.from.abs()));
    let mut steps: SmallVec<[Step; 4]> = SmallVec::new();
    for &step in &cell.steps {
        let unit = cell.unit as i64;
        if steps.is_empty() && step.from == unit && step.to == unit {
            cell.unit *= step.extent as usize;
            continue;
        }
        match steps.last_mut() {
            Some(last)
                if last.from * last.extent == step.from && last.to * last.extent == step.to =>
            {
                last.extent *= step.extent;
            }
            _ => steps.push(step),
        }
    }
    cell.steps = steps;
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
        let cell = |unit, steps: &[(i64, i64)]| {
            let step = |&(extent, from)| Step { extent, from, to: unit as i64 };
            Cell { from: 0, to: 0, unit, steps: steps.iter().map(step).collect() }
        };
        assert_eq!(cell(8, &[]).lines(), 1);
        assert_eq!(cell(640, &[]).lines(), 10);
        assert_eq!(cell(8, &[(512, 16)]).lines(), 128);
        assert_eq!(cell(8, &[(512, -4096)]).lines(), 512);
        assert_eq!(cell(8, &[(64, 272), (10, 20_000)]).lines(), 640);
        assert_eq!(cell(128, &[(10, 4096)]).lines(), 20);
        // The same element for many.
        assert_eq!(cell(8, &[(512, 0)]).lines(), 1);
    }

    #[test]
    fn what_is_contiguous_is_one_piece() {
        let all = |len| Strips::new(&[Runs::one(0, len).unwrap()], |k| k * 8, |k| k * 8);
        let rows = |len, from, to| {
            Strips::new(&[Runs::one(0, len).unwrap()], move |k| k * from, move |k| k * to)
        };
        let whole = product(8, 16, 0, &[all(10), rows(5, 80, 80)]);
        assert_eq!(whole.cells, [Cell { from: 16, to: 0, unit: 400, steps: SmallVec::new() }]);
        let part = product(8, 0, 0, &[all(10), rows(5, 160, 80), rows(3, 800, 400)]);
        let step = Step { extent: 15, from: 160, to: 80 };
        assert_eq!(
            part.cells,
            [Cell { from: 0, to: 0, unit: 80, steps: SmallVec::from_slice(&[step]) }]
        );
        assert_eq!(part.bytes(), 1200);
        assert_eq!(part.reversed().reversed(), part);
        let transposed = product(8, 0, 0, &[rows(4, 8, 40), rows(5, 32, 8)]);
        assert_eq!(transposed.cells[0].steps[0], Step { extent: 5, from: 32, to: 8 });
        let cyclic = Strips::new(&[Runs::every(0, 1, 3, 7).unwrap()], |k| k / 3 * 8, |k| k * 8);
        let cell = &product(8, 0, 0, &[cyclic]).cells[0];
        assert_eq!(cell.steps.as_slice(), [Step { extent: 7, from: 8, to: 24 }]);
    }
}
