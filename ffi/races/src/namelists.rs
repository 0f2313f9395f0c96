//! Input and output of namelists: the program names the variables one by one before the statement, and libgfortran accesses them.
//!
//! Output reads all of them. Input defines those that it names; these are not known, so that the variables count as written whose
//! values differ afterwards.

use crate::call::{Call, enclosed, wrapped};
use crate::copies::enter;
use crate::filter::{entry, is_shared};
use std::cell::RefCell;
use std::ptr;

/// A variable of a namelist.
struct Variable {
    start: usize,
    /// Bytes of an element.
    size: usize,
    /// Of each dimension the distance of its elements, and their number.
    dims: Vec<(isize, usize)>,
}

thread_local! {
    /// The statement's parameters, by their address, and the variables of its namelist.
    static NAMED: RefCell<(usize, Vec<Variable>)> = const { RefCell::new((0, Vec::new())) };
    /// The values of variables before they are read: the address and the bytes of contiguous elements.
    static BEFORE: RefCell<Vec<(usize, Vec<u8>)>> = const { RefCell::new(Vec::new()) };
}

impl Variable {
    /// Calls `visit` with the address of each element.
    fn each(&self, mut visit: impl FnMut(usize)) {
        fn along(from: usize, dims: &[(isize, usize)], visit: &mut impl FnMut(usize)) {
            let Some((&(distance, extent), inner)) = dims.split_last() else { return visit(from) };
            for number in 0..extent {
                along(from.wrapping_add_signed(distance * number as isize), inner, visit);
            }
        }
        along(self.start, &self.dims, &mut visit);
    }
}

/// A variable: the statement's parameters, its address, its name, the kind, the length of characters, and its type, which begins with
/// the number of bytes.
extern "C" fn named(call: &Call) {
    let (statement, start) = (call.argument(0), call.argument(1));
    NAMED.with_borrow_mut(|(of, variables)| {
        if *of != statement {
            (*of, *variables) = (statement, Vec::new());
        }
        variables.push(Variable { start, size: call.argument(TYPE), dims: Vec::new() });
    });
}

/// The number of the argument that is the type: it is passed on the stack, because it does not fit into the last register.
const TYPE: usize = 6;

/// A dimension of the last variable: the statement's parameters, its number, the stride in elements, and the bounds.
extern "C" fn dimension(call: &Call) {
    let [stride, lower, upper] = [2, 3, 4].map(|number| call.argument(number) as isize);
    NAMED.with_borrow_mut(|(_, variables)| {
        if let Some(variable) = variables.last_mut() {
            let distance = stride.wrapping_mul(variable.size as isize);
            let extent = usize::try_from(upper - lower + 1).unwrap_or(0);
            variable.dims.push((distance, extent));
        }
    });
}

/// The statement with these parameters writes its namelist, if it has one.
pub fn written(call: &Call) {
    for variable in taken(call.argument(0)) {
        variable.each(|address| enter(address, variable.size, false, call.place));
    }
}

/// The variables of the namelist of a statement.
fn taken(statement: usize) -> Vec<Variable> {
    NAMED.with_borrow_mut(
        |(of, variables)| {
            if *of == statement { std::mem::take(variables) } else { Vec::new() }
        },
    )
}

/// READ is about to be complete: its namelist is read now.
extern "C" fn before_reading(call: &Call) {
    let mut before = Vec::new();
    for variable in taken(call.argument(0)) {
        variable.each(|address| {
            if is_shared(address) {
                before.push((address, bytes(address, variable.size)));
            }
        });
    }
    BEFORE.set(before);
}

/// READ is complete.
extern "C" fn after_reading(call: &Call) {
    for (address, before) in BEFORE.take() {
        if bytes(address, before.len()) != before
            && let Some(entry) = entry()
        {
            (entry.enter_change)(address, before.len(), (entry.site)(call.place));
        }
    }
}

/// A copy of the bytes of an element.
fn bytes(address: usize, size: usize) -> Vec<u8> {
    let start = ptr::with_exposed_provenance::<u8>(address);
    // SAFETY: an element of a variable of the program, which passes its address and size. Another image may change it meanwhile, which
    // the program must not do: no reference is made, and any value of a byte is one.
    (0..size).map(|at| unsafe { start.add(at).read_volatile() }).collect()
}

wrapped! {
    named: "st_set_nml_" "var";
    dimension: "st_set_nml_var_" "dim";
}

enclosed! {
    before_reading, after_reading: "st_read_" "done";
}
