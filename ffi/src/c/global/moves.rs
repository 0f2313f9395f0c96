//! Entry functions of reflect, reduce_shadow and gmove, blocking and in the background.

use super::asynchronous::pending;
use super::distributed::Distributed;
use super::objects::{ObjectHandle, array_of};
use super::range::{Range, section};
use crate::c::argument::List;
use crate::c::outcome::functions;
use crate::c::types::{Type, op_of};
use crate::process::instance;
use smallvec::SmallVec;
use std::ffi::{c_int, c_uint};
use std::rc::Rc;
use xmp_collectives::Reduction;
use xmp_collectives::global::{self, Operation, Shape, Width};
use xmp_core::global::Section;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// `xmprt_halo`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Halo {
    before: i64,
    behind: i64,
    periodic: c_int,
}

/// An operation of the executing images.
struct Prepared {
    /// The array that is written, and the one that is read, as long as the operation accesses them.
    arrays: [Rc<Distributed>; 2],
    operation: Operation<'static>,
}

/// Executes what all executing images execute together, if it can be prepared; otherwise the other images get the
/// reason.
fn collective(
    name: &'static str,
    prepare: impl FnOnce(&Image, &ImageSet) -> Result<Prepared>,
) -> Result<()> {
    let image = &instance().image;
    let set = image.executing();
    match prepare(image, &set) {
        Ok(prepared) => global::run(image, &set, &prepared.operation),
        Err(error) => Err(global::refuse(image, &set, name, error)),
    }
}

/// Begins an operation in the background on the executing images. If it cannot begin, images that wait for this one get
/// the reason.
fn begin(id: i64, prepare: impl FnOnce(&Image, &ImageSet) -> Result<Prepared>) -> Result<()> {
    let instance = instance();
    let (image, pending) = (&instance.image, pending(instance));
    let set = image.executing();
    let attempt = || -> Result<()> {
        let Prepared { arrays: [written, _], operation } = prepare(image, &set)?;
        global::begin(image, &set, pending.operations.id(id), operation)?;
        pending.keep(id, &written);
        Ok(())
    };
    attempt().map_err(|error| global::refuse_background(image, &set, error))
}

/// A reflect.
fn reflect(
    array: ObjectHandle,
    halos: List<Halo>,
    orthogonal: c_int,
) -> impl FnOnce(&Image, &ImageSet) -> Result<Prepared> {
    move |image, set| {
        let haloed = Haloed::new(array, halos, orthogonal != 0)?;
        let (plans, storage) = (&haloed.array.plans, &haloed.array.storage);
        let operation = global::prepare_reflect(image, set, plans, storage, haloed.shape())?;
        Ok(Prepared { arrays: [haloed.array.clone(), haloed.array], operation })
    }
}

/// A reduce_shadow.
fn reduce_shadow(
    array: ObjectHandle,
    halos: List<Halo>,
    element: c_uint,
    op: c_uint,
) -> impl FnOnce(&Image, &ImageSet) -> Result<Prepared> {
    move |image, set| {
        let haloed = Haloed::new(array, halos, false)?;
        let reduction = haloed.reduction(element, op)?;
        let (plans, storage) = (&haloed.array.plans, &haloed.array.storage);
        let shape = haloed.shape();
        let operation =
            global::prepare_reduce_shadow(image, set, plans, storage, shape, &reduction)?;
        Ok(Prepared { arrays: [haloed.array.clone(), haloed.array], operation })
    }
}

/// A gmove.
fn gmove(
    to: ObjectHandle,
    to_ranges: List<Range>,
    from: ObjectHandle,
    from_ranges: List<Range>,
) -> impl FnOnce(&Image, &ImageSet) -> Result<Prepared> {
    move |image, set| {
        let Sides { to, left, from, right } = Sides::new(to, to_ranges, from, from_ranges)?;
        let (written, read) = (to.storage.section(&left), from.storage.section(&right));
        let operation = global::prepare_gmove(image, set, &to.plans, written, read)?;
        Ok(Prepared { arrays: [to, from], operation })
    }
}

/// The array of a halo operation, and the widths of its dimensions.
struct Haloed {
    array: Rc<Distributed>,
    widths: SmallVec<[Width; 4]>,
    orthogonal: bool,
}

impl Haloed {
    /// With these halos; without any the whole shadow.
    fn new(array: ObjectHandle, halos: List<Halo>, orthogonal: bool) -> Result<Haloed> {
        let array = array_of(array)?;
        let mapping = array.storage.array();
        let width = |halo: &Halo| {
            let &Halo { before: lower, behind: upper, periodic } = halo;
            Width { lower, upper, periodic: periodic != 0, carried: false }
        };
        let widths = if halos.is_null() {
            Width::whole(mapping)
        } else {
            halos.of("halos", mapping.dims().len())?.iter().map(width).collect()
        };
        Ok(Haloed { array, widths, orthogonal })
    }

    fn shape(&self) -> Shape<'_> {
        Shape { widths: &self.widths, orthogonal: self.orthogonal }
    }

    /// How elements of a type of the array are combined.
    fn reduction(&self, element: c_uint, op: c_uint) -> Result<Reduction<'static>> {
        let reduction = Type::of(element)?.reduction(op_of(op)?)?;
        let (size, stored) = (reduction.element(), self.array.storage.element());
        if stored % size != 0 {
            let text = format!("elements of {stored} bytes are not of a type of {size}");
            return Err(Error::Invalid(text));
        }
        Ok(reduction)
    }
}

/// The two sides of a gmove: arrays, and their sections.
pub struct Sides {
    /// The array that is assigned to.
    pub to: Rc<Distributed>,
    /// Its section.
    pub left: Section,
    /// The array that is assigned.
    pub from: Rc<Distributed>,
    /// Its section.
    pub right: Section,
}

impl Sides {
    /// The sections of two arrays with these subscripts.
    ///
    /// # Errors
    /// When a handle is no array's, or a section not of its array.
    pub fn new(
        to: ObjectHandle,
        to_ranges: List<Range>,
        from: ObjectHandle,
        from_ranges: List<Range>,
    ) -> Result<Sides> {
        let (to, from) = (array_of(to)?, array_of(from)?);
        let left = section(to.storage.array(), to_ranges)?;
        let right = section(from.storage.array(), from_ranges)?;
        Ok(Sides { to, left, from, right })
    }
}

functions! {
    /// Reflect: fills the shadow.
    fn xmprt_reflect(array: ObjectHandle, halos: List<Halo>, orthogonal: c_int) {
        collective("reflect", reflect(array, halos, orthogonal))
    }

    /// Begins a reflect.
    fn xmprt_reflect_async(array: ObjectHandle, halos: List<Halo>, orthogonal: c_int, id: i64) {
        begin(id, reflect(array, halos, orthogonal))
    }

    /// Reduce_shadow: combines the shadow with the elements that it is a copy of.
    fn xmprt_reduce_shadow(array: ObjectHandle, halos: List<Halo>, element: c_uint, op: c_uint) {
        collective("reduce_shadow", reduce_shadow(array, halos, element, op))
    }

    /// Begins a reduce_shadow.
    fn xmprt_reduce_shadow_async(
        array: ObjectHandle, halos: List<Halo>, element: c_uint, op: c_uint, id: i64,
    ) {
        begin(id, reduce_shadow(array, halos, element, op))
    }

    /// Gmove: assigns a section to another.
    fn xmprt_gmove(to: ObjectHandle, to_ranges: List<Range>, from: ObjectHandle, from_ranges: List<Range>) {
        collective("gmove", gmove(to, to_ranges, from, from_ranges))
    }

    /// Begins a gmove.
    fn xmprt_gmove_async(
        to: ObjectHandle, to_ranges: List<Range>, from: ObjectHandle, from_ranges: List<Range>, id: i64,
    ) {
        begin(id, gmove(to, to_ranges, from, from_ranges))
    }
}
