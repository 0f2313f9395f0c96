//! Entry functions of distributed arrays: describe an array, give it memory, locate its elements.

use super::objects::{GlobalObject, ObjectHandle, array_of, dimensions, give, template_of};
use super::template::Extent;
use crate::c::argument::{Data, List, OutputList, only_flags, place};
use crate::c::outcome::{functions, inquired};
use crate::c::types::element_of;
use crate::global::{
    Alignment, ArrayObject, Dim, DirectiveError, Object, Outcome, TemplateObject, check_argument,
};
use crate::process::instance;
use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::rc::Rc;
use xmp_collectives::refusal::agreed;
use xmp_core::global::{Align, Array, Coords, MappingError, Order, Runs, Shadow};
use xmp_core::{Error, Result};

/// `xmprt_dimension`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    extent: Extent,
    along: c_int,
    offset: i64,
    before: i64,
    after: i64,
}

/// `XMPRT_NOT_DISTRIBUTED` as a template dimension.
const NOT_DISTRIBUTED: c_int = -1;
/// `XMPRT_FULL` as a width: the whole dimension.
const FULL: i64 = -1;
/// `XMPRT_WHOLE` as a number of indices: to the last one of the template dimension.
const WHOLE: i64 = -1;
/// `XMPRT_EXPOSE`: other images get to know where the part is.
const EXPOSE: c_int = 1;

impl Dimension {
    fn read(self, template: &TemplateObject) -> Result<Dim> {
        let Dimension { extent, along, offset, before, after } = self;
        let alignment = match along {
            NOT_DISTRIBUTED => Alignment::Nothing,
            0.. => Alignment::With { axis: along as usize, offset },
            _ => return Err(Error::Invalid(format!("aligned with template dimension {along}"))),
        };
        let (lower, mut upper) = extent.bounds();
        if extent.count == WHOLE {
            let bounds =
                template.bounds().ok_or(DirectiveError::Mapping(MappingError::NotFixed("shape")));
            let bounds = bounds.map_err(named)?;
            let bound = usize::try_from(along).ok().and_then(|axis| bounds.get(axis));
            let bound =
                bound.ok_or_else(|| Error::Invalid("an extent that nothing says".into()))?;
            upper = bound.1.saturating_sub(offset);
        }
        let shadow = match (before, after) {
            (FULL, FULL) => Shadow::Full,
            (lower, upper) => Shadow::Widths { lower, upper },
        };
        Ok(Dim { alignment, shadow, ..Dim::new(lower, upper) })
    }
}

fn named(wrong: DirectiveError) -> Error {
    wrong.of("array")
}

/// The array that a program describes; without dimensions it is mapped as the template.
fn described(
    template: ObjectHandle,
    code: c_uint,
    element: usize,
    ndims: c_int,
    dims: List<Dimension>,
) -> Result<Rc<Object<ArrayObject>>> {
    let template = template_of(template)?;
    if element == 0 {
        return Err(Error::Invalid("elements of 0 bytes".into()));
    }
    let ndims = dimensions(ndims)?;
    let dims: Vec<Dim> = if dims.is_null() {
        let distribution = template.distribution().map_err(named)?;
        let axes = distribution.axes();
        if axes.len() != ndims {
            let needed = axes.len();
            let error = MappingError::Rank { what: "dimension", given: ndims, needed };
            return Err(error.of("array"));
        }
        let whole = |(axis, of): (usize, &xmp_core::global::Axis)| Dim {
            alignment: Alignment::With { axis, offset: 0 },
            ..Dim::new(of.lower(), of.upper())
        };
        axes.iter().enumerate().map(whole).collect()
    } else {
        let dims = dims.of("dimensions", ndims)?;
        dims.iter().map(|dim| dim.read(&template)).collect::<Result<_>>()?
    };
    let elements = element_of(code).ok();
    Ok(Object::new(ArrayObject::new(template, elements, element, Order::C, dims)))
}

/// An array with its mapping, and this image's coordinates if it has elements.
pub fn mapped(array: &ArrayObject) -> Result<(Rc<Array>, Option<Coords>)> {
    let coords = array.coords(instance().image.rank()).map_err(named)?;
    Ok((array.mapping().map_err(named)?, coords))
}

functions! {
    /// An array with memory, all zeros; `dims` is null where it is mapped as the template.
    fn xmprt_array_create(
        template: ObjectHandle, element_bytes: usize, ndims: c_int, dims: List<Dimension>,
        array: Option<&Cell<ObjectHandle>>,
    ) {
        let image = &instance().image;
        let make = || -> Result<Rc<Object<ArrayObject>>> {
            place(array, "array")?;
            let array = described(template, 0, element_bytes, ndims, dims)?;
            array.allocate(image, false).map_err(named)?;
            Ok(array)
        };
        // Images have parts of different sizes: one may lack the memory that the others have.
        let made = agreed(image, &image.executing(), "array_create", make());
        give(array, "array", || Ok(GlobalObject::Array(made?)))
    }

    /// An array without memory.
    fn xmprt_array_describe(
        template: ObjectHandle, element: c_uint, element_bytes: usize, ndims: c_int, dims: List<Dimension>,
        array: Option<&Cell<ObjectHandle>>,
    ) {
        give(array, "array", || Ok(GlobalObject::Array(described(template, element, element_bytes, ndims, dims)?)))
    }

    /// Allocates this image's part of an array that was described, all zeros.
    fn xmprt_array_allocate(array: ObjectHandle, flags: c_int) {
        only_flags(flags, EXPOSE)?;
        let array = array_of(array)?;
        array.allocate(&instance().image, flags & EXPOSE != 0).map_err(named)?;
        check_argument(&array).map_err(named)
    }

    /// The program has this image's part of an array that was described.
    fn xmprt_array_place(array: ObjectHandle, memory: Data) {
        let array = array_of(array)?;
        array.place_at(memory.start());
        check_argument(&array).map_err(named)
    }

    /// The stored part of an array on this image. `extents` is null or has room for all dimensions.
    fn xmprt_array_stored(
        array: ObjectHandle, data: Option<&Cell<*mut c_void>>, extents: OutputList<i64>,
    ) {
        let array = array_of(array)?;
        let data = place(data, "data")?;
        let (mapping, coords) = mapped(&array)?;
        data.set(match coords {
            Some(_) => array.base().cast(),
            None => ptr::null_mut(),
        });
        for (dim, extent) in extents.of(mapping.dims().len()).into_iter().flatten().enumerate() {
            extent.set(coords.as_deref().map_or(0, |coords| mapping.extents(coords)[dim]));
        }
        Ok(())
    }

    /// The place of this image's part, and the numbers by which the program computes addresses in it.
    fn xmprt_array_part(array: ObjectHandle, part: Option<&Cell<Part>>) {
        let handle = array;
        let array = array_of(array)?;
        place(part, "part")?.set(Part::of(handle, &array).map_err(named)?);
        Ok(())
    }

    /// Gives an array the elements of a whole one that are of this image. It has as many bytes, in the order of C.
    fn xmprt_array_initialize(array: ObjectHandle, whole: List<u8>, bytes: usize) {
        let array = array_of(array)?;
        let (mapping, coords) = mapped(&array)?;
        let Some(coords) = coords else { return Ok(()) };
        let values = whole.of("whole", bytes)?;
        let extents = mapping.dims()[1..].iter().map(|dim| dim.extent() as usize);
        let row = extents.fold(array.element, usize::saturating_mul);
        let target = Target { mapping: &mapping, coords: &coords, strides: &mapping.strides(&coords), array: &array };
        target.copy(0, values, row, 0);
        Ok(())
    }
}

/// The part that gets the elements of a whole array.
struct Target<'a> {
    mapping: &'a Array,
    coords: &'a Coords,
    strides: &'a [i64],
    array: &'a ArrayObject,
}

impl Target<'_> {
    /// Copies the elements of the dimensions from `dim` on, which are in `values`, one index of `dim` after the other, each with
    /// `row` bytes, to the elements from `place` on.
    fn copy(&self, dim: usize, values: &[u8], row: usize, place: i64) {
        let element = self.array.element;
        if dim == self.strides.len() {
            let to = self.array.base().wrapping_add(place as usize * element);
            // SAFETY: this image has the element, and the program does not access it meanwhile (contract of entries).
            unsafe { to.copy_from_nonoverlapping(values.as_ptr(), element) };
            return;
        }
        let Align { lower, shadow, .. } = self.mapping.dims()[dim];
        let part = self.mapping.part(dim, self.coords);
        let owned = match shadow {
            Shadow::Full => {
                Runs::one(lower, self.mapping.dims()[dim].extent()).into_iter().collect()
            }
            Shadow::Widths { .. } => self.mapping.owned(dim, part),
        };
        let inner = self.mapping.dims().get(dim + 1).map_or(1, |dim| dim.extent() as usize);
        for index in owned.iter().flat_map(Runs::iter) {
            let start = row.saturating_mul((index - lower) as usize);
            let Some(values) = values.get(start..).and_then(|rest| rest.get(..row)) else { return };
            let place = place + self.mapping.local_of_owned(dim, part, index) * self.strides[dim];
            self.copy(dim + 1, values, row / inner, place);
        }
    }
}

/// `xmprt_part`: where this image has its part of an array.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Part {
    array: ObjectHandle,
    part: *mut u8,
    base: *mut u8,
    origin: [c_int; PART_DIMENSIONS],
    stride: [i64; PART_DIMENSIONS],
    length: [i64; PART_DIMENSIONS],
}

/// `XMPRT_PART_DIMENSIONS`: most dimensions of a part.
const PART_DIMENSIONS: usize = 7;

impl Part {
    fn of(handle: ObjectHandle, array: &ArrayObject) -> Outcome<Part> {
        let dims = array.ndims();
        if dims > PART_DIMENSIONS {
            let why = format!("a part has at most {PART_DIMENSIONS} dimensions, not {dims}");
            return Err(DirectiveError::because(why));
        }
        let zeros = [0; PART_DIMENSIONS];
        let start = array.base();
        let mut part = Part {
            array: handle,
            part: start,
            base: start,
            origin: [0; PART_DIMENSIONS],
            stride: zeros,
            length: zeros,
        };
        let mapping = array.mapping()?;
        let Some(coords) = mapping.coords(instance().image.rank()) else { return Ok(part) };
        for (dim, (stride, length)) in
            mapping.strides(&coords).into_iter().zip(mapping.extents(&coords)).enumerate()
        {
            (part.stride[dim], part.length[dim]) = (stride, length);
            if array.is_cyclic(dim) {
                part.origin[dim] = mapping.parts(dim) as c_int;
                if let Alignment::With { axis, offset } = array.dim(dim)?.alignment {
                    array.check_blocks(axis, offset)?;
                }
                continue;
            }
            let Align { lower, shadow, .. } = mapping.dims()[dim];
            let first = match shadow {
                Shadow::Full => lower,
                Shadow::Widths { lower: before, .. } => {
                    let block = mapping.block(dim, mapping.part(dim, &coords));
                    block.map_or(0, |block| block.0) - before
                }
            };
            part.origin[dim] = first as c_int;
            let distance = first.wrapping_mul(stride).wrapping_mul(array.element as i64);
            part.base = part.base.wrapping_offset(distance.wrapping_neg() as isize);
        }
        Ok(part)
    }
}

/// The element with an index, if this image stores it.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_array_element(array: ObjectHandle, index: List<i64>) -> *mut c_void {
    let found = inquired("xmprt_array_element", || {
        let array = array_of(array)?;
        let (mapping, coords) = mapped(&array)?;
        let index = index.of("index", mapping.dims().len())?;
        let Some(coords) = coords else { return Ok(None) };
        let mut place = 0;
        for ((dim, &index), stride) in index.iter().enumerate().zip(mapping.strides(&coords)) {
            let part = mapping.part(dim, &coords);
            let Some(local) = mapping.local_with_shadow(dim, part, index) else { return Ok(None) };
            place += local * stride;
        }
        Ok(Some(array.base().wrapping_add(place as usize * array.element)))
    });
    found.map_or(ptr::null_mut(), <*mut u8>::cast)
}
