//! The steps of every suite: choose the peers, compile for them, plan the legs.

use crate::error::Error;
use crate::interleave::{Contestant, How, Leg};
use crate::options::RunOptions;
use crate::peers::{self, Absent, Kind, Peer, Programs};
use crate::rows::Row;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;
use std::time::Duration;

/// The peers of a run.
#[derive(Default)]
pub struct Contest {
    /// Those that take part.
    pub contestants: Vec<Contestant>,
    /// Those that cannot.
    pub absent: Vec<Absent>,
}

impl Contest {
    /// Chooses the peers asked for out of `all`, compiles the programs for them under `directory`, and says what
    /// will be missing: loudly if it is ours.
    pub fn new(
        all: Vec<Result<Peer, Absent>>,
        programs: &Programs,
        options: &RunOptions,
        directory: &Path,
    ) -> Result<Self, Error> {
        let (found, absent) = choose(all, options)?;
        absent.iter().for_each(warn_absent);
        let mut contest = Self { contestants: Vec::new(), absent };
        contest.build(found, programs, directory);
        let measures = |contestant: &Contestant| contestant.peer.kind != Kind::Limit;
        if contest.contestants.iter().any(measures) {
            Ok(contest)
        } else {
            Err(Error::NothingInstalled)
        }
    }

    /// Compiles for every peer; one that does not compile joins the absent. Variants of ours run what ours runs.
    fn build(&mut self, found: Vec<Peer>, programs: &Programs, directory: &Path) {
        let bar = progress(found.len() as u64);
        for peer in found {
            bar.set_message(format!("compiling for {}", peer.title));
            let variant = matches!(peer.kind, Kind::OursOnHosts | Kind::Technique);
            let ours = self.contestants.iter().find(|other| other.peer.kind == Kind::Ours);
            let built = match ours.filter(|_| variant) {
                Some(ours) => Ok(ours.binaries.clone()),
                None => peers::build(&peer, programs, &directory.join(peer.id)),
            };
            match built {
                Ok(binaries) => self.contestants.push(Contestant { peer, binaries }),
                Err(missing) => {
                    let Peer { id, title, kind, .. } = peer;
                    let gone = Absent { id, title, kind, missing };
                    bar.suspend(|| warn_absent(&gone));
                    self.absent.push(gone);
                }
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
    }

    /// The peers that take part.
    pub fn peers(&self) -> Vec<Peer> {
        self.contestants.iter().map(|contestant| contestant.peer.clone()).collect()
    }

    /// Says once more, at the end, that ours was not there.
    pub fn warn_if_ours_is_absent(&self) {
        self.absent.iter().filter(|gone| gone.kind == Kind::Ours).for_each(warn_absent);
    }

    /// The legs of these rows with this many images; `how` by group, `takes_part` by kind.
    pub fn legs(
        &self,
        rows: &[Row],
        images: u32,
        how: impl Fn(&str) -> How,
        takes_part: impl Fn(Kind) -> bool,
    ) -> Vec<Leg> {
        rows.chunk_by(|a, b| a.group == b.group)
            .map(|group| {
                let rows_of = |peer: &Peer| {
                    let kind = peer.kind;
                    let here = takes_part(kind) && peer.launcher.can_start(images);
                    let has = |row: &&Row| here && row.fits(images) && row.exists_in(kind);
                    group.iter().filter(has).map(Row::key).collect()
                };
                let rows = self.contestants.iter().map(|c| rows_of(&c.peer)).collect();
                let group = group[0].group;
                Leg { images, group, how: how(group), rows }
            })
            .collect()
    }
}

/// The peers asked for, installed and absent.
fn choose(
    all: Vec<Result<Peer, Absent>>,
    options: &RunOptions,
) -> Result<(Vec<Peer>, Vec<Absent>), Error> {
    let id = |peer: &Result<Peer, Absent>| peer.as_ref().map_or_else(|gone| gone.id, |p| p.id);
    if let Some(item) = options.peers.iter().find(|item| !all.iter().any(|peer| id(peer) == *item))
    {
        let known = all.iter().map(id).collect::<Vec<_>>().join(", ");
        return Err(Error::UnknownPeer { item: item.clone(), known });
    }
    let (mut found, mut absent) = (Vec::new(), Vec::new());
    for peer in all {
        if !options.peers.is_empty() && !options.peers.iter().any(|item| item == id(&peer)) {
            continue;
        }
        match peer {
            Ok(peer) => found.push(peer),
            Err(gone) => absent.push(gone),
        }
    }
    Ok((found, absent))
}

/// Tells at once what will be missing; loudly if it is ours.
fn warn_absent(gone: &Absent) {
    if gone.kind == Kind::Ours {
        eprintln!("*** OURS IS NOT MEASURED: {} ***", gone.missing);
    } else {
        eprintln!("{} is not measured: {}", gone.title, gone.missing);
    }
}

/// A bar of this many steps.
pub fn progress(steps: u64) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{bar:20} {pos}/{len} {elapsed}, {eta} left {wide_msg}")
            .expect("the template is well formed");
    let bar = ProgressBar::new(steps).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
