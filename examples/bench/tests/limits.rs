//! `xmp-bench limits` as a user starts it.

use std::process::{Command, Output};

fn limits(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xmp-bench")).arg("limits").args(arguments).output().unwrap()
}

/// The rows measured, `row,bytes`, with their times. Without the lines on rows that begin, and on operands whose pages the
/// kernel has taken back because the machine is short of memory.
fn measured(output: &Output) -> Vec<(String, f64)> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .filter(|line| !line.starts_with("begin,") && !line.starts_with("unwritten,"))
        .filter_map(|line| line.split_once(",mean,"))
        .map(|(row, parts)| {
            let parts: Vec<f64> = parts.split(',').map(|time| time.parse().unwrap()).collect();
            (row.to_owned(), parts.iter().sum::<f64>() / parts.len() as f64)
        })
        .collect()
}

#[test]
fn every_kind_of_row_is_measured_once_in_order() {
    let rows = "put8,put:4096,get:4096,pingpong,flag_one_way,sync_all,atomic_add_all,co_sum:8";
    let output = limits(&["--images", "2", rows, "1"]);
    assert!(output.status.success(), "{output:?}");
    let names: Vec<String> = measured(&output).into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "put8,8",
            "put,4096",
            "get,4096",
            "pingpong,8",
            "flag_one_way,0",
            "barrier_central,0",
            "barrier_dissemination,0",
            "sync_all,0",
            "atomic_add_all,4",
            "co_sum,8",
        ]
    );
    assert!(measured(&output).iter().all(|&(_, time)| time > 0.0));
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("end\n"));
}

/// The sums check themselves; a wrong one ends the program with an error. Five do not divide evenly.
#[test]
fn more_images_than_cores_and_odd_numbers_of_them_work() {
    for images in ["3", "5", "9"] {
        let output = limits(&["--images", images, "co_sum,sync_all", "1"]);
        assert!(output.status.success(), "{images} images: {output:?}");
        assert_eq!(measured(&output).len(), 7, "{images} images");
    }
}

#[test]
fn the_bandwidth_bound_is_measured_for_large_operands() {
    let output = limits(&["--images", "3", "team_sum", "1"]);
    assert!(output.status.success(), "{output:?}");
    let names: Vec<String> = measured(&output).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["team_sum,1048576", "team_sum,8388608"]);
}

#[test]
fn bad_numbers_of_images_are_refused() {
    for images in ["0", "1", "257", "x"] {
        let output = limits(&["--images", images]);
        assert_eq!(output.status.code(), Some(2), "{images}");
    }
}
