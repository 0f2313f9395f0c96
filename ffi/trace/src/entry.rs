//! One entry function of `libxmprt.so` as this library knows it.

use crate::decoder::Decoder;
use std::ffi::CStr;
use std::sync::atomic::AtomicUsize;
use xmp_trace::operation::Operation;

/// An entry function.
#[derive(Debug)]
pub struct Entry {
    /// Its name.
    pub symbol: &'static CStr,
    /// What it does.
    pub operation: Operation,
    /// How its arguments are read.
    pub decoder: &'static Decoder,
    /// Address of the function of `libxmprt.so`; 0 before it has been looked up.
    pub function: AtomicUsize,
}

impl Entry {
    /// An entry whose function has not been looked up.
    pub const fn new(
        symbol: &'static CStr,
        operation: Operation,
        decoder: &'static Decoder,
    ) -> Entry {
        Entry { symbol, operation, decoder, function: AtomicUsize::new(0) }
    }
}
