//! `xmprun --stacks`: the stacks of all images of a running job, by gdb; equal stacks are printed once.

mod frames;
mod processes;

use crate::output::status_after;
pub use frames::{Thread, threads};
use processes::Image;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::Command;
use xmp_core::hosts::{self, StackText};
use xmp_core::{Error, Result, launch};

/// Frames of a stack that gdb is asked for.
const DEPTH: &str = "64";

/// Prints the stacks of the job whose `xmprun` has this process id, and returns the exit status: 1 if the stacks of an
/// image cannot be read.
///
/// # Errors
/// When there is no such job.
pub fn print(job: u32) -> Result<i32> {
    let images = processes::images_of(job).map_err(|error| {
        let what = format!("--stacks {job}: cannot look at process {job}");
        let hint = ": a job can be looked at by the user who runs it, and by root";
        Error::os_with_hint(what, error, hint)
    })?;
    let texts = if images.is_empty() {
        hosts::ask_for_stacks(job)?.unwrap_or_default()
    } else {
        images.into_iter().map(backtraces).collect()
    };
    if texts.is_empty() {
        return Err(Error::Invalid(format!(
            "--stacks {job}: process {job} has no images: give the process id of the xmprun that runs them \
             (pgrep -n -x -u \"$USER\" xmprun)"
        )));
    }
    let mut stacks: BTreeMap<Thread, Vec<u32>> = BTreeMap::new();
    let mut status = 0;
    for StackText { image, process, text, errors } in texts {
        let threads = threads(&text);
        if threads.is_empty() {
            status = 1;
            launch::report(format_args!(
                "image {image} (process {process}): gdb shows no stack: {}",
                reason(&errors)
            ));
        }
        for thread in threads {
            let having = stacks.entry(thread).or_default();
            if having.last() != Some(&image) {
                having.push(image);
            }
        }
    }
    let mut stacks: Vec<(Thread, Vec<u32>)> = stacks.into_iter().collect();
    stacks.sort_by_key(|(thread, images)| (!thread.is_main, images.clone()));
    status_after(write_all(&stacks), status)
}

/// Why there is no stack: the last line of gdb's that is no warning.
fn reason(errors: &str) -> &str {
    let mut lines = errors.lines().filter(|line| !line.trim().is_empty());
    let reason = lines.rfind(|line| !line.starts_with("warning:"));
    reason.unwrap_or("it has written nothing")
}

/// Passes on the stacks of the images that this process has started, one after another.
pub fn of_own_images(each: &mut dyn FnMut(StackText)) {
    processes::images_below(std::process::id()).into_iter().map(backtraces).for_each(each);
}

/// The output of gdb about an image.
fn backtraces(Image { image, process }: Image) -> StackText {
    let output = Command::new("gdb")
        .args(["-nx", "-q", "-batch", "-ex", "set pagination off", "-ex"])
        .arg(format!("thread apply all backtrace {DEPTH}"))
        .args(["-p", &process.to_string()])
        .output();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let [text, errors] = match output {
        Ok(output) => [text(&output.stdout), text(&output.stderr)],
        Err(error) => [
            String::new(),
            Error::os("cannot start gdb, which reads the stacks, on the image's host", error)
                .to_string(),
        ],
    };
    StackText { image, process, text, errors }
}

fn write_all(stacks: &[(Thread, Vec<u32>)]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (Thread { is_main, frames }, images) in stacks {
        let thread = if *is_main { "" } else { ", other threads" };
        writeln!(out, "{}{thread}:", names(images))?;
        for frame in frames {
            writeln!(out, "  {frame}")?;
        }
    }
    out.flush()
}

/// `image 3`, `images 1-4, 7`.
pub fn names(images: &[u32]) -> String {
    let runs = images.chunk_by(|one, next| one + 1 == *next);
    let ranges: Vec<String> = runs
        .map(|run| match (run[0], run[run.len() - 1]) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        })
        .collect();
    let word = if images.len() == 1 { "image" } else { "images" };
    format!("{word} {}", ranges.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_named_by_ranges() {
        assert_eq!(names(&[3]), "image 3");
        assert_eq!(names(&[1, 2, 3, 7, 9, 10]), "images 1-3, 7, 9-10");
    }
}
