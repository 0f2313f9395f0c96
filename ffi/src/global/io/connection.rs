//! A file that is connected to a set of images, with its view and its pointers.

use super::shared::{Pointer, SharedPointer};
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::path::Path;
use std::rc::Rc;
use xmp_collectives::allgather;
use xmp_collectives::file::{self, Failure, How, Outcome, View, Views, agree};
use xmp_collectives::global::StoredSection;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, hash};

/// The file pointers when the file has been opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the beginning.
    Beginning,
    /// At the end.
    End,
    /// At the beginning; the first write goes to the end, unless a pointer or a view was set before.
    EndForWrites,
}

/// From where a pointer is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whence {
    /// The beginning of the view.
    Beginning,
    /// The pointer.
    Pointer,
    /// The end of the file.
    End,
}

/// A file that is connected to a set of images. All of them call collective functions.
#[derive(Debug)]
pub struct Connection {
    /// The images.
    pub(super) set: Rc<ImageSet>,
    /// The mode in which it was opened.
    how: How,
    /// The file.
    pub(super) file: File,
    /// The views of the images.
    pub(super) views: RefCell<Views>,
    /// The place where the view begins.
    pub(super) displacement: Cell<i64>,
    /// The number in the view of the next byte.
    pub(super) next: Cell<i64>,
    /// Whether the first write goes to the end.
    at_end: Cell<bool>,
    /// The pointer that they share.
    pub(super) shared: SharedPointer,
}

/// EINVAL
pub(super) fn invalid<T>() -> Outcome<T> {
    Err(Failure::System(libc::EINVAL))
}

impl Connection {
    /// Connects a file to the executing set. Collective.
    ///
    /// # Errors
    /// Those of [`file::open()`], the same on all images; the error of an image whose arguments are wrong.
    pub fn open(
        image: &Image,
        path: Outcome<&Path>,
        how: How,
        start: Start,
    ) -> Outcome<Connection> {
        let set = image.executing();
        let (mine, path) = match path {
            Ok(path) => (Ok(()), path),
            Err(failure) => (Err(failure), Path::new("")),
        };
        agree(image, &set, mine)?;
        let file = file::open(image, &set, path, how)?;
        let mut size = [file::size(&file)?];
        xmp_collectives::broadcast(image, &set, 0, &mut size)?;
        let next = if start == Start::End && size[0] < i64::MAX { size[0] } else { 0 };
        let at_end = start == Start::EndForWrites;
        let shared = SharedPointer::new(image, &set, Pointer { place: next, at_end })?;
        Ok(Connection {
            set,
            how,
            file,
            views: RefCell::new(Views::all()),
            displacement: Cell::new(0),
            next: Cell::new(next),
            at_end: Cell::new(at_end),
            shared,
        })
    }

    /// Closes the file. Collective.
    ///
    /// # Errors
    /// Those of the system, the same on all images.
    pub fn close(self, image: &Image) -> Outcome {
        let closed = file::close(image, &self.set, self.file);
        self.shared.free(image)?;
        closed
    }

    /// The images that share the file.
    pub fn set(&self) -> &Rc<ImageSet> {
        &self.set
    }

    /// Waits until all images have written, and the storage device has it. Collective.
    ///
    /// # Errors
    /// Those of the system, the same on all images.
    pub fn sync(&self, image: &Image) -> Outcome {
        file::sync(image, &self.set, &self.file)
    }

    /// Each image sees its elements of a section from `displacement` on. Collective.
    ///
    /// # Errors
    /// EINVAL, on all images, for arguments that make no view, or that differ between images.
    pub fn set_view(
        &self,
        image: &Image,
        displacement: i64,
        stored: Outcome<StoredSection<'_>>,
    ) -> Outcome {
        let views = stored.and_then(|stored| {
            let views = Views::parts(&self.set, stored)?;
            let storage = stored.storage();
            let wanted = (displacement, stored.section(), storage.array(), storage.element());
            Ok((views, hash::of(&wanted) | 1))
        });
        let views = if displacement < 0 { invalid() } else { views };
        // 0: something is wrong here.
        let mine = [views.as_ref().map_or(0, |(_, hash)| *hash)];
        let mut all = vec![0; self.set.len()];
        allgather(image, &self.set, &mine, &mut all)?;
        match views {
            Ok((views, hash)) if all.iter().all(|other| *other == hash) => {
                self.replace_view(image, displacement, views)
            }
            _ => invalid(),
        }
    }

    /// All images see all bytes from `displacement` on. Collective.
    ///
    /// # Errors
    /// EINVAL, on all images, for a negative displacement on any of them.
    pub fn clear_view(&self, image: &Image, displacement: i64) -> Outcome {
        agree(image, &self.set, if displacement < 0 { invalid() } else { Ok(()) })?;
        self.replace_view(image, displacement, Views::all())
    }

    fn replace_view(&self, image: &Image, displacement: i64, views: Views) -> Outcome {
        *self.views.borrow_mut() = views;
        self.displacement.set(displacement);
        self.next.set(0);
        self.at_end.set(false);
        if self.is_first() {
            self.shared.change(image, |_| Ok(Pointer { place: displacement, at_end: false }))?;
        }
        agree(image, &self.set, Ok(()))
    }

    /// Whether this image is the one that acts for all.
    pub fn is_first(&self) -> bool {
        self.set.position() == Some(0)
    }

    /// Calls `body` with the view of this image.
    pub(super) fn with_view<T>(&self, body: impl FnOnce(View<'_>) -> T) -> T {
        let views = self.views.borrow();
        let me = self.set.position().expect("a member of the set");
        body(View::new(self.displacement.get(), views.of(me)))
    }

    /// Whether all images see all bytes.
    pub(super) fn is_clear(&self) -> bool {
        matches!(*self.views.borrow(), Views::All(_))
    }

    /// Sets the individual pointer.
    ///
    /// # Errors
    /// EINVAL for a place before the view; EOVERFLOW for one that no file can have.
    pub fn seek(&self, offset: i64, whence: Whence) -> Outcome {
        let size = file::size(&self.file)?;
        self.with_view(|view| {
            let from = match whence {
                Whence::Beginning => 0,
                Whence::Pointer => self.next.get(),
                Whence::End => view.before(size),
            };
            let next = added(from, offset)?;
            view.place(next).ok_or(Failure::System(libc::EOVERFLOW))?;
            self.next.set(next);
            self.at_end.set(false);
            Ok(())
        })
    }

    /// The place in the file of the individual pointer.
    ///
    /// # Errors
    /// EOVERFLOW for a place that is no number.
    pub fn tell(&self) -> Outcome<i64> {
        let place = self.with_view(|view| view.place(self.next.get()));
        place.ok_or(Failure::System(libc::EOVERFLOW))
    }

    /// Sets the shared pointer.
    ///
    /// # Errors
    /// EINVAL for a place before the view, and where a view is set.
    pub fn seek_shared(&self, image: &Image, offset: i64, whence: Whence) -> Outcome {
        self.check_clear()?;
        let (start, size) = (self.displacement.get(), file::size(&self.file)?);
        let next = |pointer: Pointer| {
            let from = match whence {
                Whence::Beginning => 0,
                Whence::Pointer => pointer.place - start,
                Whence::End => (size - start).max(0),
            };
            let place = added(start, added(from, offset)?)?;
            Ok(Pointer { place, at_end: false })
        };
        self.shared.change(image, next).map(drop)
    }

    /// The place in the file of the shared pointer.
    ///
    /// # Errors
    /// When the image that has it cannot be reached.
    pub fn tell_shared(&self, image: &Image) -> Outcome<i64> {
        Ok(self.shared.get(image)?.place)
    }

    /// Checks that the file was opened for it.
    ///
    /// # Errors
    /// EBADF.
    pub(super) fn check(&self, writes: bool) -> Outcome {
        let is_open = if writes { self.how.write } else { self.how.read };
        if is_open { Ok(()) } else { Err(Failure::System(libc::EBADF)) }
    }

    /// Accesses of the shared pointer need a view that all images have alike.
    pub(super) fn check_clear(&self) -> Outcome {
        if self.is_clear() { Ok(()) } else { invalid() }
    }

    /// The place of the next write of this image: at its pointer, or at the end of the file.
    pub(super) fn to_write(&self) -> Outcome<i64> {
        if self.at_end.replace(false) {
            let size = file::size(&self.file)?;
            self.next.set(self.with_view(|view| view.before(size)));
        }
        Ok(self.next.get())
    }
}

/// A sum that is not negative.
///
/// # Errors
/// EINVAL for a negative one; EOVERFLOW for one that cannot be counted.
pub(super) fn added(a: i64, b: i64) -> Outcome<i64> {
    match a.checked_add(b) {
        Some(sum) if sum >= 0 => Ok(sum),
        Some(_) => invalid(),
        None => Err(Failure::System(libc::EOVERFLOW)),
    }
}
