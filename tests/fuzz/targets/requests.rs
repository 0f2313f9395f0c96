//! Requests from other hosts: any bytes are read or refused, and what is read is read again from what it is written as.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xmp_core::server::wire::{Action, RemoteLayout, Request, read_request, write_request};

fuzz_target!(|bytes: &[u8]| {
    let Ok((head, request)) = read_request(bytes) else { return };
    match &request {
        Request::Put { to: RemoteLayout::Runs(runs), data } => assert_eq!(runs.total(), data.size()),
        Request::Get { from: RemoteLayout::Runs(runs) } => {
            assert_eq!(runs.iter().count() as u64, runs.count());
        }
        Request::Atomic { action: Action::Merged { members, .. }, .. } => {
            assert_eq!(members.iter().count() as u64, members.count());
        }
        Request::States(changes) => assert!(changes.iter().count() <= bytes.len()),
        _ => {}
    }
    let mut written = Vec::new();
    write_request(&mut written, head, &request);
    assert_eq!(read_request(&written), Ok((head, request)));
});
