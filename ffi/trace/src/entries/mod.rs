//! The entry functions of `libxmprt.so` that are recorded: those that communicate, synchronise, allocate or end the
//! image. Inquiries are not. `tests/abi/not-traced` lists the others, with the reasons.

mod c;
mod gnu;
mod omni;
mod prif;
mod xmp;

/// Declares entries: the name, what it does, and how its arguments are decoded.
macro_rules! entries {
    ($($name:ident => $operation:ident, $decoder:expr;)+) => {
        $($crate::entries::entry! { stringify!($name) => $operation, $decoder })+
    };
}

/// Declares one entry, whose name is a constant text.
macro_rules! entry {
    ($name:expr => $operation:ident, $decoder:expr) => {
        const _: () = {
            static ENTRY: $crate::entry::Entry = {
                const DECODER: $crate::decode::Decoder = $decoder;
                let Ok(symbol) =
                    std::ffi::CStr::from_bytes_with_nul(concat!($name, "\0").as_bytes())
                else {
                    panic!()
                };
                $crate::entry::Entry::new(
                    symbol,
                    xmp_trace::operation::Operation::$operation,
                    &DECODER,
                )
            };

            #[unsafe(naked)]
            #[unsafe(export_name = $name)]
            extern "C" fn pass_on() {
                $crate::trampoline::pass_on!(ENTRY)
            }
        };
    };
}

use {entries, entry};
