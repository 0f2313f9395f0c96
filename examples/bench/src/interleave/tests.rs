//! No process is started and no time passes: [`Scripted`] plays the programs, and a row named `hang` is a time-out.

use super::*;
use crate::peers::{Binaries, Kind, Launcher, Peer};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// Plays a peer's programs. Of the benchmark, row `hang` times out, `die` ends it with status 9, `lie` gives a wrong
/// result, `mute` tells no time, `fresh` reads what nothing has written, and the others take 1 microsecond. A program of
/// its own prints its argument as its time, and times out from 3 on.
#[derive(Default)]
struct Scripted {
    /// The first argument of each program started.
    started: Vec<String>,
}

impl Launch for Scripted {
    fn run(&mut self, command: &mut Command, _: Limits, on_line: &mut dyn FnMut(&str)) -> Ending {
        let argument = command.get_args().next().and_then(|text| text.to_str()).unwrap();
        self.started.push(argument.to_owned());
        if command.get_program() == "own" {
            if argument.parse::<u32>().unwrap() >= 3 {
                return Ending::TimedOut;
            }
            on_line(&format!("took {argument}"));
            return Ending::Success;
        }
        for item in argument.split(',') {
            let (name, size) = item.split_once(':').unwrap();
            on_line(&format!("begin,{name},{size}"));
            match name {
                "hang" => return Ending::TimedOut,
                "die" => return Ending::Failed("exit status 9: oops".to_owned()),
                "mute" => (),
                _ => on_line(&format!("{name},{size},1.0")),
            }
            if name == "lie" {
                on_line(&format!("wrong,{name},{size}"));
            }
            if name == "fresh" {
                on_line(&format!("unwritten,{name},{size}"));
            }
        }
        on_line("end");
        Ending::Success
    }
}

fn contestants() -> [Contestant; 1] {
    let launcher = Launcher::Environment("IMAGES");
    let (id, kind) = ("p", Kind::CafShmem);
    let peer = Peer { id, title: id, kind, compiler: None, fortran: None, launcher };
    let group = Ok(PathBuf::from("group"));
    let binaries = Binaries::only(PathBuf::from("bench"))
        .with("own", Ok(PathBuf::from("own")))
        .with("g", group)
        .with("broken", Err("no such type".to_owned()));
    [Contestant { peer, binaries }]
}

fn pace(repetitions: u32) -> Pace {
    let silence = Duration::from_secs(30);
    Pace { repetitions, batch_milliseconds: 1, silence, until: None, patience: None }
}

fn bench(images: u32, names: &[&str]) -> Leg {
    let rows = vec![names.iter().map(|name| RowKey::new(name, 8)).collect()];
    Leg { images, group: "g", how: How::Bench, rows }
}

/// The values, and the first argument of each program that was started.
fn measured(legs: &[Leg], pace: &Pace) -> (Samples, Vec<String>) {
    let mut samples = Samples::default();
    let mut scripted = Scripted::default();
    let bar = ProgressBar::hidden();
    run_all_by(&mut scripted, &contestants(), legs, pace, &bar, &mut samples);
    assert!(pace.until.is_some() || bar.position() == steps(legs, pace));
    (samples, scripted.started)
}

#[test]
fn a_contestant_that_is_too_slow_gets_no_longer_run() {
    let rows: Vec<RowKey> = [1, 3, 5].map(|size| RowKey::new("a", size)).into();
    let program = |row: &RowKey, _: Kind| OwnProgram {
        name: "own",
        arguments: vec![["1", "3", "5"][row.size as usize / 2]],
        time: |line| line.strip_prefix("took ")?.parse().ok(),
    };
    let how = How::Programs(program);
    let legs = [2, 4].map(|images| Leg { images, group: "g", how, rows: vec![rows.clone()] });
    let (samples, started) = measured(&legs, &pace(2));
    // Size 3 timed out once, so neither size 5 nor more images were tried.
    assert_eq!(started, ["1", "3", "1", "1", "1"]);
    for images in [2, 4] {
        let cell = |row: usize| samples.get(images, &rows[row], "p").unwrap();
        assert_eq!(cell(0).summary().unwrap().median, 1.0);
        assert_eq!(cell(1).trouble, Some(Trouble::TimedOut));
        assert_eq!(cell(2).trouble, Some(Trouble::TimedOut));
    }
}

#[test]
fn a_group_is_measured_by_the_program_of_its_name() {
    let leg = |group| {
        let rows = vec![vec![RowKey::new("a", 8)]];
        Leg { images: 2, group, how: How::Group, rows }
    };
    let (samples, started) = measured(&[leg("g")], &pace(1));
    assert_eq!(started, ["a:8"]);
    assert_eq!(samples.summary(2, &RowKey::new("a", 8), "p").unwrap().median, 1.0);
    for (group, reason) in [("broken", "no such type"), ("none", "has no program none")] {
        let (samples, started) = measured(&[leg(group)], &pace(1));
        assert!(started.is_empty());
        let failed = Trouble::Failed(reason.to_owned());
        assert_eq!(samples.get(2, &RowKey::new("a", 8), "p").unwrap().trouble, Some(failed));
    }
}

#[test]
fn a_row_that_a_program_tells_no_time_of_is_a_trouble() {
    let (samples, started) = measured(&[bench(2, &["a", "mute", "b"])], &pace(2));
    assert_eq!(started, ["a:8,mute:8,b:8", "a:8,b:8"]);
    let cell = |name| samples.get(2, &RowKey::new(name, 8), "p").unwrap();
    assert_eq!(cell("mute").trouble, Some(Trouble::Failed("told no time".to_owned())));
    assert_eq!(cell("a").values.len(), 2);
    assert_eq!(cell("b").values.len(), 2);
}

#[test]
fn nothing_is_begun_when_time_is_over() {
    let pace = Pace { until: Some(Instant::now()), ..pace(2) };
    let (samples, started) = measured(&[bench(2, &["a"])], &pace);
    assert!(started.is_empty());
    assert_eq!(samples.repetitions_when_cut_short(), Some(0));
    assert!(samples.get(2, &RowKey::new("a", 8), "p").is_none());
}

#[test]
fn peers_are_waited_for_less_long_than_ours() {
    let [silence, least] = [30, 3].map(Duration::from_secs);
    let patience = Some(Patience { silence: Duration::from_secs(5), least, times: 20 });
    let pace = Pace { silence, patience, ..pace(1) };
    assert_eq!(pace.silence_of(Kind::Ours), silence);
    assert_eq!(pace.silence_of(Kind::RawMpi), Duration::from_secs(5));
    assert_eq!(pace.whole_of(Kind::Technique, Some(1.0)), silence);
    let whole = |fastest| pace.whole_of(Kind::OpenCoarrays, fastest);
    assert_eq!(whole(None), silence);
    assert_eq!(whole(Some(1e3)), least);
    assert_eq!(whole(Some(1e6)), Duration::from_secs(20));
    assert_eq!(whole(Some(2e6)), silence);
    assert_eq!(whole(Some(1e300)), silence);
    let pace = Pace { patience: None, ..pace };
    assert_eq!(pace.silence_of(Kind::RawMpi), silence);
    assert_eq!(pace.whole_of(Kind::RawMpi, Some(1.0)), silence);
}

#[test]
fn rows_of_a_peer_that_hung_are_not_tried_with_more_images() {
    let [silence, least] = [5, 3].map(Duration::from_secs);
    let patience = Some(Patience { silence, least, times: 20 });
    let legs = [2, 4].map(|images| bench(images, &["hang", "a"]));
    let (samples, started) = measured(&legs, &Pace { patience, ..pace(1) });
    assert_eq!(started, ["hang:8,a:8", "a:8", "a:8"]);
    for images in [2, 4] {
        let hung = samples.get(images, &RowKey::new("hang", 8), "p").unwrap();
        assert_eq!(hung.trouble, Some(Trouble::TimedOut));
        assert!(samples.summary(images, &RowKey::new("a", 8), "p").is_some());
    }
}

#[test]
fn a_failing_row_is_abandoned_and_the_others_continue() {
    let names = ["a", "hang", "b", "die", "lie", "c", "fresh"];
    let (samples, _) = measured(&[bench(2, &names)], &pace(2));
    let cell = |index: usize| samples.get(2, &RowKey::new(names[index], 8), "p").unwrap();
    for good in [0, 2, 5] {
        assert_eq!(cell(good).summary().unwrap().count, 2, "{}", names[good]);
    }
    assert_eq!(cell(1).trouble, Some(Trouble::TimedOut));
    assert!(matches!(&cell(3).trouble, Some(Trouble::Failed(why)) if why.contains("oops")));
    assert_eq!(cell(4).trouble, Some(Trouble::Wrong));
    assert_eq!(cell(4).summary(), None);
    assert_eq!(cell(6).trouble, Some(Trouble::Unwritten));
    assert_eq!(cell(6).summary(), None);
}
