//! `XMP_LOG`: the log of a process, on standard error.

use crate::error::{Error, Result};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts logging what `filter` selects: a level, and levels of modules. Without a filter nothing is logged, because
/// logging costs memory and a subscriber per process. A subscriber that the process has already (a Rust program's own)
/// has precedence.
///
/// The filters are the plain ones of `tracing-subscriber`: those with regular expressions would double the code of a
/// process that never logs.
///
/// # Errors
/// [`Error::Setting`] when the text is no filter.
pub fn start(filter: Option<&str>) -> Result<()> {
    let Some(text) = filter else { return Ok(()) };
    let filter: Targets = text.parse().map_err(|error| Error::Setting {
        name: "XMP_LOG",
        value: text.into(),
        expected: format!("a log filter such as \"debug\" or \"xmp_boot::launch=debug\" ({error})"),
    })?;
    let lines = fmt::layer().with_ansi(false).with_writer(std::io::stderr);
    // Refused only when there is a subscriber.
    let _ = tracing_subscriber::registry().with(lines).with(filter).try_init();
    Ok(())
}
