//! `gmove` (XcalableMP 1.4, 4.5.2): one side is assigned to the other.

use super::array::ArrayObject;
use super::asynchronous::{pending, plans};
use super::error::{DirectiveError, Outcome};
use super::gmove_operand::{GmoveOperand, OperandArray};
use crate::process::instance;
use xmp_collectives::global::{Operation, Remote, begin, gmove_in, gmove_out, prepare_gmove, run};
use xmp_collectives::{BarrierStatement, barrier_of, nonblocking};
use xmp_core::Rank;
use xmp_core::image_set::ImageSet;

/// The images that take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All executing images.
    Collective,
    /// Those that have the left side.
    In,
    /// Those that have the right side.
    Out,
}

/// The end of a gmove that the images of one side execute alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing: others are not waited for.
    Return,
    /// A barrier of the executing images: programs read at once the elements that others have put, or after a wait for
    /// the id. So the owners of the other side may take part as well, if all of them execute.
    Meet,
}

/// Assigns the right side to the left one.
///
/// # Errors
/// For shapes that differ, and elements that are on images which do not take part.
pub fn assign(
    left: &GmoveOperand,
    right: &GmoveOperand,
    mode: Mode,
    then: Ending,
    id: Option<i64>,
) -> Outcome {
    let set = instance().image.executing();
    let all = mode == Mode::Collective || then == Ending::Meet && all_take_part(left, right, mode)?;
    match (mode, &left.of, &right.of) {
        (Mode::Collective, _, _) => collective(&set, left, right, id)?,
        // Owners read their elements when they begin, so no barrier has to follow.
        (Mode::In, _, _) if all && id.is_some() => return collective(&set, left, right, id),
        (Mode::In | Mode::Out, _, _) if all => collective(&set, left, right, None)?,
        (Mode::In, _, OperandArray::Global(array)) => get(&set, left, array, right)?,
        (Mode::Out, OperandArray::Global(array), _) => put(&set, array, left, right)?,
        (Mode::In | Mode::Out, _, _) => {
            return Err(DirectiveError::because("the side that does not take part is local"));
        }
    }
    match (mode, then) {
        (Mode::In | Mode::Out, Ending::Meet) => meet(&set, id),
        _ => Ok(()),
    }
}

/// Whether all images that have either side execute the assignment, so that they all take part.
///
/// # Errors
/// When the array is not fixed.
pub fn all_take_part(left: &GmoveOperand, right: &GmoveOperand, mode: Mode) -> Outcome<bool> {
    match (mode, &left.of, &right.of) {
        (Mode::Collective, _, _) => Ok(true),
        (Mode::In, OperandArray::Global(_), OperandArray::Global(array))
        | (Mode::Out, OperandArray::Global(array), OperandArray::Global(_)) => {
            all_execute(array, &instance().image.executing())
        }
        _ => Ok(false),
    }
}

/// Whether all nodes of an array are among the executing images: then its owners take part, too.
fn all_execute(array: &ArrayObject, set: &ImageSet) -> Outcome<bool> {
    let mapping = array.widest()?;
    let nodes = mapping.nodes().members();
    let executes =
        |position| nodes.rank(position).is_some_and(|rank| set.position_of(rank).is_some());
    Ok(set.members() == nodes || (0..nodes.len()).all(executes))
}

/// The operation of all images that have elements of either side.
///
/// # Errors
/// For shapes that differ, and elements of images that do not execute.
pub fn prepare(
    set: &ImageSet,
    left: &GmoveOperand,
    right: &GmoveOperand,
) -> Outcome<Operation<'static>> {
    let instance = instance();
    let element = left.element().or(right.element());
    let element = element.ok_or_else(|| DirectiveError::because("both sides are local"))?;
    let to = on_side("left", left.storage(instance, element))?;
    let from = on_side("right", right.storage(instance, element))?;
    let (to, from) = (to.0.section(&to.1), from.0.section(&from.1));
    Ok(prepare_gmove(&instance.image, set, plans(instance), to, from)?)
}

/// The outcome for one side of an assignment; an error of its mapping or its subscripts names the side.
fn on_side<T>(side: &str, outcome: Outcome<T>) -> Outcome<T> {
    outcome.map_err(|wrong| match wrong {
        DirectiveError::Mapping(error) => DirectiveError::because(format!("{side} side: {error}")),
        wrong => wrong,
    })
}

/// All images that have elements of either side take part; in the background if there is an id.
fn collective(
    set: &ImageSet,
    left: &GmoveOperand,
    right: &GmoveOperand,
    id: Option<i64>,
) -> Outcome {
    let instance = instance();
    let image = &instance.image;
    let operation = prepare(set, left, right)?;
    let outcome = match id {
        Some(id) => begin(image, set, pending(instance).operations.id(id), operation),
        None => run(image, set, &operation),
    };
    Ok(outcome?)
}

/// Each image gets its elements of the left side from the images that have them on the right side.
fn get(set: &ImageSet, left: &GmoveOperand, array: &ArrayObject, right: &GmoveOperand) -> Outcome {
    let instance = instance();
    let to = on_side("left", left.storage(instance, array.element))?;
    let from = on_side("right", right.section())?;
    let place = |rank: Rank| array.place_of(rank);
    let mapping = array.widest()?;
    // SAFETY: the images have published the addresses of their parts, which stay there.
    let remote = unsafe { Remote::new(&mapping, array.element, &place) };
    gmove_in(&instance.image, set, to.0.section(&to.1), remote.section(&from))?;
    Ok(())
}

/// Each image puts its elements of the right side to the images that have them on the left side.
fn put(set: &ImageSet, array: &ArrayObject, left: &GmoveOperand, right: &GmoveOperand) -> Outcome {
    let instance = instance();
    let to = on_side("left", left.section())?;
    let from = on_side("right", right.storage(instance, array.element))?;
    let place = |rank: Rank| array.place_of(rank);
    let mapping = array.widest()?;
    // SAFETY: the images have published the addresses of their parts, which stay there.
    let remote = unsafe { Remote::new(&mapping, array.element, &place) };
    gmove_out(&instance.image, set, remote.section(&to), from.0.section(&from.1))?;
    Ok(())
}

/// A barrier, which goes on by itself if there is an async id.
fn meet(set: &ImageSet, id: Option<i64>) -> Outcome {
    let instance = instance();
    let image = &instance.image;
    match id {
        Some(id) => pending(instance).operations.add(id, nonblocking::barrier(image, set), |()| ()),
        None => barrier_of(image, set, BarrierStatement::GMOVE)?,
    }
    Ok(())
}
