//! Names coindexed objects in messages as the source does: `u(1:200, 52)[4]`.
//!
//! gfortran 12 to 14 pass an address and strides, and no subscripts. The subscripts follow from the bounds of the coarray. The
//! descriptor of an allocatable variable has the bounds, and for other variables debugging information has them. If an address is
//! outside of the coarray, its last subscript is too large, because array elements pass through the last dimension most slowly.
//! [`Designator`] also has other subscripts with the same addresses. Brackets have the image index.

mod chain;
mod in_source;
mod subscripts;

pub use chain::Link;
pub use in_source::collective_argument;
pub use subscripts::Subscript;

use super::token::{Role, Token};
use super::transfer::Section;
use super::variable_location::VariableLocation;
use crate::gfortran_abi::NamedError;
use crate::process::{Instance, created};
use chain::Denoted;
use std::borrow::Cow;
use std::ffi::c_int;
use std::ptr::NonNull;
use subscripts::{Array, Subscripts};
use xmp_core::Error;
use xmp_source::{Bounds, Component, Modules, Shape, Statement, Variable};

/// The fault of an address that no subscripts lead to.
const ANOTHER_OBJECT: &str = "the compiler has passed the address of another object, which no subscripts of default kind lead to; \
     gfortran 12 to 14 do so where a vector subscript is in an expression: assign the elements to a variable first, t = a(v)[i]";

/// The fault of an address in an array whose bounds do not tell subscripts.
const NO_ELEMENTS: &str = "the coarray has no elements";

/// The elements of a coarray that are accessed.
#[derive(Clone, Copy)]
pub enum Part<'a> {
    /// A section whose base is at byte `offset`, of elements or parts of elements of `len` bytes.
    Section { offset: usize, section: &'a Section, len: usize },
    /// The element of this number, from 0; this many bytes of memory belong to each.
    Element { number: usize, len: usize },
    /// The object at the end of a chain of references.
    Chain(&'a [Link]),
    /// All.
    Whole,
}

/// The text that denotes a coindexed object, and its fault.
#[derive(Clone, Debug)]
pub struct Designator {
    text: String,
    fault: Option<String>,
}

impl std::fmt::Display for Designator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Designator {
    /// The designator of a part of a coarray, or of the whole, on an image. If MOVE_ALLOC has moved the coarray to another variable,
    /// or the variable is on the stack, the designator has the statement that has allocated the coarray instead of the name. `None` if
    /// the program has no symbols, so that not even a subscript is known. `image`: the image index in brackets; `None` for no brackets.
    #[cold]
    pub fn of(token: &Token, image: Option<c_int>, part: Part<'_>) -> Option<Designator> {
        let variable = variable(created()?, token);
        let name = variable.as_ref().map(|variable| &*variable.name);
        let image = image.map_or_else(String::new, |image| format!("[{image}]"));
        let origin = if name.is_none() { allocated_at(token) } else { None };
        let origin = origin.map(|place| format!(" (allocated at {place})"));
        let name = name.or(origin.as_ref().map(|_| "a coarray"));
        let origin = origin.unwrap_or_default();
        let whole = || Some(Designator { text: format!("{}{image}{origin}", name?), fault: None });
        let shape = variable.as_ref().and_then(|variable| variable.shape.as_ref());
        let shape = shape.map(|shape| with_known_layout(token, shape));
        let shape = shape.as_deref();
        let scalar = Section::whole();
        let (offset, section, len, unit) = match part {
            Part::Section { offset, section, len } => (offset, section, len, None),
            Part::Element { number, len } => (number.wrapping_mul(len), &scalar, len, Some(len)),
            Part::Chain(links) => {
                let text = name?;
                let image = format!("{image}{origin}");
                let Denoted { text, fault } = chain::denote(text, shape, &image, links);
                return Some(Designator { text, fault: fault.map(|fault| fault.to_string()) });
            }
            Part::Whole => return whole(),
        };
        let Some(array) = array(token, shape, unit) else {
            let element =
                shape.filter(|shape| shape.dims.as_deref().unwrap_or_default().is_empty());
            let part = element.filter(|shape| (len as u64) < shape.element);
            let rest = part.map(|it| component(&it.components, offset as u64, len as u64));
            let rest = rest.unwrap_or_default();
            return Some(Designator {
                text: format!("{}{image}{rest}{origin}", name?),
                fault: None,
            });
        };
        if array.is_of_another_object(offset) {
            let text = format!("{}{image}{origin}", name.unwrap_or("a coarray"));
            return Some(Designator { text, fault: Some(ANOTHER_OBJECT.into()) });
        }
        let Some((subscripts, within)) = array.subscripts(offset, section) else {
            let fault = (array.size() == Some(0)).then(|| NO_ELEMENTS.into());
            return whole().map(|whole| Designator { fault, ..whole });
        };
        let name = if variable.is_some() { name.unwrap_or_default() } else { "a coarray " };
        let components = shape.filter(|_| unit.is_none()).map_or(&[][..], |it| &it.components);
        let rest = component(components, within as u64, len as u64);
        let denote = |subscripts: &Subscripts| format!("{name}{subscripts}{image}{rest}");
        let fault = array.fault(&subscripts).map(|fault| {
            let others = array.shifted(&subscripts, fault.dimension);
            let others = others.map_or_else(String::new, |others| {
                format!(" (the same addresses are {})", denote(&others))
            });
            format!("{fault}{others}")
        });
        Some(Designator { text: denote(&subscripts) + &origin, fault })
    }

    /// The subscript that is out of bounds, if there is one.
    pub fn into_fault(self) -> Option<String> {
        self.fault
    }

    /// An error of an access to it, with subscripts where it counts bytes.
    pub fn explain(&self, error: &Error) -> Error {
        match (error, &self.fault) {
            (Error::OutOfBounds { .. }, Some(fault)) => Error::Invalid(fault.clone()),
            _ => error.clone(),
        }
    }
}

/// An error of an operation on a part of a coarray, with its name where it is known: `event post to ready[2]`.
/// `operation` ends with the preposition.
#[cold]
pub fn named(
    operation: &str,
    token: Option<&Token>,
    image: c_int,
    part: Part<'_>,
    error: &Error,
) -> NamedError {
    if token.is_none() {
        return unallocated(operation, error);
    }
    let token = Token::allocated(token).ok();
    if token.is_some_and(|token| token.role == Role::Critical) {
        let operation = if operation.starts_with("unlock") { "end critical" } else { "critical" };
        return NamedError { operation: operation.into(), error: error.clone() };
    }
    // Without brackets in the source, image index 0 means this image. With brackets, index 0 is the error.
    let is_selected = image != 0 || matches!(error, Error::ImageIndex { index: 0, .. });
    let image = is_selected.then_some(image);
    match token.and_then(|token| Designator::of(token, image, part)) {
        Some(designator) => NamedError {
            operation: format!("{operation} {designator}"),
            error: designator.explain(error),
        },
        None => NamedError { operation: verb(operation).into(), error: error.clone() },
    }
}

/// An error of an operation on a coarray that is not allocated. `operation` ends with the preposition.
#[cold]
pub fn unallocated(operation: &str, error: &Error) -> NamedError {
    let operation = match in_source::coindexed_objects() {
        Some(objects) => format!("{operation} {objects}"),
        None => verb(operation).into(),
    };
    NamedError { operation, error: error.clone() }
}

/// An operation without the preposition at its end.
fn verb(operation: &str) -> &str {
    operation.rsplit_once(' ').map_or(operation, |(verb, _)| verb)
}

/// The variable that a statement waits for, in tables of waits: `ready(3)`, `l[2]`. Image index 0 means this image, without brackets.
#[cold]
pub fn awaited(token: Option<&Token>, image: c_int, part: Part<'_>) -> Option<String> {
    let token = Token::allocated(token).ok()?;
    let designator = Designator::of(token, (image != 0).then_some(image), part)?;
    Some(designator.to_string())
}

/// An error of a statement that allocates a coarray, with the name of the variable where it is known: `allocate a`.
#[cold]
pub fn allocation(operation: &str, home: VariableLocation, error: &Error) -> NamedError {
    // Errors of other images, and of the agreement with them, are not about the variable of this image.
    let is_own = matches!(error, Error::OutOfMemory { .. });
    let modules = is_own.then(|| Modules::of_this_process().ok()).flatten();
    let variable = modules.and_then(|modules| modules.variable_at(home.descriptor.addr()));
    let name = variable.map(|variable| format!(" {}", variable.name)).unwrap_or_default();
    NamedError { operation: format!("{operation}{name}"), error: error.clone() }
}

/// An error of an assignment to a whole coarray, with its name where the source has it: `assignment to a`.
#[cold]
pub fn assignment(error: &Error) -> NamedError {
    let name = in_source::assigned_variable();
    let name = name.map(|name| format!(" to {name}")).unwrap_or_default();
    NamedError { operation: format!("assignment{name}"), error: error.clone() }
}

/// The element, or component, of a coarray that has this byte of the memory of an image; `None` if that is not memory of the
/// coarray.
#[cold]
pub fn element_at(token: &Token, image: c_int, offset: u64) -> Option<Designator> {
    let token = Token::allocated(Some(token)).ok()?;
    let offset = offset.checked_sub(token.block.offset).filter(|&it| it < token.block.size)?;
    let section = &Section::whole();
    let image = (image != 0).then_some(image);
    Designator::of(token, image, Part::Section { offset: offset as usize, section, len: 1 })
}

/// A component with memory of its own, within the object that has its address.
pub struct Place {
    /// Where the address is, in bytes from the start of the object or of the array around it.
    pub at: u64,
    /// The bounds of an array, and the bytes of its elements.
    pub array: Option<(Vec<Bounds>, i64)>,
    /// The byte of the component that is accessed, or that the next address begins at.
    pub byte: u64,
}

/// The element of a coarray that has a byte of a component, through any number of components. Components inside of one whose type
/// is not known have no names.
#[cold]
pub fn nested(token: &Token, image: c_int, places: &[Place]) -> Option<String> {
    let first = places.first()?;
    let mut name = element_at(token, image, token.block.offset + first.at)?.to_string();
    if !name.contains('%') {
        return Some(format!("a component of {name}"));
    }
    let shape = variable(created()?, token)?.shape;
    let mut object = shape.as_ref().map(|shape| (shape, first.at % shape.element.max(1)));
    for (number, Place { array, byte, .. }) in places.iter().enumerate() {
        let shape = object.and_then(|(shape, at)| inner(&shape.components, at));
        let element = array.as_ref().map(|(_, element)| *element as u64);
        if let Some((dims, element)) = array {
            name += &position_in(dims.clone(), *element, *byte).unwrap_or_default();
        }
        let within = element.map_or(*byte, |element| byte % element.max(1));
        let is_last = number + 1 == places.len();
        let len = if is_last { 1 } else { size_of::<usize>() as u64 };
        name += &shape.map_or_else(String::new, |shape| component(&shape.components, within, len));
        object = shape.map(|shape| (shape, within));
    }
    Some(name)
}

/// The shape of a coarray, without its components where debugging information has another size of the type than the program: gfortran
/// up to 14 has two layouts of a type of a module with coarrays, one in the module's file and one in others.
fn with_known_layout<'a>(token: &Token, shape: &'a Shape) -> Cow<'a, Shape> {
    let elements = || shape.dims.iter().flatten().map(extent).product::<u64>();
    let is_so = match token.shape.get() {
        Some(own) => own.unit as u64 == shape.element,
        None => token.block.size == shape.element.saturating_mul(elements()),
    };
    if is_so {
        return Cow::Borrowed(shape);
    }
    Cow::Owned(Shape { components: Vec::new(), ..shape.clone() })
}

/// The shape of the innermost component that begins at byte `within` of an object, or has that byte.
fn inner(components: &[Component], within: u64) -> Option<&Shape> {
    let component = components.iter().find(|component| holds(component, within))?;
    let rest = within - component.offset;
    let shape = &component.shape;
    // The elements of an array with bounds of its own are not in the object.
    let of_object = shape.dims.as_ref().map(|_| rest % shape.element.max(1));
    of_object.and_then(|rest| inner(&shape.components, rest)).or(Some(shape))
}

/// Whether a component has this byte of an object.
fn holds(component: &Component, within: u64) -> bool {
    let elements = component.shape.dims.iter().flatten().map(extent);
    let size = elements.fold(component.shape.element, u64::saturating_mul);
    within.checked_sub(component.offset).is_some_and(|rest| rest < size)
}

/// The subscripts of the element that has this byte of an array in one piece.
#[cold]
fn position_in(dims: Vec<Bounds>, element: i64, byte: u64) -> Option<String> {
    let (subscripts, _) = Array { dims, element }.subscripts(byte as usize, &Section::whole())?;
    Some(subscripts.to_string())
}

/// The name of the variable that a coarray was allocated for.
#[cold]
pub fn declared(token: &Token) -> Option<String> {
    let variable = Modules::of_this_process().ok()?.variable_at(token.home.descriptor.addr());
    variable.map(|variable| variable.name)
}

/// The shape and type of the variable that a coarray is.
#[cold]
pub fn shape_of(token: &Token) -> Option<Shape> {
    let shape = variable(created()?, token)?.shape?;
    Some(with_known_layout(token, &shape).into_owned())
}

/// The variable that a coarray is.
fn variable(instance: &Instance, token: &Token) -> Option<Variable> {
    if token.role != Role::Coarray {
        return None;
    }
    let modules = Modules::of_this_process().ok()?;
    let base = token.block.local(&instance.image);
    if token.home.is_of(NonNull::from(token).cast(), base) {
        return modules.variable_at(token.home.descriptor.addr());
    }
    match token.shape.get() {
        // MOVE_ALLOC has moved it to another variable.
        Some(_) => None,
        None => modules.coarray_holding(base.addr(), token.home.token.addr()),
    }
}

/// `file:line` of the statement that has allocated a coarray, if debugging information tells.
fn allocated_at(token: &Token) -> Option<String> {
    let modules = Modules::of_this_process().ok()?;
    Statement::of_call(&modules, token.allocated_by)?.place()
}

/// The bounds of a coarray, if they are known and agree with its size.
/// Each element has `unit` bytes of memory if the declaration gives another size.
fn array(token: &Token, declared: Option<&Shape>, unit: Option<usize>) -> Option<Array> {
    let mut array = match (token.shape.get(), declared) {
        (Some(shape), _) => {
            let bounds = shape.dims.iter();
            let bounds =
                bounds.map(|dim| Bounds { lower: dim.lower as i64, upper: dim.upper as i64 });
            Array { dims: bounds.collect(), element: shape.unit }
        }
        (None, Some(shape)) => {
            Array { dims: shape.dims.clone()?, element: i64::try_from(shape.element).ok()? }
        }
        (None, None) => return None,
    };
    if let Some(unit) = unit {
        array.element = i64::try_from(unit).ok()?;
    }
    let (size, block) = (array.size()?, i64::try_from(token.block.size).ok()?);
    // The compiler allocates a byte for a coarray without elements.
    (size == block || (size, block) == (0, 1)).then_some(array)
}

/// The component of `len` bytes at byte `within` of an object of derived type, as `%x%y(2)`; nothing if it has none there.
fn component(components: &[Component], within: u64, len: u64) -> String {
    let Some(component) = components.iter().find(|component| holds(component, within)) else {
        return String::new();
    };
    let Component { name, offset, shape, .. } = component;
    let rest = within - offset;
    let element = shape.element.max(1);
    let dims = shape.dims.as_deref().unwrap_or_default();
    // Several elements at once, or the whole component, are named without subscripts.
    let subscripts = if len <= element && !dims.is_empty() {
        let array = Array { dims: dims.to_vec(), element: element as i64 };
        array.subscripts(rest as usize, &Section::whole()).map(|(subscripts, _)| subscripts)
    } else {
        None
    };
    // The elements of an array with bounds of its own are not in the object.
    let inner = match shape.dims {
        Some(_) => self::component(&shape.components, rest % element, len),
        None => String::new(),
    };
    format!("%{name}{}{inner}", subscripts.map_or_else(String::new, |it| it.to_string()))
}

fn extent(bounds: &Bounds) -> u64 {
    u64::try_from(bounds.upper.saturating_sub(bounds.lower).saturating_add(1)).unwrap_or(0)
}
