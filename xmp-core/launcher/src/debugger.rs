//! `--debug gdb` and `--debug valgrind`: what images run under.

use crate::options::{Debugger, Options};
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use xmp_core::launch::Wrapper;
use xmp_core::settings::Settings;
use xmp_core::{Error, Rank, Result};

/// The segment size under valgrind, which keeps a map of all address space that is reserved: minutes for the default.
const SEGMENT: u64 = 64 << 20;

/// What gdb does when the program has stopped or ended. The end of a crashed image ends the job, and gdb 13 itself
/// crashes when it is terminated while it ends.
const AFTER: &str = "python import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); \
     gdb.selected_thread() and gdb.execute('backtrace')";

/// What runs the images, if a debugger is asked for; settings are adapted to it.
///
/// # Errors
/// When an image is named that the job does not have.
pub fn wrapper(options: &Options, images: u32, settings: &mut Settings) -> Result<Option<Wrapper>> {
    let Some(debugger) = options.debug else { return Ok(None) };
    if let Some(image) = options.debug_images.iter().find(|&&image| image > images) {
        return Err(Error::Invalid(format!("--debug-images {image}: the job has {images} images")));
    }
    let chosen: Vec<Rank> = options.debug_images.iter().map(|image| Rank::new(image - 1)).collect();
    // Image 1 has the standard input.
    let only_first = images == 1 || chosen == [Rank::new(0)];
    let words: &[&str] = match debugger {
        Debugger::Gdb if only_first && io::stdin().is_terminal() => &["gdb", "-q", "--args"],
        Debugger::Gdb => {
            &["gdb", "-q", "-batch", "-return-child-result", "-ex", "run", "-ex", AFTER, "--args"]
        }
        Debugger::Valgrind => {
            settings.segment_size.get_or_insert(SEGMENT);
            &["valgrind", "-q"]
        }
        // It records this process, too (`rr`).
        Debugger::Rr => return Ok(None),
    };
    let command = words.iter().map(OsString::from).collect();
    Ok(Some(Wrapper { command, images: chosen }))
}
