//! Extreme values and their locations.

use super::entry::{blocking, call};
use super::reduction::result_position;
use crate::c::argument::Data;
use crate::c::outcome::functions;
use crate::c::request::{RequestHandle, begin};
use crate::c::team::{TeamHandle, set_of};
use crate::c::types::Type;
use crate::process::instance;
use std::cell::Cell;
use std::ffi::{c_int, c_uint};
use xmp_collectives::Located;
use xmp_core::Result;

/// Declares searches for extreme values: for all images (`result_image` 0) or for one, and the beginning of one for all.
macro_rules! searches {
    ($($(#[$doc:meta])* $name:ident $begin:ident $is_greatest:literal;)*) => { $(
        functions! {
            $(#[$doc])*
            fn $name(
                team: TeamHandle, data: Data, locations: Data, count: usize, element: c_uint, result_image: c_int,
            ) {
                let set = set_of(team)?;
                let located = Type::of(element)?.located($is_greatest)?;
                check_locations(data, locations, count, located)?;
                let (root, image) = (result_position(&set, result_image)?, &instance().image);
                let (values, locations) = (data.start(), locations.start().cast());
                // SAFETY: the contract of entries: both have `count` entries.
                unsafe { blocking::locate(image, &set, values, locations, count, located, root) }
            }
        }

        /// Begins the same for all images.
        #[unsafe(no_mangle)]
        pub extern "C" fn $begin(
            team: TeamHandle,
            data: Data,
            locations: Data,
            count: usize,
            element: c_uint,
            request: Option<&Cell<RequestHandle>>,
        ) -> c_int {
            use super::entry::begun as raw;
            begin(stringify!($begin), request, || {
                let set = set_of(team)?;
                let located = Type::of(element)?.located($is_greatest)?;
                check_locations(data, locations, count, located)?;
                call!(locate(&set, data.start(), locations.start().cast(), count, located))
            })
        }
    )* };
}

searches! {
    /// The least values and their locations.
    xmprt_co_minloc xmprt_begin_co_minloc false;
    /// The greatest values and their locations.
    xmprt_co_maxloc xmprt_begin_co_maxloc true;
}

/// Checks `count` values and as many locations.
fn check_locations(data: Data, locations: Data, count: usize, located: Located) -> Result<()> {
    let [value, location] = [located.value_len(), size_of::<i64>()];
    data.check("data", count, value)?;
    locations.check("locations", count, location)?;
    data.apart(count * value, locations, count * location, ["data", "locations"])
}
