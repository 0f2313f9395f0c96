//! Messages about calls that fail, and about a deadlock: they name the line of the program. It runs itself as two images for each
//! case.

use std::process::{Command, ExitCode};
use xmp_coarray::global::{GlobalView, gmove};
use xmp_coarray::prelude::*;
use xmp_core::global::{Format, Pick, Progression};

/// Name of the case that an image executes.
const CASE: &str = "FAILED_CALLS_CASE";

fn main() -> ExitCode {
    match std::env::var(CASE) {
        Ok(case) => run(|image| play(image, &case)),
        Err(_) => {
            an_error_names_the_call_of_the_program();
            ExitCode::SUCCESS
        }
    }
}

/// Image 2 does otherwise than image 1.
fn play(image: &Image, case: &str) -> Result<()> {
    let other = image.this_image() == 2;
    match case {
        "sum" => {
            let sum = image.begin_co_sum(vec![1.0; if other { 2 } else { 1 }]);
            sum.wait().map(drop)
        }
        "gather" => {
            let parts = image.begin_co_gather(&vec![1_i64; if other { 2 } else { 1 }], 1)?;
            while !parts.test()? {}
            image.sync_all()
        }
        "allocate" => Coarray::filled(image, if other { 2 } else { 1 }, 1.0)?.free(),
        "gmove" => {
            let template = image.template(&image.nodes([2])?, [10], [Format::Block])?;
            let [mut to, from] = [image.array::<f64, 1>(&template)?, image.array(&template)?];
            let some = Pick::Row(Progression { first: 0, step: 1, count: 3 });
            gmove(to.section_mut([Pick::All])?, from.section([some])?)
        }
        "deadlock" if other => image.sync_all().and_then(|()| image.sync_all()),
        "deadlock" => image.sync_images(&[2]),
        _ if other => Ok(()),
        _ => image.begin_co_min(vec![1]).wait().map(drop),
    }
}

/// Looks for these words on standard error. Which image reports an error of both is by chance.
fn an_error_names_the_call_of_the_program() {
    let itself = std::env::current_exe().expect("the path of this program");
    for (case, line, words) in [
        ("sum", 27, ": begin_co_sum: "),
        ("gather", 31, ": begin_co_gather: "),
        ("allocate", 35, ": Coarray::filled: image 1 allocates 8 bytes, image 2 16 bytes"),
        ("gmove", 40, ": gmove: shape (10) is assigned from shape (3)"),
        ("deadlock", 42, ", waits for image 1"),
        ("ended", 45, ": image 1: begin_co_min: image 2 has stopped"),
    ] {
        let mut command = Command::new(&itself);
        let outcome = command.env(CASE, case).env("XMP_NUM_IMAGES", "2").output();
        let outcome = outcome.expect("the program starts");
        let text = String::from_utf8_lossy(&outcome.stderr);
        assert!(!outcome.status.success(), "{case}");
        let place = format!("failed_calls.rs:{line}");
        let is_found = text.lines().any(|it| it.contains(&place) && it.contains(words));
        assert!(is_found, "{case}: no line with {place} and {words}: {text}");
    }
}
