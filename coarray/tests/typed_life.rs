//! Making, freeing and dropping what all images have together.

use xmp_coarray::prelude::*;
use xmp_core::transport::threads;

fn in_use(image: &Image) -> u64 {
    image.memory().usage()[0].0
}

#[test]
fn memory_that_is_freed_is_there_again_and_what_is_dropped_is_not() {
    run_on_threads(3, |image| {
        for _ in 0..50 {
            let (a, b) = (Coarray::<f64>::new(image, 1000)?, Event::new(image)?);
            let (c, d) = (AtomicCoarray::<u32>::new(image, 3)?, Lock::new(image)?);
            b.free()?;
            a.free()?;
            d.free()?;
            c.free()?;
        }
        assert_eq!(in_use(image), 0);
        // Dropped on some images early, while others access it.
        let dropped = Coarray::filled(image, 8, image.this_image())?;
        if image.this_image() == 1 {
            {
                let _gone = dropped;
            }
            let next = Coarray::<usize>::new(image, 8)?;
            next.free()?;
        } else {
            let next = Coarray::<usize>::new(image, 8)?;
            assert_eq!(dropped.get_vec(1, ..)?, [1; 8]);
            next.free()?;
        }
        assert_eq!(in_use(image), 64);
        Ok(())
    })
    .unwrap();
}

#[test]
fn what_cannot_be_had_is_an_error_on_all_images_and_leaves_no_trace() {
    run_on_threads(2, |image| {
        let huge = Coarray::<u8>::new(image, 1 << 60);
        assert!(matches!(huge, Err(Error::OutOfMemory { .. })), "{huge:?}");
        let more = Coarray::<u64>::new(image, 1 << 62);
        assert!(matches!(more, Err(Error::SizeOverflow(_))), "{more:?}");
        assert_eq!(in_use(image), 0);
        // An image that alone has no room reports that to the others.
        let room = 700 << 20;
        let taken = match image.this_image() {
            1 => Some(image.memory().allocate_local(room, 64)?),
            _ => None,
        };
        let half = Coarray::<u8>::new(image, 100 << 20).unwrap_err();
        match taken {
            Some(_) => assert!(matches!(half, Error::OutOfMemory { .. })),
            None => {
                assert_eq!(half.to_string(), "image 1 has no room for a coarray of 104857600 bytes")
            }
        }
        assert_eq!(in_use(image), 0);
        Coarray::<u8>::new(image, 100)?.free()
    })
    .unwrap();
}

#[test]
fn images_that_do_not_agree_get_an_error() {
    run_on_threads(2, |image| {
        let me = image.this_image();
        let different = Coarray::<u32>::new(image, 10 * me).unwrap_err().to_string();
        assert_eq!(different, "image 1 allocates 40 bytes, image 2 80 bytes");
        let (a, b) = (Coarray::<u32>::new(image, 5)?, Coarray::<u32>::new(image, 5)?);
        let (first, second) = if me == 1 { (a, b) } else { (b, a) };
        let crossed =
            Err(Error::Invalid("image 1 and image 2 do not free the same coarray".into()));
        assert_eq!(first.free(), crossed);
        assert_eq!(second.free(), crossed);
        Ok(())
    })
    .unwrap();
}

/// As many bytes of another type are other values, and were not noticed.
#[test]
fn images_that_make_coarrays_of_different_types_get_an_error() {
    run_on_threads(3, |image| {
        let text = "of elements of different types";
        let is_second = image.this_image() == 2;
        let wrong = |made: Result<()>| {
            let error = made.unwrap_err().to_string();
            assert_eq!(error, format!("image 1 and image 2 allocate a coarray {text}"));
        };
        wrong(if is_second {
            Coarray::<f32>::new(image, 4).map(drop)
        } else {
            Coarray::<u32>::new(image, 4).map(drop)
        });
        wrong(if is_second {
            Coarray::filled(image, 4, 1i64).map(drop)
        } else {
            Coarray::filled(image, 4, 1u64).map(drop)
        });
        wrong(if is_second { Lock::new(image).map(drop) } else { Event::new(image).map(drop) });
        Coarray::<f32>::new(image, 4)?.free()
    })
    .unwrap();
}

#[test]
fn a_part_of_the_images_makes_and_frees_by_itself() {
    run_on_threads(3, |image| {
        let all = Coarray::filled(image, 5, 7u32)?;
        image.task(2..=3, |image| {
            let me = image.this_image() as u32;
            let some = Coarray::filled(image, 5, me)?;
            assert_eq!((some.get_one(3 - me as usize, 0)?, all.get_one(1, 0)?), (3 - me, 7));
            some.free()?;
            // Freed at the end.
            Coarray::<u32>::new(image, 100).map(drop)
        })?;
        assert_eq!(image.memory().usage()[2].0, 0);
        all.free()
    })
    .unwrap();
}

#[test]
fn an_image_that_ends_early_is_an_error_for_those_that_need_it() {
    let outcomes = threads::run(2, 1, |image| {
        let a = Coarray::<u32>::new(image, 5)?;
        if image.this_image() == 2 {
            return Err(Error::Invalid("had enough".into()));
        }
        a.free()
    });
    let stopped = xmp_core::Rank::new(1);
    assert_eq!(
        outcomes.unwrap(),
        [Err(Error::StoppedImage(stopped)), Err(Error::Invalid("had enough".into()))]
    );
    let cause = run_on_threads(2, |image| match image.this_image() {
        1 => image.sync_all(),
        _ => Err(Error::Invalid("had enough".into())),
    });
    assert_eq!(cause, Err(Error::Invalid("had enough".into())));
}
