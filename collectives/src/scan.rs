//! Scans: each image gets the combination of the elements of all images up to itself, or before itself.
//!
//! The brackets of a result depend on the position of the image and on how the set is spread over hosts, not on the
//! algorithm or the number of elements. The left operand is always the one of the lower position.
//!
//! - On one host, where each image has a host of its own, and where hosts alternate in the set, they are the *prefix
//!   brackets* of [`crate::schedules::prefix`] over the images.
//! - Where the images of each host follow one another, they are the prefix brackets over the images of the own host up
//!   to this one, and to the left of these the prefix brackets over the hosts before. A host stands for the result that
//!   its last image has on this host alone; in an exclusive scan, with that image's own elements to the right.

use crate::elements::Elements;
use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::scan::{Operand, direct, doubling, slots, staged};
use crate::host_distribution::HostDistribution;
use crate::leaders::{CollCall, Vector, run_on_vector, shift};
use crate::plan::{self, Participant};
use crate::select::{Choices, HostScan, LeaderScan, Shape};
use crate::signature::{Kind, Signature};
use crate::two_level::{conclude_from, without_elements};
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{BoxedResult, Image, Rank, Result};

/// Scans the operands of all images with these algorithms.
pub fn scan_with(
    image: &Image,
    set: &ImageSet,
    operand: &Operand<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        if set.len() == 1 {
            return Ok(());
        }
        if operand.elements.bytes() == 0 {
            return without_elements(image, set, &signature(operand));
        }
        let levels = set.levels(image)?;
        let mut coll = CollCall::new(image, set).signed(signature(operand))?;
        if levels.single_host() {
            on_host(image, levels, operand, choices, &mut coll)?;
            return coll.outcome();
        }
        let spread = HostDistribution::new(image, set, levels);
        if spread.hosts().is_sorted() && levels.leaders().len() < set.len() {
            return over_hosts(image, set, &spread, operand, choices);
        }
        // Either each image has a host of its own, or a result on one host is no part of any result.
        let peer = |position| set.rank_at(position).expect("a member");
        let who = Participant { n: set.len(), position: set.position().expect("a member") };
        by_messages(image, who, peer, operand, choices, &mut coll)?;
        coll.outcome()
    })
}

/// What the images of a scan give alike.
fn signature(operand: &Operand<'_>) -> Signature {
    let kind = if operand.exclusive { Kind::Exscan } else { Kind::Scan };
    let elements = &operand.elements;
    Signature::combined(kind, elements.count(), elements.reduction())
}

/// Scans the operands of the local peers.
fn on_host(
    image: &Image,
    levels: &Levels,
    operand: &Operand<'_>,
    choices: &Choices,
    coll: &mut CollCall<'_>,
) -> BoxedResult<()> {
    let (local_peers, me) = (levels.local_peers(), levels.position());
    if local_peers.len() == 1 {
        return Ok(());
    }
    let shape = Shape::new(image, operand.elements.bytes(), local_peers.len());
    let choice = shape.scan(operand.elements.element(), choices.scan.host);
    let area = levels.area().filter(|_| choice.otherwise != HostScan::Messages);
    let Some(area) = area else {
        let who = Participant { n: local_peers.len(), position: me };
        return Ok(by_messages(image, who, |i| local_peers[i], operand, choices, coll)?);
    };
    let host = Host::of_call(image, area, signature(operand));
    if choice.direct && direct(&host, operand)? {
        return Ok(());
    }
    match choice.otherwise {
        HostScan::Slots => slots(&host, operand),
        HostScan::Staged => staged(&host, operand, shape.chunk),
        _ => doubling(&host, operand, shape.pipelined_chunk()),
    }
}

/// Scans the operands of participants over channels.
fn by_messages(
    image: &Image,
    who: Participant,
    peer: impl Fn(usize) -> Rank,
    operand: &Operand<'_>,
    choices: &Choices,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let algorithm = choices.scan.leaders.unwrap_or(LeaderScan::RecursiveDoubling);
    // An exclusive scan is an inclusive one of the elements of the participants before, without the first participant.
    let first = usize::from(operand.exclusive);
    if operand.exclusive {
        shift(image, who, &peer, &operand.elements, coll)?;
    }
    let Some(position) = who.position.checked_sub(first) else { return Ok(()) };
    let who = Participant { n: who.n - first, position };
    let vector = Vector::elements(&operand.elements);
    run_on_vector(image, |i| peer(i + first), || plan::scan(algorithm, who), vector, coll)
}

/// Scans over hosts whose images follow one another: first each host for itself, then the last images of the hosts scan
/// the results of hosts, and each of them gives its local peers the result of the hosts before.
fn over_hosts(
    image: &Image,
    set: &ImageSet,
    spread: &HostDistribution,
    operand: &Operand<'_>,
    choices: &Choices,
) -> Result<()> {
    let levels = set.levels(image)?;
    let (hosts, host) = (levels.leaders().len(), levels.host());
    let (local_peers, me) = (levels.local_peers().len(), levels.position());
    let Operand { elements, exclusive } = *operand;
    let (own, len, last) = (elements.at(0), elements.bytes(), local_peers - 1);
    let (reduction, count) = (elements.reduction(), elements.count());
    // The result of this host, then that of the hosts before it.
    let mut memory = vec![0u128; len.div_ceil(16)];
    let of_hosts: *mut u8 = memory.as_mut_ptr().cast();
    // SAFETY: `memory` has room for the elements of one image.
    let of_hosts_elements = unsafe { Elements::new(of_hosts, count, reduction) };
    let mut coll = CollCall::new(image, set).signed(signature(operand))?;
    // SAFETY: `own` and `of_hosts` have `count` elements, which are `len` bytes.
    unsafe {
        if me == last && exclusive {
            of_hosts.copy_from_nonoverlapping(own, len);
        }
        let scanned = on_host(image, levels, operand, choices, &mut coll);
        if me != last {
            scanned?;
        } else {
            let area_is_dead = scanned.is_err();
            coll.note(scanned)?;
            if !exclusive {
                of_hosts.copy_from_nonoverlapping(own, len);
            } else if local_peers > 1 && coll.is_good() {
                reduction.two(of_hosts, own, of_hosts, count);
            }
            let lasts = spread.lasts(hosts);
            let peer = |host: usize| set.rank_at(lasts[host]).expect("a member");
            let of_host = Operand { elements: of_hosts_elements, exclusive: true };
            let who = Participant { n: hosts, position: host };
            by_messages(image, who, peer, &of_host, choices, &mut coll)?;
            if area_is_dead {
                return coll.outcome();
            }
        }
        // No host comes before the first one, but its images get the call status.
        let before = Vector::bytes_of(&of_hosts_elements);
        let before = if host == 0 { Vector::bytes(&mut []) } else { before };
        conclude_from(image, levels, last, coll, before, choices.broadcast)?;
        if host > 0 && exclusive && me == 0 {
            own.copy_from_nonoverlapping(of_hosts, len);
        } else if host > 0 {
            reduction.two(own, of_hosts, own, count);
        }
    }
    Ok(())
}
