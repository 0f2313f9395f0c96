//! A job, a program for it, and the statements at which images end.

use crate::dice::Dice;
use crate::program::{self, Statement, TeamRegion};
use crate::run::{Run, SharedState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use xmp_core::server::in_process::Shim;
use xmp_core::settings::{Settings, Techniques};
use xmp_core::transport::threads;

/// Longer than any program takes, on a busy machine too.
const TIME_OUT: Duration = Duration::from_secs(600);

/// How an image ends that does not come to the end of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Stops,
    Fails,
    /// In the midst of the statement, if it is one that allows that.
    FailsWithin,
}

/// A case.
#[derive(Clone, Debug)]
pub struct Case {
    pub seed: u64,
    images: u32,
    hosts: u32,
    settings: Settings,
    shim: Shim,
    /// The statement at which each image ends, if it does.
    ends: Vec<Option<(usize, End)>>,
    /// Whether an image that gets the error of a stopped one continues to its end.
    gives_up: bool,
    text: Vec<Statement>,
}

impl Case {
    /// The case that the dice with this seed give.
    pub fn new(seed: u64) -> Case {
        let dice = Dice::new(seed);
        let images = 2 + dice.roll(6) as u32;
        let hosts = 1 + dice.roll(images.min(4) as usize) as u32;
        let techniques = Techniques::NAMES.iter().filter(|_| !dice.one_of(4));
        let techniques =
            techniques.fold(Techniques::NONE, |all, (_, technique)| all.with(*technique));
        let mut coll: Vec<&str> = Vec::new();
        if dice.one_of(2) {
            coll.push(dice.pick(&[
                "barrier:central",
                "barrier:flat",
                "barrier:dissemination",
                "barrier:grouped",
            ]));
        }
        for operation in ["allreduce", "broadcast", "allgather", "alltoall", "reduce", "scan"] {
            let messages = format!("{operation}:messages").leak();
            coll.extend(dice.one_of(6).then_some(&*messages));
        }
        let coll = coll.join(",");
        let lookup = |name: &str| {
            Ok(match name {
                "XMP_COLL" if !coll.is_empty() => Some(coll.clone()),
                "XMP_CHECK" => Some(if dice.one_of(4) { "1" } else { "0" }.into()),
                "XMP_VIRTUAL_GROUPS" if dice.one_of(3) => Some("2x2".into()),
                _ => None,
            })
        };
        let mut settings = Settings { techniques, ..Settings::from_lookup(lookup).unwrap() };
        settings.separate_hosts = dice.one_of(2);
        settings.segment_size = Some(1 << 30);
        let shim = Shim {
            seed,
            delay: dice.pick(&[0, 0, 1, 2]),
            eager: dice.pick(&[64, 1 << 12, 1 << 16]),
        };
        let text = program::text(&dice, 8 + dice.roll(30));
        let len = length(&text);
        let mut ends = vec![None; images as usize];
        for _ in 0..1 + dice.roll(images as usize - 1) {
            let end = dice.pick(&[End::Stops, End::Fails, End::Fails, End::FailsWithin]);
            ends[dice.roll(images as usize)] = Some((dice.roll(len), end));
        }
        // Only failures, or only stops, in many cases.
        let only = dice.pick(&[None, None, Some(End::Fails), Some(End::Stops)]);
        if let Some(only) = only {
            ends.iter_mut().flatten().for_each(|(_, end)| *end = only);
        }
        Case { seed, images, hosts, settings, shim, ends, gives_up: dice.one_of(2), text }
    }

    /// Runs it.
    pub fn run(self) {
        let (sender, receiver) = mpsc::channel();
        let shared = Arc::new(SharedState::new(self.images as usize));
        let case = self.clone();
        let images = shared.clone();
        std::thread::spawn(move || sender.send(case.finished(&images)));
        match receiver.recv_timeout(TIME_OUT) {
            Ok(Ok(())) => {}
            Ok(Err(why)) => panic!("wrong: {why}\n{}\n{}", shared.text(), self.describe()),
            Err(_) => panic!("hangs\n{}\n{}", shared.text(), self.describe()),
        }
    }

    fn finished(&self, shared: &SharedState) -> Result<(), String> {
        let body = |image: &xmp_core::Image| {
            let dice = Dice::new(self.seed * 1000 + 7 + u64::from(image.rank().get()));
            let end = self.ends[image.rank().index()];
            let stops = |end: &(usize, End)| end.1 == End::Stops;
            let only_failures = !self.ends.iter().flatten().any(stops);
            Run { image, shared, dice: &dice, end, gives_up: self.gives_up, only_failures }
                .program(&self.text)
        };
        let (settings, images, hosts) = (self.settings.clone(), self.images, self.hosts);
        let run = || {
            if settings.separate_hosts && hosts > 1 {
                threads::run_on_hosts(settings, images, hosts, self.shim, body)
            } else {
                threads::run_with(settings, images, hosts, body)
            }
        };
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(panic) => Err(match panic.downcast::<String>() {
                Ok(text) => *text,
                Err(_) => "a panic".into(),
            }),
        }
    }

    fn describe(&self) -> String {
        let mut lines = vec![format!(
            "case {}: {} images, {} hosts, {:?}, check {}, {:?}, {:?}, groups {:?}, techniques {:?}, gives up {}",
            self.seed,
            self.images,
            self.hosts,
            self.settings.separate_hosts.then_some(self.shim),
            self.settings.check.calls,
            self.settings.collectives,
            self.ends,
            self.settings.virtual_groups,
            self.settings.techniques,
            self.gives_up
        )];
        describe(&self.text, 0, &mut lines);
        lines.join("\n")
    }
}

fn length(text: &[Statement]) -> usize {
    let inner = |statement: &Statement| match &statement.what {
        program::What::Team(region) => 1 + length(&region.body),
        _ => 0,
    };
    text.iter().map(|statement| 1 + inner(statement)).sum()
}

fn describe(text: &[Statement], depth: usize, lines: &mut Vec<String>) {
    for Statement { at, what } in text {
        let indent = "  ".repeat(depth);
        match what {
            program::What::Team(region) => {
                let TeamRegion { split, indices, synchronises, body, end } = region;
                let sync = if *synchronises { ", synchronised" } else { "" };
                lines.push(format!("{at:3} {indent}team {split:?}, indices {indices:?}{sync}"));
                describe(body, depth + 1, lines);
                lines.push(format!("{end:3} {indent}end team"));
            }
            _ => lines.push(format!("{at:3} {indent}{what:?}")),
        }
    }
}
