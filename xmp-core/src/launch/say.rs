//! What the launcher says to its user.

use std::fmt;
use std::io::{self, Write};

/// Writes one line to standard error, `xmp: <text>`, as a whole: images write there at the same time.
/// Nothing happens when standard error is closed; the job is more important.
pub fn say(text: fmt::Arguments<'_>) {
    let line = format!("xmp: {text}\n");
    let _ = io::stderr().lock().write_all(line.as_bytes());
}
