//! Typed coarrays: what is put is what is got, on one host and across hosts, and what does not fit is refused.

use xmp_coarray::prelude::*;
use xmp_core::transport::threads;

/// On several numbers of images and hosts.
fn everywhere(body: impl Fn(&Image) -> Result<()> + Sync) {
    for (images, hosts) in [(1, 1), (2, 1), (3, 1), (2, 2), (4, 2)] {
        for (k, outcome) in threads::run(images, hosts, &body).unwrap().into_iter().enumerate() {
            outcome.unwrap_or_else(|error| panic!("image {} of {images}: {error}", k + 1));
        }
    }
}

fn right(image: &Image) -> usize {
    image.this_image() % image.num_images() + 1
}

fn left(image: &Image) -> usize {
    (image.this_image() + image.num_images() - 2) % image.num_images() + 1
}

#[test]
fn failed_calls_have_their_place_and_operation() {
    everywhere(|image| {
        let (numbers, ready) = (Coarray::<u32>::new(image, 3)?, Event::new(image)?);
        let failed = |error: Error, operation: &str, line: u32| {
            let call = image.failed_call(&error).expect("it was noted");
            assert_eq!((call.operation, call.place.line()), (operation, line));
            assert!(call.place.file().ends_with("typed_access.rs"));
            // Another error than the last one has no place.
            assert!(image.failed_call(&error).is_none());
        };
        let (error, line) = (numbers.put_one(1, 3, 0).unwrap_err(), line!());
        failed(error, "put", line);
        let (error, line) = (numbers.get_vec(99, ..).unwrap_err(), line!());
        failed(error, "get", line);
        let (error, line) = (ready.post(99).unwrap_err(), line!());
        failed(error, "event post", line);
        let (error, line) = (image.sync_images(&[99]).unwrap_err(), line!());
        failed(error, "sync_images", line);
        Ok(())
    });
}

#[test]
fn new_coarrays_are_what_they_are_said_to_be() {
    everywhere(|image| {
        for _ in 0..3 {
            // The second time on memory that was in use.
            let (me, other) = (image.this_image(), right(image));
            let zeros = Coarray::<[i16; 3]>::new(image, 50)?;
            let same = Coarray::filled(image, 7, 1.5)?;
            let own = Coarray::from_fn(image, 9, |k| (k * me) as u8)?;
            assert_eq!((zeros.len(), same.len(), own.is_empty()), (50, 7, false));
            assert_eq!(zeros.get_vec(other, ..)?, [[0; 3]; 50]);
            assert_eq!(same.get_vec(other, ..)?, [1.5; 7]);
            assert_eq!(own.get_one(other, 8)?, (8 * other) as u8);
            image.sync_all()?;
            zeros.fill(.., [-1; 3])?;
            same.free()?;
            zeros.free()?;
            own.free()?;
        }
        assert_eq!(image.memory().usage()[0].0, 0);
        Ok(())
    });
}

#[test]
fn sections_of_every_kind_go_both_ways() {
    // A matrix of 5 rows of 6.
    let sections: Vec<(Section, Vec<usize>)> = vec![
        (Section::from(..), (0..30).collect()),
        (Section::from(4..4), vec![]),
        (Section::from(30..), vec![]),
        (Section::from(7..9), vec![7, 8]),
        (Section::from(28..), vec![28, 29]),
        (Section::from(..=3), vec![0, 1, 2, 3]),
        (Section::every(6, 2..), vec![2, 8, 14, 20, 26]),
        (Section::every(7, 0..=21), vec![0, 7, 14, 21]),
        (Section::strided(29, 4, -3), vec![29, 26, 23, 20]),
        (Section::from(8..10).repeated(3, 6), vec![8, 9, 14, 15, 20, 21]),
        (Section::strided(26, 2, -12).repeated(2, -1), vec![26, 14, 25, 13]),
        (Section::from(0..2).repeated(2, 2).repeated(2, 18), vec![0, 1, 2, 3, 18, 19, 20, 21]),
    ];
    everywhere(|image| {
        let me = image.this_image();
        let a = Coarray::new(image, 30)?;
        for (section, indices) in &sections {
            let values: Vec<usize> = indices.iter().map(|k| 1000 * me + k).collect();
            a.fill(.., 0)?;
            image.sync_all()?;
            a.put(right(image), section.clone(), &values)?;
            image.sync_all()?;
            let mut expected = [0; 30];
            indices.iter().for_each(|&k| expected[k] = 1000 * left(image) + k);
            assert_eq!(a.read_vec(..)?, expected, "{section:?}");
            // And back.
            assert_eq!(a.get_vec(right(image), section.clone())?, values, "{section:?}");
            let mut got = vec![0; values.len()];
            a.get(right(image), section.clone(), &mut got)?;
            assert_eq!(got, values, "{section:?}");
            image.sync_all()?;
        }
        a.free()
    });
}

#[test]
fn local_access_is_access_to_the_own_part() {
    everywhere(|image| {
        let me = image.this_image();
        let mut a = Coarray::new(image, 6)?;
        a.write(1..3, &[me, 2 * me])?;
        a.write_one(5, 7)?;
        a.fill(Section::every(4, ..), 9)?;
        // SAFETY: no other image accesses the elements before the next synchronisation.
        assert_eq!(unsafe { a.local() }, [9, me, 2 * me, 0, 9, 7]);
        // SAFETY: no other image accesses the elements before the next synchronisation.
        unsafe { a.local_mut() }.reverse();
        let mut middle = [0; 2];
        a.read(2..4, &mut middle)?;
        assert_eq!((middle, a.read_one(4)?), ([0, 2 * me], me));
        image.sync_all()?;
        assert_eq!(a.get_one(right(image), 4)?, right(image));
        a.free()
    });
}

/// ThreadSanitizer runs this test, too (`./x test --deep`): it reports plain copies.
#[test]
fn images_that_race_read_a_mixture_of_the_bytes_written() {
    run_on_threads(3, |image| {
        let a = Coarray::<[u64; 5]>::new(image, 40)?;
        let columns = Section::from(0..3).repeated(4, 10);
        for k in 0..200 {
            if image.this_image() == 2 {
                a.put_one(1, 7, [k; 5])?;
                a.put(1, 4..30, &[[k; 5]; 26])?;
                a.put(1, columns.clone(), &[[k; 5]; 12])?;
            } else {
                let mut read = a.get_vec(1, ..)?;
                read.push(a.get_one(1, 7)?);
                read.extend(a.get_vec(1, columns.clone())?);
                assert!(read.iter().flatten().all(|&word| word < 256), "{read:?}");
                a.fill(8..12, [k; 5])?;
            }
        }
        image.sync_all()?;
        a.free()
    })
    .unwrap();
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    run_on_threads(2, |image| {
        let a = Coarray::filled(image, 10, 5i32)?;
        let outside = |from, to| Err(Error::OutOfBounds { from, to, size: 40 });
        assert_eq!(a.put(1, 8..12, &[1; 4]), outside(32, 48));
        assert_eq!(a.get_one(2, 10), outside(40, 44).map(|()| 0));
        assert_eq!(a.put(2, 11.., &[]), outside(44, 44));
        assert_eq!(a.put(2, Section::every(5, 0..11), &[1; 3]), outside(0, 44));
        assert_eq!(a.put(2, Section::strided(2, 4, -1), &[1; 4]), outside(-4, 12));
        assert_eq!(a.put(2, Section::from(8..10).repeated(2, 2), &[1; 4]), outside(32, 48));
        assert!(matches!(a.get_vec(1, ..1 << 50), Err(Error::OutOfBounds { .. })));
        assert!(matches!(a.get_one(1, usize::MAX), Err(Error::OutOfBounds { .. })));
        let huge = Section::strided(0, 1 << 40, 1 << 40);
        assert!(matches!(a.put(1, huge.repeated(1 << 40, 1), &[1]), Err(Error::SizeOverflow(_))));
        for index in [0, 3, usize::MAX] {
            let shown = i64::try_from(index).unwrap_or(i64::MAX);
            let bad = Err(Error::ImageIndex { index: shown, images: 2 });
            assert_eq!(a.put(index, .., &[1; 10]), bad);
            assert_eq!(a.get_one(index, 0), bad.map(|()| 0));
        }
        let text = |outcome: Result<()>| outcome.unwrap_err().to_string();
        assert_eq!(text(a.put(1, 2..5, &[1; 4])), "4 values for a section of 3 elements");
        assert_eq!(
            text(a.put(1, Section::every(2, ..), &[1])),
            "1 value for a section of 5 elements"
        );
        let twice = "a section with 2 times the same elements: a step of 0";
        assert_eq!(text(a.put(1, Section::strided(0, 2, 0), &[1, 2])), twice);
        assert_eq!(text(a.put(1, Section::every(0, 3..5), &[1, 2])), twice);
        assert_eq!(text(a.get(1, Section::every(0, 3..5), &mut [1, 2])), twice);
        image.sync_all()?;
        assert_eq!(a.read_vec(..)?, [5; 10]);
        a.free()
    })
    .unwrap();
}
