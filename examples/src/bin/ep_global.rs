//! NPB EP in global view: pairs of Gaussian numbers, in batches that are dealt to the images; sums and counts are
//! combined at the end. Verified with the official sums.
//!
//! usage: ep_global [class S, W or A, default S]

use std::process::ExitCode;
use xmp_coarray::global::{Format, GlobalView};
use xmp_coarray::prelude::*;

fn main() -> ExitCode {
    run(ep)
}

/// log2 of the pairs in a batch.
const BATCH: u32 = 16;
/// Multiplier and first value of the official generator, which counts modulo 2^46.
const MULTIPLIER: u64 = 1_220_703_125;
const FIRST: u64 = 271_828_183;
const MODULUS: u64 = 1 << 46;

/// Name, log2 of the number of pairs, official sums.
const CLASSES: [(&str, u32, [f64; 2]); 3] = [
    ("S", 24, [-3.247_834_652_034_74e3, -6.958_407_078_382_297e3]),
    ("W", 25, [-2.863_319_731_645_753e3, -6.320_053_679_109_499e3]),
    ("A", 28, [-4.295_875_165_629_892e3, -1.580_732_573_678_431e4]),
];

/// What is left of a product modulo 2^46: the low bits of the wrapped product are those of the whole one.
fn times(a: u64, b: u64) -> u64 {
    a.wrapping_mul(b) % MODULUS
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent /= 2;
    }
    result
}

/// Sums of the numbers of a batch, and how many pairs have their greater one between k and k + 1.
fn batch(number: usize, sums: &mut [f64; 2], counts: &mut [u64; 10]) {
    let mut state = times(FIRST, power(MULTIPLIER, (2 << BATCH) * number as u64));
    let mut uniform = || {
        state = times(MULTIPLIER, state);
        2.0 * (state as f64 / MODULUS as f64) - 1.0
    };
    for _ in 0..1 << BATCH {
        let (x, y) = (uniform(), uniform());
        let square = x * x + y * y;
        if square <= 1.0 {
            let factor = (-2.0 * square.ln() / square).sqrt();
            let (x, y) = (factor * x, factor * y);
            counts[x.abs().max(y.abs()) as usize] += 1;
            sums[0] += x;
            sums[1] += y;
        }
    }
}

fn ep(image: &Image) -> Result<()> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "S".into());
    let class = CLASSES.iter().find(|class| class.0 == name);
    let &(_, pairs, official) =
        class.ok_or_else(|| Error::Invalid(format!("class {name:?} is not one of S, W, A")))?;
    let nodes = image.nodes([image.num_images()])?;
    let batches = image.template(&nodes, [1 << (pairs - BATCH)], [Format::Cyclic])?;
    let work = image.array::<u8, 1>(&batches)?;
    let (mut sums, mut counts) = ([0.0; 2], [0; 10]);
    for [number] in work.loop_on(work.extents().map(|batches| 0..batches)) {
        batch(number, &mut sums, &mut counts);
    }
    image.reduce_on(&nodes, &mut sums, Op::Sum)?;
    image.reduce_on(&nodes, &mut counts, Op::Sum)?;
    let right =
        sums.iter().zip(official).all(|(sum, official)| (sum / official - 1.0).abs() < 1e-8);
    if image.this_image() == 1 {
        println!(
            "EP class {name}: {} pairs, sums {sums:?}, counts {counts:?}",
            counts.iter().sum::<u64>()
        );
        println!("VERIFICATION {}", if right { "SUCCESSFUL" } else { "FAILED" });
    }
    if right {
        Ok(())
    } else {
        Err(Error::Invalid(format!("the sums are {sums:?}, not {official:?}")))
    }
}
