//! Conjugate gradients, and the power iteration around them.

use super::grid::Grid;
use super::matrix::Block;
use xmp_coarray::prelude::*;

/// The result of one step of the power iteration.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Norm of x - A z: how well the linear system was solved.
    pub residual: f64,
    /// The eigenvalue, as far as it is known.
    pub zeta: f64,
}

const CG_STEPS: usize = 25;

/// A linear system A z = x, cut over the grid, and the vectors that solving it takes.
#[derive(Debug)]
pub struct Solver<'g, 'i> {
    grid: &'g Grid<'i>,
    matrix: Block,
    p: Vec<f64>,
    q: Vec<f64>,
    r: Vec<f64>,
    /// Cut along the rows, unlike the others.
    w: Vec<f64>,
}

/// Eight partial sums: what the vector unit can add at the same time.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (x, y) = (x.chunks_exact(8), y.chunks_exact(8));
    for (x, y) in x.remainder().iter().zip(y.remainder()) {
        sums[0] += x * y;
    }
    for (x, y) in x.zip(y) {
        for k in 0..8 {
            sums[k] += x[k] * y[k];
        }
    }
    sums.iter().sum()
}

impl<'g, 'i> Solver<'g, 'i> {
    /// A solver for this image's block of the matrix.
    pub fn new(grid: &'g Grid<'i>, matrix: Block) -> Solver<'g, 'i> {
        let zeros = || vec![0.0; grid.col_range().len()];
        let w = vec![0.0; grid.row_range().len()];
        Solver { grid, matrix, p: zeros(), q: zeros(), r: zeros(), w }
    }

    /// One step of the inverse power iteration: x becomes z / |z|.
    ///
    /// # Errors
    /// When an image has stopped or failed.
    pub fn power_step(&mut self, shift: f64, x: &mut [f64], z: &mut [f64]) -> Result<Step> {
        let residual = self.solve(x, z)?;
        let mut products = [dot(x, z), dot(z, z)];
        self.grid.sum_over_row(&mut products)?;
        let scale = 1.0 / products[1].sqrt();
        x.iter_mut().zip(z).for_each(|(x, z)| *x = scale * *z);
        Ok(Step { residual, zeta: shift + 1.0 / products[0] })
    }

    /// z ~ A^-1 x; the norm of x - A z.
    fn solve(&mut self, x: &[f64], z: &mut [f64]) -> Result<f64> {
        z.fill(0.0);
        self.r.copy_from_slice(x);
        self.p.copy_from_slice(x);
        let mut rho = self.sum(dot(&self.r, &self.r))?;
        for _ in 0..CG_STEPS {
            self.multiply_p()?;
            let alpha = rho / self.sum(dot(&self.p, &self.q))?;
            z.iter_mut().zip(&self.p).for_each(|(z, p)| *z += alpha * p);
            self.r.iter_mut().zip(&self.q).for_each(|(r, q)| *r -= alpha * q);
            let before = rho;
            rho = self.sum(dot(&self.r, &self.r))?;
            let beta = rho / before;
            self.p.iter_mut().zip(&self.r).for_each(|(p, r)| *p = r + beta * *p);
        }
        self.p.copy_from_slice(z);
        self.multiply_p()?;
        self.r.iter_mut().zip(x).zip(&self.q).for_each(|((r, x), q)| *r = x - q);
        Ok(self.sum(dot(&self.r, &self.r))?.sqrt())
    }

    /// q = A p.
    fn multiply_p(&mut self) -> Result<()> {
        self.matrix.multiply(&self.p, &mut self.w);
        self.grid.sum_over_row(&mut self.w)?;
        self.grid.transpose(&self.w, &mut self.q)
    }

    /// Over the grid row, which has the whole vector.
    fn sum(&self, value: f64) -> Result<f64> {
        let mut value = [value];
        self.grid.sum_over_row(&mut value)?;
        Ok(value[0])
    }
}
