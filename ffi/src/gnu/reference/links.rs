//! The chain of a coindexed object, for messages.

use super::coindexed::Coindexed;
use super::types::{Array, DimensionSelection, Step, mode};
use crate::gfortran_abi::NamedError;
use crate::gnu::designator::{Link, Part, Subscript, named};
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
            Step::StaticArray(array) => Some(Link::Positions(positions(array))),
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

/// The positions in array element order that the subscript of each dimension leads to.
fn positions(array: &Array) -> Vec<Subscript> {
    let dims = array.mode.iter().take_while(|&&how| how != mode::NONE).count();
    let position = |number| match array.subscript(number) {
        DimensionSelection::Vector(vector) => {
            Subscript::List(vector.offsets(0, 1).unwrap_or_default())
        }
        DimensionSelection::Range(mode::SINGLE, range) => Subscript::One(range.start as i64),
        DimensionSelection::Range(how, Triplet { start, end, stride }) => {
            let begins = matches!(how, mode::RANGE | mode::OPEN_END);
            let first = if begins { start as i64 } else { 0 };
            Subscript::Range { first, last: end as i64, step: stride as i64 }
        }
    };
    (0..dims).map(position).collect()
}
