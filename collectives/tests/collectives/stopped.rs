//! Images that stop before, or right after, operations with a part for each image.

use crate::common::{elements, random};
use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use xmp_collectives::Parts;
use xmp_collectives::leaders::{CollCall, run_placed};
use xmp_collectives::part_buffers::{AlltoallBuffers, GatherBuffers, ScatterBuffers};
use xmp_collectives::schedules::linear;
use xmp_collectives::select::Choices;
use xmp_collectives::signature::{Kind, Signature};
use xmp_collectives::{Op, Reduction};
use xmp_core::image_set::ImageSet;
use xmp_core::settings::Settings;
use xmp_core::transport::threads;
use xmp_core::{Error, Image, Rank, Result};

/// An operation on parts of this many bytes, with this root if it has one.
type Operation = fn(&Image, &ImageSet, usize, usize, &Choices) -> Result<()>;

/// Who is sure to learn that an image has stopped.
#[derive(Clone, Copy, PartialEq)]
enum Learns {
    /// The root, which needs something of all.
    Root,
    /// All: each image needs something of all others.
    All,
    /// Those that come later in the set, which need something of it.
    Later,
    /// All, when it is the root, of which all need something.
    OfRoot,
}

const OPERATIONS: [(&str, Learns, Operation); 8] = [
    ("gather", Learns::Root, |image, set, len, root, choices| {
        gather(image, set, len, root, choices, true)
    }),
    ("gather", Learns::Root, |image, set, len, root, choices| {
        gather(image, set, len, root, choices, false)
    }),
    ("scatter", Learns::OfRoot, |image, set, len, root, choices| {
        scatter(image, set, len, root, choices, true)
    }),
    ("scatter", Learns::OfRoot, |image, set, len, root, choices| {
        scatter(image, set, len, root, choices, false)
    }),
    ("alltoall", Learns::All, |image, set, len, _, choices| {
        alltoall(image, set, len, choices, true)
    }),
    ("alltoall", Learns::All, |image, set, len, _, choices| {
        alltoall(image, set, len, choices, false)
    }),
    ("scan", Learns::Later, |image, set, len, _, choices| scan(image, set, len, choices, false)),
    ("scan", Learns::Later, |image, set, len, _, choices| scan(image, set, len, choices, true)),
];

fn gather(
    image: &Image,
    set: &ImageSet,
    len: usize,
    root: usize,
    choices: &Choices,
    equal: bool,
) -> Result<()> {
    let mine = vec![image.rank().get() as u8; len];
    let mut all = vec![0; len * set.len()];
    let (from, to) = (mine.as_ptr(), all.as_mut_ptr());
    // SAFETY: both have these lengths.
    let buffers = unsafe {
        if equal {
            GatherBuffers::equal(from, len, to)
        } else {
            GatherBuffers::new(from, len, to, Parts::Equal(len))
        }
    };
    xmp_collectives::gather::gather_with(image, set, root, &buffers, choices)?;
    let expected = set.ranks().flat_map(|rank| vec![rank.get() as u8; len]);
    assert!(set.position() != Some(root) || expected.eq(all));
    Ok(())
}

fn scatter(
    image: &Image,
    set: &ImageSet,
    len: usize,
    root: usize,
    choices: &Choices,
    equal: bool,
) -> Result<()> {
    let all: Vec<u8> = set.ranks().flat_map(|rank| vec![rank.get() as u8; len]).collect();
    let mut mine = vec![0; len];
    let (from, to) = (all.as_ptr(), mine.as_mut_ptr());
    // SAFETY: both have these lengths.
    let buffers = unsafe {
        if equal {
            ScatterBuffers::equal(from, to, len)
        } else {
            ScatterBuffers::new(from, Parts::Equal(len), to, len)
        }
    };
    xmp_collectives::scatter::scatter_with(image, set, root, &buffers, choices)?;
    assert!(mine.iter().all(|&byte| byte == image.rank().get() as u8));
    Ok(())
}

fn alltoall(
    image: &Image,
    set: &ImageSet,
    len: usize,
    choices: &Choices,
    equal: bool,
) -> Result<()> {
    let send = vec![image.rank().get() as u8; len * set.len()];
    let mut receive = vec![0; len * set.len()];
    let parts = Parts::Equal(len);
    let (from, to) = (send.as_ptr(), receive.as_mut_ptr());
    // SAFETY: both have a part for each image.
    let buffers = unsafe { AlltoallBuffers::new(from, parts, to, parts) };
    if equal {
        xmp_collectives::alltoall::alltoall_with(image, set, &buffers, choices)?;
    } else {
        xmp_collectives::alltoall::alltoallv_with(image, set, &buffers, choices)?;
    }
    assert!(set.ranks().flat_map(|rank| vec![rank.get() as u8; len]).eq(receive));
    Ok(())
}

fn scan(
    image: &Image,
    set: &ImageSet,
    len: usize,
    choices: &Choices,
    exclusive: bool,
) -> Result<()> {
    let sum = Reduction::number::<i64>(Op::Sum);
    let mut data = vec![1i64; len];
    let elements = elements(&mut data, &sum);
    let operand = xmp_collectives::host::scan::Operand { elements, exclusive };
    xmp_collectives::scan::scan_with(image, set, &operand, choices)?;
    let me = set.position().unwrap() as i64;
    let expected = if exclusive { me.max(1) } else { me + 1 };
    assert!(data.iter().all(|&x| x == expected));
    Ok(())
}

/// The choices for an operation: those of the table, by messages, and each algorithm between hosts.
fn choices(operation: &str) -> Vec<Choices> {
    let leaders: &[&str] = match operation {
        "alltoall" => &["bruck", "pairwise", "each"],
        "scan" => &["doubling"],
        _ => &["linear"],
    };
    let mut values = vec![String::new(), format!("{operation}:messages")];
    values.extend(leaders.iter().map(|name| format!("{operation}:{name}")));
    let forced = |value: String| {
        let given = |name: &str| name == "XMP_COLL" && !value.is_empty();
        let lookup = |name: &str| Ok(given(name).then(|| value.clone()));
        Choices::from_settings(&Settings::from_lookup(lookup).unwrap()).unwrap()
    };
    values.into_iter().map(forced).collect()
}

#[test]
fn images_that_need_a_stopped_image_get_an_error_and_none_hangs() {
    for images in [2, 3, 6] {
        for hosts in (1..=3).filter(|&hosts| hosts <= images) {
            for (case, (name, learns, operation)) in OPERATIONS.into_iter().enumerate() {
                for choices in choices(name) {
                    let number = random(images as usize, case, u64::from(hosts));
                    let stops = (number % u64::from(images)) as u32;
                    let len = [1, 100, 20_000][case % 3];
                    for root in [stops, (stops + 1) % images].map(|root| root as usize) {
                        let outcomes = threads::run(images, hosts, |image| {
                            let set = image.executing();
                            operation(image, &set, len, root, &choices).unwrap();
                            if image.rank().get() == stops {
                                return None;
                            }
                            // Again and again: channels and collective areas stay in step after an error.
                            let outcome = || operation(image, &set, len, root, &choices);
                            Some([outcome(), outcome()])
                        })
                        .unwrap();
                        for (position, outcomes) in outcomes.into_iter().enumerate() {
                            let sure = match learns {
                                Learns::Root => position == root,
                                Learns::All => true,
                                Learns::Later => position > stops as usize,
                                Learns::OfRoot => stops as usize == root,
                            };
                            for outcome in outcomes.into_iter().flatten() {
                                let learned = matches!(outcome, Err(Error::StoppedImage(_)));
                                assert!(
                                    learned || !sure && outcome.is_ok(),
                                    "{name} with root {root}: image {position} of {images} on \
                                     {hosts} hosts, {stops} stops: {outcome:?}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

/// An image that fails instead of taking part.
#[test]
fn images_that_need_a_failed_image_get_an_error_and_none_hangs() {
    for hosts in 1..=3 {
        for (name, learns, operation) in OPERATIONS {
            for choices in choices(name) {
                let outcomes = Mutex::new(Vec::new());
                let run = || {
                    threads::run(5, hosts, |image| {
                        let set = image.executing();
                        operation(image, &set, 100, 3, &choices).unwrap();
                        if image.rank().get() == 2 {
                            // Without the message of an unexpected panic.
                            std::panic::resume_unwind(Box::new("fails"));
                        }
                        let outcome = operation(image, &set, 100, 3, &choices);
                        outcomes.lock().unwrap().push((set.position().unwrap(), outcome));
                    })
                };
                assert!(std::panic::catch_unwind(AssertUnwindSafe(run)).is_err());
                let outcomes = outcomes.into_inner().unwrap();
                assert_eq!(outcomes.len(), 4);
                for (position, outcome) in outcomes {
                    let sure = match learns {
                        Learns::All => true,
                        Learns::Root => position == 3,
                        Learns::Later => position > 2,
                        Learns::OfRoot => false,
                    };
                    // One that has learned of it may have stopped before the next one looks.
                    let learned =
                        matches!(outcome, Err(Error::FailedImage(_) | Error::StoppedImage(_)));
                    assert!(
                        learned || !sure && outcome.is_ok(),
                        "{name}: image {position} on {hosts} hosts: {outcome:?}"
                    );
                }
            }
        }
    }
}

/// An image that stops in a gatherv: when it has said how much it and those after it give, but before it gives that.
#[test]
fn an_image_that_stops_in_a_gather_is_an_error_of_the_root() {
    for (stops, len) in [1, 2, 3, 4, 5].into_iter().flat_map(|at| [(at, 8), (at, 100_000)]) {
        let outcomes = threads::run(6, 1, |image| {
            let set = image.executing();
            let me = set.position().unwrap();
            if me != stops {
                let outcome = || gather(image, &set, len, 0, &choices("gather")[1], false);
                return Some([outcome(), outcome()]);
            }
            // The length, and the beginning of the part.
            let mut head = [me as u8; 48];
            head[..8].copy_from_slice(&(len as u64).to_ne_bytes());
            let start = head.as_mut_ptr();
            let peer = |position| set.rank_at(position).unwrap();
            let signature = Signature::of_any_parts(Kind::Gatherv).root(Some(0));
            let mut coll = CollCall::new(image, &set).signed(signature).unwrap();
            let rounds = linear::gather(6, me, 0);
            // SAFETY: 48 bytes.
            unsafe { run_placed(image, peer, rounds, |_| (start, 48), &mut coll).unwrap() };
            None
        })
        .unwrap();
        let root = outcomes[0].as_ref().unwrap();
        // A short part comes with its length.
        let has_stopped = |outcome| matches!(outcome, &Err(Error::StoppedImage(_)));
        assert_eq!(has_stopped(&root[0]), len > 40, "{len}: {root:?}");
        assert!(has_stopped(&root[1]));
    }
}

/// After an error over the whole set, those that are left go on in a set of their own.
#[test]
fn the_others_go_on_without_it() {
    for hosts in 1..=3 {
        for (name, _, operation) in OPERATIONS {
            for choices in choices(name) {
                threads::run(6, hosts, |image| {
                    if image.rank().get() == 3 {
                        return;
                    }
                    let _ = operation(image, &image.executing(), 500, 0, &choices);
                    let others: Vec<Rank> = (0..6).filter(|&i| i != 3).map(Rank::new).collect();
                    let members = xmp_core::image_set::Members::from_list(&others).unwrap();
                    let set = image.set(members).unwrap();
                    for round in 0..10 {
                        operation(image, &set, 300 * round, round % 5, &choices).unwrap();
                    }
                    xmp_collectives::barrier(image, &set).unwrap();
                })
                .unwrap();
            }
        }
    }
}

/// Images that leave early and stop do not disturb those that are still in it.
#[test]
fn an_image_that_stops_after_its_part_disturbs_no_other() {
    for hosts in 1..=3 {
        for len in [1, 1000, 100_000] {
            for (name, _, operation) in OPERATIONS {
                for choices in choices(name) {
                    let outcomes = threads::run(6, hosts, |image| {
                        let set = image.executing();
                        operation(image, &set, len, 2, &choices)
                    })
                    .unwrap();
                    assert_eq!(outcomes, vec![Ok::<(), Error>(()); 6], "{name} of {len}");
                }
            }
        }
    }
}
