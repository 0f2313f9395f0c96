//! Races in traces and reports: the last image gives them to the library that records, if the program is recorded.

use crate::races::recorded::{Record, SYMBOL};
use std::time::Duration;

/// Now, by the clock of traces.
pub(super) fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the structure. Every Linux has the clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// An access of a race: the image, from 1, its statement, and the kind of access.
pub(super) type RecordedAccess = (u32, String, String);

/// The line of a race that was found at this time, without its count.
pub(super) fn line(time: Duration, sides: [RecordedAccess; 2], cure: &str) -> String {
    let fields = sides.into_iter().flat_map(|(image, place, access)| {
        [image.to_string(), in_a_field(&place), in_a_field(&access)]
    });
    let fields = [time.as_nanos().to_string()].into_iter().chain(fields).chain([in_a_field(cure)]);
    fields.collect::<Vec<_>>().join("\t")
}

/// A text without what separates fields and lines, which a name of a file may have.
fn in_a_field(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Hands over all races: how often each was found, and its line.
pub(super) fn keep<'a>(races: impl Iterator<Item = (u64, &'a str)>) {
    // SAFETY: looks up a name, a NUL-terminated literal.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, SYMBOL.as_ptr()) };
    let lines: String = races.map(|(count, line)| format!("{count}\t{line}\n")).collect();
    if symbol.is_null() || lines.is_empty() {
        return;
    }
    // SAFETY: the function of this name in the library that records, which is of this version and is not unloaded.
    let record = unsafe { std::mem::transmute::<*mut libc::c_void, Record>(symbol) };
    // SAFETY: these bytes.
    unsafe { record(lines.as_ptr(), lines.len()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_field_for_each_part() {
        let side = |image, place: &str| (image, place.to_owned(), "writes x(1)".to_owned());
        let sides = [side(2, "a\tb.f90:7"), side(1, "a.f90:9")];
        assert_eq!(
            line(Duration::new(1, 5), sides, "synchronise"),
            "1000000005\t2\ta b.f90:7\twrites x(1)\t1\ta.f90:9\twrites x(1)\tsynchronise"
        );
    }
}
