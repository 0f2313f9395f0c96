//! Output of images of other hosts, which arrives in whole lines, and is written as the output of this host is.

use super::outlet::{Outlet, Sink};
use super::reports::Reports;
use super::stream::{Form, pass};
use crate::rank::Rank;
use std::time::Instant;

/// The output of images of other hosts.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    outlet: Outlet,
    reports: Reports,
    /// Whether each line gets the number of its image.
    is_prefixed: bool,
}

impl Collected {
    pub(crate) fn new(is_prefixed: bool) -> Collected {
        Collected { is_prefixed, ..Collected::default() }
    }

    /// Writes lines of an image, or the beginning of a line that must not wait for its end; `is_error`: of standard
    /// error. Returns whether the output still has a reader.
    pub(crate) fn add(&mut self, rank: Rank, is_error: bool, text: &[u8]) -> bool {
        let (sink, form) = match (is_error, self.is_prefixed) {
            (_, true) => (is_error, Form::Prefixed(format!("[{}] ", rank.image()).into_bytes())),
            (true, false) => (true, Form::Reports),
            (false, false) => (false, Form::Plain),
        };
        let sink = if sink { Sink::Stderr } else { Sink::Stdout };
        pass(&form, rank, sink, text, &mut self.reports, &mut self.outlet);
        self.outlet.write();
        !self.outlet.is_closed(sink)
    }

    /// An image writes no more.
    pub(crate) fn end(&mut self, rank: Rank) {
        self.reports.end(rank, Instant::now());
    }

    /// Writes a message of the launcher, after the output that was added before.
    pub(crate) fn report(&mut self, text: &str) {
        self.outlet.add_messages(format!("xmp: {text}\n").as_bytes());
        self.outlet.write();
    }

    /// When [`Collected::write_due`] has something to do.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.reports.next()
    }

    /// Writes reports that wait no longer.
    pub(crate) fn write_due(&mut self) {
        let mut out = Vec::new();
        self.reports.take(Instant::now(), &mut out);
        self.outlet.add_messages(&out);
        self.outlet.write();
    }

    /// Writes everything. Returns whether some output could not be written.
    pub(crate) fn finish(&mut self) -> bool {
        let mut out = Vec::new();
        self.reports.take_all(&mut out);
        self.outlet.add_messages(&out);
        self.outlet.write();
        self.outlet.has_lost_any()
    }
}
