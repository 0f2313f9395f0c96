//! Entry functions of reflect, reduce_shadow and gmove, at once and in the background.

use super::asynchronous::async_id;
use super::objects::{MAX_DIMENSIONS, ObjectHandle, array_of};
use super::range::{Range, picks};
use crate::c::argument::{Data, List, only_flags, place};
use crate::c::outcome::functions;
use crate::c::types::{operator_of, reduction_of};
use crate::global::gmove::{self, Ending, Mode};
use crate::global::{ArrayObject, DirectiveError, GmoveOperand, Object, pending, plans};
use crate::process::instance;
use smallvec::SmallVec;
use std::cell::Cell;
use std::ffi::{c_int, c_uint};
use std::rc::Rc;
use xmp_collectives::global::{self, Operation, Shape, Width};
use xmp_collectives::refusal::agreed;
use xmp_collectives::{BarrierStatement, Reduction, barrier_of};
use xmp_core::counted::counted;
use xmp_core::global::{Order, Pick, Shadow};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// `xmprt_halo`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Halo {
    before: i64,
    after: i64,
    periodic: c_int,
}

/// `XMPRT_ORTHOGONAL`: without corners.
const ORTHOGONAL: c_int = 1;
/// `XMPRT_CARRIED`: the reflect also moves the elements in the shadows of neighbours, for a dimension of width 0.
const CARRIED: c_int = 2;

/// An operation of the executing images.
struct Prepared {
    /// The array that is written, as long as the operation accesses it; none if that is the program's.
    written: Option<Rc<Object<ArrayObject>>>,
    operation: Operation<'static>,
}

/// Executes an operation of all executing images, at once or by an id. If it cannot be prepared, the other images get
/// the reason.
fn collective(
    name: &'static str,
    id: Option<i64>,
    prepare: impl FnOnce(&Image, &ImageSet) -> Result<Prepared>,
) -> Result<()> {
    let instance = instance();
    let image = &instance.image;
    let set = image.executing();
    let prepared = prepare(image, &set);
    let Some(id) = id else {
        return match prepared {
            Ok(prepared) => global::run(image, &set, &prepared.operation),
            Err(error) => Err(global::refuse(image, &set, name, error)),
        };
    };
    let pending = pending(instance);
    let begun = prepared.and_then(|Prepared { written, operation }| {
        global::begin(image, &set, pending.operations.id(id), operation)?;
        written.iter().for_each(|array| pending.keep(id, array));
        Ok(())
    });
    begun.map_err(|error| global::refuse_background(image, &set, error))
}

/// The array of a halo operation, and the widths of its dimensions.
struct Haloed {
    array: Rc<Object<ArrayObject>>,
    widths: SmallVec<[Width; 4]>,
    orthogonal: bool,
}

impl Haloed {
    /// The operation on these halos; without any it is on the whole shadow.
    fn new(array: ObjectHandle, halos: List<Halo>, flags: c_int) -> Result<Haloed> {
        only_flags(flags, ORTHOGONAL | CARRIED)?;
        let array = array_of(array)?;
        let mapping = array.mapping().map_err(|wrong| wrong.of("array"))?;
        let (orthogonal, carried) = (flags & ORTHOGONAL != 0, flags & CARRIED != 0);
        let mut widths = Width::whole(&mapping);
        if !halos.is_null() {
            let halos = halos.of("halos", mapping.dims().len())?;
            for ((width, halo), dim) in widths.iter_mut().zip(halos).zip(mapping.dims()) {
                // A full shadow is exchanged as a whole.
                if dim.shadow != Shadow::Full {
                    let &Halo { before: lower, after: upper, periodic } = halo;
                    *width = Width { lower, upper, periodic: periodic != 0, carried };
                }
            }
        }
        Ok(Haloed { array, widths, orthogonal })
    }

    fn shape(&self) -> Shape<'_> {
        Shape { widths: &self.widths, orthogonal: self.orthogonal }
    }
}

/// `xmprt_memory`: an array of the program, of which an assignment accesses a section.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    pub start: Data,
    pub ndims: c_int,
    pub extents: List<i64>,
    pub ranges: List<Range>,
}

impl Memory {
    /// It as a side of a gmove.
    fn side(self) -> Result<GmoveOperand> {
        let Memory { start, ndims, extents, ranges } = self;
        start.not_null("start")?;
        let dims = usize::try_from(ndims).ok().filter(|dims| *dims <= MAX_DIMENSIONS);
        let dims = dims.ok_or_else(|| Error::Invalid(format!("memory of {ndims} dimensions")))?;
        let side = GmoveOperand::local(start.start(), dims, Order::C);
        if dims == 0 {
            return Ok(side);
        }
        let extents = extents.of("extents", dims)?;
        for (dim, (pick, &extent)) in picks(ranges, dims)?.into_iter().zip(extents).enumerate() {
            let used = match (dim, &pick) {
                (0, Pick::At(index)) => *index,
                (0, Pick::Row(row)) if row.count > 0 => row.first.max(row.last()),
                _ => -1,
            };
            side.pick(dim, 0, extent.saturating_sub(1).max(used), pick)?;
        }
        Ok(side)
    }
}

/// A section of an array as a side of a gmove.
pub fn section(array: ObjectHandle, ranges: List<Range>) -> Result<GmoveOperand> {
    let array = array_of(array)?;
    let dims = array.ndims();
    let side = GmoveOperand::global(array);
    if !ranges.is_null() {
        for (dim, pick) in picks(ranges, dims)?.into_iter().enumerate() {
            side.pick(dim, 0, 0, pick)?;
        }
    }
    Ok(side)
}

/// `XMPRT_MEET`, beside a mode.
const MEET: c_int = 4;
/// `XMPRT_MEET_FIRST`, beside a mode.
const MEET_FIRST: c_int = 8;

/// Assigns one side to the other.
pub fn assign(
    to: Result<GmoveOperand>,
    from: Result<GmoveOperand>,
    mode: c_int,
    id: Option<i64>,
) -> Result<()> {
    let then = if mode & MEET != 0 { Ending::Meet } else { Ending::Return };
    let meets_first = mode & MEET_FIRST != 0;
    let mode = match mode & !(MEET | MEET_FIRST) {
        0 => Mode::Collective,
        1 => Mode::In,
        2 => Mode::Out,
        _ => return Err(Error::Invalid(format!("{mode} is not a mode of gmove"))),
    };
    if mode == Mode::Collective {
        return collective("gmove", id, |_, set| {
            let to = to?;
            let from = from?;
            let prepared = gmove::prepare(set, &to, &from);
            let operation = prepared.map_err(|wrong| named(wrong, [&to, &from]))?;
            Ok(Prepared { written: to.array(), operation })
        });
    }
    let (to, from) = (to?, from?);
    let named = |wrong| named(wrong, [&to, &from]);
    if meets_first && !gmove::all_take_part(&to, &from, mode).map_err(named)? {
        let image = &instance().image;
        barrier_of(image, &image.executing(), BarrierStatement::GMOVE)?;
    }
    gmove::assign(&to, &from, mode, then, id).map_err(named)
}

/// The error of a gmove; one of its arguments tells which sections of which arrays both sides are.
fn named(wrong: DirectiveError, [left, right]: [&GmoveOperand; 2]) -> Error {
    match wrong.of("gmove") {
        Error::Invalid(text) => Error::Invalid(format!(
            "{text}; the left side is {left}, and the right side is {right}"
        )),
        error => error,
    }
}

/// The combination of elements of an array, by their own type.
fn own_reduction(array: &ArrayObject, op: c_uint) -> Result<Reduction<'static>> {
    let element = array.element_type().map_err(|wrong| wrong.of("reduce_shadow"))?;
    operator_of(op)?.on(element)
}

functions! {
    /// Reflect: fills the shadow.
    fn xmprt_reflect(array: ObjectHandle, halos: List<Halo>, flags: c_int, id: List<i64>) {
        collective("reflect", async_id(id)?, |image, set| {
            let haloed = Haloed::new(array, halos, flags)?;
            let storage = haloed.array.storage(image).map_err(|wrong| wrong.of("reflect"))?;
            let operation =
                global::prepare_reflect(image, set, plans(instance()), &storage, haloed.shape())?;
            Ok(Prepared { written: Some(haloed.array), operation })
        })
    }

    /// Reduce_shadow: combines the shadow with the elements that it is a copy of.
    fn xmprt_reduce_shadow(
        array: ObjectHandle, halos: List<Halo>, element: c_uint, op: c_uint, flags: c_int, id: List<i64>,
    ) {
        collective("reduce_shadow", async_id(id)?, |image, set| {
            let haloed = Haloed::new(array, halos, flags)?;
            let reduction = match element {
                0 => own_reduction(&haloed.array, op)?,
                _ => reduction_of(element, op)?,
            };
            let (size, stored) = (reduction.element(), haloed.array.element);
            if stored % size != 0 {
                let stored = counted(stored, "byte");
                let text = format!("elements of {stored} are not of a type of {size}");
                return Err(Error::Invalid(text));
            }
            let (plans, shape) = (plans(instance()), haloed.shape());
            let storage = haloed.array.storage(image).map_err(|wrong| wrong.of("reduce_shadow"))?;
            let operation =
                global::prepare_reduce_shadow(image, set, plans, &storage, shape, &reduction)?;
            Ok(Prepared { written: Some(haloed.array), operation })
        })
    }

    /// Gmove: assigns a section of an array to one of another.
    fn xmprt_gmove(
        to: ObjectHandle, to_ranges: List<Range>, from: ObjectHandle, from_ranges: List<Range>, mode: c_int, id: List<i64>,
    ) {
        assign(section(to, to_ranges), section(from, from_ranges), mode, async_id(id)?)
    }

    /// Gmove to memory of the program.
    fn xmprt_gmove_to(
        to: Option<&Cell<Memory>>, from: ObjectHandle, from_ranges: List<Range>, mode: c_int, id: List<i64>,
    ) {
        let to = place(to, "to").and_then(|to| to.get().side());
        assign(to, section(from, from_ranges), mode, async_id(id)?)
    }

    /// Gmove from memory of the program.
    fn xmprt_gmove_from(
        to: ObjectHandle, to_ranges: List<Range>, from: Option<&Cell<Memory>>, mode: c_int, id: List<i64>,
    ) {
        let from = place(from, "from").and_then(|from| from.get().side());
        assign(section(to, to_ranges), from, mode, async_id(id)?)
    }

    /// Lets images access an array alone.
    fn xmprt_array_expose(array: ObjectHandle) {
        let image = &instance().image;
        let array = agreed(image, &image.executing(), "array_expose", array_of(array))?;
        array.expose(image).map_err(|wrong| wrong.of("array"))
    }
}
