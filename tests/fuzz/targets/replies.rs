//! Replies from other hosts: any bytes are read or refused, and what is read is read again from what it is written as.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xmp_core::server::wire::{read_reply, write_reply};

fuzz_target!(|bytes: &[u8]| {
    let Ok(reply) = read_reply(bytes) else { return };
    let mut written = Vec::new();
    write_reply(&mut written, reply.clone());
    assert_eq!(read_reply(&written), Ok(reply));
});
