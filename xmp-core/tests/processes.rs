//! Tests of the ends of Rust programs whose images are processes. Without a case in its environment this program runs
//! itself as several images for each case, and checks the output.

use std::process::{Command, ExitCode, Output};
use xmp_core::image::FailedCall;
use xmp_core::sync::Ordering;
use xmp_core::transport::processes;
use xmp_core::{Image, failure};

/// Name of the case that an image executes.
const CASE: &str = "PROCESSES_TEST_CASE";

fn main() -> ExitCode {
    match std::env::var(CASE) {
        Ok(case) => processes::run(|image| play(image, &case)),
        Err(_) => {
            check();
            ExitCode::SUCCESS
        }
    }
}

/// What the images do; in most cases image 2 is the one that ends in an unusual way.
fn play(image: &Image, case: &str) -> Result<(), Box<dyn std::error::Error>> {
    let me = image.rank().image();
    match (case, me) {
        ("write", _) => {
            // Each image counts itself in the segment of image 1, before it knows whether that has started.
            let word =
                image.local_address(xmp_core::Rank::new(0), image.layout().heap.start).unwrap();
            // SAFETY: aligned, in a heap without allocations.
            let word = unsafe { &*word.cast::<std::sync::atomic::AtomicU64>() };
            word.fetch_add(1, Ordering::SeqCst);
            let images = image.job().images() as u64;
            image.waits().until(|| Ok(()), || word.load(Ordering::SeqCst) == images)?;
            // The waiting image evaluates its condition again when its doorbell rings.
            image.job().ranks().for_each(|rank| image.transport().ring(rank));
            println!("image {me}");
            Ok(())
        }
        ("error", 2) => Err("no more flour".into()),
        ("called", _) => {
            let error = xmp_core::Error::Invalid("no more salt".into());
            let place = std::panic::Location::caller();
            let call = FailedCall {
                operation: "put",
                place,
                error: error.clone(),
                note: Some("of the pot".into()),
            };
            image.note_failed_call(call);
            Err(error.into())
        }
        ("panic", 2) => panic!("no more sugar"),
        ("exit", 2) => std::process::exit(7),
        ("exit well", 2) => std::process::exit(0),
        ("exit" | "exit well", _) => {
            // Ends when image 2 has, whatever its status.
            let second = [xmp_core::Rank::new(1)];
            let ended = image.waits().until(|| failure::check(image.job(), second), || false);
            assert_eq!(ended, Err(xmp_core::Error::StoppedImage(second[0])));
            Ok(())
        }
        // The others wait for something that never happens; the end of image 2 must end that.
        _ => Ok(image
            .waits()
            .until(|| failure::check(image.job(), image.job().ranks()), || false)?),
    }
}

fn run(images: u32, case: &str) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("XMP_") {
            command.env_remove(name);
        }
    }
    command.env(CASE, case).env("XMP_NUM_IMAGES", images.to_string()).output().unwrap()
}

fn check() {
    for images in [1, 2, 5] {
        let output = run(images, "write");
        assert!(output.status.success(), "{output:?}");
        assert_eq!(output.stdout.split(|&byte| byte == b'\n').count() as u32, images + 1);
    }
    let said = |case: &str, status: i32, text: &str| {
        let output = run(4, case);
        assert_eq!(output.status.code(), Some(status), "{case}: {output:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = stderr.lines().filter(|line| line.starts_with("xmp: ")).collect();
        let expected: Vec<&str> = text.lines().collect();
        assert_eq!(lines, expected, "{case}: {output:?}");
    };
    said("error", 1, "xmp: image 2: no more flour");
    let output = run(1, "called");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let (file, rest) = stderr.split_once(":").expect("a place");
    let (line, message) = rest.split_once(": ").expect("a place");
    assert!(file.ends_with("processes.rs") && line.parse::<u32>().is_ok(), "{stderr}");
    assert_eq!(message, "image 1: put: no more salt, of the pot\n");
    said("panic", 101, "xmp: image 2: panicked");
    said("exit", 7, "");
    said("exit well", 0, "");
    let mut bad = Command::new(std::env::current_exe().unwrap());
    let output = bad.env(CASE, "write").env("XMP_YIELDS", "some").output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stderr.starts_with(b"xmp: setting XMP_YIELDS: "), "{output:?}");
    println!("processes: ok");
}
