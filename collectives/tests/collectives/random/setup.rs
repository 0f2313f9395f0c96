//! The job that a program runs on.

use super::program::{self, End};
use crate::common::Dice;
use crate::without_area::use_up_areas;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;
use xmp_collectives::select::{
    HostMove, HostReduce, HostScan, LeaderAllgather, LeaderAllreduce, LeaderAlltoall,
    LeaderBroadcast, LeaderReduce, LeaderScan, LeaderTree, Named,
};
use xmp_core::settings::{Settings, Techniques};
use xmp_core::transport::threads;

/// Longer than any program takes, on a busy machine too.
const TIME_OUT: Duration = Duration::from_secs(900);

/// A job and a program for it.
#[derive(Clone, Debug)]
pub struct Setup {
    seed: u64,
    images: u32,
    hosts: u32,
    settings: Settings,
    areas: bool,
    end: End,
}

impl Setup {
    /// What the dice with this seed say.
    pub fn random(seed: u64, end: End) -> Setup {
        let dice = Dice::new(seed);
        let images = 1 + dice.roll(8) as u32;
        let hosts = 1 + dice.roll(images.min(3) as usize) as u32;
        let coll = if dice.roll(2) == 0 { forced(&dice) } else { String::new() };
        let techniques = Techniques::NAMES.iter().filter(|_| dice.roll(4) > 0);
        let techniques =
            techniques.fold(Techniques::NONE, |all, (_, technique)| all.with(*technique));
        let check = if dice.roll(4) == 0 { "1" } else { "0" };
        let lookup = |name: &str| {
            Ok(match name {
                "XMP_COLL" if !coll.is_empty() => Some(coll.clone()),
                "XMP_CHECK" => Some(check.into()),
                "XMP_VIRTUAL_GROUPS" if dice.roll(3) == 0 => Some("2x2".into()),
                _ => None,
            })
        };
        let settings = Settings { techniques, ..Settings::from_lookup(lookup).unwrap() };
        Setup { seed, images, hosts, settings, areas: true, end }
    }

    /// The same on hosts that share no memory.
    pub fn on_separate_hosts(mut self) -> Setup {
        self.images = 2 + self.images % 4;
        self.hosts = 2 + self.hosts % (self.images - 1).min(2);
        self.settings.segment_size = Some(1 << 30);
        self.settings.separate_hosts = true;
        self
    }

    /// The same on hosts whose collective areas have been used up. That takes many images.
    pub fn without_areas(mut self) -> Setup {
        (self.images, self.hosts, self.areas) = (8, 1 + self.hosts % 2, false);
        self.settings.segment_size = Some(1 << 30);
        self.settings.techniques = self.settings.techniques.with(Techniques::TWO_LEVEL);
        self
    }

    /// Runs the program: all images that do not end on the way come to its end.
    pub fn run(self) {
        let (sender, receiver) = mpsc::channel();
        let text = format!("{self:?}");
        std::thread::spawn(move || sender.send(self.finished()));
        match receiver.recv_timeout(TIME_OUT) {
            Ok(true) => {}
            Ok(false) => panic!("wrong: {text}"),
            Err(_) => panic!("hangs: {text}"),
        }
    }

    fn finished(&self) -> bool {
        let finished = AtomicU32::new(0);
        let run = || {
            threads::run_with(self.settings.clone(), self.images, self.hosts, |image| {
                if !self.areas {
                    use_up_areas(image);
                }
                program::run(image, self.seed, self.end);
                finished.fetch_add(1, Ordering::Relaxed);
            })
        };
        // An image that is to fail panics.
        let outcome = catch_unwind(AssertUnwindSafe(run));
        assert!(!matches!(outcome, Ok(Err(_))), "{outcome:?}");
        let finished = finished.into_inner();
        finished == self.images || (self.end == End::Fails && finished + 1 == self.images)
    }
}

/// `XMP_COLL` with an algorithm for some of the operations.
fn forced(dice: &Dice) -> String {
    fn names<H: Named, L: Named>() -> Vec<&'static str> {
        H::ALL.iter().map(|&(name, _)| name).chain(L::ALL.iter().map(|&(name, _)| name)).collect()
    }
    let all = [
        ("barrier", vec!["central", "flat", "dissemination", "grouped"]),
        ("reduce", names::<HostReduce, LeaderReduce>()),
        ("allreduce", names::<HostReduce, LeaderAllreduce>()),
        ("broadcast", names::<HostMove, LeaderBroadcast>()),
        ("allgather", names::<HostMove, LeaderAllgather>()),
        ("gather", names::<HostMove, LeaderTree>()),
        ("scatter", names::<HostMove, LeaderTree>()),
        ("alltoall", names::<HostMove, LeaderAlltoall>()),
        ("scan", names::<HostScan, LeaderScan>()),
    ];
    let mut pairs = Vec::new();
    for (operation, names) in all {
        for _ in 0..dice.roll(3) {
            pairs.push(format!("{operation}:{}", names[dice.roll(names.len())]));
        }
    }
    pairs.join(",")
}
