//! SYNC ALL, SYNC IMAGES, SYNC MEMORY.

use super::arrays::Vector;
use super::table::procedures;
use crate::process::{any_thread, enter, instance};
use std::ffi::c_int;
use xmp_coarray::front_end::sync_stores;

procedures! {
    /// SYNC MEMORY.
    fast fn sync_memory() [_: statement] {
        let image = &any_thread().image;
        if sync_stores(image) {
            return Ok(());
        }
        let _entered = enter();
        xmp_coarray::front_end::sync_memory(image)
    }

    /// SYNC ALL. With `stat` the images that are left synchronise also when others have failed.
    entered fn sync_all() [outcome: statement] {
        let image = &instance().image;
        if outcome.has_stat() {
            xmp_coarray::front_end::sync_all_active(image, &image.executing())
        } else {
            xmp_coarray::front_end::sync_all(image, &image.executing())
        }
    }

    /// SYNC IMAGES with the images of the current team in `image_set`; without it with all images.
    entered fn sync_images(image_set: Option<&Vector<c_int>>) [_: statement] {
        let image = &instance().image;
        let set = image.executing();
        match image_set.map(Vector::values) {
            None => xmp_coarray::front_end::sync_images_all(image, &set),
            Some(images) if images.is_empty() => xmp_coarray::front_end::sync_memory(image),
            Some(images) => xmp_coarray::front_end::sync_images(image, &set, &images),
        }
    }
}
