//! The places of an image's program that access coarrays, each with the calls that lead there.

use super::access::SITES;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

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
