//! Put, get and image-to-image copies: plans executed between local and remote memory.

use crate::Location;
use crate::convert::Converter;
pub use crate::plan::RemoteMemory;
use crate::plan::{Axis, Plan, contiguous, copy_block};
use std::ops::Range;
use xmp_core::transport::Layout;
use xmp_core::{Error, Image, Result};

/// The base address of one side of a transfer.
#[derive(Clone, Copy, Debug)]
pub enum MemoryRef {
    /// Memory of this process or of an image of this host.
    Local(*mut u8),
    /// Memory of an image that this one cannot address.
    Remote(RemoteMemory),
}

impl MemoryRef {
    /// The address `bytes` further on.
    pub fn shifted(self, bytes: i64) -> MemoryRef {
        match self {
            MemoryRef::Local(address) => MemoryRef::Local(address.wrapping_offset(bytes as isize)),
            MemoryRef::Remote(at) => MemoryRef::Remote(at.shifted(bytes)),
        }
    }

    /// The address of a location: local if the image is on this host.
    #[inline(always)]
    pub fn of(image: &Image, at: Location) -> MemoryRef {
        match image.local_address(at.rank, at.offset) {
            Some(address) => MemoryRef::Local(address),
            None => MemoryRef::Remote(RemoteMemory::Segment(at)),
        }
    }
}

/// A planned transfer.
#[derive(Debug)]
pub struct Transfer<'a> {
    plan: Plan<'a>,
    kind: Kind<'a>,
}

#[derive(Debug)]
enum Kind<'a> {
    Copy,
    Convert { converter: &'a Converter, dst_axes: &'a [Axis<'a>], src_axes: &'a [Axis<'a>] },
}

impl<'a> Transfer<'a> {
    /// Elements of `size` bytes, unchanged. A source without axes goes to every element.
    pub fn copy(size: usize, dst: &[Axis<'a>], src: &[Axis<'a>]) -> Result<Transfer<'a>> {
        Ok(Transfer { plan: Plan::copy(size, dst, src)?, kind: Kind::Copy })
    }

    /// Elements that `converter` changes on the way.
    pub fn convert(
        converter: &'a Converter,
        dst_axes: &'a [Axis<'a>],
        src_axes: &'a [Axis<'a>],
    ) -> Result<Transfer<'a>> {
        let (dst_size, src_size) = (converter.to_size(), converter.from_size());
        let plan = Plan::elementwise(dst_size, src_size, dst_axes, src_axes)?;
        Ok(Transfer { plan, kind: Kind::Convert { converter, dst_axes, src_axes } })
    }

    /// Bytes of the destination that are written, relative to its base.
    pub fn dst_bytes(&self) -> Range<i64> {
        self.plan.dst_bytes()
    }

    /// Bytes of the source that are read, relative to its base.
    pub fn src_bytes(&self) -> Range<i64> {
        self.plan.src_bytes()
    }

    /// Carries the transfer out.
    ///
    /// # Errors
    /// When an image cannot be reached, or there is no memory for a buffer.
    ///
    /// # Safety
    /// [`Transfer::dst_bytes`] of `dst` can be written, [`Transfer::src_bytes`] of `src` can be read, and
    /// no other access conflicts with that meanwhile (Fortran's segment rules).
    pub unsafe fn execute(&self, image: &Image, dst: MemoryRef, src: MemoryRef) -> Result<()> {
        // SAFETY: `dst_bytes` of `dst` can be written and `src_bytes` of `src` read, whichever of them is remote.
        unsafe {
            match (&self.kind, dst, src) {
                (Kind::Copy, MemoryRef::Local(dst), MemoryRef::Local(src)) => {
                    self.plan.execute(dst, src)
                }
                (Kind::Copy, MemoryRef::Remote(to), MemoryRef::Local(src)) => {
                    to.put_plan(image, src, &self.plan)
                }
                (Kind::Copy, MemoryRef::Local(dst), MemoryRef::Remote(from)) => {
                    from.get_plan(image, dst, &self.plan)
                }
                (Kind::Copy, MemoryRef::Remote(to), MemoryRef::Remote(from)) => {
                    self.copy_through_buffer(image, to, from)
                }
                (Kind::Convert { converter, .. }, MemoryRef::Local(dst), MemoryRef::Local(src)) => {
                    self.plan.for_each_row(dst, src, &mut |row| converter.convert_row(row))
                }
                (Kind::Convert { converter, dst_axes, src_axes }, dst, src) => {
                    let dst = ConversionOperand { base: dst, axes: dst_axes };
                    convert_remote(
                        image,
                        converter,
                        dst,
                        ConversionOperand { base: src, axes: src_axes },
                    )
                }
            }
        }
    }

    /// Carries out a transfer between this image's own memory and that of any image, as [`Transfer::execute`] does, where
    /// other images may access the elements meanwhile.
    ///
    /// # Errors
    /// The errors of [`Transfer::execute`].
    ///
    /// # Safety
    /// The conditions of [`Plan::execute_racing`] hold on this host. On others servers copy as atomically.
    pub unsafe fn execute_racing(
        &self,
        image: &Image,
        dst: MemoryRef,
        src: MemoryRef,
    ) -> Result<()> {
        // SAFETY: the contract of this function.
        unsafe {
            match (&self.kind, dst, src) {
                (Kind::Copy, MemoryRef::Local(dst), MemoryRef::Local(src)) => {
                    self.plan.execute_racing(dst, src)
                }
                _ => self.execute(image, dst, src),
            }
        }
    }

    /// Copies between two remote sides through a buffer with the layout of the source.
    ///
    /// # Safety
    /// The conditions of [`Transfer::execute`].
    unsafe fn copy_through_buffer(
        &self,
        image: &Image,
        to: RemoteMemory,
        from: RemoteMemory,
    ) -> Result<()> {
        let bytes = self.plan.src_bytes();
        let mut buffer = buffer((bytes.end - bytes.start) as usize)?;
        let from = from.shifted(bytes.start);
        // SAFETY: the buffer holds what the plan reads; a pointer to where its base would be is only used
        // at offsets within `src_bytes`.
        unsafe {
            from.get(image, buffer.as_mut_ptr(), buffer.len())?;
            let start = buffer.as_ptr().wrapping_offset(-bytes.start as isize);
            to.put_plan(image, start, &self.plan)
        }
    }
}

/// An operand of a conversion.
struct ConversionOperand<'a> {
    base: MemoryRef,
    axes: &'a [Axis<'a>],
}

/// Converts through a contiguous local buffer, because remote memory can only be copied.
///
/// # Safety
/// The conditions of [`Transfer::execute`].
unsafe fn convert_remote(
    image: &Image,
    converter: &Converter,
    dst: ConversionOperand<'_>,
    src: ConversionOperand<'_>,
) -> Result<()> {
    let (to_size, from_size) = (converter.to_size(), converter.from_size());
    // SAFETY: both sides are accessible as for `Transfer::execute`; each part moves between one of them and a buffer
    // that has the room its plan needs.
    unsafe {
        // 1. The source, gathered into a local buffer if it is remote.
        let gather = Plan::pack(from_size, src.axes)?;
        let mut gathered = Vec::new();
        let (start, buffer_axes) = match src.base {
            MemoryRef::Local(start) => (start.cast_const(), None),
            MemoryRef::Remote(from) => {
                gathered = buffer(gather.elements() * from_size)?;
                from.get_plan(image, gathered.as_mut_ptr(), &gather)?;
                (gathered.as_ptr(), Some(contiguous(from_size, src.axes)?))
            }
        };
        let src_axes = buffer_axes.as_deref().unwrap_or(src.axes);
        // 2. Converted into the destination, or into a buffer that is put to a remote one.
        let row = &mut |row| converter.convert_row(row);
        match dst.base {
            MemoryRef::Local(to) => Plan::elementwise(to_size, from_size, dst.axes, src_axes)?
                .for_each_row(to, start, row)?,
            MemoryRef::Remote(to) => {
                let scatter = Plan::unpack(to_size, dst.axes)?;
                let mut converted = buffer(scatter.elements() * to_size)?;
                Plan::elementwise(to_size, from_size, &contiguous(to_size, dst.axes)?, src_axes)?
                    .for_each_row(converted.as_mut_ptr(), start, row)?;
                to.put_plan(image, converted.as_ptr(), &scatter)?;
            }
        }
        drop(gathered);
    }
    Ok(())
}

/// Copies `len` bytes from local memory to `to`.
///
/// # Errors
/// When the image cannot be reached.
///
/// # Safety
/// The bytes are readable at `from`, and writable in shared memory of that image; no access conflicts with that without
/// synchronisation.
#[inline(always)]
pub unsafe fn put(image: &Image, to: Location, from: *const u8, len: usize) -> Result<()> {
    // SAFETY: `len` bytes are readable at `from` and writable at `to`.
    unsafe {
        match image.local_address(to.rank, to.offset) {
            Some(address) => copy_block(address, from, len),
            None => image.transport().put(to.rank, to.offset, from, Layout::Contiguous(len))?,
        }
    }
    Ok(())
}

/// Copies `len` bytes from `from` to local memory.
///
/// # Errors
/// When the image cannot be reached.
///
/// # Safety
/// The bytes are readable in shared memory of that image, and writable at `to`; no access conflicts with that without
/// synchronisation.
#[inline(always)]
pub unsafe fn get(image: &Image, from: Location, to: *mut u8, len: usize) -> Result<()> {
    // SAFETY: `len` bytes are readable at `from` and writable at `to`.
    unsafe {
        match image.local_address(from.rank, from.offset) {
            Some(address) => copy_block(to, address, len),
            None => image.transport().get(from.rank, from.offset, to, Layout::Contiguous(len))?,
        }
    }
    Ok(())
}

/// `len` zero bytes, or an error.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn buffer(len: usize) -> Result<Vec<u8>> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(len).map_err(|_| Error::OutOfMemory {
        heap: "process's memory for a temporary",
        requested: len as u64,
        available: 0,
        remedy: String::new(),
    })?;
    buffer.resize(len, 0);
    Ok(buffer)
}
