//! Numbers of bytes beyond an int, with which MPI counts.

use crate::outcome::{Failure, Result, called};
use mpi::ffi;
use mpi::ffi::MPI_Datatype;
use std::ffi::c_int;
use xmp_plugin::Status;

/// Bytes of one piece of a length that exceeds an int.
const PIECE_BYTES: u64 = 1 << 30;

/// A number of bytes as MPI takes it: a count of elements of a type.
#[derive(Debug)]
pub struct Extent {
    /// Number of elements.
    pub count: c_int,
    /// Their type.
    pub datatype: MPI_Datatype,
    made: bool,
}

/// The type of a byte.
pub fn byte() -> MPI_Datatype {
    // SAFETY: a constant of MPI.
    unsafe { ffi::RSMPI_UINT8_T }
}

impl Extent {
    /// The extent of `bytes` bytes.
    pub fn of(bytes: u64) -> Result<Extent> {
        match c_int::try_from(bytes) {
            Ok(count) => Ok(Extent { count, datatype: byte(), made: false }),
            Err(_) => Extent::long(bytes),
        }
    }

    /// One element of a type made for it: whole pieces, and the rest after them.
    fn long(bytes: u64) -> Result<Extent> {
        let pieces = c_int::try_from(bytes / PIECE_BYTES).map_err(|_| {
            Failure::new(Status::UNSUPPORTED, format!("{bytes} bytes are too many for a message"))
        })?;
        let rest = (bytes % PIECE_BYTES) as c_int;
        // SAFETY: types of MPI and of the plug-in; local outputs, and lists of the stated lengths.
        unsafe {
            let null = ffi::RSMPI_DATATYPE_NULL;
            let (mut piece, mut body, mut whole) = (null, null, null);
            let code = ffi::MPI_Type_contiguous(PIECE_BYTES as c_int, byte(), &mut piece);
            called("MPI_Type_contiguous", code)?;
            let code = ffi::MPI_Type_contiguous(pieces, piece, &mut body);
            called("MPI_Type_contiguous", code)?;
            let (lengths, places) = ([1, rest], [0, (bytes - rest as u64) as ffi::MPI_Aint]);
            let types = [body, byte()];
            let code = ffi::MPI_Type_create_struct(
                2,
                lengths.as_ptr(),
                places.as_ptr(),
                types.as_ptr(),
                &mut whole,
            );
            called("MPI_Type_create_struct", code)?;
            called("MPI_Type_commit", ffi::MPI_Type_commit(&mut whole))?;
            called("MPI_Type_free", ffi::MPI_Type_free(&mut piece))?;
            called("MPI_Type_free", ffi::MPI_Type_free(&mut body))?;
            Ok(Extent { count: 1, datatype: whole, made: true })
        }
    }
}

/// MPI keeps a type until the operations with it are done.
impl Drop for Extent {
    fn drop(&mut self) {
        if self.made {
            // SAFETY: a type made by `long`, freed once.
            unsafe { ffi::MPI_Type_free(&mut self.datatype) };
        }
    }
}
