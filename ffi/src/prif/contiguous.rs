//! Contiguous puts and gets.
//!
//! The contract of entries here: the buffer has `size_in_bytes` bytes, and a notification is a variable that starts
//! with zeros and that only puts with notification and `prif_notify_wait` access.

use super::dummies::Address;
use super::handle::Handle;
use super::place::{Target, local_bytes};
use super::table::procedures;
use crate::process::{enter, instance};
use std::ffi::c_int;
use xmp_coarray::front_end::plan::copy_block;
use xmp_coarray::front_end::races::{self, AccessedElements};
use xmp_coarray::front_end::transfer::MemoryRef;
use xmp_coarray::front_end::{event, transfer};
use xmp_core::{Error, Result};

procedures! {
    /// Gets `size_in_bytes` bytes at `offset` of a coarray on an image of the initial team.
    fast (get_number) fn get(
        image_num: &c_int,
        coarray_handle: &Handle,
        offset: &usize,
        current_image_buffer: &Address,
        size_in_bytes: &usize,
    ) [_: statement] {
        let (to, len) = (current_image_buffer.0, *size_in_bytes);
        if !to.is_null()
            && let Some((_, from)) = local_bytes(image_num, *coarray_handle, offset, len)
        {
            // SAFETY: within the coarray, as checked; the buffer has this many bytes.
            unsafe { copy_block(to, from, len) };
            return Ok(());
        }
        get_any(*image_num, Target::Direct(*coarray_handle, "coarray_handle", *offset), Buffer { start: to, len })
    }

    /// Gets `size_in_bytes` bytes at the address `remote_ptr` of an image of the initial team.
    entered fn get_indirect(
        image_num: &c_int,
        remote_ptr: &isize,
        current_image_buffer: &Address,
        size_in_bytes: &usize,
    ) [_: statement] {
        let buffer = Buffer { start: current_image_buffer.0, len: *size_in_bytes };
        get_any(*image_num, Target::Indirect(*remote_ptr, "remote_ptr"), buffer)
    }

    /// Puts `size_in_bytes` bytes to `offset` of a coarray on an image of the initial team.
    fast (put_number) fn put(
        image_num: &c_int,
        coarray_handle: &Handle,
        offset: &usize,
        current_image_buffer: &Address,
        size_in_bytes: &usize,
    ) [_: statement] {
        let (from, len) = (current_image_buffer.0, *size_in_bytes);
        if !from.is_null()
            && let Some((_, to)) = local_bytes(image_num, *coarray_handle, offset, len)
        {
            // SAFETY: within the coarray, as checked; the buffer has this many bytes.
            unsafe { copy_block(to, from, len) };
            return Ok(());
        }
        let target = Target::Direct(*coarray_handle, "coarray_handle", *offset);
        put_any(*image_num, target, Buffer { start: from, len }, None)
    }

    /// Puts `size_in_bytes` bytes to the address `remote_ptr` of an image of the initial team.
    entered fn put_indirect(
        image_num: &c_int,
        remote_ptr: &isize,
        current_image_buffer: &Address,
        size_in_bytes: &usize,
    ) [_: statement] {
        let buffer = Buffer { start: current_image_buffer.0, len: *size_in_bytes };
        put_any(*image_num, Target::Indirect(*remote_ptr, "remote_ptr"), buffer, None)
    }

    /// As prif_put; then notifies the variable at `notify_offset` of a coarray on that image.
    entered fn put_with_notify(
        image_num: &c_int,
        coarray_handle: &Handle,
        offset: &usize,
        current_image_buffer: &Address,
        size_in_bytes: &usize,
        notify_coarray_handle: &Handle,
        notify_offset: &usize,
    ) [_: statement] {
        let buffer = Buffer { start: current_image_buffer.0, len: *size_in_bytes };
        let target = Target::Direct(*coarray_handle, "coarray_handle", *offset);
        let notify = Target::Direct(*notify_coarray_handle, "notify_coarray_handle", *notify_offset);
        put_any(*image_num, target, buffer, Some(notify))
    }

    /// As prif_put; then notifies the variable at the address `notify_ptr` of that image.
    entered fn put_with_notify_indirect(
        image_num: &c_int,
        coarray_handle: &Handle,
        offset: &usize,
        current_image_buffer: &Address,
        size_in_bytes: &usize,
        notify_ptr: &isize,
    ) [_: statement] {
        let buffer = Buffer { start: current_image_buffer.0, len: *size_in_bytes };
        let target = Target::Direct(*coarray_handle, "coarray_handle", *offset);
        put_any(*image_num, target, buffer, Some(Target::Indirect(*notify_ptr, "notify_ptr")))
    }

    /// As prif_put_indirect; then notifies the variable at `notify_offset` of a coarray on that image.
    entered fn put_indirect_with_notify(
        image_num: &c_int,
        remote_ptr: &isize,
        current_image_buffer: &Address,
        size_in_bytes: &usize,
        notify_coarray_handle: &Handle,
        notify_offset: &usize,
    ) [_: statement] {
        let buffer = Buffer { start: current_image_buffer.0, len: *size_in_bytes };
        let notify = Target::Direct(*notify_coarray_handle, "notify_coarray_handle", *notify_offset);
        put_any(*image_num, Target::Indirect(*remote_ptr, "remote_ptr"), buffer, Some(notify))
    }

    /// As prif_put_indirect; then notifies the variable at the address `notify_ptr` of that image.
    entered fn put_indirect_with_notify_indirect(
        image_num: &c_int,
        remote_ptr: &isize,
        current_image_buffer: &Address,
        size_in_bytes: &usize,
        notify_ptr: &isize,
    ) [_: statement] {
        let buffer = Buffer { start: current_image_buffer.0, len: *size_in_bytes };
        let notify = Target::Indirect(*notify_ptr, "notify_ptr");
        put_any(*image_num, Target::Indirect(*remote_ptr, "remote_ptr"), buffer, Some(notify))
    }
}

/// A get of a number from an image of this host.
#[inline(always)]
fn get_number(
    image_num: &c_int,
    coarray_handle: &Handle,
    offset: &usize,
    current_image_buffer: &Address,
    size_in_bytes: &usize,
) -> bool {
    let get = |len| match local_bytes(image_num, *coarray_handle, offset, len) {
        Some((_, from)) if !current_image_buffer.0.is_null() => {
            // SAFETY: within the coarray, as checked; the buffer has this many bytes.
            unsafe { copy_block(current_image_buffer.0, from, len) };
            true
        }
        _ => false,
    };
    match *size_in_bytes {
        8 => get(8),
        4 => get(4),
        _ => false,
    }
}

/// A put of a number to an image of this host.
#[inline(always)]
fn put_number(
    image_num: &c_int,
    coarray_handle: &Handle,
    offset: &usize,
    current_image_buffer: &Address,
    size_in_bytes: &usize,
) -> bool {
    let put = |len| match local_bytes(image_num, *coarray_handle, offset, len) {
        Some((_, to)) if !current_image_buffer.0.is_null() => {
            // SAFETY: within the coarray, as checked; the buffer has this many bytes.
            unsafe { copy_block(to, current_image_buffer.0, len) };
            true
        }
        _ => false,
    };
    match *size_in_bytes {
        8 => put(8),
        4 => put(4),
        _ => false,
    }
}

/// Memory of this image that is copied from or to.
#[derive(Clone, Copy)]
struct Buffer {
    start: *mut u8,
    len: usize,
}

impl Buffer {
    /// All of it, as a side of a transfer.
    fn side(self) -> AccessedElements<'static> {
        AccessedElements::block(MemoryRef::Local(self.start), self.len)
    }

    /// Its bytes, relative to its start.
    ///
    /// # Errors
    /// A null address of some bytes; more bytes than memory can have.
    fn bytes(self) -> Result<std::ops::Range<i64>> {
        if self.start.is_null() && self.len > 0 {
            return Err(Error::Invalid("current_image_buffer is null".into()));
        }
        match i64::try_from(self.len) {
            Ok(len) => Ok(0..len),
            Err(_) => Err(Error::SizeOverflow(format!("size_in_bytes {}", self.len))),
        }
    }
}

/// Any get.
#[inline(never)]
fn get_any(image_num: c_int, from: Target<'_>, buffer: Buffer) -> Result<()> {
    let _entered = enter();
    let image = &instance().image;
    let at = from.place(image_num, buffer.bytes()?)?;
    races::transfer(
        image,
        buffer.side(),
        AccessedElements::block(MemoryRef::of(image, at), buffer.len),
    );
    // SAFETY: the bytes are in memory that the image shares, and the buffer has this many.
    unsafe { transfer::get(image, at, buffer.start, buffer.len) }
}

/// Any put, with a notification of the image after it.
#[inline(never)]
fn put_any(
    image_num: c_int,
    to: Target<'_>,
    buffer: Buffer,
    notify: Option<Target<'_>>,
) -> Result<()> {
    let _entered = enter();
    let image = &instance().image;
    let at = to.place(image_num, buffer.bytes()?)?;
    let notify = notify.map(|variable| variable.place_of_word(image_num)).transpose()?;
    races::transfer(
        image,
        AccessedElements::block(MemoryRef::of(image, at), buffer.len),
        buffer.side(),
    );
    // SAFETY: the bytes are in memory that the image shares, and the buffer has this many.
    unsafe { transfer::put(image, at, buffer.start, buffer.len)? };
    match notify {
        // SAFETY: a notification, by the contract.
        Some(notify) => unsafe { event::post(image, notify) },
        None => Ok(()),
    }
}
