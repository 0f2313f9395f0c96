//! The meaning of `on` and `from`: nodes, or indices of a template, by the handle of the object and ranges. Loops
//! around directives use the same references again and again, so the last ones are kept.

use super::objects::{GlobalObject, NONE, ObjectHandle, object, unknown};
use super::range::{Range, subscripts_of};
use crate::c::argument::{List, place};
use crate::c::outcome::functions;
use crate::global::{Described, NodeSet, Object, References};
use crate::process::{Instance, OfImage, instance};
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::Result;
use xmp_core::global::Subscript;
use xmp_core::image_set::ImageSet;

/// The meanings of references.
static MEANINGS: OfImage<References<Object<NodeSet>, Range>> = OfImage::new(References::new());

/// The nodes of a reference to nodes or to a template; all of them without ranges. None where `*` has no meaning on this image.
///
/// # Errors
/// For other objects, for ranges outside of the object, and when the template is not fixed.
#[inline(never)]
pub fn nodes_on(
    instance: &Instance,
    on: ObjectHandle,
    at: List<Range>,
) -> Result<Option<Rc<Object<NodeSet>>>> {
    let meanings = MEANINGS.of(instance);
    let image = &instance.image;
    match object(on) {
        Some(GlobalObject::Nodes(nodes)) if at.is_null() => Ok(Some(nodes)),
        Some(GlobalObject::Nodes(of)) => {
            let ranges = at.of("at", of.dimensions())?;
            if let Some(known) = meanings.known(&*of, ranges) {
                return Ok(Some(known));
            }
            let subscripts = subscripts_of(ranges)?;
            if of.coords.is_none() && subscripts.contains(&Subscript::Own) {
                return Ok(None);
            }
            let nodes = of.nodes.section(&subscripts, image.rank());
            let nodes = nodes.map_err(|error| of.wrong(error))?;
            let nodes = Object::new(NodeSet::new(image, nodes));
            meanings.keep(of, ranges.into(), nodes.clone());
            Ok(Some(nodes))
        }
        Some(GlobalObject::Template(template)) if at.is_null() => {
            Ok(Some(template.nodes().map_err(|wrong| template.wrong(wrong))?))
        }
        Some(GlobalObject::Template(template)) => {
            let ranges = at.of("at", template.ndims())?;
            let of = template.distribution().map_err(|wrong| template.wrong(wrong))?;
            if let Some(known) = meanings.known(&*of, ranges) {
                return Ok(Some(known));
            }
            let subscripts = subscripts_of(ranges)?;
            if of.coords(image.rank()).is_none() && subscripts.contains(&Subscript::Own) {
                return Ok(None);
            }
            let nodes = of.nodes_of(&subscripts, image.rank());
            let nodes = nodes.map_err(|error| template.wrong(error.into()))?;
            let nodes = Object::new(NodeSet::new(image, nodes));
            meanings.keep(of, ranges.into(), nodes.clone());
            Ok(Some(nodes))
        }
        _ => Err(unknown(on, "an xmprt_nodes or an xmprt_template")),
    }
}

/// The images of a reference as a set, if this image is one of them; the executing ones without an object.
///
/// # Errors
/// Those of [`nodes_on`]; when one of the nodes does not execute.
#[inline(always)]
pub fn set_on(
    instance: &Instance,
    on: ObjectHandle,
    at: List<Range>,
) -> Result<Option<Rc<ImageSet>>> {
    if on == NONE {
        return Ok(Some(instance.image.executing()));
    }
    nodes_on(instance, on, at)?.map_or(Ok(None), |nodes| nodes.subset(&instance.image))
}

functions! {
    /// Whether this image is one of the nodes of a reference.
    fn xmprt_is_on(on: ObjectHandle, at: List<Range>, is: Option<&Cell<c_int>>) {
        let nodes = nodes_on(instance(), on, at)?;
        place(is, "is")?.set(nodes.is_some_and(|nodes| nodes.coords.is_some()).into());
        Ok(())
    }
}
