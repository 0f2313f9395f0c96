//! `XMP_CHECK=races` in programs in Rust: both lines of a race are named, and ordered accesses are no race. It runs itself as several
//! images for each case.

use std::process::{Command, ExitCode, Output};
use xmp_coarray::prelude::*;

/// Name of the case that an image executes.
const CASE: &str = "RACES_CASE";

/// The cases in which images 1 and 2 access the same elements of the last image, and nothing orders them: what each does.
const UNORDERED: [(&str, &str, &str); 11] = [
    ("put_read", "writes", "reads"),
    ("put_write", "writes", "writes"),
    ("put_fill", "writes", "writes"),
    ("put_put", "writes", "writes"),
    ("put_get", "writes", "reads"),
    ("columns", "writes", "reads"),
    ("put_slice", "writes", "reads"),
    ("get_slice_mut", "reads", "writes"),
    ("begun_sum", "writes", "reads"),
    ("sum", "writes", "writes"),
    ("broadcast", "writes", "reads"),
];

/// The same with four images.
const UNORDERED_OF_FOUR: [(&str, &str, &str); 1] = [("teams_begin", "writes", "reads")];

/// The cases in which something orders them, or the elements differ.
const ORDERED: [&str; 8] =
    ["sync_all", "sync_images", "event", "lock", "begin_sync_all", "flag", "team", "other_columns"];

fn main() -> ExitCode {
    match std::env::var(CASE) {
        Ok(case) => run(|image| play(image, &case)),
        Err(_) => {
            for (images, hosts) in [(2, 1), (4, 1), (2, 2), (4, 2)] {
                a_race_names_both_lines(images, hosts);
                ordered_accesses_are_no_race(images, hosts);
                an_element_is_named_by_the_statement_that_made_its_coarray(images, hosts);
            }
            races_are_the_exit_status_and_the_first_one_may_end_the_job();
            images_that_are_threads_refuse_the_check();
            ExitCode::SUCCESS
        }
    }
}

fn play(image: &Image, case: &str) -> Result<()> {
    let mut x = Coarray::filled(image, 12, 0.0)?; // made
    let flag = AtomicCoarray::<i64>::new(image, 1)?;
    let (event, lock) = (Event::new(image)?, Lock::new(image)?);
    let (first, second) = (image.this_image() == 1, image.this_image() == 2);
    match case {
        "put_read" if first => x.put_one(2, 3, 1.0)?, // put_read 1
        "put_read" if second => drop(x.read_one(3)?), // put_read 2
        "put_write" if first => x.put(2, 2..4, &[1.0; 2])?, // put_write 1
        "put_write" if second => x.write(3..5, &[2.0; 2])?, // put_write 2
        "put_fill" if first => x.put_one(2, 8, 1.0)?, // put_fill 1
        "put_fill" if second => x.fill(Section::every(4, ..), 2.0)?, // put_fill 2
        "put_put" if first => x.put_one(image.num_images(), 3, 1.0)?, // put_put 1
        "put_put" if second => x.put_one(image.num_images(), 3, 1.0)?, // put_put 2
        "put_get" if first => x.put_one(image.num_images(), 3, 1.0)?, // put_get 1
        "put_get" if second => drop(x.get_vec(image.num_images(), ..)?), // put_get 2
        "columns" if first => x.put(2, Section::every(4, 1..), &[1.0; 3])?, // columns 1
        "columns" if second => drop(x.read_vec(Section::every(4, 1..))?), // columns 2
        "other_columns" if first => x.put(2, Section::every(4, 1..), &[1.0; 3])?,
        "other_columns" if second => drop(x.read_vec(Section::every(4, 2..))?),
        "put_slice" if first => x.put_one(2, 0, 1.0)?, // put_slice 1
        // SAFETY: of the error that is looked for nothing becomes wrong.
        "put_slice" if second => assert_eq!(unsafe { x.local() }.len(), 12), // put_slice 2
        "get_slice_mut" if first => drop(x.get_one(2, 11)?),                 // get_slice_mut 1
        // SAFETY: as above.
        "get_slice_mut" if second => assert_eq!(unsafe { x.local_mut() }.len(), 12), // get_slice_mut 2
        "begun_sum" => {
            let sum = image.begin_co_sum(vec![1]);
            match image.this_image() {
                1 => x.put_one(2, 3, 1.0)?, // begun_sum 1
                2 => drop(x.read_one(3)?),  // begun_sum 2
                _ => {}
            }
            sum.wait()?;
        }
        "sum" | "broadcast" => {
            // SAFETY: as above. All elements are accessed here, before a synchronisation.
            let numbers = unsafe { x.local_mut() }.as_mut_ptr();
            image.sync_all()?;
            // SAFETY: as above.
            let numbers = unsafe { std::slice::from_raw_parts_mut(numbers, 12) };
            match (case, first) {
                ("sum", true) => x.put_one(2, 3, 1.0)?,       // sum 1
                ("broadcast", true) => x.put_one(2, 3, 1.0)?, // broadcast 1
                _ => {}
            }
            if case == "sum" {
                image.co_sum(numbers)?; // sum 2
            } else {
                image.co_broadcast(numbers, 2)?; // broadcast 2
            }
        }
        "teams_begin" => begin_in_two_teams(image, &x)?,
        _ => ordered(image, case, (&x, &flag, &event, &lock))?,
    }
    x.free()
}

/// Image 3 is the first one of a team with image 1 and of a team with image 2. It begins a barrier in each before it waits, so neither
/// orders what image 1 does before what image 2 does, though image 1 begins its barrier before image 2 does.
fn begin_in_two_teams(image: &Image, x: &Coarray<'_, f64>) -> Result<()> {
    let me = image.this_image();
    let [with_first, with_second] = [1, 2].map(|partner| {
        let is_member = [3, partner].contains(&me);
        image.form_team_as(1 + i64::from(!is_member), if me > 2 { 1 } else { 2 })
    });
    let (with_first, with_second) = (with_first?, with_second?);
    match me {
        1 => {
            x.put_one(4, 3, 1.0)?; // teams_begin 1
            let begun = image.on(&with_first)?.begin_sync_all()?;
            image.co_sum(&mut [0])?;
            begun.wait()
        }
        2 => {
            // Collective subroutines order nothing.
            image.co_sum(&mut [0])?;
            image.on(&with_second)?.begin_sync_all()?.wait()?;
            x.get_one(4, 3).map(drop) // teams_begin 2
        }
        3 => {
            let first = image.on(&with_first)?.begin_sync_all()?;
            let second = image.on(&with_second)?.begin_sync_all()?;
            image.co_sum(&mut [0])?;
            first.wait().and_then(|()| second.wait())
        }
        _ => image.co_sum(&mut [0]),
    }
}

/// The cases in which something orders the accesses of images 1 and 2 to element 3 of the second one.
fn ordered(
    image: &Image,
    case: &str,
    (x, flag, event, lock): (&Coarray<'_, f64>, &AtomicCoarray<'_, i64>, &Event<'_>, &Lock<'_>),
) -> Result<()> {
    let me = image.this_image();
    let put = || x.put_one(2, 3, 1.0);
    let read = || x.read_one(3).map(drop);
    match (case, me) {
        ("sync_all", 1) => put().and_then(|()| image.sync_all())?,
        ("sync_all", 2) => image.sync_all().and_then(|()| read())?,
        ("sync_all", _) => image.sync_all()?,
        ("sync_images", 1) => put().and_then(|()| image.sync_images(&[2]))?,
        ("sync_images", 2) => image.sync_images(&[1]).and_then(|()| read())?,
        ("event", 1) => put().and_then(|()| event.post(2))?,
        ("event", 2) => event.wait().and_then(|()| read())?,
        ("lock", 1 | 2) => {
            let held = lock.acquire(1)?;
            x.put_one(2, 3, 1.0)?;
            held.release()?;
        }
        ("begin_sync_all", _) => {
            if me == 1 {
                put()?;
            }
            image.begin_sync_all()?.wait()?;
            if me == 2 {
                read()?;
            }
        }
        ("flag", 1) => {
            put()?;
            image.sync_memory()?;
            flag.store(2, 0, 1)?;
        }
        ("flag", 2) => {
            while flag.load(2, 0)? == 0 {}
            image.sync_memory()?;
            read()?;
        }
        ("team", _) => {
            let team = image.form_team(1)?;
            if me == 1 {
                put()?;
            }
            image.on(&team)?.sync_all()?;
            if me == 2 {
                read()?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Runs a case as several images.
fn play_on(case: &str, images: u32, hosts: u32, settings: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("the path of this program"));
    let (images, hosts) = (images.to_string(), hosts.to_string());
    command.env(CASE, case).env("XMP_CHECK", "races");
    command.env("XMP_NUM_IMAGES", images).env("XMP_VIRTUAL_HOSTS", hosts);
    command.envs(settings.iter().copied()).output().expect("the program starts")
}

/// The place of a marked statement of this file.
fn place(mark: &str) -> String {
    let source = include_str!("races.rs");
    let ending = format!("// {mark}");
    let line = source.lines().position(|line| line.ends_with(&ending));
    format!("races.rs:{}", line.expect("a mark") + 1)
}

fn a_race_names_both_lines(images: u32, hosts: u32) {
    let of_four = UNORDERED_OF_FOUR.iter().filter(|_| images == 4);
    for &(case, one, other) in UNORDERED.iter().chain(of_four) {
        let outcome = play_on(case, images, hosts, &[]);
        let text = String::from_utf8_lossy(&outcome.stderr);
        let [first, second] = [1, 2].map(|image| place(&format!("{case} {image}")));
        let names = |line: &str, (mine, image): (&str, u32), (its, does): (&str, &str)| {
            let other = 3 - image;
            let head = format!("{mine}: image {image}: ");
            let tail = format!(" at coarray/tests/{its}, and nothing orders");
            line.contains(&head)
                && line.contains(&tail)
                && line.contains(&format!(": image {other} {does} "))
        };
        let is_found = text.lines().any(|line| {
            names(line, (&first, 1), (&second, other)) || names(line, (&second, 2), (&first, one))
        });
        let about =
            format!("{case}, {images} images on {hosts} hosts: {:?}: {text}", outcome.status);
        assert!(is_found, "{about}");
        assert_eq!(
            text.lines().filter(|line| line.contains("nothing orders")).count(),
            1,
            "{about}"
        );
        assert!(text.contains("xmp: 1 race\n"), "{about}");
        assert_eq!(outcome.status.code(), Some(1), "{about}");
    }
}

fn ordered_accesses_are_no_race(images: u32, hosts: u32) {
    for case in ORDERED {
        let outcome = play_on(case, images, hosts, &[]);
        let text = String::from_utf8_lossy(&outcome.stderr);
        assert!(
            outcome.status.success() && text.is_empty(),
            "{case}, {images} images on {hosts} hosts: {:?}: {text}",
            outcome.status
        );
    }
}

fn an_element_is_named_by_the_statement_that_made_its_coarray(images: u32, hosts: u32) {
    let outcome = play_on("put_read", images, hosts, &[]);
    let text = String::from_utf8_lossy(&outcome.stderr);
    let name = format!("element 3 of the coarray allocated at coarray/tests/{}", place("made"));
    assert!(text.contains(&name), "{images} images on {hosts} hosts: {text}");
}

fn races_are_the_exit_status_and_the_first_one_may_end_the_job() {
    let status = |settings: &[(&str, &str)]| play_on("put_read", 2, 1, settings).status.code();
    assert_eq!(status(&[("XMP_RACES_STATUS", "0")]), Some(0));
    assert_eq!(status(&[("XMP_RACES_STATUS", "7")]), Some(7));
    let first = play_on("put_read", 2, 1, &[("XMP_RACES", "first")]);
    let text = String::from_utf8_lossy(&first.stderr);
    assert!(text.contains("nothing orders") && !text.contains("xmp: 1 race"), "{text}");
    assert_eq!(first.status.code(), Some(1), "{text}");
    let missing = play_on("put_read", 2, 1, &[("XMP_RACES_IGNORE", "/no/such/file")]);
    let text = String::from_utf8_lossy(&missing.stderr);
    assert!(
        !missing.status.success() && text.contains("XMP_RACES_IGNORE: /no/such/file"),
        "{text}"
    );
}

fn images_that_are_threads_refuse_the_check() {
    // SAFETY: this program has one thread now.
    unsafe { std::env::set_var("XMP_CHECK", "races") };
    let error = run_on_threads(2, |image| image.sync_all()).expect_err("no images start");
    assert!(error.to_string().contains("XMP_CHECK=races"), "{error}");
}
