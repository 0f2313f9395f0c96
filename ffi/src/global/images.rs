//! The IMAGE directive: the nodes that the next statement means by images.

use super::error::{DirectiveError, Outcome};
use super::nodes::NodeSet;
use super::objects::Object;
use crate::process::{Instance, OfImage};
use std::cell::RefCell;
use std::rc::Rc;
use xmp_core::image_set::ImageSet;

/// The nodes that an IMAGE directive names for the next statement.
static IMAGE_NODES: OfImage<RefCell<Option<Rc<Object<NodeSet>>>>> =
    OfImage::new(RefCell::new(None));

/// Names nodes for the next statement.
pub fn name(instance: &Instance, nodes: Rc<Object<NodeSet>>) {
    *IMAGE_NODES.of(instance).borrow_mut() = Some(nodes);
}

/// Whether an IMAGE directive names nodes for the next statement.
#[inline(always)]
pub fn are_named(instance: &Instance) -> bool {
    IMAGE_NODES.of(instance).borrow().is_some()
}

/// The nodes that an IMAGE directive names for the next statement.
pub fn named_nodes(instance: &Instance) -> Option<Rc<Object<NodeSet>>> {
    IMAGE_NODES.of(instance).borrow().clone()
}

/// The images of a statement that all of them execute: of the IMAGE directive before it, which is used up by it, or the
/// executing set.
///
/// # Errors
/// When this image is not one of the nodes of the directive.
pub fn of_statement(instance: &Instance) -> Outcome<Rc<ImageSet>> {
    let Some(nodes) = IMAGE_NODES.of(instance).take() else {
        return Ok(instance.image.executing());
    };
    let set = instance.image.set(nodes.nodes.members().clone())?;
    match set.position() {
        Some(_) => Ok(set),
        None => Err(DirectiveError::because(
            "this image is not one of the nodes of the IMAGE directive",
        )),
    }
}
