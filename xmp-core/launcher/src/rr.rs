//! `--debug rr`: the whole job is recorded by rr, which replays it in gdb as often as one likes.
//!
//! Images share memory, and rr replays a process exactly only if it has recorded all processes that write to its memory. So
//! `xmprun` becomes `rr record xmprun`: one recording has all images, and an image is chosen when it is replayed.

use crate::scratch;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::{env, io};
use xmp_core::{Error, Result};

/// The variable that rr sets in the environment of everything that it records.
const RECORDED: &str = "RUNNING_UNDER_RR";

/// The remedy where rr is installed and cannot record.
const REMEDY: &str = "rr needs the processor's performance counters: `sysctl kernel.perf_event_paranoid=1` as root permits \
     them; a virtual machine has them if its host passes them on";

/// Whether rr records this process.
pub fn is_recorded() -> bool {
    env::var_os(RECORDED).is_some()
}

/// Becomes `rr record` of the same command. Does not return unless rr is missing or cannot record here.
///
/// # Errors
/// Why nothing can be recorded, and the remedy.
pub fn record(some_images: bool) -> Result<()> {
    if some_images {
        return Err(Error::Invalid(
            "--debug-images: rr records all images together, because they share memory: leave it out, and choose an image \
             when the recording is replayed, by `rr replay -p PROCESS`"
                .into(),
        ));
    }
    try_recording()?;
    let program = env::current_exe()
        .map_err(|error| Error::os("cannot find out the file of xmprun itself", error))?;
    let error = Command::new("rr").args(command(program.as_os_str(), env::args_os())).exec();
    Err(Error::os("cannot start rr", error))
}

/// The arguments of rr that record `program` with the arguments of this process.
fn command(program: &OsStr, own: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let words = ["record".as_ref(), program].map(OsString::from);
    words.into_iter().chain(own.into_iter().skip(1)).collect()
}

/// Records a program that does nothing.
fn try_recording() -> Result<()> {
    let place = scratch::directory_in(&env::temp_dir(), "--debug rr")?;
    let recording = place.path().join("recording");
    let mut tried = Command::new("rr");
    tried.arg("record").arg("-o").arg(recording).arg("true").stdin(Stdio::null());
    match tried.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            Err(Error::Invalid(format!(
                "--debug rr: rr cannot record here{}: {REMEDY}",
                why(&text)
            )))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Error::Invalid(
            "--debug rr: there is no rr in PATH: install it (Debian and Ubuntu: `apt install rr`)"
                .into(),
        )),
        Err(error) => Err(Error::os("--debug rr: cannot start rr", error)),
    }
}

/// The reason in the output of rr: its first sentence, without the place in its source.
fn why(text: &str) -> String {
    let lines = text.lines().map(|line| match line.strip_prefix('[') {
        Some(line) => line.split_once("] ").map_or("", |(_, said)| said).trim(),
        None => line.trim(),
    });
    let said = lines.filter(|line| !line.is_empty()).take(1);
    said.map(|line| {
        let end = ["; ", ". "].iter().filter_map(|end| line.find(end)).min();
        format!(" ({})", line[..end.unwrap_or(line.len())].trim_end_matches('.'))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_what_rr_says_behind_its_place() {
        let reason = " (Unable to open performance counter with 'perf_event_open')";
        for text in [
            "[FATAL ./src/PerfCounters.cc:306:start_counter()] Unable to open performance counter with \
             'perf_event_open'; are hardware perf events available? See https://github.com/\n",
            "[FATAL src/PerfCounters.cc:340:start_counter() errno: ENOENT] \n\
             Unable to open performance counter with 'perf_event_open'.\n\nmore",
        ] {
            assert_eq!(why(text), reason);
        }
        assert_eq!(
            why("rr needs kernel.perf_event_paranoid <= 3, but it is 4.\nMore"),
            " (rr needs kernel.perf_event_paranoid <= 3, but it is 4)"
        );
        assert_eq!(why(""), "");
    }

    #[test]
    fn the_command_is_the_same_behind_rr() {
        let own = ["xmprun", "-n", "2", "--debug", "rr", "./a.out", "x y"].map(OsString::from);
        let words = command(OsStr::new("/opt/bin/xmprun"), own);
        assert_eq!(
            words,
            ["record", "/opt/bin/xmprun", "-n", "2", "--debug", "rr", "./a.out", "x y"]
        );
    }
}
