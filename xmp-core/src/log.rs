//! `XMP_LOG`: the log of a process, on standard error.

use crate::error::{Error, Result};
use tracing_subscriber::EnvFilter;

/// Starts logging what `filter` selects; nothing without one: logging costs memory and a subscriber per
/// process. A subscriber that the process has already (a Rust program's own) has precedence.
///
/// # Errors
/// [`Error::Setting`] when it is no filter.
pub fn start(filter: Option<&str>) -> Result<()> {
    let Some(text) = filter else { return Ok(()) };
    let filter = EnvFilter::try_new(text).map_err(|error| Error::Setting {
        name: "XMP_LOG",
        value: text.into(),
        expected: format!("a log filter such as \"debug\" or \"xmp_core::launch=debug\" ({error})"),
    })?;
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false);
    // Refused only when there is a subscriber.
    let _ = subscriber.with_writer(std::io::stderr).try_init();
    Ok(())
}
