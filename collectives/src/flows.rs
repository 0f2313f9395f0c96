//! Barriers in which nothing but the flows of the ring exchanges before is compared, and the errors of images whose flows differ.
//!
//! The source of a short broadcast goes on when it has written its line, and so does an image that gives its operand to the image
//! that gets the result. So images that name different roots may all go on, with wrong data. Their next barrier finds it, or the
//! end of the program (`xmp-core/shm/src/coll_area/flow.rs`).

use crate::signature::kind::Kind;
use xmp_core::coll_area::{CollArea, Comparison, Direction, Flow, FlowDifference};
use xmp_core::language::Language;
use xmp_core::{BoxedResult, Error, Image, Result};

/// The kind in the flow of an operation without a signature.
pub(crate) const NO_KIND: u8 = u8::MAX;

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
    error(image, &area.flows_that_differ())
}

/// Looks for other images that gave another flow than this one since the last barrier, in any set. Called when this image ends
/// normally: of two images whose flows differ, the second one finds it.
///
/// # Errors
/// When there is one.
#[cold]
pub fn compare_at_end(image: &Image) -> Result<()> {
    match image.areas().opened().iter().find_map(|area| area.find_flows_that_differ()) {
        Some(differ) => Err(error(image, &differ)),
        None => Ok(()),
    }
}

fn error(image: &Image, differ: &FlowDifference) -> Error {
    let language = (image.source().language)();
    let FlowDifference { members: [one, other], flows } = differ;
    let name = |flow: &Flow| operation(*flow, language);
    Error::Invalid(match flows {
        [Some(flow), Some(theirs)] if name(flow) == name(theirs) => {
            let role = role(*flow, language);
            let [mine, its] = [flow, theirs].map(|flow| flow.root() + 1);
            format!(
                "{one} and {other} name different {role}s in an earlier {}: {one} names image {mine}, {other} names image {its}; \
                 XMP_CHECK=1 finds the statement",
                name(flow)
            )
        }
        [Some(flow), Some(theirs)] => format!(
            "instead of an earlier {} of {one}, {other} executes {}; XMP_CHECK=1 finds the statements",
            name(flow),
            name(theirs)
        ),
        [Some(flow), None] | [None, Some(flow)] => {
            let is_first = flows[0].is_some();
            let [with, without] = if is_first { [one, other] } else { [other, one] };
            format!(
                "{with} has executed a {} in which {without} has not taken part; XMP_CHECK=1 finds the statement",
                name(flow)
            )
        }
        [None, None] => format!(
            "{one} and {other} have executed different collective operations; XMP_CHECK=1 finds the statements"
        ),
    })
}

/// The operation of a flow, in the words of a language.
fn operation(flow: Flow, language: Language) -> String {
    let (name, reduction) = match flow.kind() {
        NO_KIND => ("operation", ""),
        kind => Kind::names(kind, flow.direction() != Direction::Upwards),
    };
    // The first word names the reduction.
    language.collective(name, &format!("{reduction} of numbers"))
}

/// What the root of a flow is called in a language.
fn role(flow: Flow, language: Language) -> &'static str {
    match (language, flow.direction()) {
        (Language::Fortran | Language::C, Direction::FromRoot) => "source image",
        (Language::Fortran | Language::C, Direction::ToRoot) => "result image",
        _ => "root",
    }
}
