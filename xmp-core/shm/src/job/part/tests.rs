//! Regions within limits of memory.

use crate::job::Part;
use crate::job::page::Geometry;
use crate::region::{CapacityLimit, HUGE_PAGE, RegionCapacity};

fn plan(
    bytes: u64,
    limit: CapacityLimit,
    images: u32,
    segment: Option<u64>,
) -> Result<Geometry, String> {
    let part = Part { images, first_host: 0, hosts: 1 };
    let planned = Geometry::plan_within(RegionCapacity { bytes, limit }, images, 1, part, segment);
    planned.map_err(|error| error.to_string())
}

#[test]
fn a_region_takes_what_limits_leave() {
    for images in [1, 2, 4, 60] {
        let least = plan(1 << 45, CapacityLimit::File, images, Some(1 << 26)).unwrap().region_len();
        for bytes in [least, least + 1, 3 * least, 200 << 30] {
            let whole = plan(bytes, CapacityLimit::File, images, None).unwrap();
            assert!(whole.region_len() <= bytes);
            let half = plan(bytes, CapacityLimit::Process, images, None).unwrap();
            assert!(half.region_len() <= (bytes / 2).max(least), "{images} {bytes}");
            if whole.stride < 1 << 36 {
                // With a huge page more for each segment, and for the areas, it would not fit.
                let larger = whole.region_len() + u64::from(images + 1) * HUGE_PAGE;
                assert!(larger > bytes, "{images} {bytes}");
            }
        }
        let text = plan(least - 1, CapacityLimit::File, images, None).unwrap_err();
        assert!(text.contains("`ulimit -f`") && text.contains("share at least"), "{text}");
    }
}

#[test]
fn sizes_that_do_not_fit_are_refused_with_those_that_do() {
    let text = plan(4 << 30, CapacityLimit::File, 2, Some(3 << 30)).unwrap_err();
    assert!(text.contains("\"3G\" is not from 64M to 1820M, for 2 images"), "{text}");
    assert!(plan(4 << 30, CapacityLimit::File, 2, Some(1820 << 20)).is_ok());
    assert!(plan(4 << 30, CapacityLimit::File, 2, Some(1822 << 20)).is_err());
}

#[test]
fn the_number_of_images_that_fits_is_named() {
    for limit in [CapacityLimit::Addresses, CapacityLimit::Process] {
        for bytes in [1 << 30, 1 << 36, 1 << 45] {
            let text = plan(bytes, limit, u32::MAX, None).unwrap_err();
            let most = text.split_once("at most ").unwrap().1.split(' ').next().unwrap();
            let most: u32 = most.parse().unwrap();
            assert!(plan(bytes, limit, most, None).is_ok(), "{most}");
            assert!(plan(bytes, limit, most + 1, None).is_err(), "{most}");
        }
    }
}
