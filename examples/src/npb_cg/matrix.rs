//! The matrix: the sum over i of size(i) v(i) v(i)^T with sparse random v(i), plus (0.1 - shift) times the identity.

use super::class::Class;
use super::random::Stream;
use std::ops::Range;

const CONDITION: f64 = 0.1;

/// A block of the matrix, with its rows compressed.
#[derive(Debug)]
pub struct Block {
    row_start: Vec<usize>,
    /// Counted from the block's first column.
    column: Vec<u32>,
    value: Vec<f64>,
}

impl Block {
    /// w = block * p.
    pub fn multiply(&self, p: &[f64], w: &mut [f64]) {
        for (row, w) in self.row_start.windows(2).zip(w) {
            let (values, columns) = (&self.value[row[0]..row[1]], &self.column[row[0]..row[1]]);
            // Two partial sums, as one would wait for each addition.
            let (mut even, mut odd) = (0.0, 0.0);
            let (value_pairs, last_value) = values.as_chunks();
            let (column_pairs, last_column) = columns.as_chunks();
            for ([v, u], [c, d]) in value_pairs.iter().zip(column_pairs) {
                even += v * p[*c as usize];
                odd += u * p[*d as usize];
            }
            if let ([v], [c]) = (last_value, last_column) {
                even += v * p[*c as usize];
            }
            *w = even + odd;
        }
    }
}

/// The elements of a generating vector: row and value.
type Generator = Vec<(usize, f64)>;

/// The block of these rows and columns. Every image computes the generating vectors of all.
pub fn build(class: &Class, rows: Range<usize>, cols: Range<usize>) -> Block {
    let generators = generate(class);
    let entries = Entries {
        uses: uses(&generators, &cols),
        factor: CONDITION.powf(1.0 / class.order as f64),
        diagonal: CONDITION - class.shift,
        generators,
        rows: rows.clone(),
        cols,
    };
    // Rows are filled column by column, so each comes out sorted and equal columns meet at its end: linear
    // time, no sorting. A first pass counts.
    let mut row_start = vec![0; rows.len() + 1];
    entries.visit(|row, _, is_new, _| row_start[row + 1] += usize::from(is_new));
    for row in 0..rows.len() {
        row_start[row + 1] += row_start[row];
    }
    let (mut column, mut value) =
        (vec![0; row_start[rows.len()]], vec![0.0; row_start[rows.len()]]);
    let mut end = row_start.clone();
    entries.visit(|row, col, is_new, entry| {
        end[row] += usize::from(is_new);
        column[end[row] - 1] = col as u32;
        value[end[row] - 1] += entry;
    });
    Block { row_start, column, value }
}

fn generate(class: &Class) -> Vec<Generator> {
    let mut stream = Stream::new();
    // The specification draws one number before the matrix.
    stream.advance();
    let bits = class.order.next_power_of_two().trailing_zeros();
    let vector = |i| {
        let mut vector: Generator = Vec::with_capacity(class.nonzeros + 1);
        while vector.len() < class.nonzeros {
            let (element, row) = (stream.uniform(), stream.leading_bits(bits));
            if row < class.order && vector.iter().all(|&(other, _)| other != row) {
                vector.push((row, element));
            }
        }
        // Element i of vector i is one half, so that the diagonal is full.
        match vector.iter_mut().find(|(row, _)| *row == i) {
            Some((_, element)) => *element = 0.5,
            None => vector.push((i, 0.5)),
        }
        vector
    };
    (0..class.order).map(vector).collect()
}

/// For each of the columns the generating vectors that have an element there, and the element.
fn uses(generators: &[Generator], cols: &Range<usize>) -> Vec<Vec<(usize, f64)>> {
    let mut uses = vec![Vec::new(); cols.len()];
    for (i, generator) in generators.iter().enumerate() {
        for &(col, element) in generator.iter().filter(|(col, _)| cols.contains(col)) {
            uses[col - cols.start].push((i, element));
        }
    }
    uses
}

/// What a block is the sum of.
struct Entries {
    generators: Vec<Generator>,
    uses: Vec<Vec<(usize, f64)>>,
    /// From the size of a generating vector to that of the next.
    factor: f64,
    diagonal: f64,
    rows: Range<usize>,
    cols: Range<usize>,
}

impl Entries {
    /// Calls `entry(row, col, is_new, value)`, column by column; `is_new` when it is the first of its place. Rows and
    /// columns count from the block's first.
    fn visit(&self, mut entry: impl FnMut(usize, usize, bool, f64)) {
        let weights: Vec<f64> =
            std::iter::successors(Some(1.0), |weight| Some(weight * self.factor))
                .take(self.generators.len())
                .collect();
        let mut latest = vec![usize::MAX; self.rows.len()];
        for (col, uses) in self.uses.iter().enumerate() {
            for &(i, in_col) in uses {
                for &(row, in_row) in self.generators[i].iter().filter(|e| self.rows.contains(&e.0))
                {
                    let mut value = in_col * (weights[i] * in_row);
                    if row == col + self.cols.start && row == i {
                        value += self.diagonal;
                    }
                    let row = row - self.rows.start;
                    entry(row, col, latest[row] != col, value);
                    latest[row] = col;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_parts_of_the_whole() {
        let class = Class { order: 60, ..Class::ALL[0] };
        let whole = build(&class, 0..60, 0..60);
        let dense = |block: &Block, cols: usize| {
            let mut dense = vec![0.0; (block.row_start.len() - 1) * cols];
            for row in 0..block.row_start.len() - 1 {
                for k in block.row_start[row]..block.row_start[row + 1] {
                    dense[row * cols + block.column[k] as usize] = block.value[k];
                }
            }
            dense
        };
        let all = dense(&whole, 60);
        for k in 0..60 * 60 {
            let mirrored = all[k % 60 * 60 + k / 60];
            assert!(
                (all[k] - mirrored).abs() <= 1e-15 * mirrored.abs(),
                "symmetric but for rounding"
            );
        }
        let part = dense(&build(&class, 20..45, 7..31), 24);
        for (k, &value) in part.iter().enumerate() {
            assert_eq!(value, all[(20 + k / 24) * 60 + 7 + k % 24]);
        }
        let (p, mut w) = ((0..60).map(f64::from).collect::<Vec<_>>(), [0.0; 60]);
        whole.multiply(&p, &mut w);
        for (row, w) in w.iter().enumerate() {
            let expected: f64 = (0..60).map(|col| all[row * 60 + col] * p[col]).sum();
            assert!((w - expected).abs() <= 1e-12 * expected.abs());
        }
    }
}
