//! Entry functions: the C functions that compilers and programs call.
//!
//! [`entries!`] declares them. Their parameters have the safe types that are passed as the ABI's raw ones are, and
//! [`decode`] makes one value of several raw arguments. So the bodies are safe code, and a fast path gets no
//! instruction more.
//!
//! | the ABI passes | parameter |
//! |---|---|
//! | the address of a value that is read | `&T`; `Option<&T>` if it may be null |
//! | the address of a result | `&Cell<T>`; `Option<&Cell<T>>` if it may be null |
//! | the address of an array descriptor | `&Descriptor` |
//! | an address and a number of elements | `*const T` and the number, `where list = decode::list(address, number)` |
//! | an address and a number of characters | the same with `decode::characters` and, to write, `decode::cells` |
//! | an argument on the stack, in a structure | [`Slot`] |
//!
//! # Contract
//!
//! The caller is a compiler, or a program that was written with the header. It passes to each function what the
//! function's parameters say: addresses of values that are there and are aligned for their types, as long as the call
//! lasts, with as many elements as the number beside an address says. No other thread writes to them during the call.
//! Tokens, handles and descriptors are those that this library or the compiler has made and that are still in use. A
//! module that demands more of its callers says so in its header. `SAFETY` comments below entry functions name this as
//! *the contract of entries*.

pub mod cfi;
pub mod collective;
pub mod decode;
pub mod elements;

/// An argument of at most eight bytes in its slot of the stack; the bytes after it are undefined.
///
/// Arguments from the seventh on are in memory, in slots of eight bytes each, and that is just how a structure of more
/// than 16 bytes is passed by value (System V ABI, 3.2.3). Declared as one they stay where they are until they are
/// needed, instead of being loaded into registers that would have to be saved first.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot<T>(pub T);

const _: () = assert!(size_of::<Slot<bool>>() == 8);

/// Declares entry functions, which [the contract](self#contract) holds for:
///
/// ```text
/// entries! {
///     /// SYNC IMAGES; `count` -1 means all images.
///     fn _gfortran_caf_sync_images(count: c_int, images: *const c_int, stat: Option<&Cell<c_int>>)
///     where images = decode::list(images, count)
///     { .. }
/// }
/// ```
///
/// What follows `where` is an `unsafe` function that is called with arguments, and the name that its value has in the
/// body. Such a function demands no more than the contract says.
#[macro_export]
macro_rules! entries {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?
        $(where $($decoded:ident = $($decoder:ident)::+($($part:ident),+)),+ $(,)?)?
        $body:block
    )+) => {$(
        // There a larger structure is passed by its address: `stack_entries!` is for these.
        #[cfg(target_arch = "aarch64")]
        const _: () = { $(assert!(size_of::<$type>() <= 16);)* };

        $(#[$attribute])*
        #[unsafe(no_mangle)]
        $visibility extern "C" fn $name($($argument: $type),*) $(-> $result)? {
            $($(
                // SAFETY: the contract of entries: the arguments that belong together are valid as the decoder demands.
                let $decoded = unsafe { $($decoder)::+($($part),+) };
            )+)?
            $body
        }
    )+};
}

pub use crate::entries;
