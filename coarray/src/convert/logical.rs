//! Conversion between logicals of all kinds.

use crate::plan::Row;

/// The function for a row of logicals of these kinds, which exist.
pub(super) fn row(from: u8, to: u8) -> unsafe fn(Row) {
    match from {
        1 => row_from::<u8>(to),
        2 => row_from::<u16>(to),
        4 => row_from::<u32>(to),
        8 => row_from::<u64>(to),
        _ => row_from::<u128>(to),
    }
}

fn row_from<S: Copy + Default + PartialEq>(to: u8) -> unsafe fn(Row) {
    match to {
        1 => convert::<S, u8>,
        2 => convert::<S, u16>,
        4 => convert::<S, u32>,
        8 => convert::<S, u64>,
        _ => convert::<S, u128>,
    }
}

/// # Safety
/// The conditions of [`super::Converter::convert_row`], for elements that hold an `S` and a `D`.
unsafe fn convert<S: Copy + Default + PartialEq, D: From<bool>>(row: Row) {
    for k in 0..row.extent as isize {
        // SAFETY: the row's elements are accessible; any bytes are an `S`.
        unsafe {
            let value = row.src.offset(k * row.src_stride).cast::<S>().read_unaligned();
            let truth = D::from(value != S::default());
            row.dst.offset(k * row.dst_stride).cast::<D>().write_unaligned(truth);
        }
    }
}
