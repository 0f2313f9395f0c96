//! Broadcast of private memory by a single copy: the system copies from one process to another (`process_vm_readv` and
//! `process_vm_writev`), so that the data passes through no staging buffer. All members copy at the same time: a receiver
//! takes the first part of the message from the root, and the root gives each receiver the rest.
//!
//! Whether that is possible, and from how many bytes on it is faster than staging, depends on the machine: on the
//! processor, on the system's price of a call, and on what it permits. The members of a collective area find it out
//! together before their first long broadcast ([`least`]), and all come to the same answer. An image remembers the times
//! that it has measured, so that further areas of as many members ask only whether they may copy.

use super::message::Message;
use super::staged;
use crate::host::Host;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;
use std::time::{Duration, Instant};
use xmp_core::process::memory;
use xmp_core::{Rank, Result};

/// Shorter messages are never copied by the system: the call alone takes longer than staging.
pub const SHORTEST: usize = 16 << 10;
/// More bytes than any message has: the answer where staging is better.
const NEVER: u64 = u64::MAX;

/// Lengths for which both ways are measured, in ascending order.
const MEASURED: [usize; 3] = [32 << 10, 128 << 10, 512 << 10];
/// How often each way is measured for each length; the least time counts.
const ROUNDS: usize = 3;
/// Time after which no further round begins: where other programs use the cores, each barrier takes a time slice.
const MOST_TIME: Duration = Duration::from_millis(50);
/// Members above which staging is used without a measurement, which would take long.
const MOST_MEMBERS: usize = 32;
/// Gain without which the single copy is not used.
const GAIN: f64 = 0.9;
/// Most bytes of a call: systems copy no more than 2 GiB at once.
const PIECE: usize = 1 << 30;
/// The parts begin with whole pages.
const PAGE: usize = 4096;

thread_local! {
    /// From how many bytes on a single copy is faster, by number of members.
    static MEASURED_HERE: RefCell<BTreeMap<usize, u64>> = const { RefCell::new(BTreeMap::new()) };
}

/// From how many bytes on the members of the area broadcast private memory by a single copy. All members call it for the
/// same message, of at least [`SHORTEST`] bytes.
#[inline]
pub fn least(host: &Host<'_>, chunk: usize) -> Result<u64> {
    match host.area.single_copy_from() {
        Some(bytes) => Ok(bytes),
        None => find(host, chunk),
    }
}

#[cold]
#[inline(never)]
fn find(host: &Host<'_>, chunk: usize) -> Result<u64> {
    let may_measure = host.members() <= MOST_MEMBERS && reaches_all(host)?;
    let bytes = if may_measure { faster_from(host, chunk)? } else { NEVER };
    host.area.set_single_copy_from(bytes);
    Ok(bytes)
}

/// Whether all members can read the memory of all others. A number that each one has in its memory says whether it is the
/// right process: where images are in several namespaces of processes, their numbers mean others.
fn reaches_all(host: &Host<'_>) -> Result<bool> {
    let secret = Box::new(RandomState::new().build_hasher().finish());
    host.post_words([*secret, (&raw const *secret).expose_provenance() as u64]);
    host.barrier()?;
    let is_there = |member: usize| {
        let [number, address] = host.posted_words(member);
        let mut found = [0; 8];
        // SAFETY: `found` has eight bytes. The member changes its own before the next barrier only.
        let read = unsafe {
            memory::read(host.image, rank(host, member), address, found.as_mut_ptr(), found.len())
        };
        read.is_ok() && u64::from_ne_bytes(found) == number
    };
    let answer = host.others().all(is_there);
    all_say(host, answer)
}

/// Whether all members say so; a barrier.
fn all_say(host: &Host<'_>, answer: bool) -> Result<bool> {
    host.post_word(answer.into());
    host.barrier()?;
    Ok((0..host.members()).all(|member| host.posted_word(member) != 0))
}

fn rank(host: &Host<'_>, member: usize) -> Rank {
    host.area.ranks()[member]
}

/// From how many bytes on a single copy is faster, as the first member knows or as all measure together.
fn faster_from(host: &Host<'_>, chunk: usize) -> Result<u64> {
    let members = host.members();
    let known = MEASURED_HERE.with_borrow(|known| known.get(&members).copied());
    host.post_words([known.is_some().into(), known.unwrap_or(NEVER)]);
    host.barrier()?;
    let [is_known, bytes] = host.posted_words(0);
    if is_known != 0 {
        return Ok(bytes);
    }
    host.post_word(measure(host, chunk)?);
    host.barrier()?;
    let bytes = host.posted_word(0);
    MEASURED_HERE.with_borrow_mut(|known| known.insert(members, bytes));
    Ok(bytes)
}

/// From how many bytes on a single copy has been faster on this member; staging where the first member has found that
/// the measurement takes too long. All members take the same steps, whatever they find.
fn measure(host: &Host<'_>, chunk: usize) -> Result<u64> {
    let mut buffer = vec![1_u8; MEASURED[MEASURED.len() - 1]];
    let mut is_faster = [false; MEASURED.len()];
    let start = Instant::now();
    for (len, is_faster) in MEASURED.into_iter().zip(&mut is_faster) {
        let mut least = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            for (way, least) in least.iter_mut().enumerate() {
                *least = time(host, &mut buffer[..len], chunk, way == 1)?.min(*least);
            }
            host.post_word((start.elapsed() > MOST_TIME).into());
            host.barrier()?;
            if host.posted_word(0) != 0 {
                return Ok(NEVER);
            }
        }
        let [staged, single] = least;
        *is_faster = single < GAIN * staged;
    }
    Ok(from(is_faster))
}

/// From how many bytes on a single copy is used that was faster for these of the lengths measured.
fn from(is_faster: [bool; MEASURED.len()]) -> u64 {
    match is_faster.iter().rposition(|is_faster| !is_faster) {
        // What holds for the shortest length holds a bit below.
        None => SHORTEST as u64,
        Some(slower) => MEASURED.get(slower + 1).map_or(NEVER, |&len| len as u64),
    }
}

/// Seconds of a broadcast by the first member, until the others have what they get.
fn time(host: &Host<'_>, buffer: &mut [u8], chunk: usize, single: bool) -> Result<f64> {
    if host.me() == 0 {
        buffer.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
    }
    // SAFETY: the buffer of this member, which only the broadcast accesses.
    let message = unsafe { Message::new(buffer.as_mut_ptr(), buffer.len(), 0) };
    host.barrier()?;
    let start = Instant::now();
    if single {
        host.post_words([0, message.start().expose_provenance() as u64]);
        host.barrier()?;
        if !copy(host, &message)? {
            return Ok(f64::INFINITY);
        }
    } else {
        staged::broadcast(host, &message, chunk)?;
    }
    host.barrier()?;
    Ok(start.elapsed().as_secs_f64())
}

/// Copies the message, after a barrier before which all members have posted the addresses of their buffers as the second
/// of two words. Whether all have copied their part; otherwise the message is undefined on all but the root, and no
/// member of the area tries it again.
pub fn copy(host: &Host<'_>, message: &Message) -> Result<bool> {
    let given = message.bytes() / host.members() / PAGE * PAGE;
    let taken = message.bytes() - given;
    let copied = if host.me() == message.root() {
        host.others().try_for_each(|member| give(host, member, message, taken))
    } else {
        take(host, message, taken)
    };
    if all_say(host, copied.is_ok())? {
        if host.me() != message.root() {
            memory::written_by_another(message.start().wrapping_add(taken), given);
        }
        return Ok(true);
    }
    host.area.set_single_copy_from(NEVER);
    Ok(false)
}

/// Gives a member what follows the first `from` bytes.
fn give(host: &Host<'_>, member: usize, message: &Message, from: usize) -> Result<()> {
    let [_, address] = host.posted_words(member);
    pieces(from..message.bytes(), |at, len| {
        let source = message.start().wrapping_add(at);
        // SAFETY: the message has these bytes (`Message::new`). The member has posted the address of its buffer, which
        // is as long, and does not access this part of it before the next barrier.
        unsafe { memory::write(host.image, rank(host, member), address + at as u64, source, len) }
    })
}

/// Takes the first `len` bytes from the root.
fn take(host: &Host<'_>, message: &Message, len: usize) -> Result<()> {
    let [_, address] = host.posted_words(message.root());
    let root = rank(host, message.root());
    pieces(0..len, |at, len| {
        let target = message.start().wrapping_add(at);
        // SAFETY: the message has these bytes (`Message::new`), and the root does not change its own before the next
        // barrier.
        unsafe { memory::read(host.image, root, address + at as u64, target, len) }
    })
}

/// Calls `copy` with offset and length of each piece of a range.
fn pieces(range: Range<usize>, mut copy: impl FnMut(usize, usize) -> Result<()>) -> Result<()> {
    let end = range.end;
    range.step_by(PIECE).try_for_each(|at| copy(at, PIECE.min(end - at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_copy_is_used_from_where_on_it_is_always_faster() {
        for (is_faster, bytes) in [
            ([true, true, true], SHORTEST as u64),
            ([false, true, true], 128 << 10),
            ([true, false, true], 512 << 10),
            ([true, true, false], NEVER),
            ([false; 3], NEVER),
        ] {
            assert_eq!(from(is_faster), bytes);
        }
    }
}
