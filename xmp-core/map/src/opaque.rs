//! Debugging output of trait objects.

/// Implements `Debug` for the objects of a trait: it writes the name of the trait.
///
/// With `Debug` as a supertrait, the table of each implementation would have the function for it, and so the library those of
/// everything that an implementation contains: 150 KiB that nothing executes.
#[macro_export]
macro_rules! debug_by_name {
    ($object:ident) => {
        impl ::std::fmt::Debug for dyn $object + '_ {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(stringify!($object))
            }
        }
    };
}
