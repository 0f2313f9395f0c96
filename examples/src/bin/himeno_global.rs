//! The Himeno benchmark in global view: a 19-point stencil on a pressure field that is one array over all images, whose
//! borders are exchanged with `reflect`. Compared with image 1 alone, which gets the field with `gmove`: the same bits.
//!
//! usage: himeno_global [size XS, S or M, default XS] [sweeps, default 4]

use std::process::ExitCode;
use std::time::Instant;
use xmp_coarray::global::{DistArray, Format, GlobalView, Nodes, Pick, gmove};
use xmp_coarray::prelude::*;

fn main() -> ExitCode {
    run(himeno)
}

type Field<'i> = DistArray<'i, f32, 3>;

/// Floating-point operations of a point, as the benchmark counts them.
const OPERATIONS: f64 = 34.0;
const OMEGA: f32 = 0.8;

/// The field, the coefficients of the equation and work arrays, all with the same mapping.
struct Arrays<'i> {
    p: Field<'i>,
    next: Field<'i>,
    a: [Field<'i>; 4],
    b: [Field<'i>; 3],
    c: [Field<'i>; 3],
    source: Field<'i>,
    mask: Field<'i>,
}

impl<'i> Arrays<'i> {
    /// Of these extents on nodes in two dimensions, with the initial values of the benchmark.
    fn new(image: &'i Image, nodes: &std::rc::Rc<Nodes>, extents: [usize; 3]) -> Result<Self> {
        let space =
            image.template(nodes, extents, [Format::Block, Format::Block, Format::Collapsed])?;
        let field = |value: f32| -> Result<Field<'i>> {
            let mut field = image.array_with_shadow::<f32, 3>(&space, [1, 1, 0])?;
            field.stored_mut().fill(value);
            Ok(field)
        };
        let mut p = field(0.0)?;
        let last = (extents[0] - 1) as f32;
        p.fill(|[i, _, _]| (i * i) as f32 / (last * last));
        let mut next = field(0.0)?;
        next.fill(|[i, _, _]| (i * i) as f32 / (last * last));
        Ok(Arrays {
            p,
            next,
            a: [field(1.0)?, field(1.0)?, field(1.0)?, field(1.0 / 6.0)?],
            b: [field(0.0)?, field(0.0)?, field(0.0)?],
            c: [field(1.0)?, field(1.0)?, field(1.0)?],
            source: field(0.0)?,
            mask: field(1.0)?,
        })
    }

    /// One sweep over this image's part; the sum of squared changes.
    fn sweep(&mut self) -> Result<f64> {
        self.p.reflect()?;
        let [n, m, l] = self.p.extents();
        let mine = self.p.loop_on([1..n - 1, 1..m - 1, 1..2]);
        let Arrays { p, next, a, b, c, source, mask } = self;
        // The first index of this image, whose place is after the shadow, says where all others are.
        let Some([top, left, _]) = p.loop_on([0..n, 0..m, 0..1]).next() else { return Ok(0.0) };
        let places: Vec<[usize; 2]> = mine.map(|[i, j, _]| [i - top + 1, j - left + 1]).collect();
        let p = p.local();
        let [a, b, c] =
            [&a[..], b, c].map(|fields| fields.iter().map(Field::local).collect::<Vec<_>>());
        let (source, mask) = (source.local(), mask.local());
        let mut next = next.local_mut();
        let mut changes = 0.0;
        for [i, j] in places {
            for k in 1..l - 1 {
                let at = [i, j, k];
                let sum = a[0][at] * p[[i + 1, j, k]]
                    + a[1][at] * p[[i, j + 1, k]]
                    + a[2][at] * p[[i, j, k + 1]]
                    + b[0][at]
                        * (p[[i + 1, j + 1, k]] - p[[i + 1, j - 1, k]] - p[[i - 1, j + 1, k]]
                            + p[[i - 1, j - 1, k]])
                    + b[1][at]
                        * (p[[i, j + 1, k + 1]] - p[[i, j - 1, k + 1]] - p[[i, j + 1, k - 1]]
                            + p[[i, j - 1, k - 1]])
                    + b[2][at]
                        * (p[[i + 1, j, k + 1]] - p[[i - 1, j, k + 1]] - p[[i + 1, j, k - 1]]
                            + p[[i - 1, j, k - 1]])
                    + c[0][at] * p[[i - 1, j, k]]
                    + c[1][at] * p[[i, j - 1, k]]
                    + c[2][at] * p[[i, j, k - 1]]
                    + source[at];
                let change = (sum * a[3][at] - p[at]) * mask[at];
                changes += f64::from(change * change);
                next[at] = p[at] + OMEGA * change;
            }
        }
        std::mem::swap(&mut self.p, &mut self.next);
        Ok(changes)
    }
}

/// Images in two directions, as near to a square as they can be.
fn grid(images: usize) -> [usize; 2] {
    let rows = (1..=images).take_while(|rows| rows * rows <= images);
    let rows = rows.filter(|rows| images.is_multiple_of(*rows)).last().unwrap_or(1);
    [rows, images / rows]
}

fn himeno(image: &Image) -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let extents = match arguments.next().as_deref() {
        None | Some("XS") => [32, 32, 64],
        Some("S") => [64, 64, 128],
        Some("M") => [128, 128, 256],
        Some(other) => {
            return Err(Error::Invalid(format!("size {other:?} is not one of XS, S, M")));
        }
    };
    let sweeps = arguments.next().map_or(Ok(4), |text| text.parse::<u32>());
    let sweeps = sweeps.map_err(|error| Error::Invalid(format!("sweeps: {error}")))?;

    let mut arrays = Arrays::new(image, &image.nodes(grid(image.num_images()))?, extents)?;
    image.sync_all()?;
    let started = Instant::now();
    let mut gosa = 0.0;
    for _ in 0..sweeps {
        gosa = arrays.sweep()?;
        image.co_sum(&mut gosa)?;
    }
    let seconds = started.elapsed().as_secs_f64();

    // The first image gets all of it, and does the same alone.
    let first = image.nodes([1, 1])?;
    let here =
        image.template(&first, extents, [Format::Block, Format::Block, Format::Collapsed])?;
    let mut whole = image.array::<f32, 3>(&here)?;
    let all = [Pick::All, Pick::All, Pick::All];
    gmove(whole.section_mut(all)?, arrays.p.section(all)?)?;
    let checked = image.task_on(&first, |image| {
        let mut alone = Arrays::new(image, &image.nodes([1, 1])?, extents)?;
        for _ in 0..sweeps {
            alone.sweep()?;
        }
        let [n, m, l] = extents;
        Ok(whole
            .loop_on([0..n, 0..m, 0..l])
            .filter(|&index| whole[index] != alone.p[index])
            .count())
    })?;
    let Some(wrong) = checked else { return Ok(()) };
    let points: f64 = extents.iter().map(|extent| (extent - 2) as f64).product();
    let rate = 1e-6 * OPERATIONS * points * f64::from(sweeps) / seconds;
    println!(
        "{extents:?}: {sweeps} sweeps, gosa {gosa:.6e}, {rate:.0} MFLOPS, {wrong} wrong points"
    );
    match wrong {
        0 => Ok(()),
        _ => Err(Error::Invalid(format!("{wrong} points differ from what image 1 computes alone"))),
    }
}
