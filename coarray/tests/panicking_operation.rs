//! A panic in the middle of a collective.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use xmp_coarray::prelude::*;

/// Set in the process whose operation panics.
const PANICS: &str = "XMP_TEST_PANICS";

#[test]
fn a_panic_of_the_operation_of_a_reduction_ends_the_process() {
    if std::env::var_os(PANICS).is_some() {
        // Long vectors: the images read each other's memory in place.
        let _ = run_on_threads(2, |image| {
            let mut values = vec![image.this_image(); 1 << 20];
            image.co_reduce(&mut values, |a, b| if a + b == 3 { panic!("no sum") } else { a })
        });
        return;
    }
    let itself = std::env::current_exe().expect("the path of this program");
    let test = "a_panic_of_the_operation_of_a_reduction_ends_the_process";
    let outcome = Command::new(itself)
        .args([test, "--exact", "--nocapture"])
        .env(PANICS, "1")
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&outcome.stderr);
    assert_eq!(outcome.status.signal(), Some(6), "{text}");
    assert!(text.contains("no sum") && text.contains("in the middle of it"), "{text}");
}
