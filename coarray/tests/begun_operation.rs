//! The message about an operation in the background that fails. The program runs itself as two images for each case.

use std::process::{Command, ExitCode};
use xmp_coarray::prelude::*;

/// Name of the case that an image executes.
const CASE: &str = "BEGUN_OPERATION_CASE";

fn main() -> ExitCode {
    match std::env::var(CASE) {
        Ok(case) => run(|image| play(image, &case)),
        Err(_) => {
            an_error_that_a_wait_finds_names_the_call_that_has_begun_the_operation();
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
        _ if other => Ok(()),
        _ => image.begin_co_min(vec![1]).wait().map(drop),
    }
}

fn an_error_that_a_wait_finds_names_the_call_that_has_begun_the_operation() {
    let itself = std::env::current_exe().expect("the path of this program");
    for (case, line, call) in [
        ("sum", 24, "begin_co_sum"),
        ("gather", 28, "begin_co_gather"),
        ("ended", 33, "begin_co_min"),
    ] {
        let mut command = Command::new(&itself);
        let outcome = command.env(CASE, case).env("XMP_NUM_IMAGES", "2").output();
        let outcome = outcome.expect("the program starts");
        let text = String::from_utf8_lossy(&outcome.stderr);
        assert!(!outcome.status.success(), "{case}");
        let expected = format!("begun_operation.rs:{line}: image 1: {call}: ");
        let at_any = expected.replace("image 1", "image 2");
        assert!(text.contains(&expected) || text.contains(&at_any), "{case}: {text}");
    }
}
