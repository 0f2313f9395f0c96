//! Transfers of contiguous memory. Errors are the errors of reads and writes; a collective one has the same error on
//! all images.

use super::connection::{Connection, added};
use super::memory::Memory;
use super::shared::Pointer;
use std::ops::Range;
use xmp_collectives::file::{self, Access, FileGroup, Outcome, View, Views, read_all, write_all};
use xmp_core::Image;

impl Connection {
    /// The access of `len` bytes from `start` on through the view of this image.
    fn access(&self, start: i64, len: i64) -> Access {
        Access { displacement: self.displacement.get(), start, len }
    }

    /// Writes `len` bytes of each image at its individual pointer. Collective.
    pub fn write_all(&self, image: &Image, bytes: Outcome<(Memory, i64)>) -> Outcome<i64> {
        let (memory, access) = self.plain(bytes, true);
        let len = access.as_ref().map_or(0, |access| access.len);
        let views = self.views.borrow();
        let among = FileGroup { image, set: &self.set, file: &self.file, views: &views };
        write_all(&among, access, &memory)?;
        self.next.set(self.next.get() + len);
        Ok(len)
    }

    /// Writes bytes that all images have alike, once; their pointers move. Collective.
    pub fn write_once(&self, image: &Image, memory: Memory, len: i64) -> Outcome {
        let mine = if self.is_first() { len } else { 0 };
        self.write_all(image, Ok((memory, mine)))?;
        self.next.set(self.next.get() + len - mine);
        Ok(())
    }

    /// Reads `len` bytes of each image at its individual pointer. Returns the number of bytes that this one has got.
    /// Collective.
    pub fn read_all(&self, image: &Image, bytes: Outcome<(Memory, i64)>) -> Outcome<i64> {
        let (memory, access) = self.plain(bytes, false);
        let views = self.views.borrow();
        let among = FileGroup { image, set: &self.set, file: &self.file, views: &views };
        let got = read_all(&among, access, &memory)?.len;
        self.next.set(self.next.get() + got);
        Ok(got)
    }

    /// The memory and the access of contiguous bytes.
    fn plain(
        &self,
        bytes: Outcome<(Memory, i64)>,
        writes: bool,
    ) -> (file::Memory<'static>, Outcome<Access>) {
        let null = std::ptr::null_mut();
        let (start, access) = match bytes {
            Ok((memory, len)) => {
                let next = self
                    .check(writes)
                    .and_then(|()| if writes { self.to_write() } else { Ok(self.next.get()) });
                (memory.start(), next.map(|next| self.access(next, len)))
            }
            Err(failure) => (null, Err(failure)),
        };
        // SAFETY: the contract of entries: the program has as many bytes there as it says.
        (unsafe { file::Memory::plain(start) }, access)
    }

    /// Writes bytes at the individual pointer.
    pub fn write(&self, image: &Image, memory: Memory, len: i64) -> Outcome<i64> {
        self.check(true)?;
        let next = self.to_write()?;
        let end = added(next, len)?;
        // SAFETY: the contract of entries: the program has as many bytes there as it says.
        let memory = unsafe { file::Memory::plain(memory.start()) };
        let buffer = image.settings().io_buffer as usize;
        self.with_view(|view| file::write(&self.file, view, next..end, &memory, buffer))?;
        self.next.set(end);
        Ok(len)
    }

    /// Reads bytes at the individual pointer. Returns their number.
    pub fn read(&self, image: &Image, memory: Memory, len: i64) -> Outcome<i64> {
        self.check(false)?;
        let next = self.next.get();
        let end = added(next, len)?;
        // SAFETY: the contract of entries: the program has room for as many bytes there as it says.
        let memory = unsafe { file::Memory::plain(memory.start()) };
        let buffer = image.settings().io_buffer as usize;
        let got =
            self.with_view(|view| file::read(&self.file, view, next..end, &memory, buffer))?;
        self.next.set(next + got);
        Ok(got)
    }

    /// Writes bytes at the shared pointer, which no other image uses meanwhile.
    ///
    /// # Errors
    /// Those of writes; EINVAL where a view is set.
    pub fn write_shared(&self, image: &Image, memory: Memory, len: i64) -> Outcome<i64> {
        self.check(true)?;
        self.check_clear()?;
        if len == 0 {
            return Ok(0);
        }
        let next = |pointer: Pointer| {
            let from = if pointer.at_end { file::size(&self.file)? } else { pointer.place };
            Ok(Pointer { place: added(from, len)?, at_end: false })
        };
        let place = self.shared.change(image, next)?.to.place - len;
        self.at(place, len, memory, |view, numbers, memory| {
            file::write(&self.file, view, numbers, memory, image.settings().io_buffer as usize)
        })?;
        Ok(len)
    }

    /// Reads bytes at the shared pointer, which moves by as many as there are. Returns their number.
    ///
    /// # Errors
    /// Those of reads; EINVAL where a view is set.
    pub fn read_shared(&self, image: &Image, memory: Memory, len: i64) -> Outcome<i64> {
        self.check(false)?;
        self.check_clear()?;
        let size = file::size(&self.file)?;
        let there = |pointer: Pointer| len.min(size - pointer.place).max(0);
        let next = |pointer: Pointer| {
            Ok(Pointer { place: added(pointer.place, there(pointer))?, ..pointer })
        };
        let pointer = self.shared.change(image, next)?.from;
        self.at(pointer.place, there(pointer), memory, |view, numbers, memory| {
            file::read(&self.file, view, numbers, memory, image.settings().io_buffer as usize)
        })
    }

    /// Accesses bytes at a place in the file.
    fn at<T>(
        &self,
        place: i64,
        len: i64,
        memory: Memory,
        body: impl FnOnce(View<'_>, Range<i64>, &file::Memory<'_>) -> Outcome<T>,
    ) -> Outcome<T> {
        let all = Views::all();
        // SAFETY: the contract of entries: the program has as many bytes there as it says.
        let memory = unsafe { file::Memory::plain(memory.start()) };
        body(View::new(place, all.of(0)), 0..len, &memory)
    }
}
