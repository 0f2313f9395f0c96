//! The places of an image's program that access coarrays, each with the calls that lead there.

use super::access::SITES;
use super::layout::CALLERS;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use xmp_source::Statement;

/// A place of the program that accesses coarrays, with the calls that lead there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site(u16);

impl Site {
    /// One that is not remembered.
    pub const UNKNOWN: Site = Site(0);

    /// The site with this number.
    pub fn from_number(number: u16) -> Site {
        Site(number)
    }

    /// Its number; 0 is [`Site::UNKNOWN`].
    pub fn number(self) -> u16 {
        self.0
    }
}

/// The sites of this image, by their return addresses. Threads share them.
#[derive(Debug, Default)]
pub struct Sites(Mutex<HashMap<Box<[usize]>, Site>>);

impl Sites {
    /// The site with these return addresses. `record` is called for a new one, before its number is returned.
    pub fn numbered(&self, callers: &[usize], record: impl FnOnce(u16)) -> Site {
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&site) = sites.get(callers) {
            return site;
        }
        let Some(number) =
            u16::try_from(sites.len() + 1).ok().filter(|&it| usize::from(it) < SITES)
        else {
            return Site::UNKNOWN;
        };
        record(number);
        sites.insert(callers.into(), Site(number));
        Site(number)
    }
}

/// What the record of a site begins with that has a text: no return address.
const IS_TEXT: usize = 1;

/// Bytes of a word.
const WORD: usize = size_of::<usize>();

/// The record of a site with this place, `file:line`. Of a place that is too long it has the end.
pub fn place_in_words(place: &str) -> Vec<usize> {
    let most = (CALLERS - 1) * WORD;
    let start = (place.len().saturating_sub(most)..).find(|&at| place.is_char_boundary(at));
    let kept = &place.as_bytes()[start.unwrap_or(place.len())..];
    let words = kept.chunks(WORD).map(|chunk| {
        let mut word = [0; WORD];
        word[..chunk.len()].copy_from_slice(chunk);
        usize::from_ne_bytes(word)
    });
    [IS_TEXT].into_iter().chain(words).collect()
}

/// The statement of a record by [`place_in_words`]; `None` for one with return addresses.
pub fn statement_in_words(record: &[usize]) -> Option<Statement> {
    let (_, words) = record.split_first().filter(|(first, _)| **first == IS_TEXT)?;
    let bytes = words.iter().flat_map(|word| word.to_ne_bytes()).take_while(|&byte| byte != 0);
    let place = String::from_utf8(bytes.collect()).ok()?;
    let (file, line) = place.rsplit_once(':')?;
    Statement::from_text(&format!("{line}\n\n{file}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_words_is_a_statement_again() {
        let long = format!("{}ä/src/main.rs:12", "x/".repeat(60));
        for place in ["src/main.rs:7", "a.rs:12345", "ä.rs:1", &long] {
            let statement = statement_in_words(&place_in_words(place)).unwrap();
            let text = statement.place().unwrap();
            assert!(place.ends_with(&text) && text.len() >= place.len().min(100), "{text}");
        }
        assert_eq!(statement_in_words(&[4096, 8192]), None);
        assert_eq!(statement_in_words(&[]), None);
    }
}
