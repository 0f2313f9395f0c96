//! The end of a host, as a connection to it shows it: with a goodbye, or without.

use crate::report::report;
use std::io;
use std::net::TcpStream;

/// The byte that a leaving host sends.
pub(super) const GOODBYE: &[u8] = b"b";
/// The byte that a host sends whose image has died.
pub(super) const DEATH: &[u8] = b"d";

/// The state of the other end of a connection.
#[derive(Debug)]
pub(super) enum Sight {
    /// It lives.
    Lives,
    /// It has sent the goodbye.
    Leaves,
    /// It has sent the byte of a death: launchers end the job because of that.
    Dies,
    /// It is gone; with the error of the system, if that did not close it.
    Gone(Option<io::Error>),
}

/// Looks at a connection without waiting. The goodbye stays in it, because image and monitor look at the same
/// connection.
pub(super) fn look(connection: &TcpStream) -> Sight {
    let mut byte = [0];
    match connection.peek(&mut byte) {
        Ok(0) => Sight::Gone(None),
        Ok(_) if byte == *DEATH => Sight::Dies,
        Ok(_) => Sight::Leaves,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Sight::Lives,
        Err(error) => Sight::Gone(Some(error)),
    }
}

/// Reports that a host has gone.
pub(super) fn report_gone(host: &str, error: Option<&io::Error>) {
    match error {
        None => report(format_args!("host {host} is gone: its processes were killed")),
        Some(error) => report(format_args!("host {host} is gone: {error}")),
    }
}
