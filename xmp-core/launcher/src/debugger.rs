//! `--debug gdb` and `--debug valgrind`: the program under which images run.

use crate::crashes::Crashes;
use crate::options::{Debugger, Options};
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::Path;
use xmp_core::counted::counted;
use xmp_core::launch::Wrapper;
use xmp_core::settings::Settings;
use xmp_core::{Error, Rank, Result};

/// The segment size under valgrind, which keeps a map of all address space that is reserved: minutes for the default.
const SEGMENT: u64 = 64 << 20;

/// The command that runs the images under a debugger.
#[derive(Debug, Default)]
pub struct Debugging {
    /// The command; `None` if no debugger is asked for.
    pub wrapper: Option<Wrapper>,
    /// The stacks of images that crash.
    pub crashes: Option<Crashes>,
}

/// The command that runs the images, if the user requests a debugger; settings are adapted to it. `shared`: a directory
/// that all hosts see, if there are several.
///
/// # Errors
/// When an image is named that the job does not have, or the system refuses.
pub fn debugging(
    options: &Options,
    images: u32,
    settings: &mut Settings,
    shared: Option<&Path>,
) -> Result<Debugging> {
    let Some(debugger) = options.debug else { return Ok(Debugging::default()) };
    if let Some(image) = options.debug_images.iter().find(|&&image| image > images) {
        let images = counted(images, "image");
        return Err(Error::Invalid(format!("--debug-images {image}: the job has {images}")));
    }
    let chosen: Vec<Rank> = options.debug_images.iter().map(|image| Rank::new(image - 1)).collect();
    // Image 1 has the standard input.
    let only_first = images == 1 || chosen == [Rank::new(0)];
    let mut crashes = None;
    let words = |words: &[&str]| words.iter().map(OsString::from).collect();
    let command: Vec<OsString> = match debugger {
        Debugger::Gdb if only_first && shared.is_none() && io::stdin().is_terminal() => {
            words(&["gdb", "-q", "--args"])
        }
        Debugger::Gdb => {
            let are_several = !only_first && chosen.len() != 1;
            let options = crashes.insert(Crashes::prepare(shared, are_several)?).options();
            std::iter::once("gdb".into()).chain(options).collect()
        }
        Debugger::Valgrind => {
            settings.segment_size.get_or_insert(SEGMENT);
            words(&["valgrind", "-q"])
        }
        // It records this process, too (`rr`).
        Debugger::Rr => return Ok(Debugging::default()),
    };
    let wrapper = Some(Wrapper { command, images: chosen });
    Ok(Debugging { wrapper, crashes })
}
