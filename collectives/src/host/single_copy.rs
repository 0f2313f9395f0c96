//! Single copies of private memory: the system copies from one process to another (`process_vm_readv` and
//! `process_vm_writev`), so that the data passes through no staging buffer. `broadcast/single_copy.rs` and
//! `reduce/single_copy.rs` are the operations that do it.
//!
//! Whether that is possible, and from how many bytes on it is faster than staging, depends on the machine: on the
//! processor, on the system's price of a call, and on what it permits. The members of a collective area find it out
//! together before their first long operation of each kind ([`least`]), and all come to the same answer. An image remembers
//! the times that it has measured, so that further areas of as many members ask only whether they may copy.

use super::Host;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, Instant};
use xmp_core::coll_area::SingleCopy;
use xmp_core::process::memory;
use xmp_core::{BoxedResult, Error, Rank};

/// Less data is never copied by the system: the call alone takes longer than staging.
pub const SHORTEST: usize = 16 << 10;
/// More bytes than any operation has: the answer where staging is better.
const NEVER: u64 = u64::MAX;

/// Lengths for which both ways are measured, in ascending order.
const MEASURED: [usize; 3] = [32 << 10, 128 << 10, 512 << 10];
/// How often each way is measured for each length; the least time counts.
const ROUNDS: usize = 3;
/// Time after which no further round begins: where other programs use the cores, each barrier takes a time slice.
const MAX_MEASURING_TIME: Duration = Duration::from_millis(50);
/// Members above which staging is used without a measurement, which would take long.
const MAX_MEMBERS: usize = 32;
/// Gain without which the single copy is not used.
const GAIN: f64 = 0.9;
/// Most bytes of a call: systems copy no more than 2 GiB at once.
const MAX_CALL_BYTES: usize = 1 << 30;

/// The word that a member posts after its copies: the system has copied all, or refused one; or an image has ended. The index of
/// that image is above a bit that tells whether the image has stopped.
const COPIED: u64 = 0;
const REFUSED: u64 = 1;
const IS_STOPPED: u64 = 1;

thread_local! {
    /// From how many bytes on a single copy is faster, by operation and number of members.
    static MEASURED_HERE: RefCell<BTreeMap<(SingleCopy, usize), u64>> =
        const { RefCell::new(BTreeMap::new()) };
}

/// The method of an operation that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyMethod {
    /// Through the staging buffers.
    Staged,
    /// By a single copy.
    Single,
}

/// From how many bytes on the members of the area execute this operation by a single copy. All members call it for the same
/// operation, of at least [`SHORTEST`] bytes. `execute` executes it in a buffer, in a way, and returns whether the system
/// has copied.
#[inline]
pub fn least(
    host: &Host<'_>,
    operation: SingleCopy,
    execute: impl Fn(&mut [u8], CopyMethod) -> BoxedResult<bool>,
) -> BoxedResult<u64> {
    match host.area.single_copy_from(operation) {
        Some(bytes) => Ok(bytes),
        None => find(host, operation, &execute),
    }
}

/// Notes for all members that the system does not copy any more.
pub fn give_up(host: &Host<'_>, operation: SingleCopy) {
    host.area.set_single_copy_from(operation, NEVER);
}

#[cold]
#[inline(never)]
fn find(host: &Host<'_>, operation: SingleCopy, execute: Execute<'_>) -> BoxedResult<u64> {
    let may_measure = host.members() <= MAX_MEMBERS && reaches_all(host)?;
    let bytes = if may_measure { faster_from(host, operation, execute)? } else { NEVER };
    host.area.set_single_copy_from(operation, bytes);
    Ok(bytes)
}

/// See [`least`].
type Execute<'a> = &'a dyn Fn(&mut [u8], CopyMethod) -> BoxedResult<bool>;

/// Whether all members can read the memory of all others. A number that each one has in its memory says whether it is the
/// right process: where images are in several namespaces of processes, their numbers mean others.
fn reaches_all(host: &Host<'_>) -> BoxedResult<bool> {
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

/// Compares the outcomes of the copies of all members, in a barrier: whether the system has copied for each of them.
///
/// # Errors
/// When a member has ended, on all members the same: one that is killed after it has arrived at the barrier is missed only by
/// those that still copy from it or to it.
pub fn all_have_copied(host: &Host<'_>, outcome: &BoxedResult<()>) -> BoxedResult<bool> {
    host.post_word(match outcome.as_ref().map_err(|error| &**error) {
        Ok(()) => COPIED,
        Err(Error::FailedImage(rank)) => u64::from(rank.image()) << 1,
        Err(Error::StoppedImage(rank)) => u64::from(rank.image()) << 1 | IS_STOPPED,
        Err(_) => REFUSED,
    });
    host.barrier()?;
    let words = (0..host.members()).map(|member| host.posted_word(member));
    let ended = words.clone().filter(|&word| word > REFUSED);
    // A stopped image has precedence, as everywhere.
    let ended = ended.max_by_key(|word| word & IS_STOPPED);
    ended.map_or(Ok(()), |word| {
        let rank = Rank::new((word >> 1) as u32 - 1);
        let is_stopped = word & IS_STOPPED != 0;
        Err(if is_stopped { Error::StoppedImage(rank) } else { Error::FailedImage(rank) })
    })?;
    Ok(words.clone().all(|word| word == COPIED))
}

/// Whether all members say so; a barrier.
fn all_say(host: &Host<'_>, answer: bool) -> BoxedResult<bool> {
    host.post_word(answer.into());
    host.barrier()?;
    Ok((0..host.members()).all(|member| host.posted_word(member) != 0))
}

fn rank(host: &Host<'_>, member: usize) -> Rank {
    host.area.ranks()[member]
}

/// From how many bytes on a single copy is faster, as the first member knows or as all measure together.
fn faster_from(host: &Host<'_>, operation: SingleCopy, execute: Execute<'_>) -> BoxedResult<u64> {
    let key = (operation, host.members());
    let known = MEASURED_HERE.with_borrow(|known| known.get(&key).copied());
    host.post_words([known.is_some().into(), known.unwrap_or(NEVER)]);
    host.barrier()?;
    let [is_known, bytes] = host.posted_words(0);
    if is_known != 0 {
        return Ok(bytes);
    }
    host.post_word(measure(host, execute)?);
    host.barrier()?;
    let bytes = host.posted_word(0);
    MEASURED_HERE.with_borrow_mut(|known| known.insert(key, bytes));
    Ok(bytes)
}

/// From how many bytes on a single copy has been faster on this member; staging where the first member has found that
/// the measurement takes too long. All members take the same steps, whatever they find.
fn measure(host: &Host<'_>, execute: Execute<'_>) -> BoxedResult<u64> {
    let mut buffer = vec![1_u8; MEASURED[MEASURED.len() - 1]];
    let mut is_faster = [false; MEASURED.len()];
    let start = Instant::now();
    for (len, is_faster) in MEASURED.into_iter().zip(&mut is_faster) {
        let mut least = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            for (way, least) in [CopyMethod::Staged, CopyMethod::Single].into_iter().zip(&mut least)
            {
                *least = time(host, &mut buffer[..len], way, execute)?.min(*least);
            }
            host.post_word((start.elapsed() > MAX_MEASURING_TIME).into());
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

/// The least number of bytes for which a single copy is used that was faster for these of the lengths measured.
fn from(is_faster: [bool; MEASURED.len()]) -> u64 {
    match is_faster.iter().rposition(|is_faster| !is_faster) {
        // What holds for the shortest length holds a bit below.
        None => SHORTEST as u64,
        Some(slower) => MEASURED.get(slower + 1).map_or(NEVER, |&len| len as u64),
    }
}

/// Seconds of an operation, until all members have what they get. Each member has written its buffer before, as programs
/// do: its lines are in the cache of that member's core then.
fn time(
    host: &Host<'_>,
    buffer: &mut [u8],
    way: CopyMethod,
    execute: Execute<'_>,
) -> BoxedResult<f64> {
    buffer.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
    host.barrier()?;
    let start = Instant::now();
    let is_done = execute(buffer, way)?;
    host.barrier()?;
    Ok(if is_done { start.elapsed().as_secs_f64() } else { f64::INFINITY })
}

/// Copies `len` bytes to an address of a member's process.
///
/// # Errors
/// When the member has ended, or the system does not copy.
///
/// # Safety
/// `source` is valid for reads of `len` bytes. The member has posted the address of a buffer that has these bytes, and
/// does not access them before the next barrier.
pub unsafe fn give(
    host: &Host<'_>,
    member: usize,
    address: u64,
    source: *const u8,
    len: usize,
) -> BoxedResult<()> {
    pieces(len, |at, len| {
        // SAFETY: within the bytes of both sides (contract of this function).
        unsafe {
            let source = source.wrapping_add(at);
            Ok(memory::write(host.image, rank(host, member), address + at as u64, source, len)?)
        }
    })
}

/// Copies `len` bytes from an address of a member's process.
///
/// # Errors
/// When the member has ended, or the system does not copy.
///
/// # Safety
/// `target` is valid for writes of `len` bytes. The member has posted the address of a buffer that has these bytes, and
/// nothing changes them before the next barrier.
pub unsafe fn take(
    host: &Host<'_>,
    member: usize,
    address: u64,
    target: *mut u8,
    len: usize,
) -> BoxedResult<()> {
    pieces(len, |at, len| {
        // SAFETY: within the bytes of both sides (contract of this function).
        unsafe {
            let target = target.wrapping_add(at);
            Ok(memory::read(host.image, rank(host, member), address + at as u64, target, len)?)
        }
    })
}

/// Calls `copy` with offset and length of each piece of `len` bytes.
fn pieces(len: usize, mut copy: impl FnMut(usize, usize) -> BoxedResult<()>) -> BoxedResult<()> {
    (0..len).step_by(MAX_CALL_BYTES).try_for_each(|at| copy(at, MAX_CALL_BYTES.min(len - at)))
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
