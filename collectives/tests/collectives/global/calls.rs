//! Operations that are prepared and executed by one call, at once or in the background.

use xmp_collectives::Reduction;
use xmp_collectives::global::{
    AsyncId, Plans, Shape, Storage, StoredSection, begin, prepare_gmove, prepare_reduce_shadow,
    prepare_reflect, run,
};
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Defines both calls of an operation.
macro_rules! calls {
    ($($name:ident, $in_background:ident, $prepare:ident($($argument:ident: $type:ty),*);)*) => { $(
        pub fn $name(image: &Image, set: &ImageSet, plans: &Plans, $($argument: $type),*) -> Result<()> {
            run(image, set, &$prepare(image, set, plans, $($argument),*)?)
        }

        pub fn $in_background<'i>(
            image: &'i Image,
            set: &ImageSet,
            plans: &Plans,
            $($argument: $type,)*
            id: AsyncId<'_, 'i>,
        ) -> Result<()> {
            begin(image, set, id, $prepare(image, set, plans, $($argument),*)?)
        }
    )* };
}
calls! {
    gmove, gmove_async, prepare_gmove(left: StoredSection<'_>, right: StoredSection<'_>);
    reflect, reflect_async, prepare_reflect(storage: &Storage, shape: Shape<'_>);
    reduce_shadow, reduce_shadow_async,
        prepare_reduce_shadow(storage: &Storage, shape: Shape<'_>, reduction: &Reduction<'static>);
}
