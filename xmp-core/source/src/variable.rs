//! The variables of a program that have static storage: their names, bounds and types by DWARF, or their names alone by
//! the symbol table.

use crate::dwarf::{self, Entry, Reader};
use crate::modules::Modules;
use addr2line::gimli;
use gimli::{AttributeValue, Dwarf, Unit, UnitOffset};
use object::{Object, ObjectSymbol, SymbolKind};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;

/// Levels of components that are looked into; a damaged file may have types that consist of themselves.
const DEEPEST: u32 = 8;

/// A variable of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name in the source.
    pub name: String,
    /// Its shape and type, if there is debugging information.
    pub shape: Option<Shape>,
}

/// The shape and type of a variable or component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The bounds of each dimension, if they are constants; none of a scalar.
    pub dims: Option<Vec<Bounds>>,
    /// Bytes of an element.
    pub element: u64,
    /// The components of an element of derived type.
    pub components: Vec<Component>,
}

/// The bounds of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// First subscript.
    pub lower: i64,
    /// Last subscript.
    pub upper: i64,
}

/// A component of a derived type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name in the source.
    pub name: String,
    /// Bytes from the start of the object.
    pub offset: u64,
    /// Its own shape and type.
    pub shape: Shape,
    /// Whether it is known to be an allocatable array. (Of scalars debugging information does not tell.)
    pub is_allocatable: bool,
}

/// The type of a variable whose elements have no allocatable or pointer components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainType {
    /// Whether it is an array.
    pub is_array: bool,
    /// Bytes of an element, if they are a constant.
    pub element: Option<u64>,
}

/// How a variable is searched for.
#[derive(Clone, Copy)]
enum Criterion {
    /// By its address.
    At(usize),
    /// By its value, the address of an object.
    Holding(usize),
}

impl Modules {
    /// The variable that begins at this address of this process.
    pub fn variable_at(&self, address: usize) -> Option<Variable> {
        self.variable(address, Criterion::At(address))
    }

    /// The static coarray, for which gfortran has a restricted pointer, that holds the address `object`, in the file that
    /// has `neighbour` among its own variables. `None` also when the symbol table, without debugging information, has
    /// several variables that hold this address.
    pub fn coarray_holding(&self, object: usize, neighbour: usize) -> Option<Variable> {
        self.variable(neighbour, Criterion::Holding(object))
    }

    fn variable(&self, neighbour: usize, wanted: Criterion) -> Option<Variable> {
        let loaded = self.loaded_around(neighbour)?;
        let bytes = fs::read(&loaded.path).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        let search =
            Search { bias: loaded.bias, wanted, memory: File::open("/proc/self/mem").ok()? };
        search.in_dwarf(&file).or_else(|| search.in_symbols(&file))
    }
}

/// A search in a file that is loaded `bias` bytes from the addresses in its tables.
struct Search {
    bias: usize,
    wanted: Criterion,
    memory: File,
}

impl Search {
    /// Whether a variable at this address of the file is the one.
    fn matches(&self, address: u64) -> bool {
        let address = self.bias.wrapping_add(address as usize);
        match self.wanted {
            Criterion::At(wanted) => address == wanted,
            Criterion::Holding(object) => {
                let mut word = [0; size_of::<usize>()];
                self.memory.read_exact_at(&mut word, address as u64).is_ok()
                    && usize::from_ne_bytes(word) == object
            }
        }
    }

    fn in_dwarf(&self, file: &object::File<'_>) -> Option<Variable> {
        dwarf::in_file(file, |dwarf| self.in_units(dwarf))
    }

    fn in_units(&self, dwarf: &Dwarf<Reader<'_>>) -> Option<Variable> {
        let mut found: Option<Variable> = None;
        let mut headers = dwarf.units();
        while let Some(header) = headers.next().ok()? {
            let Ok(unit) = dwarf.unit(header) else { continue };
            let info = Info { dwarf, unit: &unit };
            let mut entries = unit.entries();
            while let Some(entry) = entries.next_dfs().ok()? {
                let Some(variable) = self.variable_of(&info, entry) else { continue };
                match found {
                    Some(other) if other.name != variable.name => return None,
                    _ => found = Some(variable),
                }
            }
        }
        found
    }

    /// The variable of an entry, if it is the one that is wanted.
    fn variable_of<'b>(&self, info: &Info<'_, 'b>, entry: &Entry<'b>) -> Option<Variable> {
        if entry.tag() != gimli::DW_TAG_variable || !self.matches(static_address(entry)?) {
            return None;
        }
        let name = info.name(entry)?;
        let shape = match self.wanted {
            Criterion::At(_) => info.shape(info.type_of(entry)?, DEEPEST),
            Criterion::Holding(_) => info.shape(info.coarray(info.type_of(entry)?)?, DEEPEST),
        };
        Some(Variable { name, shape })
    }

    fn in_symbols(&self, file: &object::File<'_>) -> Option<Variable> {
        let mut names = file
            .symbols()
            .filter(|symbol| symbol.kind() == SymbolKind::Data && self.matches(symbol.address()))
            .filter_map(|symbol| symbol.name().ok().map(source_name));
        let name = names.next()?;
        names.all(|other| other == name).then_some(Variable { name, shape: None })
    }
}

/// The name in the source of a symbol of gfortran: `u` of `u.11` and `__m_MOD_u`.
fn source_name(symbol: &str) -> String {
    let name = symbol.strip_prefix("__").and_then(|rest| rest.split_once("_MOD_"));
    let name = name.map_or(symbol, |(_, name)| name);
    match name.split_once('.') {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name.into(),
        _ => name.into(),
    }
}

/// The address of a variable with static storage.
fn static_address(entry: &Entry<'_>) -> Option<u64> {
    let AttributeValue::Exprloc(location) = entry.attr_value(gimli::DW_AT_location)? else {
        return None;
    };
    let (&operation, address) = location.0.slice().split_first()?;
    (operation == gimli::DW_OP_addr.0).then_some(())?;
    Some(u64::from_le_bytes(address.try_into().ok()?))
}

/// The entries of a unit.
pub(crate) struct Info<'a, 'b> {
    pub dwarf: &'a Dwarf<Reader<'b>>,
    pub unit: &'a Unit<Reader<'b>>,
}

impl<'b> Info<'_, 'b> {
    pub fn name(&self, entry: &Entry<'_>) -> Option<String> {
        let name = self.dwarf.attr_string(self.unit, entry.attr_value(gimli::DW_AT_name)?).ok()?;
        Some(name.to_string_lossy().into_owned())
    }

    fn number(entry: &Entry<'b>, name: gimli::DwAt) -> Option<i64> {
        match entry.attr_value(name)? {
            AttributeValue::Sdata(value) => Some(value),
            value => value.udata_value()?.try_into().ok(),
        }
    }

    pub fn type_of(&self, entry: &Entry<'_>) -> Option<UnitOffset> {
        match entry.attr_value(gimli::DW_AT_type)? {
            AttributeValue::UnitRef(offset) => Some(offset),
            _ => None,
        }
    }

    /// The type itself, without qualifiers.
    fn unqualified(&self, mut at: UnitOffset) -> Option<Entry<'b>> {
        for _ in 0..DEEPEST {
            let entry = self.unit.entry(at).ok()?;
            match entry.tag() {
                gimli::DW_TAG_const_type
                | gimli::DW_TAG_restrict_type
                | gimli::DW_TAG_typedef
                | gimli::DW_TAG_volatile_type => at = self.type_of(&entry)?,
                _ => return Some(entry),
            }
        }
        None
    }

    /// The type of the coarray that this is a pointer to: a restricted one, or with TARGET one to an array, which no variable of
    /// Fortran is.
    fn coarray(&self, at: UnitOffset) -> Option<UnitOffset> {
        let is_restricted = self.unit.entry(at).ok()?.tag() == gimli::DW_TAG_restrict_type;
        let pointer = self.unqualified(at)?;
        let target =
            (pointer.tag() == gimli::DW_TAG_pointer_type).then(|| self.type_of(&pointer))??;
        let is_array = || Some(self.unqualified(target)?.tag() == gimli::DW_TAG_array_type);
        (is_restricted || is_array()?).then_some(target)
    }

    fn children(&self, of: &Entry<'b>) -> Option<Vec<Entry<'b>>> {
        let mut tree = self.unit.entries_tree(Some(of.offset())).ok()?;
        let mut children = tree.root().ok()?.children();
        let mut entries = Vec::new();
        while let Some(child) = children.next().ok()? {
            entries.push(self.unit.entry(child.entry().offset()).ok()?);
        }
        Some(entries)
    }

    /// The shape of a type.
    fn shape(&self, at: UnitOffset, deepest: u32) -> Option<Shape> {
        let entry = self.unqualified(at)?;
        let (element, dims) = match entry.tag() {
            gimli::DW_TAG_array_type => {
                let children = self.children(&entry)?;
                let ranges = children.iter().filter(|it| it.tag() == gimli::DW_TAG_subrange_type);
                (self.unqualified(self.type_of(&entry)?)?, ranges.map(bounds).collect())
            }
            _ => (entry, Some(Vec::new())),
        };
        let size = Self::number(&element, gimli::DW_AT_byte_size)?;
        let components = match (element.tag(), deepest.checked_sub(1)) {
            (gimli::DW_TAG_structure_type, Some(deepest)) => self.components(&element, deepest)?,
            _ => Vec::new(),
        };
        Some(Shape { dims, element: size.try_into().ok()?, components })
    }

    /// The type of a variable, if its elements have no allocatable or pointer components, and no unknown ones.
    pub fn plain_type(&self, at: UnitOffset) -> Option<PlainType> {
        let (mut at, mut is_array) = (at, false);
        for _ in 0..DEEPEST {
            let entry = self.unqualified(at)?;
            match entry.tag() {
                gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type => {}
                // That of a scalar coarray has no dimensions.
                gimli::DW_TAG_array_type => is_array |= self.has_dimensions(&entry)?,
                _ => {
                    let size = Self::number(&entry, gimli::DW_AT_byte_size);
                    let element = size.and_then(|size| size.try_into().ok());
                    return self.is_direct(at, DEEPEST)?.then_some(PlainType { is_array, element });
                }
            }
            at = self.type_of(&entry)?;
        }
        None
    }

    /// Whether an array type has dimensions, known or not.
    fn has_dimensions(&self, array: &Entry<'b>) -> Option<bool> {
        const DIMENSIONS: [gimli::DwTag; 2] =
            [gimli::DW_TAG_subrange_type, gimli::DW_TAG_generic_subrange];
        Some(self.children(array)?.iter().any(|child| DIMENSIONS.contains(&child.tag())))
    }

    /// Whether a type has no pointers and no descriptors; `None` if it has something unknown.
    fn is_direct(&self, at: UnitOffset, deepest: u32) -> Option<bool> {
        let entry = self.unqualified(at)?;
        let deepest = deepest.checked_sub(1)?;
        match entry.tag() {
            gimli::DW_TAG_base_type | gimli::DW_TAG_string_type => Some(true),
            gimli::DW_TAG_array_type if entry.attr_value(gimli::DW_AT_data_location).is_none() => {
                self.is_direct(self.type_of(&entry)?, deepest)
            }
            gimli::DW_TAG_array_type | gimli::DW_TAG_pointer_type => Some(false),
            gimli::DW_TAG_structure_type => {
                let members = self.children(&entry)?;
                let mut members =
                    members.iter().filter(|member| member.tag() == gimli::DW_TAG_member);
                members.try_fold(true, |all, member| {
                    Some(all && self.is_direct(self.type_of(member)?, deepest)?)
                })
            }
            _ => None,
        }
    }

    /// The components of a derived type.
    fn components(&self, of: &Entry<'b>, deepest: u32) -> Option<Vec<Component>> {
        let children = self.children(of)?;
        let component = |member: &Entry<'b>| {
            let offset = Self::number(member, gimli::DW_AT_data_member_location)?;
            let of = self.type_of(member)?;
            let (name, shape) = (self.name(member)?, self.shape(of, deepest)?);
            let is_allocatable = self.unqualified(of)?.attr_value(gimli::DW_AT_allocated).is_some();
            Some(Component { name, offset: offset.try_into().ok()?, shape, is_allocatable })
        };
        Some(children.iter().filter_map(component).collect())
    }
}

/// The bounds of a subrange; Fortran's lower bound is 1 unless it is declared.
fn bounds(range: &Entry<'_>) -> Option<Bounds> {
    let upper = Info::number(range, gimli::DW_AT_upper_bound)?;
    let lower = match range.attr_value(gimli::DW_AT_lower_bound) {
        None => 1,
        Some(_) => Info::number(range, gimli::DW_AT_lower_bound)?,
    };
    Some(Bounds { lower, upper })
}

#[cfg(test)]
mod tests {
    use super::*;

    static NUMBER: u64 = 7;
    #[unsafe(export_name = "holder_of_a_number.3")]
    static HOLDER: &u64 = &NUMBER;

    #[test]
    fn variables_are_found_by_their_address_and_by_what_they_hold() {
        let modules = Modules::of_this_process().unwrap();
        let [number, holder] = [&raw const NUMBER as usize, &raw const HOLDER as usize];
        let variable = modules.variable_at(number).unwrap();
        let scalar = Shape { dims: Some(vec![]), element: 8, components: vec![] };
        assert_eq!(variable, Variable { name: "NUMBER".into(), shape: Some(scalar) });
        // It is no restricted pointer, so only the symbol table has it.
        let variable = modules.coarray_holding(number, holder).unwrap();
        assert_eq!(variable, Variable { name: "holder_of_a_number".into(), shape: None });
        assert_eq!(modules.variable_at(number + 1), None);
    }

    #[test]
    fn symbols_have_the_names_of_the_source() {
        for (symbol, name) in [("u.11", "u"), ("__m_MOD_u", "u"), ("u", "u"), ("a.b", "a.b")] {
            assert_eq!(source_name(symbol), name);
        }
    }
}
