//! Reports of compilers' run-time libraries: an error message with a backtrace, which is written in many pieces.
//! Reports of several images are kept apart, each with the names of its images, and equal reports of several images are
//! written once.
//!
//! All else that an image writes to standard error is passed on as it comes.

use crate::failure::Complainants;
use crate::rank::Rank;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::time::{Duration, Instant};

/// The beginnings of reports, at the start of a line: of libgfortran, and of flang's library.
const BEGINNINGS: [&[u8]; 6] = [
    b"At line ",
    b"Fortran runtime error: ",
    b"Operating system error: ",
    b"Program received signal ",
    b"Error termination. Backtrace:",
    b"fatal Fortran runtime error",
];

/// The text after a report that shows that the image goes on.
const WARNING: &[u8] = b"Fortran runtime warning: ";

/// A report of an image that has written nothing for this time is complete. Reading the debugging information of a large
/// program takes that long on a busy machine.
const QUIET: Duration = Duration::from_secs(10);
/// The time for which a complete report waits for others that begin.
const TOGETHER: Duration = Duration::from_millis(30);
/// Longest report that is kept together.
const LONGEST: usize = 1 << 20;

/// The standard error of the images, and the parts of it that are kept back.
#[derive(Debug, Default)]
pub(super) struct Reports {
    /// The images that are not at the start of a line.
    within_lines: BTreeSet<Rank>,
    /// Reports that have begun.
    begun: BTreeMap<Rank, Report>,
    /// Reports that are complete, in that order.
    complete: Vec<Complete>,
    /// When the last one was completed.
    since: Option<Instant>,
}

/// A report that has begun.
#[derive(Debug)]
struct Report {
    text: Vec<u8>,
    /// When the image wrote last.
    last: Instant,
}

/// A complete report, and the images that have written it.
#[derive(Debug)]
struct Complete {
    images: Vec<Rank>,
    text: Vec<u8>,
}

impl Reports {
    /// Takes output of an image. Lines that are no part of a report are added to `out`.
    pub(super) fn feed(&mut self, rank: Rank, piece: &[u8], now: Instant, out: &mut Vec<u8>) {
        if let Some(report) = self.begun.get_mut(&rank) {
            report.text.extend_from_slice(piece);
            report.last = now;
            self.complete_early(rank, now);
            return;
        }
        let is_at_start = !self.within_lines.contains(&rank);
        let at = beginning(piece, is_at_start).unwrap_or(piece.len());
        let (before, report) = piece.split_at(at);
        out.extend_from_slice(before);
        match before.last() {
            Some(b'\n') => self.within_lines.remove(&rank),
            Some(_) => self.within_lines.insert(rank),
            None => false,
        };
        if !report.is_empty() {
            self.begun.insert(rank, Report { text: report.to_vec(), last: now });
            self.complete_early(rank, now);
        }
    }

    /// Completes the report of an image if it is a warning, or too long.
    fn complete_early(&mut self, rank: Rank, now: Instant) {
        let is_warning = |text: &[u8]| {
            text.ends_with(b"\n")
                && text.split(|&byte| byte == b'\n').any(|line| line.starts_with(WARNING))
        };
        let is_complete = |report: &Report| report.text.len() > LONGEST || is_warning(&report.text);
        if self.begun.get(&rank).is_some_and(is_complete) {
            self.complete(rank, now);
        }
    }

    /// An image writes no more.
    pub(super) fn end(&mut self, rank: Rank, now: Instant) {
        self.within_lines.remove(&rank);
        self.complete(rank, now);
    }

    fn complete(&mut self, rank: Rank, now: Instant) {
        let Some(Report { text, .. }) = self.begun.remove(&rank) else { return };
        self.since = Some(now);
        let alike =
            |other: &&mut Complete| without_addresses(&other.text) == without_addresses(&text);
        match self.complete.iter_mut().find(alike) {
            Some(other) => other.images.push(rank),
            None => self.complete.push(Complete { images: vec![rank], text }),
        }
    }

    /// Whether an image is writing a report.
    pub(super) fn is_any_begun(&self) -> bool {
        !self.begun.is_empty()
    }

    /// Whether there are reports that were not written.
    pub(super) fn is_any_left(&self) -> bool {
        !self.begun.is_empty() || !self.complete.is_empty()
    }

    /// When [`Reports::take`] has something to do.
    pub(super) fn next(&self) -> Option<Instant> {
        let quiet = self.begun.values().map(|report| report.last + QUIET).min();
        // Those that have begun are waited for.
        quiet.or(self.since.filter(|_| !self.complete.is_empty()).map(|since| since + TOGETHER))
    }

    /// Adds the reports to `out`, if all that have begun are complete.
    pub(super) fn take(&mut self, now: Instant, out: &mut Vec<u8>) {
        let is_quiet = |report: &Report| report.last + QUIET <= now;
        let quiet = self.begun.iter().filter(|(_, report)| is_quiet(report));
        let quiet: Vec<Rank> = quiet.map(|(&rank, _)| rank).collect();
        let has_waited = !quiet.is_empty();
        quiet.into_iter().for_each(|rank| self.complete(rank, now));
        let is_time = has_waited || self.since.is_none_or(|since| since + TOGETHER <= now);
        if self.begun.is_empty() && is_time {
            self.take_all(out);
        }
    }

    /// Adds all complete reports to `out`.
    pub(super) fn take_all(&mut self, out: &mut Vec<u8>) {
        for Complete { mut images, text } in mem::take(&mut self.complete) {
            images.sort();
            let images = Complainants::from(images);
            let verb = if images.is_one() { "reports" } else { "report" };
            out.extend(format!("xmp: {images} {verb}:\n").into_bytes());
            out.extend_from_slice(text.trim_ascii());
            out.push(b'\n');
        }
    }
}

/// The start of a report in a piece, with the empty lines before it.
fn beginning(piece: &[u8], is_at_start: bool) -> Option<usize> {
    let mut at = 0;
    // The first of the empty lines before this line.
    let mut first = is_at_start.then_some(0);
    for line in piece.split_inclusive(|&byte| byte == b'\n') {
        if let Some(first) = first
            && BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
        {
            return Some(first);
        }
        let is_empty = line == b"\n";
        at += line.len();
        first = if line.ends_with(b"\n") { first.filter(|_| is_empty).or(Some(at)) } else { None };
    }
    None
}

/// A report without its addresses, which differ from image to image.
fn without_addresses(text: &[u8]) -> Vec<u8> {
    let mut rest = text;
    let mut result = Vec::new();
    while let Some(at) = rest.windows(2).position(|two| two == b"0x") {
        let (before, address) = rest.split_at(at + 2);
        result.extend_from_slice(before);
        let digits = address.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        rest = &address[digits..];
    }
    result.extend_from_slice(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "At line 7 of file a.f90\nFortran runtime error: too large\n";

    /// The output for these pieces of these images, at once and when all images have ended.
    fn written(pieces: &[(u32, &str)], images: u32) -> (String, String) {
        let (mut reports, now) = (Reports::default(), Instant::now());
        let mut out = Vec::new();
        for &(image, piece) in pieces {
            reports.feed(Rank::new(image - 1), piece.as_bytes(), now, &mut out);
            reports.take(now, &mut out);
        }
        let mut after = Vec::new();
        for image in 0..images {
            reports.end(Rank::new(image), now);
            reports.take(now, &mut after);
        }
        assert!(after.is_empty());
        if let Some(next) = reports.next() {
            reports.take(next, &mut after);
        }
        assert!(!reports.is_any_left());
        [out, after].map(|bytes| String::from_utf8(bytes).unwrap()).into()
    }

    #[test]
    fn other_output_is_passed_on_at_once() {
        let pieces = [(1, "one"), (2, "two\n"), (1, "At line 5 of a poem\n"), (2, "\n")];
        let (out, after) = written(&pieces, 2);
        assert_eq!(out, "onetwo\nAt line 5 of a poem\n\n");
        assert_eq!(after, "");
    }

    #[test]
    fn reports_of_several_images_are_kept_apart() {
        let second = "\nProgram received signal SIGSEGV";
        let pieces = [(2, FIRST), (1, second), (2, "#0 0x12 in f\n"), (1, ": bad\n#0 0x5 in g\n")];
        let (out, after) = written(&pieces, 2);
        assert_eq!(out, "");
        let expected = "xmp: image 1 reports:\nProgram received signal SIGSEGV: bad\n#0 0x5 in g\n\
                        xmp: image 2 reports:\nAt line 7 of file a.f90\nFortran runtime error: too large\n#0 0x12 in f\n";
        assert_eq!(after, expected);
    }

    #[test]
    fn what_several_images_report_alike_is_written_once() {
        let traces = ["#0 0x12 in f\n", "#0 0xabc in f\n", "#0 0x7 in f\n"];
        let pieces: Vec<(u32, String)> = [(3, 0), (1, 1), (4, 2)]
            .map(|(image, trace)| (image, format!("{FIRST}{}", traces[trace])))
            .into();
        let pieces: Vec<(u32, &str)> =
            pieces.iter().map(|(image, text)| (*image, text.as_str())).collect();
        let (_, after) = written(&pieces, 4);
        let text = "At line 7 of file a.f90\nFortran runtime error: too large\n#0 0xabc in f\n";
        assert_eq!(after, format!("xmp: images 1, 3-4 report:\n{text}"));
    }

    #[test]
    fn text_before_a_report_in_the_same_piece_is_passed_on() {
        let (out, after) = written(&[(1, "step 3\n\nFortran runtime error: End of file\n")], 1);
        assert_eq!(out, "step 3\n");
        assert_eq!(after, "xmp: image 1 reports:\nFortran runtime error: End of file\n");
    }

    #[test]
    fn warnings_are_complete_at_once() {
        let mut reports = Reports::default();
        let (now, mut out) = (Instant::now(), Vec::new());
        let pieces = ["At line 3 of file a.f90\n", "Fortran runtime warning: a temporary", "\n"];
        for piece in pieces {
            assert!(reports.next().is_none_or(|next| next == now + QUIET));
            reports.feed(Rank::new(1), piece.as_bytes(), now, &mut out);
        }
        reports.take(now + TOGETHER, &mut out);
        let expected = format!("xmp: image 2 reports:\n{}", pieces.concat());
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn a_report_of_an_image_that_continues_is_written_after_a_while() {
        let (mut reports, now) = (Reports::default(), Instant::now());
        let mut out = Vec::new();
        reports.feed(Rank::new(0), FIRST.as_bytes(), now, &mut out);
        reports.take(now + QUIET / 2, &mut out);
        assert!(out.is_empty());
        assert_eq!(reports.next(), Some(now + QUIET));
        reports.take(now + QUIET, &mut out);
        assert!(out.starts_with(b"xmp: image 1 reports:\nAt line 7"));
        out.clear();
        reports.feed(Rank::new(0), b"more\n", now + QUIET, &mut out);
        assert_eq!(out, b"more\n");
    }
}
