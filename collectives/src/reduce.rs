//! Reductions: the elements of all images are combined, for one image or for all.

use crate::check::Call;
use crate::guard::{say, with_live_set};
use crate::host::Host;
use crate::host::reduce::mirrored::Mirrored;
use crate::host::reduce::sliced::Sliced;
use crate::host::reduce::{Operand, direct, sliced, slots};
use crate::leaders::{self, CollCall};
use crate::plan::{self, Participant};
use crate::reduction::Reduction;
use crate::select::{Between, Choices, HostReduce, Shape};
use crate::two_level::{RootedLeaders, conclude, rank_at};
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Image, Result};

/// Combines the `count` elements at `buffer` of all images of the set, element by element, and leaves the
/// result in `buffer` of all of them, the same bits everywhere. All give the same count and reduction.
///
/// # Errors
/// When an image of the set has stopped or failed without taking part. What is at `buffer` is undefined then.
///
/// # Safety
/// `buffer` is valid for reads and writes of `count` elements, which no other image accesses meanwhile.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn allreduce(
    image: &Image,
    set: &ImageSet,
    buffer: *mut u8,
    count: usize,
    reduction: &Reduction<'_>,
) -> Result<()> {
    let call = || Call::of("allreduce").combined(count, reduction);
    say(image, set, call)?;
    let choices = Choices::from_settings(image.settings())?;
    // SAFETY: the caller's guarantee.
    unsafe { allreduce_with(image, set, (buffer, count), reduction, &choices) }
}

/// As [`allreduce`], but only the image at the 0-based position `root` gets the result; what is at `buffer` of the
/// others afterwards is undefined.
///
/// # Errors
/// As [`allreduce`], on the root; others may have returned before. When the root is not in the set.
///
/// # Safety
/// As [`allreduce`].
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn reduce(
    image: &Image,
    set: &ImageSet,
    root: usize,
    buffer: *mut u8,
    count: usize,
    reduction: &Reduction<'_>,
) -> Result<()> {
    let call = || Call::of("reduce").combined(count, reduction).root(root);
    say(image, set, call)?;
    let choices = Choices::from_settings(image.settings())?;
    // SAFETY: the caller's guarantee.
    unsafe { reduce_with(image, set, root, (buffer, count), reduction, &choices) }
}

/// As [`allreduce`], with these algorithms.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn allreduce_with(
    image: &Image,
    set: &ImageSet,
    (buffer, count): (*mut u8, usize),
    reduction: &Reduction<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        if count * reduction.element() == 0 || set.len() == 1 {
            return Ok(());
        }
        let levels = set.levels(image)?;
        let forced = choices.allreduce;
        let mut coll = CollCall::new(image, set);
        if levels.single_host() {
            let operand = Operand { buffer, count, reduction, to: None };
            // SAFETY: the caller's guarantee.
            unsafe { on_host(image, levels, &operand, (forced.host, choices), &mut coll)? };
            return coll.outcome();
        }
        let rooted_leaders = RootedLeaders::new(image, levels, None);
        let operand =
            Operand { buffer, count, reduction, to: Some(rooted_leaders.among_local_peers()) };
        // SAFETY: the caller's guarantee.
        let combined =
            unsafe { on_host(image, levels, &operand, (forced.host, choices), &mut coll) };
        let len = count * reduction.element();
        if !rooted_leaders.is_me() {
            combined?;
        } else {
            let area_is_dead = combined.is_err();
            coll.note(combined)?;
            let who = Participant { n: rooted_leaders.hosts(), position: rooted_leaders.host() };
            let algorithm = Between::new(image, len, who.n).allreduce(forced.leaders);
            let (peer, plan) = (|host| rooted_leaders.of(host), || plan::allreduce(algorithm, who));
            let elements = (reduction.element(), Some(reduction));
            // SAFETY: the caller's guarantee.
            unsafe {
                leaders::run_on_vector(image, peer, plan, (buffer, len), elements, &mut coll)?;
            }
            if area_is_dead {
                return coll.outcome();
            }
        }
        // SAFETY: the caller's guarantee.
        unsafe { conclude(&rooted_leaders, coll, (buffer, len), choices.broadcast) }
    })
}

/// As [`reduce`], with these algorithms.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn reduce_with(
    image: &Image,
    set: &ImageSet,
    root: usize,
    (buffer, count): (*mut u8, usize),
    reduction: &Reduction<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        let root_rank = rank_at(set, root)?;
        if count * reduction.element() == 0 || set.len() == 1 {
            return Ok(());
        }
        let levels = set.levels(image)?;
        let forced = choices.reduce;
        let mut coll = CollCall::new(image, set);
        let rooted_leaders = RootedLeaders::new(image, levels, Some(root_rank));
        let operand =
            Operand { buffer, count, reduction, to: Some(rooted_leaders.among_local_peers()) };
        // SAFETY: the caller's guarantee.
        let combined =
            unsafe { on_host(image, levels, &operand, (forced.host, choices), &mut coll) };
        if levels.single_host() || !rooted_leaders.is_me() {
            combined?;
            return coll.outcome();
        }
        coll.note(combined)?;
        let who = Participant { n: rooted_leaders.hosts(), position: rooted_leaders.host() };
        let (root, vector) = (rooted_leaders.root_host(), (buffer, count * reduction.element()));
        let algorithm = Between::new(image, vector.1, who.n).reduce(forced.leaders);
        let (peer, plan) = (|host| rooted_leaders.of(host), || plan::reduce(algorithm, who, root));
        let elements = (reduction.element(), Some(reduction));
        // SAFETY: the caller's guarantee.
        unsafe { leaders::run_on_vector(image, peer, plan, vector, elements, &mut coll)? };
        coll.outcome()
    })
}

/// Reduction between the images of this host.
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
    (forced, choices): (Option<HostReduce>, &Choices),
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let local_peers = levels.local_peers();
    if local_peers.len() == 1 {
        return Ok(());
    }
    let shape = Shape::new(image, operand.bytes(), local_peers.len());
    let choice = shape.reduce(operand.reduction.element(), operand.to.is_none(), forced);
    let area = levels.area().filter(|_| choice.otherwise != HostReduce::Messages);
    // SAFETY: the caller's guarantee.
    unsafe {
        let Some(area) = area else {
            return by_messages(image, levels, operand, choices, coll);
        };
        let host = Host { image, area };
        match choice.otherwise {
            HostReduce::Slots => slots::run(&host, operand),
            HostReduce::Mirrored => {
                let mirrored = Mirrored::new(&host, operand, shape.chunk());
                if !choice.direct {
                    return mirrored.run();
                }
                direct_or(&host, operand, || mirrored.begin(), || mirrored.finish())
            }
            _ => {
                let sliced = Sliced::new(&host, operand, sliced::MOST);
                if !choice.direct {
                    return sliced.run();
                }
                direct_or(&host, operand, || sliced.begin(), || sliced.finish())
            }
        }
    }
}

/// Reduction straight from segments if all operands are there, else by an algorithm with this beginning and end.
///
/// # Safety
/// The operand is valid.
unsafe fn direct_or(
    host: &Host<'_>,
    operand: &Operand<'_>,
    begin: impl Fn(),
    finish: impl Fn() -> Result<()>,
) -> Result<()> {
    if !direct::begin(host, operand) {
        begin();
    }
    host.barrier()?;
    let addresses = direct::addresses(host);
    match addresses.iter().filter(|address| address.is_null()).count() {
        // SAFETY: the caller's guarantee.
        0 => unsafe { direct::finish(host, operand, &addresses) },
        private if private == addresses.len() => finish(),
        _ => {
            begin();
            host.barrier()?;
            finish()
        }
    }
}

/// Reduction between the images of this host over channels.
///
/// # Safety
/// The operand is valid.
unsafe fn by_messages(
    image: &Image,
    levels: &Levels,
    operand: &Operand<'_>,
    choices: &Choices,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let local_peers = levels.local_peers();
    let who = Participant { n: local_peers.len(), position: levels.position() };
    let between = Between::here(image, operand.bytes(), who.n);
    let plan = || match operand.to {
        Some(to) => plan::reduce(between.reduce(choices.reduce.leaders), who, to),
        None => plan::allreduce(between.allreduce(choices.allreduce.leaders), who),
    };
    let vector = (operand.buffer, operand.bytes());
    let elements = (operand.reduction.element(), Some(operand.reduction));
    // SAFETY: the caller's guarantee.
    unsafe { leaders::run_on_vector(image, |i| local_peers[i], plan, vector, elements, coll) }
}
