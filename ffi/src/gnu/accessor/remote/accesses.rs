//! Accesses of an accessor on another host, where races are looked for: they come with the reply, and the image that has asked enters
//! them as its own.

use super::encoding::{Reader, Write, malformed};
use crate::gnu::accessor::entered::kind;
use crate::process::Instance;
use std::ptr;
use xmp_core::race_hooks::Gathered;
use xmp_core::races::Races;
use xmp_core::{Rank, Result};

const WORD: usize = size_of::<u64>();
/// Words of an access.
const WORDS: usize = 4;

/// Appends those to memory of images of this host, and then their number.
pub fn append(instance: &Instance, accesses: &[Gathered], reply: &mut Vec<u8>) {
    let located = accesses.iter().filter_map(|access| {
        let (of, offset) = instance.image.locate(ptr::without_provenance(access.address))?;
        Some((of, offset, access))
    });
    let mut number = 0;
    for (of, offset, &Gathered { len, writes, .. }) in located {
        reply.word(of.get().into());
        reply.word(offset);
        reply.word(len as u64);
        reply.word(writes.into());
        number += 1;
    }
    reply.word(number);
}

/// Enters what [`append`] has appended, for the statement that this image executes, and leaves the rest.
///
/// # Errors
/// When it has not.
pub fn enter(races: Races<'_>, reply: &mut Vec<u8>) -> Result<()> {
    let end = reply.len().checked_sub(WORD).ok_or_else(malformed)?;
    let number = Reader(&reply[end..]).word()? as usize;
    let len = number.checked_mul(WORDS * WORD).ok_or_else(malformed)?;
    let start = end.checked_sub(len).ok_or_else(malformed)?;
    let mut accesses = Reader(&reply[start..end]);
    let site = races.this_site();
    for _ in 0..number {
        let of = Rank::new(accesses.word()? as u32);
        let (from, len) = (accesses.word()?, accesses.word()?);
        let kind = kind(accesses.word()? != 0);
        let range = from..from.saturating_add(len);
        races.access_all(site, of, &[range], kind);
    }
    reply.truncate(start);
    Ok(())
}
