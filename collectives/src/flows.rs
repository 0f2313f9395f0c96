//! Barriers in which nothing but the flows of the ring exchanges before is compared, and the errors of images whose flows differ.
//!
//! The source of a short broadcast goes on when it has written its line, and so does an image that gives its operand to the image
//! that gets the result. So images that name different roots may all go on, with wrong data. Their next barrier finds it, or the
//! end of the program (`xmp-core/shm/src/coll_area/flow.rs`).

use crate::kind::Kind;
use std::ops::RangeInclusive;
use xmp_core::coll_area::{CollArea, Comparison, FlowDifference};
use xmp_core::language::Language;
use xmp_core::{BoxedResult, Error, Image, Rank, Result};

/// Lines that an image reads at its end, at most: those of a few exchanges where the images are many.
const LINES_AT_END: usize = 4096;

/// Executes a barrier of an area in which the members compare nothing else.
///
/// # Errors
/// When a member has ended before it called it; on all members, when they gave different flows before.
#[inline(always)]
pub fn barrier(image: &Image, area: &CollArea) -> BoxedResult<()> {
    match area.barrier_of(image, 0) {
        Ok(Comparison::FlowsDiffer) => Err(difference(image, area).into()),
        // A member that compares what it calls gets an error.
        Ok(Comparison::CallsDiffer | Comparison::Same) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The error of all members of an area that gave different flows before the last barrier.
#[cold]
#[inline(never)]
pub(crate) fn difference(image: &Image, area: &CollArea) -> Error {
    let FlowDifference { members: [one, other], last, exchanges } = area.flows_that_differ();
    let language = (image.source().language)();
    if let Some(found) = exchanges.clone().find_map(|number| too_many_roots(area, number)) {
        return found.error(area, language);
    }
    if last[0] != last[1] {
        let (with, without) = if last[0] > last[1] { (one, other) } else { (other, one) };
        // The first exchange without that image.
        let number = last[0].min(last[1]).max(*exchanges.start() - 1) + 1;
        let name = (0..area.len())
            .find_map(|position| area.produced(position, number))
            .map_or("collective".into(), |call| operation(call, language));
        return Error::Invalid(format!(
            "{with} has executed a {name} in which {without} has not taken part; XMP_CHECK=1 finds the statement"
        ));
    }
    Error::Invalid(format!("{one} and {other} {}", earlier(area, exchanges, 0, language)))
}

/// The difference in one of these exchanges, of which the member at `position` may have produced some.
fn earlier(
    area: &CollArea,
    exchanges: RangeInclusive<u64>,
    position: usize,
    language: Language,
) -> String {
    let calls = exchanges.filter_map(|number| area.produced(position, number));
    let name = calls.last().map_or("collective".into(), |call| operation(call, language));
    format!(
        "name different images as the root of a {name}, or of a collective before it; XMP_CHECK=1 finds the statement"
    )
}

/// Looks whether other images have produced with this one in exchanges since the last barrier, in any set, in which there is one root.
/// Called when this image ends normally: of two images that each are the root, the second one finds it.
///
/// # Errors
/// When there is one.
#[cold]
pub fn compare_at_end(image: &Image) -> Result<()> {
    let language = (image.source().language)();
    for area in image.areas().opened() {
        let most = (LINES_AT_END / area.len()).max(1);
        let own = area.exchanges_since_barrier().rev().take(most);
        let mut own = own.filter(|&number| area.produced(area.position(), number).is_some());
        if let Some(found) = own.find_map(|number| too_many_roots(&area, number)) {
            return Err(found.error(&area, language));
        }
        let exchanges = area.exchanges_since_barrier();
        if let Some(other) = area.publish_last_flows() {
            let (me, name) = (image.rank(), earlier(&area, exchanges, area.position(), language));
            return Err(Error::Invalid(format!("{me} and {other} {name}")));
        }
    }
    Ok(())
}

/// More members are the root of an exchange than one, or none is.
enum RootsDiffer {
    /// These two, of whom the first broadcasts, with what each calls.
    Two([(usize, u32); 2]),
    /// None: all members give what this call gives.
    None(u32),
}

/// Looks for a difference of the roots of an exchange, as far as the lines show one.
fn too_many_roots(area: &CollArea, number: u64) -> Option<RootsDiffer> {
    let call = |position| area.produced(position, number).map(|call| (position, call));
    let mut producers = (0..area.len()).filter_map(call);
    let first @ (position, called) = producers.next()?;
    match kind(called)? {
        Kind::Scan | Kind::Exscan | Kind::ReduceScatter => None,
        from_root if is_from_root(from_root) => {
            producers.next().map(|second| RootsDiffer::Two([first, second]))
        }
        _ => {
            // All others but the root produce. Another kind is that of a root that broadcasts.
            let mut all = position == 0;
            for (expected, second) in (position + 1..).zip(producers.by_ref()) {
                if kind(second.1).is_some_and(is_from_root) {
                    return Some(RootsDiffer::Two([second, first]));
                }
                all &= second.0 == expected;
                if !all {
                    return None;
                }
                if second.0 + 1 == area.len() {
                    return Some(RootsDiffer::None(called));
                }
            }
            None
        }
    }
}

impl RootsDiffer {
    fn error(&self, area: &CollArea, language: Language) -> Error {
        let rank = |position: usize| area.ranks()[position];
        Error::Invalid(match *self {
            RootsDiffer::Two([(one, call), (other, second)]) => {
                let ranks: [Rank; 2] = [one, other].map(rank);
                let [first, second] = [call, second].map(|call| operation(call, language));
                let role = role(language, "source image");
                if first == second {
                    let ranks = [one.min(other), one.max(other)].map(rank);
                    format!(
                        "{} and {} each are the {role} of an earlier {first}; XMP_CHECK=1 finds the statement",
                        ranks[0], ranks[1]
                    )
                } else {
                    format!(
                        "{} is the {role} of an earlier {first}, instead of which {} executes {second}; XMP_CHECK=1 finds \
                         the statements",
                        ranks[0], ranks[1]
                    )
                }
            }
            RootsDiffer::None(call) => {
                let (role, name) = (role(language, "result image"), operation(call, language));
                format!(
                    "no image names itself as the {role} of an earlier {name} that has one; XMP_CHECK=1 finds the statement"
                )
            }
        })
    }
}

fn kind(call: u32) -> Option<Kind> {
    Kind::in_ring_call(call).and_then(Kind::of)
}

fn is_from_root(kind: Kind) -> bool {
    use Kind::{Broadcast, BroadcastOfNothing, Scatter, Scatterv};
    matches!(kind, Broadcast | BroadcastOfNothing | Scatter | Scatterv)
}

/// The operation of a call in a ring exchange, in the words of a language.
fn operation(call: u32, language: Language) -> String {
    let (name, reduction) = Kind::in_ring_call(call).map_or(("collective", ""), Kind::names);
    // The first word names the reduction.
    language.collective(name, &format!("{reduction} of numbers"))
}

/// The word for a root in a language.
fn role(language: Language, of_fortran: &'static str) -> &'static str {
    match language {
        Language::Fortran | Language::C => of_fortran,
        Language::Rust | Language::Xmp => "root",
    }
}
