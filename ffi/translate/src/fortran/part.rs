//! The memory of the part of an array. The compiler's `allocate` gets it from `malloc`, which the library replaces: it
//! gives memory in the segment to the array that was announced before. Only so gfortran knows that arrays do not
//! overlap, as with `malloc`: with a descriptor that the library fills, it does not vectorise loops of main programs at
//! `-O2`.

use super::make::{if_present, part_bounds, placed};
use super::objects::ArrayObject;
use super::unit::{Unit, descriptor, own};
use super::writer::{Code, doing};
use crate::meaning::naming;

impl Unit<'_> {
    /// Statements that allocate the part of an array that is no argument, and tell the runtime where it is.
    pub fn place(&self, array: &ArrayObject, exposed: bool) -> Vec<Code> {
        let mut code: Vec<Code> = Vec::new();
        if array.variable.as_ref().is_some_and(|variable| variable.is_common) {
            code.extend(self.associated(array));
        } else if !array.is_dummy {
            code.extend(array.alias.iter().flat_map(|alias| alias.before(array)));
            code.extend(self.allocated_part(array));
            if let Some(initial) =
                array.variable.as_ref().and_then(|variable| variable.initial.as_ref())
            {
                code.push(format!("{} = {initial}", array.name).into());
            }
        }
        code.extend(if_present(array, vec![placed(array, exposed)]));
        code.extend(array.alias.as_ref().and_then(|alias| alias.after(array)));
        code
    }

    /// Statements by which the part of an array is the memory that all units have for it.
    fn associated(&self, array: &ArrayObject) -> Vec<Code> {
        let (name, own) = (&array.name, own(&array.name));
        let rank = array.dims.len();
        let other =
            format!("any(shape({name}) /= max({own}(2, 1:{rank}) - {own}(1, 1:{rank}) + 1, 0))");
        let mut code = vec![Code::from(format!("if (.not. associated({name})) then"))];
        code.extend(self.allocated_part(array));
        code.extend([
            format!("else if ({other}) then").into(),
            format!("error stop '{name}: another unit has aligned it otherwise in COMMON'").into(),
            "end if".into(),
        ]);
        code
    }

    /// Statements that allocate a part.
    fn allocated_part(&self, array: &ArrayObject) -> Vec<Code> {
        vec![announced(array), format!("allocate({}({}))", array.name, part_bounds(array)).into()]
    }
}

/// The statement that announces the array whose part the next `allocate` has, and nothing else.
pub fn announced(array: &ArrayObject) -> Code {
    let call = format!("xmprt_fortran_announce({})", descriptor(&array.name));
    doing(&naming("allocate", &array.name), &call)
}
