//! Entry functions of distributed arrays: create an array, locate its elements.

use super::distributed::Distributed;
use super::objects::{Object, ObjectHandle, array_of, dimensions, give, template_of};
use crate::c::argument::{List, Room, place};
use crate::c::outcome::{functions, inquired};
use crate::process::instance;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use xmp_collectives::refusal::agreed;
use xmp_core::global::{Align, Array, MappingError, Order, Shadow, Template};
use xmp_core::{Error, Result};

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
            Some(_) => array.storage.base().cast(),
            None => ptr::null_mut(),
        });
        let mapping = array.storage.array();
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
        Ok(array.place(index.of("index", array.storage.array().dims().len())?))
    });
    found.map_or(ptr::null_mut(), <*mut u8>::cast)
}
