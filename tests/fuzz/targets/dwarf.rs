//! Types in the debugging information of a program: any file has an answer or none.

#![no_main]

use libfuzzer_sys::fuzz_target;
use object::{Object, ObjectSymbol};

#[path = "../../../ffi/src/gnu/debug/types.rs"]
mod types;

/// Functions of a file that are asked for.
const FUNCTIONS: usize = 16;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = object::File::parse(bytes) else { return };
    let symbols = file.symbols().chain(file.dynamic_symbols());
    let addresses = symbols.map(|symbol| symbol.address()).filter(|&address| address != 0);
    for address in addresses.take(FUNCTIONS).chain([0]) {
        let _ = types::returned_by(bytes, address);
        let _ = types::wide_real_at(bytes, address);
    }
});
