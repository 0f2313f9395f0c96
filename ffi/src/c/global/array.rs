//! Distributed arrays.

use super::{Object, ObjectHandle, array_of, dimensions, give, template_of};
use crate::c::argument::{List, Room, place};
use crate::c::outcome::{functions, inquired};
use crate::process::instance;
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use xmp_collectives::global::{Place, Plans, Storage};
use xmp_collectives::refusal::agreed;
use xmp_core::global::{Align, Array, Coords, MappingError, Order, Shadow, Template};
use xmp_core::{Error, Image, Result};

/// `xmprt_dimension`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    extent: i64,
    along: c_int,
    offset: i64,
    before: i64,
    behind: i64,
}

/// `XMPRT_NOT_DISTRIBUTED` as a template dimension.
const NOT_DISTRIBUTED: c_int = -1;
/// `XMPRT_FULL` as a width: the whole dimension.
const FULL: i64 = -1;

impl Dimension {
    fn read(self) -> Result<Align> {
        let Dimension { extent, along, offset, before, behind } = self;
        let upper = extent.saturating_sub(1);
        let align = match along {
            NOT_DISTRIBUTED => Align::collapsed(0, upper),
            0.. => Align::with(0, upper, along as usize, offset),
            _ => return Err(Error::Invalid(format!("aligned with template dimension {along}"))),
        };
        Ok(align.shadow(match (before, behind) {
            (FULL, FULL) => Shadow::Full,
            (lower, upper) => Shadow::Widths { lower, upper },
        }))
    }
}

fn named(error: MappingError) -> Error {
    error.of("array")
}

/// An array as one image has it.
#[derive(Debug)]
pub struct Distributed {
    image: &'static Image,
    /// Mapping and memory.
    pub storage: Storage,
    /// Of operations that change it.
    pub plans: Plans,
    /// Where it is in the segment.
    pub offset: u64,
    /// Where images have their parts, those that have said so; empty before the first has.
    pub exposed: RefCell<Vec<Option<Place>>>,
    /// This image's coordinates among the nodes, if it has elements.
    pub coords: Option<Coords>,
}

impl Distributed {
    fn new(image: &'static Image, array: Array, element: usize) -> Result<Distributed> {
        let bytes = Storage::bytes(&array, element, image).map_err(named)?;
        let coords = array.coords(image.rank()).filter(|coords| array.has_elements(coords));
        // One byte at least, so that it is somewhere.
        let offset = image.memory().allocate_local(bytes.max(1) as u64, 64)?;
        let base = image.own_segment().wrapping_add(offset as usize);
        // SAFETY: the block was allocated just now, and no other image knows it.
        unsafe { base.write_bytes(0, bytes) };
        let storage = Storage { array: Rc::new(array), element, base };
        let (plans, exposed) = (Plans::default(), RefCell::default());
        Ok(Distributed { image, storage, plans, offset, exposed, coords })
    }

    /// The element with an index, if this image stores it.
    fn place(&self, index: &[i64]) -> Option<*mut u8> {
        let (array, coords) = (&self.storage.array, self.coords.as_ref()?);
        let mut place = 0;
        for ((dim, &index), stride) in index.iter().enumerate().zip(array.strides(coords)) {
            let part = array.part(dim, coords);
            place += array.local_with_shadow(dim, part, index)? * stride;
        }
        Some(self.storage.base.wrapping_add(place as usize * self.storage.element))
    }
}

impl Drop for Distributed {
    fn drop(&mut self) {
        // Operations end when no image reads this any more.
        let _ = self.image.memory().free_local(self.offset);
    }
}

/// The mapping that a program describes; without dimensions that of the template.
fn mapping(template: &Template, ndims: usize, dims: List<Dimension>) -> Result<Array> {
    let distribution = template.distribution().map_err(named)?.clone();
    let aligned = if dims.is_null() {
        let axes = distribution.axes();
        if axes.len() != ndims {
            let needed = axes.len();
            return Err(named(MappingError::Rank { what: "dimensions", given: ndims, needed }));
        }
        let whole = |(dim, axis): (usize, &xmp_core::global::Axis)| {
            Align::with(axis.lower(), axis.upper(), dim, 0)
        };
        axes.iter().enumerate().map(whole).collect()
    } else {
        let dims = dims.of("dimensions", ndims)?;
        dims.iter().map(|dim| dim.read()).collect::<Result<Vec<Align>>>()?
    };
    Array::new(distribution, &aligned, &[], Order::C).map_err(named)
}

functions! {
    /// An array; `dims` is null where it is mapped as the template.
    fn xmprt_array_create(
        template: ObjectHandle, element_bytes: usize, ndims: c_int, dims: List<Dimension>,
        array: Option<&Cell<ObjectHandle>>,
    ) {
        let image = &instance().image;
        let make = || -> Result<Distributed> {
            place(array, "array")?;
            let template = template_of(template)?;
            if element_bytes == 0 {
                return Err(Error::Invalid("elements of 0 bytes".into()));
            }
            let mapping = mapping(&template.borrow(), dimensions(ndims)?, dims)?;
            Distributed::new(image, mapping, element_bytes)
        };
        // Images have parts of different sizes: one may lack the memory that the others have.
        let made = agreed(image, &image.executing(), "array_create", make());
        give(array, "array", || Ok(Object::Array(Rc::new(made?))))
    }

    /// What this image stores of an array. `extents` is null or has room for all dimensions.
    fn xmprt_array_stored(
        array: ObjectHandle, data: Option<&Cell<*mut c_void>>, extents: Room<i64>,
    ) {
        let array = array_of(array)?;
        let data = place(data, "data")?;
        data.set(match array.coords {
            Some(_) => array.storage.base.cast(),
            None => ptr::null_mut(),
        });
        let mapping = &array.storage.array;
        for (dim, extent) in extents.of(mapping.dims().len()).into_iter().flatten().enumerate() {
            extent.set(array.coords.as_deref().map_or(0, |coords| mapping.extents(coords)[dim]));
        }
        Ok(())
    }
}

/// The element with an index, if this image stores it.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_array_element(array: ObjectHandle, index: List<i64>) -> *mut c_void {
    let found = inquired("xmprt_array_element", || {
        let array = array_of(array)?;
        Ok(array.place(index.of("index", array.storage.array.dims().len())?))
    });
    found.map_or(ptr::null_mut(), <*mut u8>::cast)
}
