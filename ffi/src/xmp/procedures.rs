//! The transformational procedures (XcalableMP 1.4, 7.7): all executing images call them on whole arrays. The result is
//! complete when they return.

use crate::global::plans;
use crate::global::{ArrayObject, Object};
use crate::process::instance;
use crate::xmp::arguments::Arguments;
use crate::xmp::entry::{Optional, for_both, for_c};
use crate::xmp::error::{DirectiveError, Outcome};
use std::ffi::c_int;
use xmp_collectives::global::library::{self, Caller, Direction, Typed};
use xmp_collectives::global::{Element, Storage};

/// An array that is an argument.
struct Argument {
    storage: Storage,
    /// The type of its elements, if it is none of derived ones.
    element: Option<Element>,
}

impl Argument {
    fn new(array: &ArrayObject) -> Outcome<Argument> {
        let storage = array.storage(&instance().image)?;
        Ok(Argument { storage, element: array.element_type().ok() })
    }

    fn typed(&self) -> Outcome<Typed<'_>> {
        let element =
            self.element.ok_or_else(|| DirectiveError::because("elements of a derived type"))?;
        Ok(Typed { storage: &self.storage, element })
    }
}

/// Calls a procedure of the library for all executing images.
macro_rules! among_executing {
    ($procedure:ident($($argument:expr),*)) => {{
        let instance = instance();
        let image = &instance.image;
        let caller = Caller { image, set: &image.executing(), plans: plans(instance) };
        Ok(library::$procedure(caller, $($argument),*).map(drop)?)
    }};
}

/// An array of the program.
type Array = Object<ArrayObject>;

fn sort(x: &Array, a: &Array, direction: Direction) -> Outcome {
    let (x, a) = (Argument::new(x)?, Argument::new(a)?);
    among_executing!(sort(x.typed()?, a.typed()?, direction))
}

fn pack(v: &Array, a: &Array, mask: Option<&Array>) -> Outcome {
    let mask = mask.map(|mask| Argument::new(mask)).transpose()?;
    let (v, a) = (Argument::new(v)?, Argument::new(a)?);
    let mask = mask.as_ref().map(Argument::typed).transpose()?;
    among_executing!(pack(&v.storage, &a.storage, mask))
}

fn unpack(a: &Array, v: &Array, mask: Option<&Array>) -> Outcome {
    let mask = mask.map(|mask| Argument::new(mask)).transpose()?;
    let (a, v) = (Argument::new(a)?, Argument::new(v)?);
    let mask = mask.as_ref().map(Argument::typed).transpose()?;
    among_executing!(unpack(&a.storage, &v.storage, mask))
}

for_both! {
    /// `x = transpose(a)`. The option allows to change `a`, which is not needed.
    "xmp_transpose" fn xmp_transpose, xmp_transpose_(x: &Array, a: &Array, _option: c_int) {
        let (x, a) = (Argument::new(x)?, Argument::new(a)?);
        among_executing!(transpose(&x.storage, &a.storage))
    }

    /// `x = matmul(a, b)`.
    "xmp_matmul" fn xmp_matmul, xmp_matmul_(x: &Array, a: &Array, b: &Array) {
        if std::ptr::eq(x, a) || std::ptr::eq(x, b) {
            return Err(DirectiveError::because("the product is assigned to one of its factors"));
        }
        let (x, a, b) = (Argument::new(x)?, Argument::new(a)?, Argument::new(b)?);
        among_executing!(matmul(x.typed()?, a.typed()?, b.typed()?))
    }

    /// `x` becomes the elements of `a`, the smallest first.
    "xmp_sort_up" fn xmp_sort_up, xmp_sort_up_(a: &Array, x: &Array) {
        sort(x, a, Direction::Up)
    }

    /// `x` becomes the elements of `a`, the greatest first.
    "xmp_sort_down" fn xmp_sort_down, xmp_sort_down_(a: &Array, x: &Array) {
        sort(x, a, Direction::Down)
    }

    /// Collects in `v` the elements of `a` where the mask is true; all without a mask.
    "xmp_pack" fn xmp_pack, xmp_pack_(v: &Array, a: &Array, mask: Optional<ArrayObject>) {
        pack(v, a, mask.0)
    }

    /// Deals the elements of `v` out to `a` where the mask is true; everywhere without a mask.
    "xmp_unpack" fn xmp_unpack, xmp_unpack_(a: &Array, v: &Array, mask: Optional<ArrayObject>) {
        unpack(a, v, mask.0)
    }
}

/// The index arrays of a call: as many as `of` has dimensions.
fn indices(of: &ArrayObject, arguments: &mut Arguments) -> Outcome<Vec<Argument>> {
    (0..of.ndims()).map(|_| Argument::new(arguments.descriptor().object()?)).collect()
}

for_c! {
    /// `x(indices) = a`, with an index array for each dimension of `x`.
    "xmp_scatter" fn xmprt_xmp_scatter(x: &Array, a: &Array, arguments: &mut Arguments) {
        let indices = indices(x, arguments)?;
        let (x, a) = (Argument::new(x)?, Argument::new(a)?);
        let indices = indices.iter().map(Argument::typed).collect::<Outcome<Vec<_>>>()?;
        among_executing!(scatter(&x.storage, &a.storage, &indices))
    }

    /// `x = a(indices)`, with an index array for each dimension of `a`.
    "xmp_gather" fn xmprt_xmp_gather(x: &Array, a: &Array, arguments: &mut Arguments) {
        let indices = indices(a, arguments)?;
        let (x, a) = (Argument::new(x)?, Argument::new(a)?);
        let indices = indices.iter().map(Argument::typed).collect::<Outcome<Vec<_>>>()?;
        among_executing!(gather(&x.storage, &a.storage, &indices))
    }
}
