//! Heat conduction in a square plate, in global view: one array over all images, whose borders are exchanged with
//! `reflect`, and in the end brought to one image with `gmove`. Compared with the exact result at every point.
//!
//! usage: heat_global [points in each direction, default 200] [steps, default 500]

use std::process::ExitCode;
use xmp_coarray::global::{DistArray, Format, GlobalView, Pick, gmove};
use xmp_coarray::prelude::*;

fn main() -> ExitCode {
    run(heat)
}

/// Images in two directions, as near to a square as they can be.
fn grid(images: usize) -> [usize; 2] {
    let rows = (1..=images).take_while(|rows| rows * rows <= images);
    let rows = rows.filter(|rows| images.is_multiple_of(*rows)).last().unwrap_or(1);
    [rows, images / rows]
}

/// The plate after this many steps, when it begins as a half wave in both directions and its borders stay cold: each step
/// of the difference scheme makes it smaller by the same factor everywhere.
fn exact(n: usize, steps: i32, [i, j]: [usize; 2]) -> f64 {
    let angle = std::f64::consts::PI / (n - 1) as f64;
    let factor = angle.cos();
    factor.powi(steps) * (angle * i as f64).sin() * (angle * j as f64).sin()
}

fn heat(image: &Image) -> Result<()> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let mut argument = |default| arguments.next().unwrap_or(Ok(default)).ok().filter(|&n| n > 2);
    let (Some(n), Some(steps)) = (argument(200), argument(500)) else {
        return Err(Error::Invalid(
            "usage: heat_global [points, at least 3] [steps, at least 3]".into(),
        ));
    };
    let nodes = image.nodes(grid(image.num_images()))?;
    let plate = image.template(&nodes, [n, n], [Format::Block, Format::Block])?;
    let mut old = image.array_with_shadow::<f64, 2>(&plate, [1, 1])?;
    let mut new = image.array_with_shadow::<f64, 2>(&plate, [1, 1])?;
    old.fill(|index| exact(n, 0, index));
    new.fill(|index| exact(n, 0, index));
    for _ in 0..steps {
        old.reflect()?;
        step(&old, &mut new);
        std::mem::swap(&mut old, &mut new);
    }
    check(image, &old, n, steps as i32)
}

/// The mean of the four neighbours, everywhere but on the border of the plate.
fn step(old: &DistArray<'_, f64, 2>, new: &mut DistArray<'_, f64, 2>) {
    let [n, m] = old.extents();
    for [i, j] in new.loop_on([1..n - 1, 1..m - 1]) {
        let sum = old[[i - 1, j]] + old[[i + 1, j]] + old[[i, j - 1]] + old[[i, j + 1]];
        new[[i, j]] = 0.25 * sum;
    }
}

/// Compares with the exact result, part by part and as a whole on the first image.
fn check(image: &Image, result: &DistArray<'_, f64, 2>, n: usize, steps: i32) -> Result<()> {
    let mut error = [0.0_f64];
    for index in result.loop_on([0..n, 0..n]) {
        error[0] = error[0].max((result[index] - exact(n, steps, index)).abs());
    }
    let all = image.nodes([image.num_images()])?;
    image.reduce_on(&all, &mut error, Op::Max)?;

    // An array that the first image has alone.
    let there = image.template(&image.nodes([1])?, [n, n], [Format::Block, Format::Collapsed])?;
    let mut whole = image.array::<f64, 2>(&there)?;
    gmove(whole.section_mut([Pick::All, Pick::All])?, result.section([Pick::All, Pick::All])?)?;
    let center = whole.get([n / 2, n / 2]);
    if let Some(center) = center {
        println!("center {center:.6}, greatest error {:.1e}", error[0]);
        let expected = exact(n, steps, [n / 2, n / 2]);
        if (center - expected).abs() > 1e-12 {
            return Err(Error::Invalid(format!("the center is {center}, not {expected}")));
        }
    }
    if error[0] < 1e-12 { Ok(()) } else { Err(Error::Invalid(format!("an error of {}", error[0]))) }
}
