//! NPB CG: the smallest eigenvalue of a sparse symmetric matrix by inverse power iteration, each step solved by 25
//! steps of conjugate gradients. Written from the NAS Parallel Benchmarks specification, as `fortran/npb_cg.f90` is.
//!
//! The images form a grid. The matrix is cut in blocks along the grid; vectors are cut along the columns and repeated
//! in each row of the grid. A product w = A p is a local product, a sum over the images of the grid row, and an
//! exchange with the transposed image that turns the result, cut along the rows, back into one cut along the columns.
//!
//! The sums are `co_sum` of the images of a row, in one of several [`Form`]s, which show what task regions and teams
//! cost; `fortran/npb_cg_teams.f90` has two of them.

mod class;
mod form;
mod grid;
mod matrix;
mod random;
mod report;
mod solver;

pub use class::Class;
pub use form::Form;
pub use report::Report;
pub use solver::Step;

use grid::Grid;
use solver::Solver;
use std::time::Instant;
use xmp_coarray::prelude::*;

/// Runs the benchmark; `progress` hears of each iteration, counted from 1. All images call it and get the same report.
///
/// # Errors
/// When the number of images is not a power of two; when an image has stopped or failed.
pub fn run(
    image: &Image,
    class: &Class,
    form: Form,
    mut progress: impl FnMut(u32, Step),
) -> Result<Report> {
    let grid = Grid::new(image, form, class.order)?;
    let matrix = matrix::build(class, grid.row_range(), grid.col_range());
    let len = grid.col_range().len();
    let mut solver = Solver::new(&grid, matrix);
    let (mut x, mut z) = (vec![1.0; len], vec![0.0; len]);

    // One step touches all data; then everything starts again under the clock.
    let mut step = grid.visit(|| solver.power_step(class.shift, &mut x, &mut z))?;
    x.fill(1.0);
    image.sync_all()?;
    let clock = Instant::now();
    for iteration in 1..=class.iterations {
        step = grid.visit(|| solver.power_step(class.shift, &mut x, &mut z))?;
        progress(iteration, step);
    }
    let mut seconds = clock.elapsed().as_secs_f64();
    image.co_max(&mut seconds)?;
    grid.free()?;
    Ok(Report { form, class: *class, images: image.num_images(), zeta: step.zeta, seconds })
}
