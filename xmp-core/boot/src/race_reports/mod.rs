//! Reports of races, where they are looked for (`XMP_CHECK=races`), and their number at the end of the job. Front ends
//! [attach] themselves.
//!
//! | module | subject |
//! |---|---|
//! | `files` | files for editors, timelines and reports |
//! | `found` | the report of a race |
//! | `cure` | which statements an image control statement is missing between |
//! | `ignore` | races that the user does not want to see |
//! | `patience` | the time that other images have before the job ends in error |
//! | `place` | files and lines of statements |
//! | `program` | what the reports need of the program |
//! | `recorded` | races in traces and reports |
//! | `report` | the text of a report |
//! | `reporting` | a report as a whole |
//! | `sarif` | the file for editors |
//! | `summary` | the end of the job |

mod cure;
mod files;
mod found;
mod ignore;
mod patience;
mod place;
mod program;
mod recorded;
mod report;
mod reporting;
mod sarif;
mod summary;

pub use program::{Program, Selector};
pub use report::Report;
pub use summary::{before_error_end, before_error_stop, end};

use crate::image::Image;
use crate::process::last_words;
use crate::rank::Rank;
use ignore::Ignored;
use program::PROGRAM;

/// Has races reported that this image finds, if they are looked for. Whether they are.
///
/// # Errors
/// The setting that cannot be followed, and why.
pub fn attach(image: &Image, program: &'static Program) -> Result<bool, (&'static str, String)> {
    let Some(races) = image.races() else { return Ok(false) };
    // A process is one image, which attaches itself once.
    let _ = PROGRAM.set(program);
    races.set_report(found::found);
    // Without the thread reports may be incomplete where another image ends the job.
    let _ = last_words::set(summary::last_words);
    Ignored::of_settings(image.settings()).map_err(|why| ("XMP_RACES_IGNORE", why))?;
    if image.rank() == Rank::new(0)
        && let Some(path) = &image.settings().races_sarif
    {
        sarif::remove_old(path).map_err(|error| {
            ("XMP_RACES_SARIF", format!("{} cannot be removed: {error}", path.display()))
        })?;
    }
    Ok(true)
}
