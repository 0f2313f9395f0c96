//! An image that ends instead of taking part: the others get an error, and no image hangs.

use crate::common::{elements, random};
use xmp_collectives::host::reduce::Operand;
use xmp_collectives::select::Choices;
use xmp_collectives::{Op, Reduction};
use xmp_core::image_set::ImageSet;
use xmp_core::settings::Settings;
use xmp_core::transport::threads;
use xmp_core::{Error, Image, Rank, Result};

type Collective = fn(&Image, &ImageSet) -> Result<()>;

/// Collectives that no image can leave before all have entered.
const ENTANGLED: [(&str, Collective); 5] = [
    ("barrier", |image, set| xmp_collectives::barrier(image, set)),
    ("allreduce 1", |image, set| xmp_collectives::allreduce(image, set, &mut [1.0], Op::Sum)),
    ("allreduce 30000", |image, set| {
        xmp_collectives::allreduce(image, set, &mut vec![1.0; 30_000], Op::Sum)
    }),
    ("allgather", |image, set| {
        xmp_collectives::allgather(image, set, &[1u8], &mut vec![0; set.len()])
    }),
    ("allreduce by messages", |image, set| {
        let settings = Settings::from_pairs(&[("XMP_COLL", "allreduce:messages")])?;
        let choices = Choices::from_settings(&settings)?;
        let mut data = [1.0; 5];
        let reduction = &Reduction::number::<f64>(Op::Sum);
        let operand = Operand { elements: elements(&mut data, reduction), to: None };
        xmp_collectives::reduce::reduce_with(image, set, &operand, &choices)
    }),
];

#[test]
fn an_image_that_stops_ends_the_operation_for_all() {
    for images in [2, 3, 5, 8] {
        for hosts in (1..=4).filter(|&hosts| hosts <= images) {
            for (name, collective) in ENTANGLED {
                let stops = (random(images as usize, hosts as usize, 1) % u64::from(images)) as u32;
                let outcomes = threads::run(images, hosts, |image| {
                    let set = image.executing();
                    collective(image, &set).unwrap();
                    if image.rank().get() == stops {
                        return None;
                    }
                    // Again and again: channels and collective areas stay in step after an error.
                    Some([collective(image, &set), collective(image, &set)])
                })
                .unwrap();
                for outcome in outcomes.into_iter().flatten().flatten() {
                    // An image that has returned with an error may have stopped before the next one looks.
                    assert!(
                        matches!(outcome, Err(Error::StoppedImage(_))),
                        "{name}: {images} images on {hosts} hosts, {stops} stops: {outcome:?}"
                    );
                }
            }
        }
    }
}

/// After an error over the whole set, those that are left go on in a set of their own.
#[test]
fn the_others_go_on_without_it() {
    for hosts in 1..=3 {
        let outcomes = threads::run(6, hosts, |image| {
            if image.rank().get() == 3 {
                return None;
            }
            let mut data = [1.0; 2000];
            let first = xmp_collectives::allreduce(image, &image.executing(), &mut data, Op::Sum);
            let others: Vec<Rank> = (0..6).filter(|&i| i != 3).map(Rank::new).collect();
            let members = xmp_core::image_set::Members::from_list(&others).unwrap();
            let set = image.set(members).unwrap();
            for round in 1..20 {
                let mut data = [f64::from(round); 2000];
                xmp_collectives::allreduce(image, &set, &mut data, Op::Sum).unwrap();
                assert_eq!(data, [f64::from(5 * round); 2000]);
            }
            Some(first)
        })
        .unwrap();
        for outcome in outcomes.into_iter().flatten() {
            assert_eq!(outcome, Err(Error::StoppedImage(Rank::new(3))));
        }
    }
}

/// Images that leave a broadcast or a reduction early and stop do not disturb those that are still in it.
#[test]
fn an_image_that_stops_after_its_part_disturbs_no_other() {
    for hosts in 1..=3 {
        for len in [1, 1000, 100_000] {
            let outcomes = threads::run(6, hosts, |image| {
                let set = image.executing();
                let mut data = vec![image.rank().get(); len];
                xmp_collectives::broadcast(image, &set, 2, &mut data)?;
                assert!(data.iter().all(|&x| x == 2));
                xmp_collectives::reduce(image, &set, 4, &mut data, Op::Sum)?;
                assert!(image.rank().get() != 4 || data.iter().all(|&x| x == 12));
                Ok(())
            })
            .unwrap();
            assert_eq!(outcomes, vec![Ok::<(), Error>(()); 6]);
        }
    }
}
