//! The DWARF of a file.

use addr2line::gimli;
use gimli::{DebuggingInformationEntry, Dwarf, DwarfSections, EndianSlice, LittleEndian};
use object::{Object, ObjectSection};
use std::borrow::Cow;

pub type Reader<'a> = EndianSlice<'a, LittleEndian>;
pub type Entry<'a> = DebuggingInformationEntry<Reader<'a>>;

/// Looks into the debugging information of a file.
pub fn in_file<T>(
    file: &object::File<'_>,
    look: impl FnOnce(&Dwarf<Reader<'_>>) -> Option<T>,
) -> Option<T> {
    let load = |id: gimli::SectionId| {
        let section = file.section_by_name(id.name());
        let data = section.and_then(|section| section.uncompressed_data().ok());
        Ok::<_, gimli::Error>(data.unwrap_or(Cow::Borrowed(&[])))
    };
    let sections = DwarfSections::load(load).ok()?;
    look(&sections.borrow(|section| EndianSlice::new(section, LittleEndian)))
}
