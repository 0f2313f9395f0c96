//! Broadcast among the executing images, or among the nodes of a reference.

use super::asynchronous::async_id;
use super::communicate::refused;
use super::objects::{GlobalObject, NONE, ObjectHandle, dimensions_of, object};
use super::on::{nodes_on, set_on};
use super::range::Range;
use crate::c::argument::{Data, List};
use crate::c::outcome::functions;
use crate::global::{NodeSet, Object, are_equal, pending};
use crate::process::{Instance, OfImage, instance};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;
use xmp_collectives::{global, nonblocking, raw};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Rank, Result};

/// Whose data is broadcast.
enum From {
    /// The first image's.
    First,
    /// A node's.
    Node(Rank),
    /// That of the first of the images that have an index of a template.
    Owners(Rc<Object<NodeSet>>),
}

impl From {
    /// The meaning of a reference, which all images find alike.
    fn of(instance: &Instance, from: ObjectHandle, at: List<Range>) -> Result<From> {
        if from == NONE {
            return Ok(From::First);
        }
        let none = || Error::Invalid("from has a `*`, and this image is none of the nodes".into());
        let nodes = nodes_on(instance, from, at)?.ok_or_else(none)?;
        if let Some(GlobalObject::Template(_)) = object(from) {
            return Ok(From::Owners(nodes));
        }
        let members = nodes.nodes.members();
        match (members.len(), members.rank(0)) {
            (1, Some(rank)) => Ok(From::Node(rank)),
            (count, _) => Err(Error::Invalid(format!("from names {count} nodes, it must be one"))),
        }
    }

    /// The position of the image in a set.
    fn position(&self, set: &ImageSet) -> Result<usize> {
        match self {
            From::First => global::root_of(set, None),
            From::Node(rank) => global::root_of(set, Some(*rank)),
            From::Owners(nodes) => {
                let members = nodes.nodes.members();
                let ranks = (0..members.len()).filter_map(|position| members.rank(position));
                ranks.filter_map(|rank| set.position_of(rank)).min().ok_or_else(|| {
                    let why = "none of the executing nodes has the index of the template";
                    Error::Invalid(why.into())
                })
            }
        }
    }
}

/// The meaning of a reference of a broadcast among the executing images.
#[derive(Debug)]
struct Source {
    from: ObjectHandle,
    ranges: SmallVec<[Range; 2]>,
    set: Rc<ImageSet>,
    /// The position there.
    root: usize,
}

/// The source of the last broadcast among the executing images.
static LAST_SOURCE: OfImage<RefCell<Option<Source>>> = OfImage::new(RefCell::new(None));

/// The executing images and the position of the source among them, if that is known from the last time.
#[inline(always)]
fn known_source(
    instance: &Instance,
    from: ObjectHandle,
    at: List<Range>,
) -> Option<(Rc<ImageSet>, usize)> {
    let last = LAST_SOURCE.of(instance).borrow();
    let source = last.as_ref()?;
    let is_it = source.from == from
        && Rc::ptr_eq(&source.set, instance.image.stack().top().set())
        && are_equal(&source.ranges, at.get(source.ranges.len())?);
    is_it.then(|| (source.set.clone(), source.root))
}

/// The result of [`known_source`] from now on. The handle of a freed object is never used again.
fn keep_source(
    instance: &Instance,
    from: ObjectHandle,
    at: List<Range>,
    set: &Rc<ImageSet>,
    root: usize,
) {
    let ranges: SmallVec<[Range; 2]> = at.get(dimensions_of(from)).unwrap_or_default().into();
    let known = !ranges.is_empty();
    let source = Source { from, ranges, set: set.clone(), root };
    LAST_SOURCE.of(instance).replace(known.then_some(source));
}

functions! {
    /// Gives the bytes of one image to all.
    fn xmprt_broadcast(
        data: Data, bytes: usize, from: ObjectHandle, from_at: List<Range>, on: ObjectHandle, at: List<Range>, id: List<i64>,
    ) {
        let instance = instance();
        let image = &instance.image;
        let is_simple = id.is_null() && on == NONE;
        // An image that executes alone has the data.
        if is_simple && from == NONE && image.stack().index_and_size().1 == 1 {
            return data.check("data", bytes, 1);
        }
        let id = async_id(id)?;
        data.check("data", bytes, 1).map_err(|error| refused(instance, on, at, error, id))?;
        let known = match from {
            NONE if is_simple => Some((image.executing(), 0)),
            _ if is_simple => known_source(instance, from, from_at),
            _ => None,
        };
        let (set, root) = match known {
            Some(found) => found,
            None => {
                let found = find_source(instance, (from, from_at), (on, at));
                match found.map_err(|error| refused(instance, on, at, error, id))? {
                    Some(found) => found,
                    None => return Ok(()),
                }
            }
        };
        // SAFETY: the contract of entries: `data` has `bytes` bytes, with an id until it is waited for.
        unsafe {
            let Some(id) = id else {
                if set.len() == 1 {
                    return Ok(());
                }
                return raw::broadcast(image, &set, root, data.start(), bytes);
            };
            let handle = nonblocking::raw::broadcast(image, &set, root, data.start(), bytes)?;
            pending(instance).operations.add(id, handle, |()| ());
        }
        Ok(())
    }
}

/// The images of a broadcast and the position of its source; none if this image is not one of them.
#[inline(never)]
fn find_source(
    instance: &Instance,
    (from, from_at): (ObjectHandle, List<Range>),
    (on, at): (ObjectHandle, List<Range>),
) -> Result<Option<(Rc<ImageSet>, usize)>> {
    let source = From::of(instance, from, from_at)?;
    let Some(set) = set_on(instance, on, at)? else { return Ok(None) };
    let root = source.position(&set)?;
    if on == NONE {
        keep_source(instance, from, from_at, &set, root);
    }
    Ok(Some((set, root)))
}
