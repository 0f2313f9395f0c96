//! Reductions: the elements of all images are combined, for one image or for all.

use crate::guard::with_live_set;
use crate::host::Host;
use crate::host::reduce::copy_in::CopyIn;
use crate::host::reduce::sliced::Sliced;
use crate::host::reduce::{Operand, direct, sliced, slots};
use crate::leaders::{CollCall, Vector, run_on_vector};
use crate::plan::{self, Participant, Plan};
use crate::select::{Between, Choices, HostReduce, Shape};
use crate::two_level::{RootedLeaders, conclude, rank_at};
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Image, Result};

/// As [`crate::raw::allreduce`], or [`crate::raw::reduce`] to the position of the set that the operand names, with
/// these algorithms.
///
/// # Errors
/// Those of these functions.
///
/// # Safety
/// As these functions.
pub unsafe fn reduce_with(
    image: &Image,
    set: &ImageSet,
    operand: &Operand<'_>,
    choices: &Choices,
) -> Result<()> {
    with_live_set(image, set, || {
        let root = operand.to.map(|root| rank_at(set, root)).transpose()?;
        if operand.bytes() == 0 || set.len() == 1 {
            return Ok(());
        }
        let levels = set.levels(image)?;
        let forced = if root.is_none() { choices.allreduce.host } else { choices.reduce.host };
        let mut coll = CollCall::new(image, set);
        if levels.single_host() {
            // SAFETY: the operand is valid (contract above).
            unsafe { on_host(image, levels, operand, forced, choices, &mut coll)? };
            return coll.outcome();
        }
        let rooted_leaders = RootedLeaders::new(image, levels, root);
        let of_host = Operand { to: Some(rooted_leaders.among_local_peers()), ..*operand };
        // SAFETY: as above.
        let combined = unsafe { on_host(image, levels, &of_host, forced, choices, &mut coll) };
        if !rooted_leaders.is_me() {
            combined?;
        } else {
            let area_is_dead = combined.is_err();
            coll.note(combined)?;
            let who = Participant { n: rooted_leaders.hosts(), position: rooted_leaders.host() };
            let between = Between::new(image, operand.bytes(), who.n);
            let root = root.map(|_| rooted_leaders.root_host());
            let plan = || plan_of(between, choices, who, root);
            // SAFETY: as above.
            unsafe {
                run_on_vector(
                    image,
                    |host| rooted_leaders.of(host),
                    plan,
                    operand.vector(),
                    &mut coll,
                )?;
            }
            if area_is_dead {
                return coll.outcome();
            }
        }
        if root.is_some() {
            return coll.outcome();
        }
        let result = Vector::bytes(operand.buffer, operand.bytes());
        // SAFETY: as above.
        unsafe { conclude(&rooted_leaders, coll, result, choices.broadcast) }
    })
}

/// The plan of a reduction between participants, to one of them or to all.
fn plan_of(between: Between, choices: &Choices, who: Participant, to: Option<usize>) -> Plan {
    match to {
        Some(to) => plan::reduce(between.reduce(choices.reduce.leaders), who, to),
        None => plan::allreduce(between.allreduce(choices.allreduce.leaders), who),
    }
}

impl<'a> Operand<'a> {
    /// The elements, as a vector that goes through a schedule.
    fn vector(&self) -> Vector<'a> {
        let (start, len) = (self.buffer, self.bytes());
        Vector { start, len, element: self.reduction.element(), reduction: Some(self.reduction) }
    }
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
    forced: Option<HostReduce>,
    choices: &Choices,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let local_peers = levels.local_peers();
    if local_peers.len() == 1 {
        return Ok(());
    }
    let shape = Shape::new(image, operand.bytes(), local_peers.len());
    let choice = shape.reduce(operand.reduction.element(), operand.to.is_none(), forced);
    let area = levels.area().filter(|_| choice.otherwise != HostReduce::Messages);
    let Some(area) = area else {
        let who = Participant { n: local_peers.len(), position: levels.position() };
        let between = Between::here(image, operand.bytes(), who.n);
        let plan = || plan_of(between, choices, who, operand.to);
        // SAFETY: the operand is valid (contract above).
        return unsafe { run_on_vector(image, |i| local_peers[i], plan, operand.vector(), coll) };
    };
    let host = Host { image, area };
    // SAFETY: as above.
    unsafe {
        match choice.otherwise {
            HostReduce::Slots => slots::run(&host, operand),
            HostReduce::CopyIn => {
                let copy_in = CopyIn::new(&host, operand, shape.chunk());
                if !choice.direct {
                    return copy_in.run();
                }
                direct_or(&host, operand, || copy_in.begin(), || copy_in.finish())
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
        // SAFETY: the operand is valid (contract above), and so are those of the others, which gave their addresses.
        0 => unsafe { direct::finish(host, operand, &addresses) },
        private if private == addresses.len() => finish(),
        _ => {
            begin();
            host.barrier()?;
            finish()
        }
    }
}
