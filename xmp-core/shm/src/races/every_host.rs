//! The detector of an image for accesses to the memory of images of every host.

use super::access::Kind;
use super::bytes::Bytes;
use super::detector::Detector;
use super::remote::Remote;
use super::shadow::statement_of;
use super::sites::Site;
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::transport::Transport;
use std::ops::{Deref, Range};
use xmp_source::Statement;

/// A detector with the transport to other hosts, for the thread inside of the image's lock.
#[derive(Clone, Copy, Debug)]
pub struct Races<'a> {
    detector: &'a Detector,
    transport: &'a dyn Transport,
}

impl Deref for Races<'_> {
    type Target = Detector;

    fn deref(&self) -> &Detector {
        self.detector
    }
}

impl<'a> Races<'a> {
    /// Those of an image with this transport.
    pub fn new(detector: &'a Detector, transport: &'a dyn Transport) -> Races<'a> {
        Races { detector, transport }
    }

    /// The hosts that this one does not share memory with.
    pub(super) fn remote(&self) -> Remote<'a> {
        Remote(self.transport)
    }

    /// Whether an image is of this host.
    pub(super) fn is_here(&self, rank: Rank) -> bool {
        self.job.segment(rank).is_some()
    }

    /// Enters the accesses that are held back, and reports the races that were found: before the clock changes, and at
    /// the end of the program.
    pub fn flush(&self) {
        self.enter_held_back();
        for (race, times) in self.found.take() {
            if let Some(entry) = self.entered.entry(race.mine, race.other, || self.report(&race)) {
                self.count(entry, times);
            }
        }
    }

    /// The statement of a site of an image, if it is known.
    pub fn statement(&self, of: Rank, site: Site) -> Option<Statement> {
        if self.is_here(of) {
            statement_of(&self.shadows, of, site.number())
        } else {
            self.remote().statement(of, site.number())
        }
    }

    /// Enters that this image accesses these ranges of bytes of the memory of an image, in one statement: [`Detector::access`], of any
    /// host. The data of a failed image are lost, so that no access to them is a race.
    pub fn access_all(&self, site: Site, of: Rank, ranges: &[Range<u64>], kind: Kind) {
        if self.job.state(of) == ImageState::Failed {
            return;
        }
        if self.is_here(of) {
            for range in ranges {
                let len = range.end - range.start;
                self.access(site, Bytes { of, offset: range.start, len }, kind);
            }
            return;
        }
        let Some(segment) = self.clock.segment_with_access() else { return };
        let mine = self.mine(segment, site, kind);
        let end = self.shadows.end();
        let within = ranges.iter().map(|range| range.start..range.end.min(end));
        let within: Vec<Range<u64>> = within.filter(|range| range.start < range.end).collect();
        let mut last = None;
        let entered =
            self.remote().access(of, &mine, self.clock.all(), &within, |offset, other| {
                self.found(of, offset, (&mine, &other), None, &mut last);
            });
        // The access itself fails where the host cannot be reached.
        drop(entered);
    }
}
