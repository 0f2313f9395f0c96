use super::*;
use crate::Image;
use crate::region::{HugePagePolicy, RegionFile};
use crate::settings::Settings;
use crate::transport::Local;
use std::os::fd::AsFd;
use std::sync::Arc;

/// Four images that were assigned to two hosts in turn, as the second host has them.
fn second_host(settings: &Settings) -> Plan {
    let part = Part { images: 2, first_host: 1, hosts: 1 };
    Plan {
        geometry: Geometry::plan_part(4, 2, part, Some(1 << 26)).unwrap(),
        hosts: vec![0, 1, 0, 1],
        ..Plan::new(Geometry::plan(4, 2, None).unwrap(), Vec::new(), 2, settings)
    }
}

#[test]
fn a_region_has_the_segments_of_its_own_images() {
    let settings = Settings::default();
    let mut plan = second_host(&settings);
    let len = plan.geometry.region_len();
    let file = RegionFile::create(len, HugePagePolicy::Auto).unwrap().file;
    // Addresses apart from the regions of other tests.
    let [first, second] = [0x3200_0000_0000, 0x3300_0000_0000];
    plan.geometry.base = first;
    let made = Job::create(Region::attach(file.as_fd(), first, len).unwrap(), &plan);
    let opened = Job::open(Region::attach(file.as_fd(), second, len).unwrap()).unwrap();
    let [one, three] = [1, 3].map(Rank::new);
    for job in [&made, &opened] {
        assert_eq!(job.region_ranks(), [one, three]);
        assert!(job.segment(Rank::new(0)).is_none() && job.segment(Rank::new(2)).is_none());
        let start = job.region().start() as u64;
        let at = |rank| job.segment(rank).unwrap() as u64 - start;
        assert_eq!([at(one), at(three)], [0, 1].map(|slot| plan.geometry.segment(slot)));
    }

    let opened = Arc::new(opened);
    let transport = Box::new(Local::new(opened.clone(), three));
    let image = Image::new(opened.clone(), three, transport, settings.clone()).unwrap();
    assert_eq!((image.host(), image.one_host()), (1, false));
    assert_eq!(image.local_address(one, 8), Some(opened.segment(one).unwrap().wrapping_add(8)));
    assert_eq!(image.local_address(Rank::new(0), 8), None);
    assert_eq!(image.locate(image.own_segment().wrapping_add(5)), Some((three, 5)));
    let end = image.own_segment().wrapping_add(plan.geometry.stride as usize);
    assert_eq!(image.locate(end), None);
    assert_eq!(image.locate(opened.region().start()), None);

    let stranger = Rank::new(2);
    let transport = Box::new(Local::new(opened.clone(), stranger));
    let text = Image::new(opened, stranger, transport, settings).unwrap_err().to_string();
    assert!(text.contains("image 3"), "{text}");
}

#[test]
#[should_panic(expected = "one slot an image")]
fn a_region_has_a_slot_for_each_image_of_its_hosts() {
    let mut plan = second_host(&Settings::default());
    plan.hosts = vec![0, 0, 0, 1];
    let region = Region::anonymous(plan.geometry.region_len()).unwrap();
    Job::create(region, &plan);
}

#[test]
fn a_number_is_one_function() {
    let handlers = Handlers::default();
    let first = Handler { number: 1, run: |_, _, _| Ok(()) };
    let second = Handler {
        number: 1,
        run: |_, _, reply| {
            reply.push(1);
            Ok(())
        },
    };
    handlers.register(first).unwrap();
    handlers.register(first).unwrap();
    assert!(handlers.register(second).unwrap_err().to_string().contains("handler 1"));
    assert!(handlers.get(2).unwrap_err().to_string().contains("handler 2"));
    assert_eq!(handlers.get(1).unwrap().number, 1);
}
