//! `XMP_LOG`: the launcher's own log, on standard error.

use tracing_subscriber::EnvFilter;
use xmp_core::{Error, Result};

/// Starts logging what `filter` selects; nothing without one.
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
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    Ok(())
}
