//! Templates and arrays: this image's part of them as bounds of loops and of declarations.

use super::data::code_of;
use super::loops::FAR;
use super::memory::withdraw;
use crate::c::argument::{List, OutputList};
use crate::c::global::{
    Blocks, Extent, FormatOf, GlobalObject, ObjectHandle, array_of, blocks_of, dimension,
    dimensions, formats, free, give, keep_name, nodes_of, object, template_of, xmprt_descriptor,
};
use crate::c::outcome::{functions, inquired};
use crate::c::types::element_of;
use crate::entry::cfi::Descriptor;
use crate::entry::{decode, entries};
use crate::global::{
    Alignment, ArrayObject, Dim, DirectiveError, Object, Outcome, TemplateObject, check_argument,
};
use crate::process::{enter, instance, run_time_error};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uint};
use xmp_collectives::{Op, allreduce};
use xmp_core::Error;
use xmp_core::global::{Align, Format, Order, Shadow};
use xmp_core::number::ElemType;

/// The indices of an image in a dimension of a template: first, last, width of blocks, their period. Then the bounds of the dimension.
type OwnIndices = [c_int; 6];

/// The bounds of an image's part of a dimension of an array. Of a cyclic one these are places; then the index at place 0 follows, the
/// width of blocks, and their period in indices.
type OwnBounds = [c_int; 5];

/// A dimension: lower and upper bound, dimension of the template from 1 or 0, offset, widths of the shadow before and
/// after. An upper bound that is less than the lower one by 1 means the upper bound of the template.
type Dimension = [i64; 6];

fn read(of: Dimension, template: &TemplateObject) -> Outcome<Dim> {
    let [lower, mut upper, along, offset, before, after] = of;
    // Says that it is not fixed, if so.
    let distribution = template.distribution()?;
    let axis = usize::try_from(along - 1).ok();
    let known = axis.and_then(|axis| distribution.axes().get(axis));
    if let Some(known) = known.filter(|_| upper == lower - 1) {
        upper = known.upper() - offset;
    }
    let alignment = match axis {
        Some(axis) => Alignment::With { axis, offset },
        None => Alignment::Nothing,
    };
    let dim = Dim { alignment, ..Dim::new(lower, upper) };
    // The shadow of a dimension that every node has wholly is not stored.
    if known.is_none_or(|axis| axis.is_collapsed()) {
        return Ok(dim);
    }
    let shadow = match (before, after) {
        (-1, -1) => Shadow::Full,
        (lower, upper) => Shadow::Widths { lower, upper },
    };
    Ok(Dim { shadow, ..dim })
}

/// An index as Fortran's default integer, the kind of the bounds of loops and parts that directives are translated to.
///
/// # Errors
/// For an index that has no such integer.
fn index(index: i64) -> Outcome<c_int> {
    c_int::try_from(index).map_err(|_| {
        let (least, most) = (c_int::MIN, c_int::MAX);
        DirectiveError::because(format!("index {index} is not in {least}:{most}, the default integers that directives of Fortran use"))
    })
}

/// The bounds of this image's part.
fn own_bounds(array: &ArrayObject, dim: usize) -> Outcome<OwnBounds> {
    let mapping = array.mapping()?;
    let coords = mapping.coords(instance().image.rank());
    let Align { lower, upper, shadow, .. } = mapping.dims()[dim];
    let along = match array.dim(dim)?.alignment {
        Alignment::With { axis, offset } => {
            let known = &mapping.distribution().axes()[axis];
            (!known.is_collapsed()).then_some((axis, offset, known))
        }
        Alignment::Nothing => None,
    };
    let Some((axis, offset, known)) = along else {
        let [lower, upper] = if coords.is_some() { [lower, upper] } else { [0, 0] };
        return Ok([index(lower)?, index(upper)?, 0, 0, 0]);
    };
    let part = coords.as_ref().map(|coords| mapping.part(dim, coords));
    let stored = coords.as_ref().map_or(0, |coords| mapping.extents(coords)[dim]);
    let width = match array.template.format(axis) {
        Some(Format::Cyclic) => 1,
        Some(Format::CyclicOf(width)) => width,
        _ => {
            let first = part.map_or(0, |part| match shadow {
                Shadow::Full => lower,
                Shadow::Widths { lower: before, .. } => {
                    mapping.owned(dim, part).iter().map(|runs| runs.first).min().unwrap_or(0)
                        - before
                }
            });
            return Ok([index(first)?, index(first + stored - 1)?, 0, 0, 0]);
        }
    };
    let before = part.map_or(0, |part| known.before(part, lower + offset));
    // With a longer period each image has one block.
    let period = (width * mapping.parts(dim) as i64).min(c_int::MAX.into());
    let [first, last, origin] = [before, before + stored - 1, known.lower() - offset];
    Ok([index(first)?, index(last)?, index(origin)?, index(width)?, index(period)?])
}

/// The type of the elements of a category of `ISO_Fortran_binding.h`, of `bytes` bytes.
fn element(category: c_int, bytes: usize) -> c_uint {
    let kind = u8::try_from(bytes).unwrap_or(u8::MAX);
    code_of(match category {
        1 => ElemType::Integer(kind),
        2 => ElemType::Logical(kind),
        3 => ElemType::Real(kind),
        4 => ElemType::Complex(kind / 2),
        _ => ElemType::Bytes(bytes),
    })
}

fn named(wrong: DirectiveError) -> Error {
    wrong.of("array")
}

functions! {
    /// Gives a template its extents, formats and nodes, also once more, and `own` the indices that this image has of each dimension:
    /// outside of all loops where it has none.
    fn xmprt_fortran_distribute(
        template: ObjectHandle, extents: List<Extent>, formats: List<FormatOf>, nodes: ObjectHandle, own: OutputList<OwnIndices>,
    ) {
        let (template, nodes) = (template_of(template)?, nodes_of(nodes)?);
        let ndims = template.ndims();
        let formats = self::formats(formats, ndims, &nodes.nodes)?;
        let bounds: Vec<_> = extents.of("extents", ndims)?.iter().map(|extent| extent.bounds()).collect();
        for &(lower, upper) in &bounds {
            index(lower)?;
            index(upper)?;
        }
        let wrong = |wrong: DirectiveError| wrong.of("template");
        template.fix(bounds).map_err(wrong)?;
        template.onto(nodes);
        for (dim, format) in formats.into_iter().enumerate() {
            template.distribute(dim, format).map_err(wrong)?;
        }
        let places = own.of(template.ndims()).unwrap_or_default();
        let bounds = template.bounds().unwrap_or_default();
        for ((place, blocks), (lower, upper)) in places.iter().zip(blocks_of(&template)?).zip(bounds) {
            let Blocks { first, last, width, period } = blocks;
            // Indices between bounds that are default integers, and differences of such.
            let [first, last, width, period, lower, upper] =
                [first, last, width, period, lower, upper].map(|number| number as c_int);
            let own = [first, last, width, period, lower, upper];
            place.set(if first <= last { own } else { [FAR, -FAR, 1, 1, lower, upper] });
        }
        Ok(())
    }

    /// An array without memory, with elements of `bits` bits, and the bounds of this image's part.
    fn xmprt_fortran_array(
        template: ObjectHandle, category: c_int, bits: c_int, ndims: c_int, dims: List<Dimension>, own: OutputList<OwnBounds>,
        array: Option<&Cell<ObjectHandle>>,
    ) {
        let template = template_of(template)?;
        let bytes = usize::try_from(bits / 8).unwrap_or(0);
        let elements = element_of(element(category, bytes)).ok();
        let ndims = dimensions(ndims)?;
        let dims = dims.of("dimensions", ndims)?.iter().map(|dim| read(*dim, &template));
        let dims = dims.collect::<Outcome<Vec<Dim>>>().map_err(named)?;
        let object = Object::new(ArrayObject::new(template, elements, bytes, Order::Fortran, dims));
        for (dim, place) in own.of(ndims).unwrap_or_default().iter().enumerate() {
            place.set(own_bounds(&object, dim).map_err(named)?);
        }
        give(array, "array", || Ok(GlobalObject::Array(object)))
    }

    /// Sets the place of this image's part. With `exposed`, all executing images call it, and other images may access
    /// the part.
    fn xmprt_fortran_place(array: ObjectHandle, memory: &Descriptor, exposed: c_int) {
        withdraw();
        let array = array_of(array)?;
        let is_empty = memory.dims().iter().any(|dim| dim.get().extent == 0);
        array.place_at(if is_empty { std::ptr::null_mut() } else { memory.base.get() });
        check_argument(&array).map_err(named)?;
        match exposed {
            0 => Ok(()),
            _ => array.expose(&instance().image).map_err(named),
        }
    }

    /// Refuses an array of which images have parts of different shapes: a coarray has one shape.
    fn xmprt_fortran_alike(ndims: c_int, own: List<OwnBounds>) {
        let own = own.of("own", dimensions(ndims)?)?;
        let extents = own.iter().map(|of| of[1] - of[0] + 1);
        let mut most: Vec<c_int> = extents.flat_map(|extent| [extent, -extent]).collect();
        let image = &instance().image;
        allreduce(image, &image.executing(), &mut most, Op::Max)?;
        match most.chunks_exact(2).position(|of| of[0] != -of[1]) {
            None => Ok(()),
            Some(dim) => Err(Error::Invalid(format!(
                "images have {} to {} elements of dimension {}; a coarray has as many on each",
                -most[2 * dim + 1], most[2 * dim], dim + 1
            ))),
        }
    }

    /// Gives an object up, and forgets it; 0 is none.
    fn xmprt_fortran_end(object: &Cell<ObjectHandle>) {
        match object.replace(0) {
            0 => Ok(()),
            handle => free(handle),
        }
    }
}

entries! {
    /// Keeps the name of an object, for reports of races.
    pub fn xmprt_fortran_name_(object: &ObjectHandle, name: *const c_char, name_len: usize)
    where name = decode::characters(name, name_len)
    {
        let _entered = enter();
        keep_name(*object, || String::from_utf8_lossy(name).into_owned())
            .unwrap_or_else(|error| run_time_error("align", &error));
    }
}

/// Tells the compiler that the library knows a variable: calls may change it.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_known(_memory: &Descriptor) {}

/// A bound of a dimension (from 1) of nodes, of a template or of an array: the lower one, or the upper one with `upper`.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_bound(of: ObjectHandle, dim: c_int, upper: c_int) -> c_int {
    inquired("xmprt_fortran_bound", || {
        let bounds: Vec<(i64, i64)> = match object(of) {
            Some(GlobalObject::Nodes(of)) => {
                of.nodes.shape().iter().map(|&size| (1, size as i64)).collect()
            }
            Some(GlobalObject::Template(of)) => of.bounds().unwrap_or_default(),
            Some(GlobalObject::Array(of)) => {
                let dims = (0..of.ndims()).map(|dim| of.dim(dim).map(|dim| (dim.lower, dim.upper)));
                dims.collect::<Outcome<_>>().map_err(named)?
            }
            _ => Vec::new(),
        };
        let bounds = bounds[dimension(dim - 1, bounds.len())?];
        Ok((if upper == 0 { bounds.0 } else { bounds.1 }) as c_int)
    })
}

/// The address of a variable.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_address(data: &Descriptor) -> i64 {
    data.base.get().expose_provenance() as i64
}

/// `type(xmp_desc)` of Fortran.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OfSpecification(i64);

/// The descriptor by which the library of the language knows an object (`xmp_desc_of`).
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_descriptor_(of: &ObjectHandle) -> OfSpecification {
    OfSpecification(xmprt_descriptor(*of).expose_provenance() as i64)
}
