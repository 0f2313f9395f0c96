//! The buffers of operations that move a part for each image: gather, scatter and alltoall.
//!
//! An unsafe constructor takes the promise that the memory is valid; the algorithms that use the buffers are safe.

use crate::copy::take;
use crate::parts::{Parts, Table, bytes, bytes_mut};

/// The buffers of one image in a gather.
#[derive(Clone, Copy, Debug)]
pub struct GatherBuffers<'a> {
    mine: *const u8,
    len: usize,
    all: *mut u8,
    parts: Parts<'a>,
    equal: bool,
}

impl<'a> GatherBuffers<'a> {
    /// Buffers for parts of the same length: `len` bytes at `mine`, and on the root `all` for the parts of all images.
    ///
    /// # Safety
    /// As long as the value is used, `mine` is valid for reads of `len` bytes, and on the root `all` for writes of that
    /// times the number of images. Nothing else writes them. They do not overlap, but `mine` of the root may be its
    /// part of `all`.
    pub unsafe fn equal(mine: *const u8, len: usize, all: *mut u8) -> GatherBuffers<'a> {
        GatherBuffers { mine, len, all, parts: Parts::Equal(len), equal: true }
    }

    /// Buffers for parts of different lengths: this image gives the `len` bytes at `mine`. On the root, `parts` says
    /// where the part of each image goes in `all`; the other images ignore `all` and `parts`.
    ///
    /// # Safety
    /// Those of [`GatherBuffers::equal`], with the parts of `all` instead of `all`.
    pub unsafe fn new(
        mine: *const u8,
        len: usize,
        all: *mut u8,
        parts: Parts<'a>,
    ) -> GatherBuffers<'a> {
        GatherBuffers { mine, len, all, parts, equal: false }
    }

    /// Bytes that this image gives.
    pub fn own_len(&self) -> usize {
        self.len
    }

    /// Whether all images know that all parts have the same length.
    pub fn is_equal(&self) -> bool {
        self.equal
    }

    /// The places of the parts on the root.
    pub fn parts(&self) -> &Parts<'a> {
        &self.parts
    }

    /// Address of the part that this image gives.
    pub fn mine(&self) -> *const u8 {
        self.mine
    }

    /// Address of the parts that the root gets.
    pub fn all(&self) -> *mut u8 {
        self.all
    }

    /// The part that this image gives.
    pub fn own(&self) -> &'a [u8] {
        // SAFETY: `mine` has `len` bytes that nothing writes (`new`).
        unsafe { bytes(self.mine, self.len) }
    }

    /// The part of an image on the root.
    ///
    /// # Safety
    /// This image is the root. No other slice of this part, and no slice of the own part if it is that, is in use.
    pub unsafe fn place(&self, position: usize) -> &'a mut [u8] {
        let at = self.all.wrapping_add(self.parts.offset(position));
        // SAFETY: `all` of the root has this part (`new`), which nothing else uses (contract above).
        unsafe { bytes_mut(at, self.parts.len(position)) }
    }

    /// Copies bytes `from..from + most` of a part of `len` bytes to its place on the root. Bytes for which the place
    /// has no room are dropped.
    ///
    /// # Safety
    /// This image is the root. `source` is valid for these bytes of the part, and is their place or does not overlap
    /// it.
    pub unsafe fn take(
        &self,
        position: usize,
        len: usize,
        from: usize,
        most: usize,
        source: *const u8,
    ) {
        let len = len.min(self.parts.len(position));
        let at = self.all.wrapping_add(self.parts.offset(position) + from);
        if from < len && at.cast_const() != source {
            // SAFETY: the bytes are within the place of the part on the root (`new`).
            unsafe { take(at, source, most.min(len - from)) };
        }
    }
}

/// The buffers of one image in a scatter.
#[derive(Clone, Copy, Debug)]
pub struct ScatterBuffers<'a> {
    all: *const u8,
    parts: Parts<'a>,
    mine: *mut u8,
    len: usize,
    equal: bool,
}

impl<'a> ScatterBuffers<'a> {
    /// Buffers for parts of the same length: on the root `all` with the parts of all images, and `mine` for the `len`
    /// bytes of this image.
    ///
    /// # Safety
    /// As long as the value is used, `mine` is valid for writes of `len` bytes, and on the root `all` for reads of that
    /// times the number of images. Nothing else accesses `mine` or writes `all`. They do not overlap, but `mine` of the
    /// root may be its part of `all`.
    pub unsafe fn equal(all: *const u8, mine: *mut u8, len: usize) -> ScatterBuffers<'a> {
        ScatterBuffers { all, parts: Parts::Equal(len), mine, len, equal: true }
    }

    /// Buffers for parts of different lengths: this image gets `len` bytes at `mine`. On the root, `parts` says which
    /// part of `all` each image gets; the other images ignore `all` and `parts`.
    ///
    /// # Safety
    /// Those of [`ScatterBuffers::equal`], with the parts of `all` instead of `all`.
    pub unsafe fn new(
        all: *const u8,
        parts: Parts<'a>,
        mine: *mut u8,
        len: usize,
    ) -> ScatterBuffers<'a> {
        ScatterBuffers { all, parts, mine, len, equal: false }
    }

    /// Bytes that this image has room for.
    pub fn own_len(&self) -> usize {
        self.len
    }

    /// Whether all images know that all parts have the same length.
    pub fn is_equal(&self) -> bool {
        self.equal
    }

    /// The places of the parts on the root.
    pub fn parts(&self) -> &Parts<'a> {
        &self.parts
    }

    /// Address of the part that this image gets.
    pub fn mine(&self) -> *mut u8 {
        self.mine
    }

    /// Address of the parts that the root gives.
    pub fn all(&self) -> *const u8 {
        self.all
    }

    /// Address of the part of an image on the root.
    pub fn part(&self, position: usize) -> *const u8 {
        self.all.wrapping_add(self.parts.offset(position))
    }

    /// The room for the part of this image.
    ///
    /// # Safety
    /// No other slice of it is in use, and none of the own part of the root, which it may be.
    pub unsafe fn place(&self) -> &'a mut [u8] {
        // SAFETY: `mine` has `len` bytes (`new`), which nothing else uses (contract above).
        unsafe { bytes_mut(self.mine, self.len) }
    }

    /// Copies bytes `from..from + most` of this image's part, which has `len` bytes, to `mine`. Bytes for which `mine`
    /// has no room are dropped.
    ///
    /// # Safety
    /// `source` is valid for these bytes of the part, and is their place or does not overlap it.
    pub unsafe fn take(&self, len: usize, from: usize, most: usize, source: *const u8) {
        let len = len.min(self.len);
        let at = self.mine.wrapping_add(from);
        if from < len && at.cast_const() != source {
            // SAFETY: the bytes are within `mine` (`new`).
            unsafe { take(at, source, most.min(len - from)) };
        }
    }

    /// Copies the part of the root from `all` to `mine`.
    ///
    /// # Safety
    /// This image is the root, at position `root`.
    pub unsafe fn take_own(&self, root: usize) {
        // SAFETY: the root has all parts; its own is `mine` or does not overlap it (`new`).
        unsafe { self.take(self.parts.len(root), 0, usize::MAX, self.part(root)) };
    }
}

/// The buffers of one image in an alltoall.
#[derive(Clone, Copy, Debug)]
pub struct AlltoallBuffers<'a> {
    send: *const u8,
    send_parts: Parts<'a>,
    receive: *mut u8,
    receive_parts: Parts<'a>,
}

impl<'a> AlltoallBuffers<'a> {
    /// Buffers of an image that sends the parts `send_parts` of `send` and receives the parts `receive_parts` of
    /// `receive`.
    ///
    /// # Safety
    /// As long as the value is used, `send` is valid for reads of its parts and `receive` for writes of its parts.
    /// Nothing else writes the first or accesses the second. They do not overlap.
    pub unsafe fn new(
        send: *const u8,
        send_parts: Parts<'a>,
        receive: *mut u8,
        receive_parts: Parts<'a>,
    ) -> AlltoallBuffers<'a> {
        AlltoallBuffers { send, send_parts, receive, receive_parts }
    }

    /// The same buffers with the parts of some positions only, in their order. `tables` holds the parts.
    pub(crate) fn of_positions<'b>(
        &self,
        positions: &[usize],
        tables: &'b mut [Table; 2],
    ) -> AlltoallBuffers<'b> {
        *tables = [&self.send_parts, &self.receive_parts].map(|parts| Table::of(parts, positions));
        let [send_parts, receive_parts] = [&tables[0], &tables[1]].map(Table::parts);
        AlltoallBuffers { send: self.send, send_parts, receive: self.receive, receive_parts }
    }

    /// The parts for each image.
    pub fn send_parts(&self) -> &Parts<'a> {
        &self.send_parts
    }

    /// The places of the parts from each image.
    pub fn receive_parts(&self) -> &Parts<'a> {
        &self.receive_parts
    }

    /// Address of the parts that this image sends.
    pub fn send(&self) -> *const u8 {
        self.send
    }

    /// Address of the parts that this image receives.
    pub fn receive(&self) -> *mut u8 {
        self.receive
    }

    /// Address of the part for an image.
    pub fn part(&self, to: usize) -> *const u8 {
        self.send.wrapping_add(self.send_parts.offset(to))
    }

    /// The part for an image.
    pub fn out(&self, to: usize) -> &'a [u8] {
        // SAFETY: `send` has this part, which nothing writes (`new`).
        unsafe { bytes(self.part(to), self.send_parts.len(to)) }
    }

    /// The place of the part from an image.
    ///
    /// # Safety
    /// No other slice of it is in use.
    pub unsafe fn place(&self, from: usize) -> &'a mut [u8] {
        let at = self.receive.wrapping_add(self.receive_parts.offset(from));
        // SAFETY: `receive` has this part (`new`), which nothing else uses (contract above).
        unsafe { bytes_mut(at, self.receive_parts.len(from)) }
    }

    /// Copies bytes `from..from + most` of the part of `giver`, which has `len` bytes, to their place. Bytes for which
    /// the place has no room are dropped.
    ///
    /// # Safety
    /// `source` is valid for these bytes of the part, and does not overlap their place.
    #[inline]
    pub unsafe fn take(
        &self,
        giver: usize,
        len: usize,
        from: usize,
        most: usize,
        source: *const u8,
    ) {
        let len = len.min(self.receive_parts.len(giver));
        if from < len {
            let at = self.receive.wrapping_add(self.receive_parts.offset(giver) + from);
            // SAFETY: the bytes are within the place of the part (`new`).
            unsafe { take(at, source, most.min(len - from)) };
        }
    }

    /// Copies what came from each of `n` images, which is in `came` as `parts` says, to its place.
    pub fn put(&self, came: &[u8], parts: &Parts<'_>, n: usize) {
        for from in 0..n {
            let (at, len) = (parts.offset(from), parts.len(from));
            // SAFETY: this is the only slice of a place.
            unsafe { self.place(from) }.copy_from_slice(&came[at..at + len]);
        }
    }

    /// Copies the part of this image for itself to its place, and returns its length. Bytes for which the place has no
    /// room are dropped. It may be in its place.
    pub fn keep(&self, me: usize) -> usize {
        if self.part(me) == self.receive.wrapping_add(self.receive_parts.offset(me)) {
            return self.send_parts.len(me);
        }
        let own = self.out(me);
        // SAFETY: this is the only slice of the place.
        let place = unsafe { self.place(me) };
        let len = own.len().min(place.len());
        place[..len].copy_from_slice(&own[..len]);
        own.len()
    }
}
