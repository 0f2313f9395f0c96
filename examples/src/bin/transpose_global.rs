//! The transpose of a matrix that is spread over images by rows: `gmove` brings it to a distribution by columns, where
//! each image transposes what it has and has its rows of the result. Compared at every element.
//!
//! usage: transpose_global [rows, default 600] [columns, default 400]

use std::process::ExitCode;
use xmp_coarray::global::{DistArray, Format, GlobalView, Pick, gmove};
use xmp_coarray::prelude::*;

fn main() -> ExitCode {
    run(transpose)
}

fn element([i, j]: [usize; 2]) -> f64 {
    (10_000 * i + j) as f64
}

/// The transpose, by rows as well.
fn transposed<'i>(
    image: &'i Image,
    matrix: &DistArray<'i, f64, 2>,
) -> Result<DistArray<'i, f64, 2>> {
    let [n, m] = matrix.extents();
    let nodes = image.nodes([image.num_images()])?;
    // Column j of the matrix is where row j of the result is.
    let columns = image.template(&nodes, [n, m], [Format::Collapsed, Format::Block])?;
    let rows = image.template(&nodes, [m, n], [Format::Block, Format::Collapsed])?;
    let mut by_columns = image.array::<f64, 2>(&columns)?;
    let mut result = image.array::<f64, 2>(&rows)?;
    let whole = [Pick::All, Pick::All];
    gmove(by_columns.section_mut(whole)?, matrix.section(whole)?)?;
    result.local_mut().assign(&by_columns.local().t());
    Ok(result)
}

fn transpose(image: &Image) -> Result<()> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let mut argument = |default| arguments.next().unwrap_or(Ok(default)).ok().filter(|&n| n > 0);
    let (Some(n), Some(m)) = (argument(600), argument(400)) else {
        return Err(Error::Invalid("usage: transpose_global [rows] [columns]".into()));
    };
    let nodes = image.nodes([image.num_images()])?;
    let rows = image.template(&nodes, [n, m], [Format::Block, Format::Collapsed])?;
    let mut matrix = image.array::<f64, 2>(&rows)?;
    matrix.fill(element);
    let result = transposed(image, &matrix)?;
    let mut wrong = 0_u64;
    for [j, i] in result.loop_on([0..m, 0..n]) {
        wrong += u64::from(result[[j, i]] != element([i, j]));
    }
    image.co_sum(&mut wrong)?;
    if image.this_image() == 1 {
        println!("{n} by {m} elements transposed, {wrong} wrong");
    }
    match wrong {
        0 => Ok(()),
        _ => Err(Error::Invalid(format!("{wrong} elements are wrong"))),
    }
}
