//! Reductions: the elements of all images are combined, for one image or for all.

use crate::elements::Elements;
use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::grouped;
use crate::host::reduce::copy_in::CopyIn;
use crate::host::reduce::sliced::Sliced;
use crate::host::reduce::{Operand, direct, single_copy, sliced, slots};
use crate::leaders::{CollCall, Vector, run_on_vector};
use crate::plan::{self, Participant, VectorPlan};
use crate::select::{Between, Choices, HostReduce, Shape, near};
use crate::signature::{Kind, Signature};
use crate::two_level::{RootedLeaders, conclude, rank_at, without_elements};
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{BoxedResult, Image, Result};

/// Combines the operands of all images with these algorithms, for all of them or for the one at the position of the set
/// that the operand names.
pub fn reduce_with(
    image: &Image,
    set: &ImageSet,
    operand: &Operand<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        let root = operand.to.map(|root| rank_at(set, root)).transpose()?;
        let elements = &operand.elements;
        if set.len() == 1 {
            return Ok(());
        }
        let signature =
            Signature::combined(Kind::Reduction, elements.count(), elements.reduction());
        let signature = signature.root(operand.to);
        if elements.bytes() == 0 {
            return without_elements(image, set, &signature);
        }
        let levels = set.levels(image)?;
        let forced = if root.is_none() { choices.allreduce.host } else { choices.reduce.host };
        let mut coll = CollCall::new(image, set).signed(signature)?;
        if levels.single_host() {
            on_host(image, levels, operand, forced, choices, &mut coll)?;
            return coll.outcome();
        }
        let rooted_leaders = RootedLeaders::new(image, levels, root);
        let of_host = Operand { to: Some(rooted_leaders.local_position()), ..*operand };
        let combined = on_host(image, levels, &of_host, forced, choices, &mut coll);
        if !rooted_leaders.is_me() {
            combined?;
        } else {
            let area_is_dead = combined.is_err();
            coll.note(combined)?;
            let who = Participant { n: rooted_leaders.hosts(), position: rooted_leaders.host() };
            let between = Between::hosts(image, elements.bytes(), who.n);
            let root = root.map(|_| rooted_leaders.root_host());
            let plan = || plan_of(between, choices, who, root);
            let vector = Vector::elements(elements);
            run_on_vector(image, |host| rooted_leaders.of(host), plan, vector, &mut coll)?;
            if area_is_dead {
                return coll.outcome();
            }
        }
        if root.is_some() {
            return coll.outcome();
        }
        conclude(&rooted_leaders, coll, Vector::bytes_of(elements), choices.broadcast)
    })
}

/// The plan of a reduction between participants, to the one at position `to` or to all.
fn plan_of(between: Between, choices: &Choices, who: Participant, to: Option<usize>) -> VectorPlan {
    match to {
        Some(to) => plan::reduce(between.reduce(choices.reduce.leaders), who, to),
        None => plan::allreduce(between.allreduce(choices.allreduce.leaders), who),
    }
}

/// Combines the operands of the local peers.
fn on_host(
    image: &Image,
    levels: &Levels,
    operand: &Operand<'_>,
    forced: Option<HostReduce>,
    choices: &Choices,
    coll: &mut CollCall<'_>,
) -> BoxedResult<()> {
    let (local_peers, elements) = (levels.local_peers(), &operand.elements);
    if local_peers.len() == 1 {
        return Ok(());
    }
    let shape = Shape::new(image, elements.bytes(), local_peers.len());
    let (element, for_all) = (elements.element(), operand.to.is_none());
    let choice = if elements.reduction().is_by_program() {
        shape.reduce_by_program(element, for_all, forced)
    } else {
        shape.reduce(element, for_all, forced)
    };
    let area = levels.area().filter(|_| choice.otherwise != HostReduce::Messages);
    let Some(area) = area else {
        return Ok(by_messages(image, levels, elements, operand.to, choices, coll)?);
    };
    let host = coll.on_host(area);
    let hierarchy = area.hierarchy();
    let in_groups = match forced {
        Some(forced) => forced == HostReduce::Grouped && grouped::reduces(hierarchy, element),
        None => {
            choice.otherwise == HostReduce::Sliced
                && near::reduction_in_groups(hierarchy, element, elements.bytes(), for_all)
        }
    };
    if in_groups {
        return grouped::reduce(&host, operand);
    }
    // Measured in private memory, by sums of numbers for all.
    let copies_in = |bytes| {
        let choice = Shape { bytes, ..shape }.reduce(size_of::<u64>(), true, None);
        choice.otherwise == HostReduce::CopyIn
    };
    if forced.is_none()
        && single_copy::is_better(&host, shape.bytes, shape.chunk, copies_in)?
        && single_copy::run(&host, operand, shape.chunk, choice.direct)?
    {
        return Ok(());
    }
    match choice.otherwise {
        HostReduce::Slots => slots::run(&host, operand),
        HostReduce::CopyIn => {
            let copy_in = CopyIn::new(&host, operand, shape.chunk);
            if !choice.direct {
                return copy_in.run();
            }
            direct_or(&host, operand, || copy_in.begin(), || copy_in.finish())
        }
        _ => {
            let sliced = Sliced::new(&host, operand, sliced::MAX_CHUNK);
            if !choice.direct {
                return sliced.run();
            }
            direct_or(&host, operand, || sliced.begin(), || sliced.finish())
        }
    }
}

/// Combines the operands of the local peers over channels.
fn by_messages(
    image: &Image,
    levels: &Levels,
    elements: &Elements<'_>,
    to: Option<usize>,
    choices: &Choices,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let local_peers = levels.local_peers();
    let who = Participant { n: local_peers.len(), position: levels.position() };
    let between = Between::local_peers(image, elements.bytes(), who.n);
    let plan = || plan_of(between, choices, who, to);
    run_on_vector(image, |i| local_peers[i], plan, Vector::elements(elements), coll)
}

/// Reduces straight from segments if all operands are there, otherwise by an algorithm that consists of `begin`, a
/// barrier and `finish`.
fn direct_or(
    host: &Host<'_>,
    operand: &Operand<'_>,
    begin: impl Fn(),
    finish: impl Fn() -> BoxedResult<()>,
) -> BoxedResult<()> {
    if !direct::begin(host, operand) {
        begin();
    }
    host.barrier()?;
    let addresses = direct::addresses(host);
    match addresses.iter().filter(|address| address.is_null()).count() {
        // SAFETY: all members find the same addresses, so all of them execute this.
        0 => unsafe { direct::finish(host, operand, &addresses) },
        private if private == addresses.len() => finish(),
        _ => {
            begin();
            host.barrier()?;
            finish()
        }
    }
}
