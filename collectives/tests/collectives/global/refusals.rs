//! Calls that one image refuses: all images that need it get its error, and the next calls are what they are.

use super::calls::{gmove, gmove_async, reflect};
use super::ending::line;
use super::model::{Part, indices, value};
use xmp_collectives::global::{Async, Plans, Shape, Width, refuse, refuse_background};
use xmp_core::global::{Format, Section, Shadow};
use xmp_core::settings::Settings;
use xmp_core::transport::threads;
use xmp_core::{Error, Image, Rank};

/// Runs `body` on images that share memory, and on hosts that share none.
fn on_hosts(body: impl Fn(&Image) + Sync) {
    for (images, hosts) in [(3, 1), (2, 2), (4, 2), (3, 3)] {
        for separate_hosts in [false, true] {
            let settings = Settings { separate_hosts, ..Settings::default() };
            threads::run_with(settings, images, hosts, &body).unwrap();
        }
    }
}

/// The error of the image that refuses, and whether this is that image.
fn guilty(image: &Image) -> (Error, bool) {
    let last = image.job().images() as u32 - 1;
    (Error::Invalid("it is the last image".into()), image.rank() == Rank::new(last))
}

/// Checks that the last image has refused a call.
fn check_refused(image: &Image, error: &Error) {
    let (own, is_guilty) = guilty(image);
    if is_guilty {
        return assert_eq!(*error, own);
    }
    let Error::Refused { image: by, lacks_memory, why } = error else { panic!("{error}") };
    assert_eq!(by.index() + 1, image.job().images());
    assert!(!lacks_memory && *why == own.to_string(), "{why}");
}

/// All images need something of all others: few bytes, many packets, and messages that are sent by rendezvous.
#[test]
fn an_exchange_that_one_image_refuses() {
    on_hosts(|image| {
        let n = image.job().images();
        let (plans, set) = (Plans::default(), image.executing());
        for element in [8, 4096] {
            let array = line(n, Format::Cyclic, Shadow::Full);
            let block = line(n, Format::Block, Shadow::NONE);
            let widths = Width::whole(&array);
            let shape = Shape { widths: &widths, orthogonal: false };
            let from = Part::new(image, array.clone(), element, true, 1);
            for turn in 0..4 {
                let (error, is_guilty) = guilty(image);
                let refuses = turn % 3 < 2;
                let reflected = if refuses && is_guilty {
                    Err(refuse(image, &set, "reflect", error))
                } else {
                    reflect(image, &set, &plans, &from.storage, shape)
                };
                match reflected {
                    Err(error) if refuses => check_refused(image, &error),
                    outcome => assert_eq!((outcome, refuses), (Ok(()), false)),
                }
                let to = Part::new(image, block.clone(), element, true, 2);
                let (left, right) = (Section::all(&block), Section::all(&array));
                let sides = (to.storage.section(&left), from.storage.section(&right));
                gmove(image, &set, &plans, sides.0, sides.1).unwrap();
                for index in indices(&block) {
                    if let Some(place) = to.place(&index) {
                        to.check(place, value(1, &index), || format!("{index:?}"));
                    }
                }
            }
        }
    });
}

/// The same in the background, several calls at once.
#[test]
fn calls_in_the_background_that_one_image_refuses() {
    on_hosts(|image| {
        let n = image.job().images();
        let (plans, set) = (Plans::default(), image.executing());
        for element in [8, 4096] {
            let array = line(n, Format::Cyclic, Shadow::NONE);
            let block = line(n, Format::Block, Shadow::NONE);
            let from = Part::new(image, array.clone(), element, true, 1);
            let to: Vec<Part<'_>> =
                (0..5).map(|_| Part::new(image, block.clone(), element, true, 2)).collect();
            let pending = Async::default();
            let (left, right) = (Section::all(&block), Section::all(&array));
            let (error, is_guilty) = guilty(image);
            for (id, to) in to.iter().enumerate() {
                if id % 3 != 0 && is_guilty {
                    check_refused(image, &refuse_background(image, &set, error.clone()));
                    continue;
                }
                let sides = (to.storage.section(&left), from.storage.section(&right));
                gmove_async(image, &set, &plans, sides.0, sides.1, pending.id(id as i64)).unwrap();
            }
            for (id, to) in to.iter().enumerate() {
                match pending.wait(id as i64) {
                    Err(error) => {
                        assert_ne!(id % 3, 0, "{error}");
                        check_refused(image, &error);
                    }
                    Ok(()) if id % 3 != 0 => assert!(is_guilty),
                    Ok(()) => {
                        for index in indices(&block) {
                            if let Some(place) = to.place(&index) {
                                to.check(place, value(1, &index), || format!("{index:?}"));
                            }
                        }
                    }
                }
            }
        }
    });
}
