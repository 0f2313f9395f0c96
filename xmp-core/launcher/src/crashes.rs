//! The stacks of images that crash under `--debug gdb`. Where there are several images, each gdb writes its stack into a file,
//! and `xmprun` prints equal ones once when the job has ended.

use crate::scratch;
use crate::stacks::{self, Thread, threads};
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use tempfile::TempDir;
use xmp_core::{Error, Result};

/// The commands that gdb executes around the run of the program.
const SCRIPT: &str = include_str!("crashes.py");
/// The name of that file.
const SCRIPT_NAME: &str = "crashes.py";

/// The directory with the stacks.
#[derive(Debug)]
pub struct Crashes {
    place: TempDir,
    /// Whether equal stacks are printed once, by [`Crashes::print`]; otherwise gdb prints the stack.
    pub are_merged: bool,
}

impl Crashes {
    /// Makes the directory for the stacks of a job: in `shared`, which all hosts see, if there are several.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn prepare(shared: Option<&Path>, are_merged: bool) -> Result<Crashes> {
        let parent = shared.map_or_else(env::temp_dir, Path::to_path_buf);
        let parent = std::path::absolute(&parent).unwrap_or(parent);
        let place = scratch::directory_in(&parent, "--debug gdb")?;
        let script = place.path().join(SCRIPT_NAME);
        let failed = |error| Error::os(format!("cannot write {}", script.display()), error);
        fs::write(&script, SCRIPT).map_err(failed)?;
        Ok(Crashes { place, are_merged })
    }

    /// The options of gdb that run the program, and save or print the stack of a crash.
    pub fn options(&self) -> Vec<OsString> {
        let merge = if self.are_merged { "python merge = True" } else { "python merge = False" };
        let script = self.place.path().join(SCRIPT_NAME).into();
        let before =
            ["-q", "-batch", "-return-child-result", "-ex", merge, "-x"].map(OsString::from);
        let after = ["-ex", "run", "-ex", "python after()", "--args"].map(OsString::from);
        before.into_iter().chain([script]).chain(after).collect()
    }

    /// Prints the stacks that gdb has saved, equal ones once.
    ///
    /// # Errors
    /// Those of standard output.
    pub fn print(&self) -> io::Result<()> {
        let texts = fs::read_dir(self.place.path())?.filter_map(|file| {
            let file = file.ok()?;
            let image = file.file_name().to_str()?.strip_prefix("image-")?.parse().ok()?;
            let text = fs::read(file.path()).ok()?;
            Some((image, String::from_utf8_lossy(&text).into_owned()))
        });
        let mut texts: Vec<(u32, String)> = texts.collect();
        texts.sort();
        let mut out = io::stdout().lock();
        out.write_all(merged(texts.into_iter()).as_bytes())?;
        out.flush()
    }
}

/// The stacks of these images, each of which has a reason before it.
fn merged(texts: impl Iterator<Item = (u32, String)>) -> String {
    let mut crashes: BTreeMap<(String, Vec<String>), Vec<u32>> = BTreeMap::new();
    for (image, text) in texts {
        let (reason, stack) = text.split_once('\n').unwrap_or((&text, ""));
        // As gdb begins the stack of a thread.
        let threads = threads(&format!("Thread 1 (image):\n{stack}"));
        let frames =
            threads.into_iter().next().map_or_else(Vec::new, |Thread { frames, .. }| frames);
        crashes.entry((reason.to_string(), frames)).or_default().push(image);
    }
    let mut crashes: Vec<_> = crashes.into_iter().collect();
    crashes.sort_by_key(|(_, images)| images.clone());
    let mut text = String::new();
    for ((reason, frames), images) in crashes {
        // Writing to a String does not fail.
        let _ = writeln!(text, "{}: {reason}", stacks::names(&images));
        frames.iter().for_each(|frame| _ = writeln!(text, "  {frame}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_of_crashes_are_written_once() {
        let stack = |address: &str, line: u32| {
            format!(
                "SIGSEGV\n#0  {address} in heat () at heat.f90:{line}\n#1  0x12 in main (argc=1) at heat.f90:2\n\
                 #2  0x13 in __libc_start_main () from /lib/libc.so.6\n"
            )
        };
        let texts = [(1, stack("0x1", 7)), (2, stack("0x1", 9)), (3, stack("0x3", 7))];
        assert_eq!(
            merged(texts.into_iter()),
            "images 1, 3: SIGSEGV\n  heat at heat.f90:7\n  main at heat.f90:2\n\
             image 2: SIGSEGV\n  heat at heat.f90:9\n  main at heat.f90:2\n"
        );
    }
}
