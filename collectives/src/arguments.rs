//! The arguments of collective operations, where races are looked for: an image accesses its own ones in the statement that calls the
//! operation, if they are in memory that images share. An operation that was begun accesses them until it is complete.

use crate::part_buffers::{AlltoallBuffers, GatherBuffers, ScatterBuffers};
use crate::parts::Parts;
use std::cell::Cell;
use std::sync::Arc;
use xmp_core::Image;
use xmp_core::image_set::ImageSet;
use xmp_core::races::{BegunOperation, Bytes, Kind};

/// Accesses of an operation of an image; none where races are not looked for.
#[derive(Clone, Debug)]
#[must_use = "they are entered by a call"]
pub struct Accesses<'i> {
    image: &'i Image,
    all: Vec<(Bytes, Kind)>,
}

impl<'i> Accesses<'i> {
    /// None yet.
    #[inline]
    pub fn of(image: &'i Image) -> Accesses<'i> {
        Accesses { image, all: Vec::new() }
    }

    /// The operation reads these bytes of this image.
    #[inline]
    pub fn reads(self, start: *const u8, len: usize) -> Self {
        self.of_kind(start, len, Kind::Read)
    }

    /// The operation writes these bytes of this image.
    #[inline]
    pub fn writes(self, start: *const u8, len: usize) -> Self {
        self.of_kind(start, len, Kind::Write)
    }

    /// The operation reads the parts of all images of a set.
    #[inline]
    pub fn reads_parts(self, set: &ImageSet, start: *const u8, parts: &Parts<'_>) -> Self {
        self.of_parts(set, start, parts, Kind::Read)
    }

    /// The operation writes the parts of all images of a set.
    #[inline]
    pub fn writes_parts(self, set: &ImageSet, start: *const u8, parts: &Parts<'_>) -> Self {
        self.of_parts(set, start, parts, Kind::Write)
    }

    /// The arguments of a broadcast.
    #[inline]
    pub fn of_broadcast(self, is_root: bool, start: *const u8, len: usize) -> Self {
        if is_root { self.reads(start, len) } else { self.writes(start, len) }
    }

    /// The arguments of a reduction with locations: `count` values of `value_len` bytes, and as many locations.
    #[inline]
    pub fn of_locate(
        self,
        values: *const u8,
        locations: *const i64,
        count: usize,
        value_len: usize,
    ) -> Self {
        self.writes(values, count * value_len).writes(locations.cast(), count * size_of::<i64>())
    }

    /// The arguments of a gather to the image at the 0-based position `root`.
    #[inline]
    pub fn of_gather(self, set: &ImageSet, root: usize, buffers: &GatherBuffers<'_>) -> Self {
        let reads = self.reads(buffers.mine(), buffers.own_len());
        if set.position() == Some(root) {
            return reads.writes_parts(set, buffers.all(), buffers.parts());
        }
        reads
    }

    /// The arguments of a scatter from the image at the 0-based position `root`.
    #[inline]
    pub fn of_scatter(self, set: &ImageSet, root: usize, buffers: &ScatterBuffers<'_>) -> Self {
        let writes = self.writes(buffers.mine(), buffers.own_len());
        if set.position() == Some(root) {
            return writes.reads_parts(set, buffers.all(), buffers.parts());
        }
        writes
    }

    /// The arguments of an alltoall.
    #[inline]
    pub fn of_alltoall(self, set: &ImageSet, buffers: &AlltoallBuffers<'_>) -> Self {
        self.reads_parts(set, buffers.send(), buffers.send_parts()).writes_parts(
            set,
            buffers.receive(),
            buffers.receive_parts(),
        )
    }

    #[inline]
    fn of_kind(self, start: *const u8, len: usize, kind: Kind) -> Self {
        if self.image.races().is_some() { self.with(start, len, kind) } else { self }
    }

    #[cold]
    fn with(mut self, start: *const u8, len: usize, kind: Kind) -> Self {
        if let Some((of, offset)) = self.image.locate(start) {
            self.all.push((Bytes { of, offset, len: len as u64 }, kind));
        }
        self
    }

    /// Adds accesses to bytes of an image of this host.
    pub fn and(mut self, bytes: impl IntoIterator<Item = Bytes>, kind: Kind) -> Self {
        self.all.extend(bytes.into_iter().map(|bytes| (bytes, kind)));
        self
    }

    #[inline]
    fn of_parts(self, set: &ImageSet, start: *const u8, parts: &Parts<'_>, kind: Kind) -> Self {
        // The operation refuses another number of parts.
        if self.image.races().is_none() || parts.check_number("parts", set.len()).is_err() {
            return self;
        }
        (0..set.len()).fold(self, |accesses, position| {
            let (offset, len) = (parts.offset(position), parts.len(position));
            accesses.with(start.wrapping_add(offset), len, kind)
        })
    }

    /// The statement of this image executes the operation.
    #[inline]
    pub fn enter(self) {
        if !self.all.is_empty() {
            self.enter_all();
        }
    }

    #[cold]
    fn enter_all(self) {
        let Some(races) = self.image.races() else { return };
        let site = races.this_site();
        self.all.into_iter().for_each(|(bytes, kind)| races.access(site, bytes, kind));
    }

    /// The statement of this image begins the operation.
    #[inline]
    pub fn begin(self) -> Option<BegunAccesses<'i>> {
        if self.all.is_empty() { None } else { self.begin_all() }
    }

    #[cold]
    fn begin_all(self) -> Option<BegunAccesses<'i>> {
        let operation = self.image.races()?.begin_operation(&self.all);
        Some(BegunAccesses { image: self.image, operation, is_complete: Cell::new(false) })
    }
}

/// The accesses of an operation in the background until it is complete. If this is dropped before, the end of the operation is unknown.
#[derive(Debug)]
pub struct BegunAccesses<'i> {
    image: &'i Image,
    operation: Arc<BegunOperation>,
    is_complete: Cell<bool>,
}

impl BegunAccesses<'_> {
    /// The operation is complete.
    pub fn complete(&self) {
        if !self.is_complete.replace(true)
            && let Some(races) = self.image.races()
        {
            races.complete_operation(&self.operation);
        }
    }
}

impl Drop for BegunAccesses<'_> {
    fn drop(&mut self) {
        if !self.is_complete.get()
            && let Some(races) = self.image.races()
        {
            races.forget_operation(&self.operation);
        }
    }
}
