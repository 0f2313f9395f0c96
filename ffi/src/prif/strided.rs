//! Strided puts and gets.
//!
//! The contract of entries here: the buffer has elements of `element_size` bytes where `current_image_stride` and
//! `extent` say, and a notification is as in [`super::contiguous`].

use super::arrays::Vector;
use super::dummies::Address;
use super::handle::Handle;
use super::place::Target;
use super::table::procedures;
use crate::process::instance;
use smallvec::SmallVec;
use std::ffi::c_int;
use xmp_coarray::front_end::event;
use xmp_coarray::front_end::plan::Axis;
use xmp_coarray::front_end::races::{self, AccessedElements};
use xmp_coarray::front_end::transfer::{MemoryRef, Transfer};
use xmp_core::counted::counted;
use xmp_core::{Error, Result};

procedures! {
    /// Gets the elements of a section that starts at `offset` of a coarray on an image of the initial team. Strides are
    /// in bytes.
    entered fn get_strided(
        image_num: &c_int,
        coarray_handle: &Handle,
        offset: &usize,
        remote_stride: &Vector<isize>,
        current_image_buffer: &Address,
        current_image_stride: &Vector<isize>,
        element_size: &usize,
        extent: &Vector<usize>,
    ) [_: statement] {
        let local = Local { buffer: current_image_buffer.0, stride: current_image_stride };
        let section = Section::new(*element_size, extent, remote_stride, &local)?;
        section.get(*image_num, Target::Direct(*coarray_handle, "coarray_handle", *offset))
    }

    /// Gets the elements of a section that starts at the address `remote_ptr` of an image of the initial team.
    entered fn get_strided_indirect(
        image_num: &c_int,
        remote_ptr: &isize,
        remote_stride: &Vector<isize>,
        current_image_buffer: &Address,
        current_image_stride: &Vector<isize>,
        element_size: &usize,
        extent: &Vector<usize>,
    ) [_: statement] {
        let local = Local { buffer: current_image_buffer.0, stride: current_image_stride };
        let section = Section::new(*element_size, extent, remote_stride, &local)?;
        section.get(*image_num, Target::Indirect(*remote_ptr, "remote_ptr"))
    }

    /// Puts elements to a section that starts at `offset` of a coarray on an image of the initial team. Strides are in
    /// bytes.
    entered fn put_strided(
        image_num: &c_int,
        coarray_handle: &Handle,
        offset: &usize,
        remote_stride: &Vector<isize>,
        current_image_buffer: &Address,
        current_image_stride: &Vector<isize>,
        element_size: &usize,
        extent: &Vector<usize>,
    ) [_: statement] {
        let local = Local { buffer: current_image_buffer.0, stride: current_image_stride };
        let section = Section::new(*element_size, extent, remote_stride, &local)?;
        section.put(*image_num, Target::Direct(*coarray_handle, "coarray_handle", *offset), None)
    }

    /// Puts elements to a section that starts at the address `remote_ptr` of an image of the initial team.
    entered fn put_strided_indirect(
        image_num: &c_int,
        remote_ptr: &isize,
        remote_stride: &Vector<isize>,
        current_image_buffer: &Address,
        current_image_stride: &Vector<isize>,
        element_size: &usize,
        extent: &Vector<usize>,
    ) [_: statement] {
        let local = Local { buffer: current_image_buffer.0, stride: current_image_stride };
        let section = Section::new(*element_size, extent, remote_stride, &local)?;
        section.put(*image_num, Target::Indirect(*remote_ptr, "remote_ptr"), None)
    }

    /// As prif_put_strided; then notifies the variable at `notify_offset` of a coarray on that image.
    entered fn put_strided_with_notify(
        image_num: &c_int,
        coarray_handle: &Handle,
        offset: &usize,
        remote_stride: &Vector<isize>,
        current_image_buffer: &Address,
        current_image_stride: &Vector<isize>,
        element_size: &usize,
        extent: &Vector<usize>,
        notify_coarray_handle: &Handle,
        notify_offset: &usize,
    ) [_: statement] {
        let local = Local { buffer: current_image_buffer.0, stride: current_image_stride };
        let section = Section::new(*element_size, extent, remote_stride, &local)?;
        let notify = Target::Direct(*notify_coarray_handle, "notify_coarray_handle", *notify_offset);
        section.put(*image_num, Target::Direct(*coarray_handle, "coarray_handle", *offset), Some(notify))
    }

    /// As prif_put_strided; then notifies the variable at the address `notify_ptr` of that image.
    entered fn put_strided_with_notify_indirect(
        image_num: &c_int,
        coarray_handle: &Handle,
        offset: &usize,
        remote_stride: &Vector<isize>,
        current_image_buffer: &Address,
        current_image_stride: &Vector<isize>,
        element_size: &usize,
        extent: &Vector<usize>,
        notify_ptr: &isize,
    ) [_: statement] {
        let local = Local { buffer: current_image_buffer.0, stride: current_image_stride };
        let section = Section::new(*element_size, extent, remote_stride, &local)?;
        let notify = Target::Indirect(*notify_ptr, "notify_ptr");
        section.put(*image_num, Target::Direct(*coarray_handle, "coarray_handle", *offset), Some(notify))
    }

    /// As prif_put_strided_indirect; then notifies the variable at `notify_offset` of a coarray on that image.
    entered fn put_strided_indirect_with_notify(
        image_num: &c_int,
        remote_ptr: &isize,
        remote_stride: &Vector<isize>,
        current_image_buffer: &Address,
        current_image_stride: &Vector<isize>,
        element_size: &usize,
        extent: &Vector<usize>,
        notify_coarray_handle: &Handle,
        notify_offset: &usize,
    ) [_: statement] {
        let local = Local { buffer: current_image_buffer.0, stride: current_image_stride };
        let section = Section::new(*element_size, extent, remote_stride, &local)?;
        let notify = Target::Direct(*notify_coarray_handle, "notify_coarray_handle", *notify_offset);
        section.put(*image_num, Target::Indirect(*remote_ptr, "remote_ptr"), Some(notify))
    }

    /// As prif_put_strided_indirect; then notifies the variable at the address `notify_ptr` of that image.
    entered fn put_strided_indirect_with_notify_indirect(
        image_num: &c_int,
        remote_ptr: &isize,
        remote_stride: &Vector<isize>,
        current_image_buffer: &Address,
        current_image_stride: &Vector<isize>,
        element_size: &usize,
        extent: &Vector<usize>,
        notify_ptr: &isize,
    ) [_: statement] {
        let local = Local { buffer: current_image_buffer.0, stride: current_image_stride };
        let section = Section::new(*element_size, extent, remote_stride, &local)?;
        let notify = Target::Indirect(*notify_ptr, "notify_ptr");
        section.put(*image_num, Target::Indirect(*remote_ptr, "remote_ptr"), Some(notify))
    }
}

/// The side of this image.
struct Local<'a> {
    buffer: *mut u8,
    stride: &'a Vector<isize>,
}

/// The axes of a transfer, one for each dimension.
type Axes = SmallVec<[Axis<'static>; 4]>;

/// What is transferred.
struct Section {
    element_size: usize,
    remote: Axes,
    local: Axes,
    buffer: *mut u8,
}

impl Section {
    /// The section that the arguments describe.
    ///
    /// # Errors
    /// Strides that are not as many as extents; a null address of some elements.
    fn new(
        element_size: usize,
        extent: &Vector<usize>,
        remote_stride: &Vector<isize>,
        local: &Local<'_>,
    ) -> Result<Section> {
        let extents = extent.values();
        if local.buffer.is_null() && extents.iter().all(|&extent| extent > 0) {
            return Err(Error::Invalid("current_image_buffer is null".into()));
        }
        let axes = |strides: &Vector<isize>, argument: &str| -> Result<Axes> {
            let strides = strides.values();
            if strides.len() != extents.len() {
                return Err(Error::Invalid(format!(
                    "{argument} has {}, and extent {}",
                    counted(strides.len(), "element"),
                    extents.len()
                )));
            }
            let axis = |(&extent, &stride)| Axis::Stride { extent, stride: stride as i64 };
            Ok(extents.iter().zip(&strides).map(axis).collect())
        };
        let remote = axes(remote_stride, "remote_stride")?;
        let local_axes = axes(local.stride, "current_image_stride")?;
        Ok(Section { element_size, remote, local: local_axes, buffer: local.buffer })
    }

    /// The remote side, whose section starts there, and the buffer.
    fn sides(&self, remote: MemoryRef) -> [AccessedElements<'_>; 2] {
        let side = |base, axes| AccessedElements { base, size: self.element_size, axes };
        [side(remote, &self.remote), side(MemoryRef::Local(self.buffer), &self.local)]
    }

    /// Gets the elements into the buffer.
    fn get(&self, image_num: c_int, from: Target<'_>) -> Result<()> {
        let image = &instance().image;
        let transfer = Transfer::copy(self.element_size, &self.local, &self.remote)?;
        let at = from.place(image_num, transfer.src_bytes())?;
        let [remote, local] = self.sides(MemoryRef::of(image, at));
        races::transfer(image, local, remote);
        // SAFETY: the source is within memory that the image shares, as checked; the buffer has the elements.
        unsafe { transfer.execute(image, MemoryRef::Local(self.buffer), MemoryRef::of(image, at)) }
    }

    /// Puts the elements of the buffer, then notifies the image.
    fn put(&self, image_num: c_int, to: Target<'_>, notify: Option<Target<'_>>) -> Result<()> {
        let image = &instance().image;
        let transfer = Transfer::copy(self.element_size, &self.remote, &self.local)?;
        let at = to.place(image_num, transfer.dst_bytes())?;
        let notify = notify.map(|variable| variable.place_of_word(image_num)).transpose()?;
        let [remote, local] = self.sides(MemoryRef::of(image, at));
        races::transfer(image, remote, local);
        // SAFETY: the destination is within memory that the image shares, as checked; the buffer has the elements.
        unsafe {
            transfer.execute(image, MemoryRef::of(image, at), MemoryRef::Local(self.buffer))?
        };
        match notify {
            // SAFETY: a notification, by the contract.
            Some(notify) => unsafe { event::post(image, notify) },
            None => Ok(()),
        }
    }
}
