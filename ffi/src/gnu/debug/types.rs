//! Types in the DWARF of a program's file. The file may be damaged: then there is no answer.

use gimli::{AttributeValue, DwTag, Dwarf, EndianSlice, LittleEndian, Unit, UnitOffset};
use object::{Object as _, ObjectSection as _};
use std::cell::Cell;

type Reader<'a> = EndianSlice<'a, LittleEndian>;

/// More scalars than a value has that may be in registers: 64 bytes on AArch64, 16 on x86-64.
const MAX_SCALARS: usize = 64;

/// More types than belong to a value in registers. A damaged file may have types that consist of themselves.
const MANY_TYPES: u32 = 1000;

/// What a scalar is for calling conventions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Integers, logicals, characters, addresses.
    Integer,
    /// real(4).
    Single,
    /// real(8).
    Double,
    /// real(16).
    Quad,
    /// real(10), which only x86-64 has.
    X87,
}

/// The scalars of a value, with their offsets in it.
pub type Scalars = Vec<(u64, Scalar)>;

/// A real type of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WideReal {
    /// real(10).
    Kind10,
    /// real(16).
    Kind16,
}

/// The scalars of the value of the function that starts at this address of a file, with their offsets in it.
pub fn returned_by(file: &[u8], address: u64) -> Option<Scalars> {
    in_unit_around(file, address, |dwarf, unit| {
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs().ok()? {
            let starts_here = |entry: &gimli::DebuggingInformationEntry<_>| {
                let low = entry.attr_value(gimli::DW_AT_low_pc)?;
                (dwarf.attr_address(unit, low).ok()?? == address).then_some(())
            };
            if entry.tag() == gimli::DW_TAG_subprogram && starts_here(entry).is_some() {
                let mut scalars = Scalars::new();
                let types = Types { dwarf, unit, left: Cell::new(MANY_TYPES) };
                types.flatten(types.of(entry.offset())?, 0, &mut scalars)?;
                return Some(scalars);
            }
        }
        None
    })
}

/// The only real type of 16 bytes that the program unit around the instruction at this address of a file names.
pub fn wide_real_at(file: &[u8], address: u64) -> Option<WideReal> {
    in_unit_around(file, address, |dwarf, unit| {
        let mut seen = [false; 2];
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs().ok()? {
            if entry.tag() != gimli::DW_TAG_base_type {
                continue;
            }
            let Some(name) = entry.attr_value(gimli::DW_AT_name) else { continue };
            match dwarf.attr_string(unit, name).ok()?.slice() {
                b"real(kind=10)" | b"complex(kind=10)" => seen[0] = true,
                b"real(kind=16)" | b"complex(kind=16)" => seen[1] = true,
                _ => {}
            }
        }
        match seen {
            [true, false] => Some(WideReal::Kind10),
            [false, true] => Some(WideReal::Kind16),
            _ => None,
        }
    })
}

/// Looks at the compilation unit with the code at this address, which is given as the file names it.
fn in_unit_around<T>(
    file: &[u8],
    address: u64,
    look: impl Fn(&Dwarf<Reader<'_>>, &Unit<Reader<'_>>) -> Option<T>,
) -> Option<T> {
    let file = object::File::parse(file).ok()?;
    let dwarf = Dwarf::load(|section| {
        let data = file.section_by_name(section.name()).and_then(|section| section.data().ok());
        Ok::<_, gimli::Error>(EndianSlice::new(data.unwrap_or(&[]), LittleEndian))
    })
    .ok()?;
    let mut headers = dwarf.units();
    while let Some(header) = headers.next().ok()? {
        let unit = dwarf.unit(header).ok()?;
        let mut ranges = dwarf.unit_ranges(&unit).ok()?;
        while let Some(range) = ranges.next().ok()? {
            if (range.begin..range.end).contains(&address) {
                return look(&dwarf, &unit);
            }
        }
    }
    None
}

/// The types of a unit.
struct Types<'a, 'b> {
    dwarf: &'a Dwarf<Reader<'b>>,
    unit: &'a Unit<Reader<'b>>,
    /// How many more types are looked at.
    left: Cell<u32>,
}

impl Types<'_, '_> {
    fn number(&self, at: UnitOffset, name: gimli::DwAt) -> Option<u64> {
        match self.unit.entry(at).ok()?.attr_value(name)? {
            AttributeValue::Sdata(value) => u64::try_from(value).ok(),
            value => value.udata_value(),
        }
    }

    fn reference(&self, at: UnitOffset, name: gimli::DwAt) -> Option<UnitOffset> {
        match self.unit.entry(at).ok()?.attr_value(name)? {
            AttributeValue::UnitRef(offset) => Some(offset),
            _ => None,
        }
    }

    fn tag(&self, at: UnitOffset) -> Option<DwTag> {
        Some(self.unit.entry(at).ok()?.tag())
    }

    fn children(&self, at: UnitOffset) -> Option<Vec<UnitOffset>> {
        let mut tree = self.unit.entries_tree(Some(at)).ok()?;
        let mut children = tree.root().ok()?.children();
        let mut offsets = Vec::new();
        while let Some(child) = children.next().ok()? {
            offsets.push(child.entry().offset());
        }
        Some(offsets)
    }

    /// Counts a type that is looked at; `None` after too many.
    fn count(&self) -> Option<()> {
        self.left.set(self.left.get().checked_sub(1)?);
        Some(())
    }

    /// The type of a function or object, wherever its declaration is.
    fn of(&self, at: UnitOffset) -> Option<UnitOffset> {
        self.count()?;
        self.reference(at, gimli::DW_AT_type).or_else(|| {
            let origin = self.reference(at, gimli::DW_AT_abstract_origin);
            self.of(origin.or_else(|| self.reference(at, gimli::DW_AT_specification))?)
        })
    }

    /// Appends the scalars of a type to `scalars`, as those of an object at the offset `start`.
    fn flatten(&self, at: UnitOffset, start: u64, scalars: &mut Scalars) -> Option<()> {
        self.count()?;
        match self.tag(at)? {
            gimli::DW_TAG_base_type => self.base(at, start, scalars)?,
            gimli::DW_TAG_string_type | gimli::DW_TAG_pointer_type => {
                scalars.push((start, Scalar::Integer));
                // Characters may go on in the second half.
                let size = self.number(at, gimli::DW_AT_byte_size).unwrap_or(8);
                if size > 8 {
                    scalars.push((start.checked_add(size - 1)?, Scalar::Integer));
                }
            }
            gimli::DW_TAG_typedef | gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type => {
                self.flatten(self.of(at)?, start, scalars)?;
            }
            gimli::DW_TAG_structure_type => {
                for member in self.children(at)? {
                    if self.tag(member)? == gimli::DW_TAG_member {
                        let offset = self.number(member, gimli::DW_AT_data_member_location)?;
                        self.flatten(self.of(member)?, start.checked_add(offset)?, scalars)?;
                    }
                }
            }
            gimli::DW_TAG_array_type => {
                let element = self.of(at)?;
                let size = self.number(element, gimli::DW_AT_byte_size)?;
                for index in 0..self.elements(at)? {
                    let start = start.checked_add(index.checked_mul(size)?)?;
                    self.flatten(element, start, scalars)?;
                }
            }
            _ => return None,
        }
        (scalars.len() <= MAX_SCALARS).then_some(())
    }

    fn base(&self, at: UnitOffset, start: u64, scalars: &mut Scalars) -> Option<()> {
        let entry = self.unit.entry(at).ok()?;
        let AttributeValue::Encoding(encoding) = entry.attr_value(gimli::DW_AT_encoding)? else {
            return None;
        };
        let size = self.number(at, gimli::DW_AT_byte_size)?;
        match (encoding, size) {
            (gimli::DW_ATE_float, 4) => scalars.push((start, Scalar::Single)),
            (gimli::DW_ATE_float, 8) => scalars.push((start, Scalar::Double)),
            (gimli::DW_ATE_complex_float, 8 | 16) => {
                let second = start.checked_add(size / 2)?;
                let part = if size == 8 { Scalar::Single } else { Scalar::Double };
                scalars.extend([start, second].map(|at| (at, part)));
            }
            (gimli::DW_ATE_float, 16) => {
                let name =
                    self.dwarf.attr_string(self.unit, entry.attr_value(gimli::DW_AT_name)?).ok()?;
                scalars.push((
                    start,
                    match name.slice() {
                        b"real(kind=10)" => Scalar::X87,
                        b"real(kind=16)" => Scalar::Quad,
                        _ => return None,
                    },
                ));
            }
            (gimli::DW_ATE_signed | gimli::DW_ATE_unsigned | gimli::DW_ATE_boolean, 1..=16)
            | (gimli::DW_ATE_signed_char | gimli::DW_ATE_unsigned_char, 1) => {
                scalars.push((start, Scalar::Integer));
                if size == 16 {
                    scalars.push((start.checked_add(8)?, Scalar::Integer));
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Number of elements of an array type, if it is few.
    fn elements(&self, at: UnitOffset) -> Option<u64> {
        let mut elements: u64 = 1;
        for dimension in self.children(at)? {
            if self.tag(dimension)? == gimli::DW_TAG_subrange_type {
                // Fortran's lower bound, unless it is declared.
                let lower = self.number(dimension, gimli::DW_AT_lower_bound).unwrap_or(1);
                let upper = self.number(dimension, gimli::DW_AT_upper_bound)?;
                let extent = upper.checked_add(1)?.checked_sub(lower)?;
                elements = elements.checked_mul(extent)?;
            }
        }
        (elements <= MAX_SCALARS as u64).then_some(elements)
    }
}
