//! Random access in Rust: `random_access [LOG2_WORDS]`, on any number of images.

use clap::Parser;
use std::process::ExitCode;
use xmp_coarray::prelude::*;
use xmp_examples::random_access;

/// Atomic updates all over a table that is on all images, after the HPC Challenge benchmark.
#[derive(Parser)]
struct Options {
    /// Size of the table: 2 to this power words of 8 bytes, on all images together
    #[arg(default_value_t = 22, value_parser = clap::value_parser!(u32).range(0..=40))]
    log2_words: u32,
}

fn main() -> ExitCode {
    let Options { log2_words } = Options::parse();
    run(|image| {
        let report = random_access::run(image, log2_words)?;
        if image.this_image() == 1 {
            println!("Random access, Rust coarrays, images {}\n{report}", image.num_images());
        }
        match report.errors {
            0 => Ok(()),
            errors => Err(Error::Invalid(format!("{errors} words are wrong"))),
        }
    })
}
