//! Parsers of single values. The error of a parser is the text of the values that it accepts.

use crate::cooperation::Mode;
use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

/// A value, or the text of the possible values.
pub type Parsed<T> = std::result::Result<T, String>;

/// The value of a setting that is text, without blanks around it.
pub fn text(value: &OsStr) -> Parsed<&str> {
    value.to_str().map(str::trim).ok_or_else(|| "valid UTF-8".to_string())
}

/// A whole number of at least `least`.
pub fn count(text: &str, least: u32) -> Parsed<u32> {
    text.parse()
        .ok()
        .filter(|&n| n >= least)
        .ok_or_else(|| format!("a whole number from {least} to {}", u32::MAX))
}

/// 0 or 1.
pub fn switch(text: &str) -> Parsed<bool> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err("0 or 1".to_string()),
    }
}

/// The first word for `false`, the second one for `true`.
pub fn either(text: &str, words: [&str; 2]) -> Parsed<bool> {
    let found = words.iter().position(|word| *word == text);
    found.map(|at| at == 1).ok_or_else(|| words.join(" or "))
}

/// A route of requests between hosts.
pub fn mode(text: &str) -> Parsed<Mode> {
    let known = Mode::ALL.into_iter().find(|(name, _)| *name == text);
    known.map(|(_, mode)| mode).ok_or_else(|| "direct, forwarding or aggregation".to_string())
}

/// A directory, whether it exists or not.
pub fn directory(value: &OsStr) -> Parsed<PathBuf> {
    path(value).ok_or_else(|| "a directory".to_string())
}

/// A file, whether it exists or not.
pub fn file(value: &OsStr) -> Parsed<PathBuf> {
    path(value).ok_or_else(|| "a file".to_string())
}

/// A path, which may have any bytes; `None` if it is empty.
fn path(value: &OsStr) -> Option<PathBuf> {
    let value = value.to_str().map_or(value, |text| OsStr::new(text.trim()));
    (!value.is_empty()).then(|| PathBuf::from(value))
}

/// A size in bytes, with an optional binary suffix K, M, G or T.
pub fn size(text: &str) -> Parsed<u64> {
    let (digits, shift) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 10),
        Some((at, 'm' | 'M')) => (&text[..at], 20),
        Some((at, 'g' | 'G')) => (&text[..at], 30),
        Some((at, 't' | 'T')) => (&text[..at], 40),
        _ => (text, 0),
    };
    digits
        .parse::<u64>()
        .ok()
        .filter(|&n| n > 0)
        .and_then(|n| n.checked_mul(1 << shift))
        .ok_or_else(|| "a positive size in bytes, optionally with K, M, G or T".to_string())
}

/// A size like [`size`], within bounds.
pub fn bytes(text: &str, bounds: RangeInclusive<u32>) -> Parsed<u32> {
    let found = size(text).ok().and_then(|bytes| u32::try_from(bytes).ok());
    let (least, most) = (bounds.start(), bounds.end());
    found
        .filter(|bytes| bounds.contains(bytes))
        .ok_or_else(|| format!("a size from {least} to {most} bytes, optionally with K, M or G"))
}

/// A time in microseconds, fractions allowed.
pub fn microseconds(text: &str) -> Parsed<Duration> {
    text.parse::<f64>()
        .ok()
        .filter(|&us| (0.0..=1e6).contains(&us))
        .map(|us| Duration::from_nanos((us * 1e3) as u64))
        .ok_or_else(|| "a number of microseconds from 0 to 1000000".to_string())
}

/// A time in whole seconds, within bounds.
pub fn seconds(text: &str, bounds: RangeInclusive<u64>) -> Parsed<Duration> {
    let seconds = text.parse().ok().filter(|seconds| bounds.contains(seconds));
    let expected = || format!("seconds from {} to {}", bounds.start(), bounds.end());
    seconds.map(Duration::from_secs).ok_or_else(expected)
}

/// A time in whole milliseconds.
pub fn milliseconds(text: &str) -> Parsed<Duration> {
    text.parse()
        .map(Duration::from_millis)
        .map_err(|_| "a whole number of milliseconds".to_string())
}

/// `operation:algorithm[,...]`; the collectives check the names.
pub fn collectives(text: &str) -> Parsed<Vec<(String, String)>> {
    text.split(',')
        .map(|pair| match pair.split_once(':') {
            Some((operation, algorithm)) if !operation.is_empty() && !algorithm.is_empty() => {
                Ok((operation.trim().to_string(), algorithm.trim().to_string()))
            }
            _ => Err("a list of operation:algorithm".to_string()),
        })
        .collect()
}

/// A log filter; its grammar is checked where logging starts.
pub fn log_filter(text: &str) -> Parsed<String> {
    match text {
        "" => Err("a log filter such as \"debug\" or \"off\"".to_string()),
        text => Ok(text.to_string()),
    }
}
