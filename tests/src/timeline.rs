//! Timelines that `xmprun --trace` writes, and the program whose traffic is known.

use crate::marks::line_of;
use crate::program::fortran_source;
use crate::trace_format;
use crate::{Outcome, Program, Run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The program, which is compiled with line numbers.
pub fn traffic() -> PathBuf {
    Program::fortran("control/traffic").argument("-g").build()
}

/// The number of the line with a comment.
pub fn line(comment: &str) -> usize {
    let source = fs::read_to_string(fortran_source("control/traffic")).expect("the source");
    line_of(&source, comment).expect("a line with the comment")
}

/// A timeline that a run has written.
#[derive(Debug)]
pub struct Timeline(pub Value);

impl Timeline {
    /// The timeline in a file.
    ///
    /// # Panics
    /// When it is none, or breaks a rule of its format.
    pub fn read(file: &Path) -> Timeline {
        let text = fs::read_to_string(file).expect("the timeline");
        let timeline = serde_json::from_str(&text).expect("valid JSON");
        trace_format::check(&timeline);
        Timeline(timeline)
    }

    /// The spans of an image for the statement with this comment.
    pub fn spans<'a>(
        &'a self,
        category: &'a str,
        image: u64,
        comment: &str,
    ) -> impl Iterator<Item = &'a Value> + 'a {
        let place = format!("traffic.f90:{}", line(comment));
        self.of_image(category, image).filter(move |event| {
            event["args"]["at"].as_str().is_some_and(|at| at.ends_with(&place))
        })
    }

    /// All spans of an image.
    pub fn of_image<'a>(
        &'a self,
        category: &'a str,
        image: u64,
    ) -> impl Iterator<Item = &'a Value> + 'a {
        self.events().filter(move |event| {
            event["ph"] == "X" && event["cat"] == category && event["tid"] == image
        })
    }

    /// All its events.
    ///
    /// # Panics
    /// When it has none.
    pub fn events(&self) -> impl Iterator<Item = &Value> {
        self.0["traceEvents"].as_array().expect("events").iter()
    }

    /// Operation, partner and bytes of the spans of a statement.
    pub fn operations(&self, image: u64, comment: &str) -> Vec<(String, u64, u64)> {
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        self.spans("operation", image, comment)
            .map(|span| {
                let name = span["name"].as_str().expect("a name").to_string();
                (name, number(&span["args"]["partner"]), number(&span["args"]["bytes"]))
            })
            .collect()
    }
}

/// The timeline and the report of a run of the program with this many images and hosts.
///
/// # Panics
/// When it fails, or leaves other files than the timeline.
pub fn traced(images: u32, hosts: u32) -> (Timeline, Outcome) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("trace.json");
    let run = Run::new(traffic()).images(images).virtual_hosts(hosts).launcher_option("--report");
    let outcome = run.launcher_option("--trace").launcher_option(&file).finish();
    outcome.succeeded();
    let timeline = Timeline::read(&file);
    let left: Vec<_> = fs::read_dir(directory.path()).expect("the directory").collect();
    assert_eq!(left.len(), 1, "parts are removed: {left:?}");
    (timeline, outcome)
}

/// The trace of a conformance program, which says nothing when all is well.
pub fn traced_program(program: Program, images: u32) -> Timeline {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("trace.json");
    let run = Run::new(program.build()).images(images).launcher_option("--trace");
    run.launcher_option(&file).finish().succeeded().stdout_is("");
    Timeline::read(&file)
}
