//! The structures of PMIx.

use std::ffi::{CStr, c_char};

/// Longest name of a job, with its end.
pub const NAMESPACE: usize = 256;
/// Longest key, with its end.
const KEY: usize = 512;
/// The type of a value that is true or false.
const BOOL: u16 = 1;

/// A process (`pmix_proc_t`).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Process {
    pub namespace: [c_char; NAMESPACE],
    pub rank: u32,
}

/// A value (`pmix_value_t`).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Value {
    pub kind: u16,
    pub data: Data,
}

/// The data of a value, by its type.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Data {
    pub number: u32,
    pub bytes: Bytes,
    /// All of it.
    pub room: [u64; 3],
}

/// Bytes (`pmix_byte_object_t`).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bytes {
    pub start: *mut c_char,
    pub len: usize,
}

/// A fact for a function (`pmix_info_t`).
#[repr(C)]
pub struct Info {
    key: [c_char; KEY],
    flags: u32,
    value: Value,
}

// The layouts of all versions from 3.0 on.
const _: () = assert!(size_of::<Process>() == 260 && size_of::<Value>() == 32);
const _: () = assert!(size_of::<Info>() == 552 && std::mem::offset_of!(Info, value) == 520);
const _: () = assert!(std::mem::offset_of!(Value, data) == 8);

impl Info {
    /// That a fact holds.
    pub fn holds(key: &CStr) -> Info {
        let value = Value { kind: BOOL, data: Data { room: [1, 0, 0] } };
        let mut info = Info { key: [0; KEY], flags: 0, value };
        for (to, &from) in info.key.iter_mut().zip(key.to_bytes()) {
            *to = from as c_char;
        }
        info
    }
}
