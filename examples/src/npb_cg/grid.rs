//! The grid of images, and its two exchanges.

use super::form::Form;
use std::cell::Cell;
use std::ops::{Range, RangeInclusive};
use xmp_coarray::prelude::*;

/// The place of an image in the grid.
#[derive(Debug)]
pub struct Grid<'i> {
    image: &'i Image,
    form: Form,
    rows: Range<usize>,
    cols: Range<usize>,
    /// The images of this grid row, as a range and as a team.
    row_images: RangeInclusive<usize>,
    row_team: Team,
    /// All images, by whose indices transposed images find each other wherever they are.
    all: Team,
    /// May be this image.
    transposed_image: usize,
    is_own_transposed: bool,
    /// What the transposed image needs of a vector that is cut along the rows, from this image's first row.
    send: Range<usize>,
    /// Where the transposed image puts what this one needs. The halves alternate: it writes one again only after
    /// the exchange in between, which this image enters when it has read that half. So one `sync_images` an
    /// exchange is enough.
    transposed: Coarray<'i, f64>,
    half: Cell<usize>,
}

/// The start of part k of n elements. The cuts into `parts` are among the cuts into 2 * parts: a grid row covers
/// two grid columns.
fn cut(n: usize, k: usize, parts: usize) -> usize {
    n * k / parts
}

impl<'i> Grid<'i> {
    /// The grid for vectors of `n` elements: square, or with twice as many columns as rows.
    ///
    /// # Errors
    /// When the number of images is not a power of two; as [`Coarray::new`].
    pub fn new(image: &'i Image, form: Form, n: usize) -> Result<Grid<'i>> {
        let images = image.num_images();
        if !images.is_power_of_two() {
            return Err(Error::Invalid(format!("{images} images, which is not a power of two")));
        }
        let rows = 1 << (images.ilog2() / 2);
        let cols = images / rows;
        let (row, col) = ((image.this_image() - 1) / cols, (image.this_image() - 1) % cols);
        let range = |k, parts| cut(n, k, parts)..cut(n, k + 1, parts);

        // The transposed image needs the part of this image's rows that is its column range.
        let ratio = cols / rows;
        let transposed_col = row * ratio + col % ratio;
        let needed = range(transposed_col, cols);
        let first_row = cut(n, row, rows);
        // Coarrays have one length on all images: the longest part decides.
        let transposed = Coarray::new(image, 2 * n.div_ceil(cols))?;
        let transposed_image = col / ratio * cols + transposed_col + 1;
        Ok(Grid {
            image,
            form,
            rows: range(row, rows),
            cols: range(col, cols),
            row_images: row * cols + 1..=(row + 1) * cols,
            row_team: image.form_team(row as i64 + 1)?,
            all: Team::current(image),
            transposed_image,
            is_own_transposed: transposed_image == image.this_image(),
            send: needed.start - first_row..needed.end - first_row,
            transposed,
            half: Cell::new(0),
        })
    }

    /// This image's rows of the matrix.
    pub fn row_range(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// This image's columns.
    pub fn col_range(&self) -> Range<usize> {
        self.cols.clone()
    }

    /// Sums over the images of the grid row; all get the same bits.
    ///
    /// # Errors
    /// When one of them has stopped or failed.
    pub fn sum_over_row(&self, values: &mut [f64]) -> Result<()> {
        let image = self.image;
        match self.form {
            Form::Tasks => image.task(self.row_images.clone(), |row| row.co_sum(values)).map(drop),
            Form::OnTeam => image.on(&self.row_team)?.co_sum(values),
            Form::Steps => image.co_sum(values),
            Form::Sums => image.change_team(&self.row_team, |row| row.co_sum(values)),
        }
    }

    /// Runs a step of the power iteration where the form has it.
    ///
    /// # Errors
    /// What `step` returns; when an image of the row has stopped or failed.
    pub fn visit<T>(&self, step: impl FnOnce() -> Result<T>) -> Result<T> {
        match self.form {
            Form::Steps => self.image.change_team(&self.row_team, |_| step()),
            Form::Tasks | Form::OnTeam | Form::Sums => step(),
        }
    }

    /// From w, cut along the grid rows, to q, cut along the grid columns.
    ///
    /// # Errors
    /// When the transposed image has stopped or failed.
    pub fn transpose(&self, w: &[f64], q: &mut [f64]) -> Result<()> {
        let w = &w[self.send.clone()];
        if self.is_own_transposed {
            q.copy_from_slice(w);
            return Ok(());
        }
        let start = self.half.get() * (self.transposed.len() / 2);
        self.transposed.put((&self.all, self.transposed_image), start..start + w.len(), w)?;
        self.image.on(&self.all)?.sync_images(&[self.transposed_image])?;
        self.half.set(1 - self.half.get());
        self.transposed.read(start..start + q.len(), q)
    }

    /// Gives the memory back, on all images.
    ///
    /// # Errors
    /// As [`Coarray::free`].
    pub fn free(self) -> Result<()> {
        self.transposed.free()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_twice_restores_the_matrix() {
        let n = 37;
        for (images, form) in [1, 2, 4, 8].into_iter().flat_map(|n| Form::ALL.map(|form| (n, form)))
        {
            run_on_threads(images, |image| {
                let grid = Grid::new(image, form, n)?;
                let round_trip = |round: usize| {
                    // Element k of the vector is k + round, everywhere.
                    let part = |range: Range<usize>| -> Vec<f64> {
                        range.map(|k| (k + round) as f64).collect()
                    };
                    let mut q = vec![0.0; grid.col_range().len()];
                    grid.transpose(&part(grid.row_range()), &mut q)?;
                    assert_eq!(q, part(grid.col_range()), "{images} images");
                    let mut count = [1.0];
                    grid.sum_over_row(&mut count)?;
                    assert_eq!(count[0] as usize, grid.row_images.clone().count());
                    Ok(())
                };
                for round in 0..5 {
                    grid.visit(|| round_trip(round))?;
                }
                grid.free()
            })
            .unwrap();
        }
    }
}
