//! Scan: each image gets the combination of the elements of all images up to itself, or before itself.
//!
//! Brackets. On one host, where each image has a host of its own, and where hosts alternate in the set, they are the
//! *prefix brackets* of [`crate::schedules::prefix`], which depend on the position of the image only. Else, where the
//! images of each host follow one another, the images before one on its own host are combined in prefix brackets, and
//! so are the hosts before it, each as the result that its last image has of its own host alone (of an exclusive scan:
//! with that image's own elements to the right). Hosts stand to the left. So a result depends on the set and on how it
//! is spread over hosts, not on the algorithm or the number of elements. The left operand is always the one of the
//! lower position.

use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::scan::{Operand, direct, doubling, slots, staged};
use crate::leaders::{CollCall, Vector, run_on_vector, shift};
use crate::plan::{self, Participant};
use crate::select::{Choices, HostScan, LeaderScan, Shape};
use crate::spread::Spread;
use crate::two_level::conclude_from;
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Image, Rank, Result};

/// As [`crate::raw::scan`] or [`crate::raw::exscan`], with these algorithms.
///
/// # Errors
/// Those of these functions.
///
/// # Safety
/// As these functions.
pub unsafe fn scan_with(
    image: &Image,
    set: &ImageSet,
    operand: &Operand<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        if operand.bytes() == 0 || set.len() == 1 {
            return Ok(());
        }
        let levels = set.levels(image)?;
        let mut coll = CollCall::new(image, set);
        // SAFETY: `buffer` has the elements of the operand (contract above).
        unsafe {
            if levels.single_host() {
                on_host(image, levels, operand, choices, &mut coll)?;
                return coll.outcome();
            }
            let spread = Spread::new(image, set, levels);
            if spread.hosts().is_sorted() && levels.leaders().len() < set.len() {
                return over_hosts(image, set, &spread, operand, choices);
            }
            // A host has nothing to combine, or what it would is not wanted: its images do not follow one another.
            let peer = |position| set.rank_at(position).expect("a member");
            let position = set.position().expect("a member");
            let who = Participant { n: set.len(), position };
            by_messages(image, who, peer, operand, choices, &mut coll)?;
        }
        coll.outcome()
    })
}

/// Between the images of this host.
///
/// # Errors
/// When a member of the collective area has ended. (Without the collective area that goes to `coll`.)
///
/// # Safety
/// The operand is valid.
unsafe fn on_host(
    image: &Image,
    levels: &Levels,
    operand: &Operand<'_>,
    choices: &Choices,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let (local_peers, me) = (levels.local_peers(), levels.position());
    if local_peers.len() == 1 {
        return Ok(());
    }
    let shape = Shape::new(image, operand.bytes(), local_peers.len());
    let choice = shape.scan(operand.reduction.element(), choices.scan.host);
    let area = levels.area().filter(|_| choice.otherwise != HostScan::Messages);
    // SAFETY: `buffer` has the elements of the operand (contract above).
    unsafe {
        let Some(area) = area else {
            let who = Participant { n: local_peers.len(), position: me };
            return by_messages(image, who, |i| local_peers[i], operand, choices, coll);
        };
        let host = Host { image, area };
        if choice.direct && direct::run(&host, operand)? {
            return Ok(());
        }
        match choice.otherwise {
            HostScan::Slots => slots::run(&host, operand),
            HostScan::Staged => staged::run(&host, operand, shape.chunk()),
            _ => doubling::run(&host, operand, shape.pipelined_chunk()),
        }
    }
}

/// Among participants, over channels.
///
/// # Safety
/// The operand is valid.
unsafe fn by_messages(
    image: &Image,
    who: Participant,
    peer: impl Fn(usize) -> Rank,
    operand: &Operand<'_>,
    choices: &Choices,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let (start, len) = (operand.buffer, operand.bytes());
    let element = operand.reduction.element();
    let vector = Vector { start, len, element, reduction: Some(operand.reduction) };
    let algorithm = choices.scan.leaders.unwrap_or(LeaderScan::RecursiveDoubling);
    // An exclusive scan is one of the elements of those before; the first then does not take part.
    let first = usize::from(operand.exclusive);
    // SAFETY: `buffer` has the elements of the operand (contract above).
    unsafe {
        if operand.exclusive {
            shift::shift(image, who, &peer, start, len, coll)?;
        }
        let Some(position) = who.position.checked_sub(first) else { return Ok(()) };
        let who = Participant { n: who.n - first, position };
        let plan = || plan::scan(algorithm, who);
        run_on_vector(image, |i| peer(i + first), plan, vector, coll)
    }
}

/// Over hosts whose images follow one another: each host for itself, then the last image of each has what its host
/// brings and gets what the hosts before bring, and gives that to its local peers.
///
/// # Safety
/// The operand is valid.
unsafe fn over_hosts(
    image: &Image,
    set: &ImageSet,
    spread: &Spread,
    operand: &Operand<'_>,
    choices: &Choices,
) -> Result<()> {
    let levels = set.levels(image)?;
    let (hosts, host) = (levels.leaders().len(), levels.host());
    let (local_peers, me) = (levels.local_peers().len(), levels.position());
    let (len, last) = (operand.bytes(), local_peers - 1);
    let Operand { buffer, count, reduction, exclusive } = *operand;
    // What this host brings, then what those before it do.
    let mut hosts_before = vec![0u128; len.div_ceil(16)];
    let total: *mut u8 = hosts_before.as_mut_ptr().cast();
    let mut coll = CollCall::new(image, set);
    // SAFETY: `buffer` has the elements of the operand (contract above); `total` has room for the elements of one
    // image.
    unsafe {
        if me == last && exclusive {
            std::ptr::copy_nonoverlapping(buffer, total, len);
        }
        let scanned = on_host(image, levels, operand, choices, &mut coll);
        if me != last {
            scanned?;
        } else {
            let area_is_dead = scanned.is_err();
            coll.note(scanned)?;
            if !exclusive {
                std::ptr::copy_nonoverlapping(buffer, total, len);
            } else if local_peers > 1 && coll.is_good() {
                reduction.two(total, buffer, total, count);
            }
            let lasts = spread.lasts(hosts);
            let peer = |host: usize| set.rank_at(lasts[host]).expect("a member");
            let brought = Operand { buffer: total, count, reduction, exclusive: true };
            let who = Participant { n: hosts, position: host };
            by_messages(image, who, peer, &brought, choices, &mut coll)?;
            if area_is_dead {
                return coll.outcome();
            }
        }
        // Nothing comes before the first host, but its images learn the verdict.
        let result = Vector::bytes(total, if host == 0 { 0 } else { len });
        conclude_from(image, levels, last, coll, result, choices.broadcast)?;
        if host > 0 && exclusive && me == 0 {
            std::ptr::copy_nonoverlapping(total, buffer, len);
        } else if host > 0 {
            reduction.two(buffer, total, buffer, count);
        }
    }
    Ok(())
}
