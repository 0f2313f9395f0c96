//! The chain of a coindexed object, for messages.

use super::coindexed::Coindexed;
use super::types::{Array, DimensionSelection, Step, mode};
use crate::gfortran_abi::NamedError;
use crate::gnu::designator::{Link, Part, named};
use crate::gnu::types::Triplet;
use xmp_core::Error;

impl Coindexed<'_> {
    /// An error of an operation on the object, with its name where it is known. `operation` ends with the preposition.
    #[cold]
    pub fn named(&self, operation: &str, error: &Error) -> NamedError {
        named(operation, self.token, self.image, Part::Chain(&self.links()), error)
    }

    fn links(&self) -> Vec<Link> {
        let steps = std::iter::successors(self.refs, |reference| reference.next);
        let link = |step: Step<'_>| match step {
            Step::Component(component) => {
                u64::try_from(component.offset).ok().map(|offset| Link::Component { offset })
            }
            Step::Array(array) => Some(Link::Subscripts(text(array))),
            Step::StaticArray(array) => {
                Some(position(array).map_or(Link::Elements, Link::Position))
            }
            Step::Other(_) => None,
        };
        steps.map_while(|reference| link(reference.step())).collect()
    }
}

/// Subscripts as the program gives them; nothing of a whole array.
fn text(array: &Array) -> String {
    let dims = array.mode.iter().take_while(|&&how| how != mode::NONE).count();
    let texts: Vec<String> = (0..dims).map(|number| subscript(array.subscript(number))).collect();
    if texts.iter().all(|text| text == ":") {
        return String::new();
    }
    format!("({})", texts.join(", "))
}

fn subscript(given: DimensionSelection) -> String {
    let DimensionSelection::Range(how, Triplet { start, end, stride }) = given else {
        return "[...]".into();
    };
    let step = if matches!(stride, 0 | 1) { String::new() } else { format!(":{stride}") };
    match how {
        mode::SINGLE => start.to_string(),
        mode::RANGE => format!("{start}:{end}{step}"),
        mode::OPEN_END => format!("{start}:{step}"),
        mode::OPEN_START => format!(":{end}{step}"),
        _ => format!(":{step}"),
    }
}

/// The position in array element order that single subscripts lead to.
fn position(array: &Array) -> Option<i64> {
    let dims = array.mode.iter().take_while(|&&how| how != mode::NONE).count();
    (0..dims).try_fold(0i64, |sum, number| match array.subscript(number) {
        DimensionSelection::Range(mode::SINGLE, range) => sum.checked_add(range.start as i64),
        _ => None,
    })
}
