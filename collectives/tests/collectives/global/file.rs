//! Random sections of arrays with random mappings, written to a file and read from it by all images, against the bytes
//! that a serial program writes.

use super::model::{Part, UNTOUCHED, Wanted, array, array_of, product, row, rows, value};
use crate::common::Dice;
use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::rc::Rc;
use xmp_collectives::file::{
    Access, Failure, FileGroup, How, Memory, View, Views, agree, close, is_writer, open, read_all,
    write_all,
};
use xmp_core::Image;
use xmp_core::global::{Align, Array, Format, Kind, Nodes, Order, Pick, Section, Template};
use xmp_core::settings::Settings;
use xmp_core::transport::threads;

const UPDATE: How = How { read: true, write: true, create: true, new: false, truncate: false };

/// Runs `body` on images with a collective buffer of several sizes, each with a directory of its own.
fn with_buffers(body: impl Fn(&Image, &Path) + Sync) {
    for (images, hosts) in [(1, 1), (2, 1), (2, 2), (3, 1), (4, 2), (7, 1), (8, 2)] {
        for io_buffer in [5, 64, 16 << 20] {
            let folder = tempfile::tempdir().unwrap();
            let settings = Settings { io_buffer, ..Settings::default() };
            threads::run_with(settings, images, hosts, |image| body(image, folder.path())).unwrap();
        }
    }
}

/// The indices of a section in the order of a file.
fn in_order(array: &Array, section: &Section) -> Vec<Vec<i64>> {
    let mut rows = rows(array, section);
    if array.order() == Order::C {
        return product(&rows);
    }
    rows.reverse();
    let mut all = product(&rows);
    all.iter_mut().for_each(|index| index.reverse());
    all
}

fn bytes(value: u64, element: usize) -> impl Iterator<Item = u8> {
    value.to_ne_bytes().into_iter().cycle().take(element)
}

/// Writes a section of an array, and reads it into an array of another mapping, all of it or up to the end of a shorter
/// file.
fn one(image: &Image, folder: &Path, seed: u64) {
    let dice = Dice::new(seed * 1000);
    let images = image.job().images();
    let ndims = 1 + dice.roll(3);
    let from = array(&dice, images, Wanted { ndims, shadows: false });
    let picks: Vec<Pick> = from
        .dims()
        .iter()
        .map(|dim| {
            let count = 1 + dice.roll(dim.extent() as usize) as i64;
            Pick::Row(row(&dice, dim.lower, dim.extent(), count))
        })
        .collect();
    let section = Section::new(&from, &picks).unwrap();
    let element = [1, 4, 8, 24][dice.roll(4)];
    let displacement = dice.roll(50) as i64;
    let serial = in_order(&from, &section);
    let len = serial.len() * element;
    let what = || format!("case {seed}: {from:#?} {section:?}");

    let path = folder.join(format!("file{seed}"));
    let set = image.executing();
    let file = open(image, &set, &path, UPDATE).unwrap();
    let before = vec![0xEE_u8; displacement as usize + len + 9];
    if set.position() == Some(0) {
        std::fs::write(&path, &before).unwrap();
    }
    agree(image, &set, Ok(())).unwrap();
    let part = Part::new(image, from.clone(), element, dice.roll(2) == 0, 1);
    let stored = part.storage.section(&section);
    let views = Views::parts(&set, stored).unwrap();
    let own = views.of(set.position().unwrap()).own();
    let among = FileGroup { image, set: &set, file: &file, views: &views };
    let is_writer = is_writer(&set, &from, image.rank());
    let access = Access { displacement, start: 0, len: if is_writer { own } else { 0 } };
    write_all(&among, Ok(access), &Memory::part(stored, image.rank())).unwrap();
    let mut expected = before;
    let content: Vec<u8> =
        serial.iter().flat_map(|index| bytes(value(1, index), element)).collect();
    expected[displacement as usize..][..len].copy_from_slice(&content);
    assert!(std::fs::read(&path).unwrap() == expected, "{}", what());

    // Some bytes of the section are cut off.
    let there = if dice.roll(2) == 0 { len } else { dice.roll(len) };
    agree(image, &set, Ok(())).unwrap();
    if set.position() == Some(0) {
        let end = displacement as u64 + there as u64;
        File::options().write(true).open(&path).unwrap().set_len(end).unwrap();
    }
    agree(image, &set, Ok(())).unwrap();
    let to = array_of(&dice, images, false, &section.shape(), from.order());
    let part = Part::new(image, to.clone(), element, dice.roll(2) == 0, 2);
    let section = Section::all(&to);
    let stored = part.storage.section(&section);
    let views = Views::parts(&set, stored).unwrap();
    let sequence = views.of(set.position().unwrap());
    let among = FileGroup { image, set: &set, file: &file, views: &views };
    let access = Access { displacement, start: 0, len: sequence.own() };
    let got = read_all(&among, Ok(access), &Memory::part(stored, image.rank())).unwrap();
    assert_eq!(got.len, View::new(0, sequence).before(there as i64), "{}", what());
    for (k, (index, source)) in in_order(&to, &section).iter().zip(&serial).enumerate() {
        let Some(place) = part.place(index) else { continue };
        if (k + 1) * element <= there {
            part.check(place, value(1, source), || format!("{} {index:?}", what()));
        } else if k * element >= there {
            part.check(place, value(2, index), || format!("{} after the end", what()));
        }
    }
    let own: HashSet<i64> =
        in_order(&to, &section).iter().filter_map(|index| part.place(index)).collect();
    for place in (0..part.places()).filter(|place| !own.contains(place)) {
        part.check(place, UNTOUCHED, || format!("{} in the shadow", what()));
    }
    close(image, &set, file).unwrap();
}

#[test]
fn files_are_those_of_a_serial_program() {
    with_buffers(|image, folder| (0..12).for_each(|seed| one(image, folder, seed)));
}

fn number<T>(outcome: Result<T, Failure>) -> i32 {
    match outcome {
        Err(Failure::System(number)) => number,
        Err(Failure::Runtime(error)) => panic!("{error}"),
        Ok(_) => 0,
    }
}

#[test]
fn all_images_get_the_error_of_an_image_that_cannot_open_the_file() {
    with_buffers(|image, folder| {
        let set = image.executing();
        let new = How { new: true, ..UPDATE };
        let wrong = open(image, &set, &folder.join("none/file"), UPDATE);
        assert_eq!(number(wrong), libc::ENOENT);
        assert_eq!(number(open(image, &set, folder, UPDATE)), libc::EISDIR);
        for last in [false, true] {
            // One of the images looks elsewhere.
            let who = if last { set.len() - 1 } else { 0 };
            let elsewhere = set.position() == Some(who);
            let path = folder.join(if elsewhere { "none/file" } else { "file" });
            assert_eq!(number(open(image, &set, &path, UPDATE)), libc::ENOENT);
        }
        let file = open(image, &set, &folder.join("new"), new).unwrap();
        assert_eq!(number(open(image, &set, &folder.join("new"), new)), libc::EEXIST);
        close(image, &set, file).unwrap();
        if set.len() > 1 {
            let own = folder.join(format!("of{}", set.position().unwrap().min(1)));
            std::fs::write(&own, "").unwrap();
            assert_eq!(number(open(image, &set, &own, UPDATE)), libc::ESTALE, "two files");
        }
    });
}

#[test]
fn a_full_disk_is_an_error_of_all_images() {
    with_buffers(|image, _| {
        let set = image.executing();
        let nodes = Rc::new(Nodes::row(set.members(), Order::C, Kind::Entire));
        let mut template = Template::fixed(&[(0, 99)]).unwrap();
        template.distribute(vec![Format::CyclicOf(3)], nodes).unwrap();
        let distribution = template.distribution().unwrap().clone();
        let array = Array::new(distribution, &[Align::with(0, 99, 0, 0)], &[], Order::C).unwrap();
        let part = Part::new(image, Rc::new(array), 8, false, 1);
        let section = Section::all(part.storage.array());
        let stored = part.storage.section(&section);
        let views = Views::parts(&set, stored).unwrap();
        let only_write = How { read: false, create: false, ..UPDATE };
        let file = open(image, &set, Path::new("/dev/full"), only_write).unwrap();
        let among = FileGroup { image, set: &set, file: &file, views: &views };
        let len = views.of(set.position().unwrap()).own();
        let access = Access { displacement: 0, start: 0, len };
        let memory = Memory::part(stored, image.rank());
        assert_eq!(number(write_all(&among, Ok(access), &memory)), libc::ENOSPC);
        assert_eq!(
            number(read_all(&among, Ok(access), &memory)),
            libc::EBADF,
            "not opened for reading"
        );
        close(image, &set, file).unwrap();
        let only_read = How { write: false, create: false, ..UPDATE };
        let file = open(image, &set, Path::new("/dev/zero"), only_read).unwrap();
        let among = FileGroup { image, set: &set, file: &file, views: &views };
        assert_eq!(number(write_all(&among, Ok(access), &memory)), libc::EBADF, "not for writing");
        assert_eq!(read_all(&among, Ok(access), &memory).unwrap().len, len);
        (0..part.places()).for_each(|place| part.check(place, 0, || "zeros".into()));
        close(image, &set, file).unwrap();
    });
}
