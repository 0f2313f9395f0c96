//! Transfers of sections of distributed arrays. Errors are the errors of reads and writes, the same on all images.

use super::connection::{Connection, invalid};
use xmp_collectives::file::{
    self, Access, Failure, FileGroup, Outcome, Views, agree, is_writer, read_all, write_all,
};
use xmp_collectives::global::StoredSection;
use xmp_core::Image;

impl Connection {
    /// Writes a section of an array: without a view in the order of its elements, otherwise the elements of each image
    /// through its view. Returns the number of bytes of this image. Collective.
    pub fn write_section(&self, image: &Image, stored: Outcome<StoredSection<'_>>) -> Outcome<i64> {
        let section = self.section(image, self.check(true).and(stored))?;
        let is_copy = section.views.is_some()
            && !is_writer(&self.set, section.stored.storage().array(), image.rank());
        let access = self.to_write().map(|next| {
            let access = section.access(self, next);
            if is_copy { Access { len: 0, ..access } } else { access }
        });
        let memory = file::Memory::part(section.stored, image.rank());
        let own_views = self.views.borrow();
        let views = section.views.as_ref().unwrap_or(&own_views);
        let among = FileGroup { image, set: &self.set, file: &self.file, views };
        write_all(&among, access, &memory)?;
        self.next.set(self.next.get() + section.whole);
        Ok(section.own)
    }

    /// Reads a section of an array, as [`Connection::write_section`] writes it. Collective.
    pub fn read_section(
        &self,
        image: &Image,
        stored: Outcome<StoredSection<'_>>,
    ) -> Outcome<SectionRead> {
        let section = self.section(image, self.check(false).and(stored))?;
        let next = self.next.get();
        let memory = file::Memory::part(section.stored, image.rank());
        let own_views = self.views.borrow();
        let views = section.views.as_ref().unwrap_or(&own_views);
        let among = FileGroup { image, set: &self.set, file: &self.file, views };
        let access = section.access(self, next);
        let got = read_all(&among, Ok(access), &memory)?;
        let there = match section.views {
            Some(_) => (got.size - access.displacement).clamp(0, section.whole),
            None => got.len,
        };
        self.next.set(next + there);
        Ok(SectionRead { len: got.len, is_whole: there == section.whole })
    }

    /// The data for an access of a section; all images agree on whether it can be made.
    fn section<'a>(
        &self,
        image: &Image,
        stored: Outcome<StoredSection<'a>>,
    ) -> Outcome<SectionAccess<'a>> {
        let found = stored.and_then(|stored| {
            let views = Views::parts(&self.set, stored)?;
            Ok((stored, views))
        });
        let (mine, found) = match found {
            Ok(found) => (Ok(()), Some(found)),
            Err(Failure::Runtime(xmp_core::Error::Invalid(_))) => (invalid(), None),
            Err(failure) => (Err(failure), None),
        };
        agree(image, &self.set, mine)?;
        let (stored, views) = found.expect("no image has an error");
        let sequence = views.of(self.set.position().expect("a member of the set"));
        let (own, whole) = (sequence.own(), sequence.whole());
        if self.is_clear() {
            return Ok(SectionAccess { stored, views: Some(views), own, whole });
        }
        Ok(SectionAccess { stored, views: None, own, whole: own })
    }
}

/// The result of reading a section on an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionRead {
    /// Number of bytes.
    pub len: i64,
    /// Whether the file has all of the section; with a view, all elements of this image.
    pub is_whole: bool,
}

/// An access of a section of an array.
struct SectionAccess<'a> {
    stored: StoredSection<'a>,
    /// Views of the section itself, where no view is set.
    views: Option<Views>,
    /// Bytes of this image.
    own: i64,
    /// Bytes by which the pointer moves.
    whole: i64,
}

impl SectionAccess<'_> {
    fn access(&self, connection: &Connection, next: i64) -> Access {
        let displacement = connection.displacement.get();
        match self.views {
            Some(_) => Access { displacement: displacement + next, start: 0, len: self.own },
            None => Access { displacement, start: next, len: self.own },
        }
    }
}
