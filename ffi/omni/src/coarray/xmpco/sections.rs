//! Puts and gets of scalars and sections.

use crate::coarray::descriptor::Coarray;
use crate::coarray::fast_path::Direction;
use crate::coarray::transfer::elements;
use crate::coarray::{atomic, statics};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_coarray::front_end::plan::{Axis, contiguous};
use xmp_coarray::front_end::sync_memory;
use xmp_ffi::gfortran_abi::Elements;
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::{List, Memory, for_c};
use xmp_ffi::xmp::error::Outcome;

/// A section as these functions get it: elements, and bytes from one to the next, for each dimension.
fn section(
    base: Memory,
    element: c_int,
    rank: c_int,
    skip: &List<c_int>,
    count: &List<c_int>,
) -> Outcome<Elements> {
    let size = statics::length(element)?;
    let rank = usize::try_from(rank).unwrap_or(0);
    let axis = |(count, skip): (&Cell<c_int>, &Cell<c_int>)| Axis::Stride {
        extent: usize::try_from(count.get()).unwrap_or(0),
        stride: skip.get().into(),
    };
    let axes = count.of(rank)?.iter().zip(skip.of(rank)?).map(axis).collect();
    Ok(Elements { base: base.start(), size, axes })
}

/// Whether a mode of a put says to wait until it is complete: 0 is not to wait, 3 the default, which is the same.
fn waits(mode: c_int) -> bool {
    !matches!(mode, 0 | 3)
}

fn put_section(
    coarray: &Coarray,
    index: c_int,
    mold: &Elements,
    source: &Elements,
    mode: c_int,
) -> Outcome {
    let instance = instance();
    let put = elements(Direction::Put, instance, coarray, index, mold, source);
    put.map_err(|error| coarray.wrong(error))?;
    if waits(mode) {
        sync_memory(&instance.image)?;
    }
    Ok(())
}

fn get_section(coarray: &Coarray, index: c_int, mold: &Elements, local: &Elements) -> Outcome {
    let got = elements(Direction::Get, instance(), coarray, index, mold, local);
    got.map_err(|error| coarray.wrong(error))
}

for_c! {
    /// Puts a scalar to the place that corresponds to `base`. With `mode` 1 or 2 it is complete then, and one of 4
    /// bytes is atomic (ATOMIC_DEFINE).
    "XMPCO_PUT_scalarStmt" fn XMPCO_PUT_scalarStmt(
        coarray: &Coarray, base: Memory, element: c_int, index: c_int, source: Memory, mode: c_int,
    ) {
        if waits(mode) && element == 4 {
            // SAFETY: the contract of entries: the source has 4 bytes.
            let value = unsafe { source.start().cast::<c_int>().read_unaligned() };
            return atomic::define(coarray, index, base, value);
        }
        let size = statics::length(element)?;
        let (mold, source) = (Elements::scalar(base.start(), size), Elements::scalar(source.start(), size));
        put_section(coarray, index, &mold, &source, mode)
    }

    /// Puts a section.
    "XMPCO_PUT_arrayStmt" fn XMPCO_PUT_arrayStmt(
        coarray: &Coarray, base: Memory, element: c_int, index: c_int, source: Memory, rank: c_int,
        skip: List<c_int>, skip_source: List<c_int>, count: List<c_int>, mode: c_int,
    ) {
        let source = section(source, element, rank, &skip_source, &count)?;
        put_section(coarray, index, &section(base, element, rank, &skip, &count)?, &source, mode)
    }

    /// Puts a scalar to every element of a section.
    "XMPCO_PUT_spread" fn XMPCO_PUT_spread(
        coarray: &Coarray, base: Memory, element: c_int, index: c_int, source: Memory, rank: c_int,
        skip: List<c_int>, count: List<c_int>, mode: c_int,
    ) {
        let source = Elements::scalar(source.start(), statics::length(element)?);
        put_section(coarray, index, &section(base, element, rank, &skip, &count)?, &source, mode)
    }

    /// Gets a scalar.
    "XMPCO_GET_scalarExpr" fn XMPCO_GET_scalarExpr(
        coarray: &Coarray, base: Memory, element: c_int, index: c_int, result: Memory,
    ) {
        let size = statics::length(element)?;
        get_section(coarray, index, &Elements::scalar(base.start(), size), &Elements::scalar(result.start(), size))
    }

    /// Gets a section, one element after the other.
    "XMPCO_GET_arrayExpr" fn XMPCO_GET_arrayExpr(
        coarray: &Coarray, base: Memory, element: c_int, index: c_int, result: Memory, rank: c_int,
        skip: List<c_int>, count: List<c_int>,
    ) {
        let mold = section(base, element, rank, &skip, &count)?;
        let axes = contiguous(mold.size, &mold.axes)?;
        let local = Elements { base: result.start(), size: mold.size, axes };
        get_section(coarray, index, &mold, &local)
    }

    /// Gets a section into a section.
    "XMPCO_GET_arrayStmt" fn XMPCO_GET_arrayStmt(
        coarray: &Coarray, base: Memory, element: c_int, index: c_int, local: Memory, rank: c_int,
        skip: List<c_int>, skip_local: List<c_int>, count: List<c_int>,
    ) {
        let local = section(local, element, rank, &skip_local, &count)?;
        get_section(coarray, index, &section(base, element, rank, &skip, &count)?, &local)
    }
}
