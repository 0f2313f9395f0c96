//! Statements, collectives, events, locks and atomics as programs write them, within sets of images and without.

use xmp_coarray::prelude::*;
use xmp_core::transport::threads;

fn everywhere(body: impl Fn(&Image) -> Result<()> + Sync) {
    for (images, hosts) in [(1, 1), (2, 1), (4, 1), (4, 2), (5, 2)] {
        for (k, outcome) in threads::run(images, hosts, &body).unwrap().into_iter().enumerate() {
            outcome.unwrap_or_else(|error| panic!("image {} of {images}: {error}", k + 1));
        }
    }
}

#[test]
fn collectives_take_numbers_arrays_slices_and_vectors() {
    everywhere(|image| {
        let (me, n) = (image.this_image(), image.num_images());
        let (mut one, mut array) = (me as i32, [me as f32, 1.0]);
        let (mut vector, mut slice) = (vec![me as u64; 3000], vec![-(me as f64), me as f64]);
        image.co_sum(&mut one)?;
        image.co_sum(&mut array)?;
        image.co_max(&mut vector)?;
        image.co_min(&mut slice[..])?;
        let sum = n * (n + 1) / 2;
        assert_eq!((one, array), (sum as i32, [sum as f32, n as f32]));
        assert_eq!((vector, slice), (vec![n as u64; 3000], vec![-(n as f64), 1.0]));
        let mut last = me;
        image.co_reduce_to(n, Op::Max, &mut last)?;
        assert!(me < n || last == n);
        // Not commutative: the digits of the images in order.
        let mut digits = [me as u64, 10];
        image.co_reduce(&mut digits[..1], |a, b| 10u64.pow(b.to_string().len() as u32) * a + b)?;
        assert_eq!(digits[0], 12345 / 10u64.pow(5 - n as u32));
        let mut text = *format!("image {me}").as_bytes().first_chunk::<7>().unwrap();
        image.co_broadcast(&mut text, n)?;
        assert_eq!(text, *format!("image {n}").as_bytes());
        let stranger = Err(Error::ImageIndex { index: 0, images: n });
        assert_eq!(image.co_broadcast(&mut text, 0), stranger);
        Ok(())
    });
}

#[test]
fn everything_in_a_task_counts_within_it() {
    everywhere(|image| {
        let all = image.num_images();
        let a = Coarray::<usize>::new(image, all)?;
        let (ready, lock) = (Event::new(image)?, Lock::new(image)?);
        let outer = image.this_image();
        image
            .task(Selection::strided(all, all, -1), |image| {
                // All images, in reverse.
                let me = image.this_image();
                assert_eq!(me + outer, all + 1);
                a.put_one(1, outer - 1, me)?;
                image.sync_all()?;
                if me == 1 {
                    assert_eq!(a.read_vec(..)?, (1..=all).rev().collect::<Vec<_>>());
                }
                image.task(2.., |image| {
                    let (me, n) = (image.this_image(), image.num_images());
                    let next = me % n + 1;
                    // Pairs within pairs of the inner set only, in different order from image to image.
                    for _ in 0..20 {
                        if n > 1 {
                            let before = (me + n - 2) % n + 1;
                            let mut neighbours = vec![next, before];
                            neighbours.dedup();
                            image.sync_images(&neighbours)?;
                        }
                        image.sync_images_all()?;
                        image.sync_memory()?;
                    }
                    ready.post(next)?;
                    ready.wait()?;
                    let guard = lock.acquire(1)?;
                    a.put_one(n, 0, a.get_one(n, 0)? + 1)?;
                    guard.release()?;
                    image.sync_all()?;
                    let stranger = Error::ImageIndex { index: n as i64 + 1, images: n };
                    assert_eq!(image.sync_images(&[n + 1]), Err(stranger.clone()));
                    assert_eq!(a.get_one(n + 1, 0), Err(stranger));
                    Ok(())
                })?;
                image.sync_all()
            })?
            .expect("all images execute");
        // The last of the inner set is the first of all; on one image it is the reversed set's first as well.
        assert_eq!(a.get_one(1, 0)?, (all - 1).max(1));
        assert_eq!(ready.pending()?, 0);
        image.sync_all()
    });
}

#[test]
fn pairs_meet_inside_and_outside_of_tasks() {
    everywhere(|image| {
        let (me, n) = (image.this_image(), image.num_images());
        for round in 0..10 {
            // Image 1 is in no task and meets image 2 when that is outside of them.
            image.task(2.., |image| match image.num_images() {
                1 => Ok(()),
                inner => image.sync_images(&[inner + 1 - image.this_image()]),
            })?;
            match me {
                1 if n > 1 => image.sync_images(&[2])?,
                2 => image.sync_images(&[1])?,
                _ => {}
            }
            if round % 3 == 0 {
                image.sync_all()?;
            }
        }
        Ok(())
    });
}

#[test]
fn events_count_their_posts() {
    everywhere(|image| {
        let (me, n) = (image.this_image(), image.num_images());
        let event = Event::new(image)?;
        for index in 1..=n {
            event.post(index)?;
            event.post(index)?;
        }
        // It takes no post off, nor waits.
        let error = event.wait_for(0).expect_err("0 posts are an error");
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.to_string().contains("a wait for 0 posts"), "{error}");
        event.wait_for(2 * n as u64 - 1)?;
        event.wait()?;
        assert_eq!(event.pending()?, 0);
        image.sync_all()?;
        event.post(me)?;
        assert_eq!(event.pending()?, 1);
        assert_eq!(event.post(n + 1), Err(Error::ImageIndex { index: n as i64 + 1, images: n }));
        event.free()
    });
}

#[test]
fn locks_exclude_and_are_released_with_their_guards() {
    everywhere(|image| {
        let (lock, sum) = (Lock::new(image)?, Coarray::<u64>::new(image, 1)?);
        for k in 0..50 {
            let _guard = match k % 2 {
                0 => lock.acquire(1)?,
                _ => loop {
                    if let Some(guard) = lock.try_acquire(1)? {
                        break guard;
                    }
                    std::thread::yield_now();
                },
            };
            assert_eq!(lock.acquire(1).map(drop), Err(Error::Locked));
            sum.put_one(1, 0, sum.get_one(1, 0)? + 1)?;
        }
        image.sync_all()?;
        assert_eq!(sum.get_one(1, 0)?, 50 * image.num_images() as u64);
        // All images may hold their own locks at the same time.
        let own = lock.acquire(image.this_image())?;
        assert!(!own.is_from_failed_image());
        image.sync_all()?;
        own.release()?;
        lock.free()
    });
}

#[test]
fn atomics_are_whole() {
    everywhere(|image| {
        let (me, n) = (image.this_image(), image.num_images());
        let narrow = AtomicCoarray::<i32>::new(image, 3)?;
        let wide = AtomicCoarray::<u64>::new(image, 2)?;
        for _ in 0..100 {
            narrow.fetch_add(1, 2, -1)?;
            wide.fetch_xor(n, 1, 1 << me)?;
        }
        wide.fetch_or(1, 0, 1 << me)?;
        image.sync_all()?;
        assert_eq!(narrow.load(1, 2)?, -100 * n as i32);
        assert_eq!((wide.load(n, 1)?, wide.load(1, 0)?), (0, (2 << n) - 2));
        image.sync_all()?;
        wide.fetch_and(1, 0, !(1 << me))?;
        // One image is the first.
        let mut first = u32::from(narrow.compare_exchange(1, 0, 0, me as i32)?.is_ok());
        image.co_sum(&mut first)?;
        assert_eq!((first, wide.load(1, 0)?), (1, 0));
        image.sync_all()?;
        narrow.store(me, 1, i32::MIN)?;
        assert_eq!(narrow.swap(me, 1, 4)?, i32::MIN);
        assert_eq!(narrow.compare_exchange(me, 1, 5, 6)?, Err(4));
        assert_eq!(narrow.load(me, 1)?, 4);
        let outside = Error::OutOfBounds { from: 12, to: 16, size: 12 };
        assert_eq!(narrow.load(me, 3), Err(outside));
        narrow.free()
    });
}

/// The bits of a narrow number are compared, and not those of a wide one with its sign.
#[test]
fn a_negative_number_of_4_bytes_is_exchanged() {
    run_on_threads(1, |image| {
        let numbers = AtomicCoarray::<i32>::new(image, 1)?;
        numbers.store(1, 0, -3)?;
        assert_eq!(numbers.compare_exchange(1, 0, -3, -4)?, Ok(-3));
        assert_eq!(numbers.compare_exchange(1, 0, -3, -5)?, Err(-4));
        assert_eq!(numbers.load(1, 0)?, -4);
        numbers.free()
    })
    .unwrap();
}
