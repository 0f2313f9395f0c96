//! Input and output of namelists: the program names the variables one by one before the statement, and libgfortran accesses them.
//!
//! Output reads all of them. Input defines those that it names; libgfortran does not tell which. So it gets copies of the variables, and
//! those count as written whose values differ afterwards. They are copied back: what other images write meanwhile stays. Where the system
//! has no addresses for copies, variables of input are not entered.

use crate::call::{Call, wrapped};
use crate::copies::enter;
use crate::filter::is_shared;
use crate::mirror::Mirror;
use std::cell::RefCell;
use std::ptr;

/// A variable of a namelist, or a component of one.
struct Variable {
    start: usize,
    /// Bytes of an element.
    size: usize,
    /// Of each dimension the distance of its elements, and their number.
    dims: Vec<(isize, usize)>,
    /// Whether its components follow.
    has_components: bool,
}

/// Elements of variables that input may define.
struct Element {
    address: usize,
    /// The value before.
    before: Vec<u8>,
}

/// The namelist of a statement.
#[derive(Default)]
struct Namelist {
    /// The address of the statement's parameters.
    statement: usize,
    variables: Vec<Variable>,
    /// Memory for copies: of a statement of input.
    mirror: Option<Mirror>,
    elements: Vec<Element>,
}

thread_local! {
    static NAMED: RefCell<Namelist> = const {
        RefCell::new(Namelist { statement: 0, variables: Vec::new(), mirror: None, elements: Vec::new() })
    };
}

impl Namelist {
    /// Calls `visit` with the address and the bytes of each element. A component is in each element of the variables that it is a part of.
    fn each(&self, mut visit: impl FnMut(usize, usize)) {
        fn along(from: usize, dims: &[(isize, usize)], visit: &mut impl FnMut(usize)) {
            let Some((&(distance, extent), inner)) = dims.split_last() else { return visit(from) };
            for number in 0..extent {
                along(from.wrapping_add_signed(distance * number as isize), inner, visit);
            }
        }
        for (at, variable) in self.variables.iter().enumerate() {
            if variable.has_components {
                continue;
            }
            let whole = self.variables[..at]
                .iter()
                .filter(|it| it.has_components && variable.start.wrapping_sub(it.start) < it.size);
            let dims = whole.chain([variable]).flat_map(|it| &it.dims).copied();
            let dims: Vec<(isize, usize)> = dims.collect();
            along(variable.start, &dims, &mut |address| visit(address, variable.size));
        }
    }
}

/// A variable: the statement's parameters, its address, its name, the kind, the length of characters, and its type.
extern "C" fn named(call: &mut Call) {
    let (statement, start) = (call.argument(0), call.argument(1));
    NAMED.with_borrow_mut(|list| {
        if list.statement != statement {
            *list = Namelist { statement, ..Namelist::default() };
        }
        let has_components = (call.argument(TYPE + 1) >> TYPE_SHIFT) as u8 == DERIVED;
        let size = call.argument(TYPE);
        list.variables.push(Variable { start, size, dims: Vec::new(), has_components });
        if reads(statement) && is_shared(start) {
            if list.mirror.is_none() {
                list.mirror = Mirror::new();
            }
            if let Some(mirror) = &list.mirror {
                call.replace(1, mirror.of(start));
            }
        }
    });
}

/// The number of the argument that is the type: it is passed on the stack, because it does not fit into the last register. It begins with
/// the number of bytes; the second word has the rank in byte 4 and the type in byte 5.
const TYPE: usize = 6;
const TYPE_SHIFT: u32 = 40;
/// A type with components.
const DERIVED: u8 = 5;

/// Whether the statement with these parameters is READ.
fn reads(statement: usize) -> bool {
    const IS_READ: u32 = 1 << 8;
    // SAFETY: the parameters begin with the flags.
    unsafe { ptr::with_exposed_provenance::<u32>(statement).read() & IS_READ != 0 }
}

/// A dimension of the last variable: the statement's parameters, its number, the stride in elements, and the bounds.
extern "C" fn dimension(call: &Call) {
    let [stride, lower, upper] = [2, 3, 4].map(|number| call.argument(number) as isize);
    NAMED.with_borrow_mut(|list| {
        if let Some(variable) = list.variables.last_mut() {
            let distance = stride.wrapping_mul(variable.size as isize);
            let extent = usize::try_from(upper - lower + 1).unwrap_or(0);
            variable.dims.push((distance, extent));
        }
    });
}

/// The namelist of a statement, which it takes.
fn taken(statement: usize) -> Option<Namelist> {
    NAMED.with_borrow_mut(|list| (list.statement == statement).then(|| std::mem::take(list)))
}

/// The statement with these parameters writes its namelist, if it has one.
pub fn written(call: &Call) {
    if let Some(list) = taken(call.argument(0)) {
        list.each(|address, size| enter(address, size, false, call.place));
    }
}

/// READ is about to be complete: its namelist is read now.
pub fn before_reading(call: &Call) {
    let Some(mut list) = taken(call.argument(0)) else { return };
    let mut elements = Vec::new();
    list.each(|address, size| {
        if is_shared(address) {
            elements.push(Element { address, before: bytes(address, size) });
        }
    });
    if let Some(mirror) = &mut list.mirror {
        elements.iter().for_each(|it| mirror.store(it.address, &it.before));
    }
    list.elements = elements;
    NAMED.set(list);
}

/// READ is complete.
pub fn after_reading(call: &Call) {
    let Some(list) = taken(call.argument(0)) else { return };
    let Some(mirror) = &list.mirror else { return };
    for Element { address, before } in &list.elements {
        let after = bytes(mirror.of(*address), before.len());
        if after == *before {
            continue;
        }
        enter(*address, after.len(), true, call.place);
        for (at, &byte) in after.iter().enumerate().filter(|&(at, byte)| before[at] != *byte) {
            let start = ptr::with_exposed_provenance_mut::<u8>(*address);
            // SAFETY: a byte of a variable of the program, which the statement defines.
            unsafe { start.add(at).write_volatile(byte) };
        }
    }
}

/// A copy of the bytes of an element.
fn bytes(address: usize, size: usize) -> Vec<u8> {
    let start = ptr::with_exposed_provenance::<u8>(address);
    // SAFETY: an element of a variable of the program, which passes its address and size, or its copy. Another image may change it
    // meanwhile, which the program must not do: no reference is made, and any value of a byte is one.
    (0..size).map(|at| unsafe { start.add(at).read_volatile() }).collect()
}

wrapped! {
    named: "st_set_nml_" "var";
    dimension: "st_set_nml_var_" "dim";
}
