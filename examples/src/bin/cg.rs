//! The NPB CG benchmark in Rust: `cg [S|W|A|B] [tasks|on-team|steps|sums]`, on any power-of-two number of images.

use clap::Parser;
use std::process::ExitCode;
use xmp_coarray::prelude::*;
use xmp_examples::npb_cg::{self, Class, Form};

/// NAS Parallel Benchmarks CG over coarrays.
#[derive(Parser)]
struct Options {
    /// Class of the problem: S, W, A or B
    #[arg(default_value = "A")]
    class: Class,
    /// How sums over a grid row are written: tasks, on-team, steps or sums
    #[arg(default_value = "tasks")]
    form: Form,
}

fn main() -> ExitCode {
    let Options { class, form } = Options::parse();
    run(|image| cg(image, &class, form))
}

fn cg(image: &Image, class: &Class, form: Form) -> Result<()> {
    let first = image.this_image() == 1;
    if first {
        println!("NAS Parallel Benchmarks CG, Rust coarrays");
        println!(" class {class}, order {}, images {}\n", class.order, image.num_images());
        println!("  iteration        ||r||                  zeta");
    }
    let report = npb_cg::run(image, class, form, |iteration, step| {
        if first {
            println!("{iteration:8}    {:22.14e}{:22.13}", step.residual, step.zeta);
        }
    })?;
    if first {
        println!("\n CG benchmark completed\n{report}");
    }
    if report.is_verified() {
        Ok(())
    } else {
        Err(Error::Invalid("the verification has failed".into()))
    }
}
