//! Three views of one job: heat in a plate by a stencil in global view; a ring of tracers that move along the images in
//! coarrays, each image putting into its neighbour's halo; and teams of images, a half each, that find out how much of
//! both they have. Compared with the exact results.
//!
//! usage: mixed [steps, default 60]

use std::process::ExitCode;
use xmp_coarray::global::{Format, GlobalView};
use xmp_coarray::prelude::*;

fn main() -> ExitCode {
    run(mixed)
}

/// Points of the plate in each direction.
const SIDE: usize = 48;
/// Tracers of an image.
const CELLS: usize = 16;

fn exact(steps: i32, [i, j]: [usize; 2]) -> f64 {
    let angle = std::f64::consts::PI / (SIDE - 1) as f64;
    angle.cos().powi(steps) * (angle * i as f64).sin() * (angle * j as f64).sin()
}

fn mixed(image: &Image) -> Result<()> {
    let steps = std::env::args().nth(1).map_or(Ok(60), |text| text.parse::<i32>());
    let steps = steps.ok().filter(|steps| *steps >= 0);
    let Some(steps) = steps else {
        return Err(Error::Invalid("usage: mixed [steps, at least 0]".into()));
    };
    let (me, images) = (image.this_image(), image.num_images());
    let (left, right) = ((me + images - 2) % images + 1, me % images + 1);

    let nodes = image.nodes([images])?;
    let plate = image.template(&nodes, [SIDE, SIDE], [Format::Block, Format::Collapsed])?;
    let mut old = image.array_with_shadow::<f64, 2>(&plate, [1, 0])?;
    let mut new = image.array_with_shadow::<f64, 2>(&plate, [1, 0])?;
    old.fill(|index| exact(0, index));
    new.fill(|index| exact(0, index));

    // Place 0 is the halo, which the left neighbour fills.
    let tracers = Coarray::<i64>::from_fn(image, CELLS + 1, |k| (me * CELLS + k) as i64)?;
    let mut neighbours = vec![left, right];
    neighbours.sort_unstable();
    neighbours.dedup();
    for _ in 0..steps {
        // Each tracer moves by one cell: the last one to the right neighbour.
        let cells = tracers.read_vec(1..=CELLS)?;
        tracers.put_one(right, 0, cells[CELLS - 1])?;
        old.reflect()?;
        for [i, j] in new.loop_on([1..SIDE - 1, 1..SIDE - 1]) {
            let sum = old[[i - 1, j]] + old[[i + 1, j]] + old[[i, j - 1]] + old[[i, j + 1]];
            new[[i, j]] = 0.25 * sum;
        }
        std::mem::swap(&mut old, &mut new);
        image.sync_images(&neighbours)?;
        let halo = tracers.read_one(0)?;
        tracers.write(2..=CELLS, &cells[..CELLS - 1])?;
        tracers.write_one(1, halo)?;
        // The neighbour has read its halo before it gets the next one.
        image.sync_images(&neighbours)?;
    }

    let cells = tracers.read_vec(1..=CELLS)?;
    let ring = (images * CELLS) as i64;
    let start = |k: usize| ((me - 1) * CELLS + k) as i64 - i64::from(steps);
    let lost = (0..CELLS).filter(|&k| cells[k] != start(k).rem_euclid(ring) + CELLS as i64 + 1);
    let mut wrong = lost.count() as u64;
    let mut heat = 0.0;
    for index in old.loop_on([0..SIDE, 0..SIDE]) {
        wrong += u64::from((old[index] - exact(steps, index)).abs() > 1e-12);
        heat += old[index];
    }

    // The halves of the images, by teams; then both together.
    let half = if 2 * me > images { 2 } else { 1 };
    let team = image.form_team(half)?;
    let mut of_half = [heat, cells.iter().sum::<i64>() as f64];
    image.change_team(&team, |team| team.co_sum(&mut of_half))?;
    let mut of_all = if image.on(&team)?.this_image() == 1 { of_half } else { [0.0; 2] };
    image.co_sum(&mut of_all)?;
    image.co_sum(&mut wrong)?;
    let all_tracers = (0..ring).map(|k| (k + CELLS as i64 + 1) as f64).sum::<f64>();
    if me == 1 {
        println!("heat {:.9}, first half {:.9}; tracers {}", of_all[0], of_half[0], of_all[1]);
    }
    tracers.free()?;
    if wrong == 0 && of_all[1] == all_tracers {
        Ok(())
    } else {
        Err(Error::Invalid(format!("{wrong} wrong, tracers {} not {all_tracers}", of_all[1])))
    }
}
