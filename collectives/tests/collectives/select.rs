//! `XMP_COLL`: names are checked and used.

use xmp_collectives::select::{
    Choices, HostReduce, LeaderAllreduce, LeaderBarrier, LeaderBroadcast, Shape,
};
use xmp_core::Error;
use xmp_core::coll_area::STAGING;
use xmp_core::settings::Settings;

fn choices(value: &str) -> Result<Choices, Error> {
    let settings = Settings::from_pairs(&[("XMP_COLL", value)])?;
    Choices::from_settings(&settings)
}

#[test]
fn names_force_algorithms_of_either_level() {
    let choices = choices("allreduce:sliced,broadcast:binomial,barrier:central").unwrap();
    assert_eq!(choices.allreduce.host, Some(HostReduce::Sliced));
    assert_eq!(choices.allreduce.leaders, None);
    assert_eq!(choices.broadcast.leaders, Some(LeaderBroadcast::Binomial));
    assert_eq!(choices.reduce, Choices::default().reduce);
}

#[test]
fn both_levels_can_be_forced() {
    let choices = choices("allreduce:messages,allreduce:ring,barrier:central").unwrap();
    assert_eq!(choices.allreduce.host, Some(HostReduce::Messages));
    assert_eq!(choices.allreduce.leaders, Some(LeaderAllreduce::Ring));
    assert_eq!(choices.barrier, Some(LeaderBarrier::Central));
}

#[test]
fn unknown_names_are_errors_that_list_the_known_ones() {
    let text = choices("allreduce:fast").unwrap_err().to_string();
    assert!(text.contains("XMP_COLL") && text.contains("allreduce:fast"), "{text}");
    assert!(text.contains("sliced") && text.contains("recursive-doubling"), "{text}");
    let text = choices("sort:linear").unwrap_err().to_string();
    assert!(text.contains("sort:linear") && text.contains("allgather"), "{text}");
}

#[test]
fn what_cannot_be_is_not_forced() {
    let shape = Shape { bytes: 100, members: 4, crowded: false, chunk: STAGING };
    let choice = shape.reduce(100, true, Some(HostReduce::Slots));
    assert_ne!(choice.otherwise, HostReduce::Slots);
    let choice = shape.reduce(100, true, Some(HostReduce::Direct));
    assert!(choice.direct && choice.otherwise != HostReduce::Direct);
}
