//! Targets of ours, as ratios of times, and their verdicts.

use crate::peers::{Kind, Peer};
use crate::protocol::RowKey;
use crate::samples::Samples;
use std::fmt;

/// The side that ours is compared with: the best of some peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The best other coarray library.
    Coarray,
    /// The better OpenCoarrays.
    OpenCoarrays,
    /// GCC's caf_shmem.
    CafShmem,
    /// The better raw MPI.
    RawMpi,
    /// The runtime of the Omni XcalableMP compiler.
    Omni,
    /// The best of all peers, raw MPI included.
    Anyone,
    /// Ours under its own launcher.
    Embedded,
    /// Ours over the better MPI.
    OverMpi,
    /// The sequential program.
    Sequential,
    /// The physical limit.
    Limit,
    /// Ours in the row of this name and the same size.
    OurRow(&'static str),
    /// The median of the parts of ours, which our 95th percentile is compared with.
    OwnMedian,
}

impl Against {
    const fn includes(self, kind: Kind) -> bool {
        match kind {
            Kind::Ours => matches!(self, Self::OurRow(_)),
            Kind::OursOnHosts | Kind::Technique => false,
            Kind::OpenCoarrays => {
                matches!(self, Self::Coarray | Self::OpenCoarrays | Self::Anyone)
            }
            Kind::CafShmem => matches!(self, Self::Coarray | Self::CafShmem | Self::Anyone),
            Kind::Caffeine => matches!(self, Self::Coarray | Self::Anyone),
            Kind::Omni => matches!(self, Self::Coarray | Self::Omni | Self::Anyone),
            Kind::RawMpi => matches!(self, Self::RawMpi | Self::Anyone),
            Kind::RawMessages => matches!(self, Self::Anyone),
            Kind::Sequential => matches!(self, Self::Sequential),
            Kind::OursEmbedded => matches!(self, Self::Embedded),
            Kind::OursOverMpi => matches!(self, Self::OverMpi),
            Kind::Limit => matches!(self, Self::Limit),
        }
    }
}

impl fmt::Display for Against {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OurRow(name) => name,
            Self::OwnMedian => "p95/median",
            Self::Coarray => "coarrays",
            Self::OpenCoarrays => "OC",
            Self::CafShmem => "caf_shmem",
            Self::Omni => "Omni",
            Self::RawMpi => "raw MPI",
            Self::Anyone => "anyone",
            Self::Embedded => "xmprun",
            Self::OverMpi => "ours over MPI",
            Self::Sequential => "sequential",
            Self::Limit => "limit",
        })
    }
}

/// Our time divided by theirs shall be at most a number.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Whom it is measured against.
    pub against: Against,
    /// The greatest ratio.
    pub at_most: f64,
    /// The number of images it is for; every number but one if `None`.
    pub images: Option<u32>,
}

impl Target {
    /// For every number of images from 2 on.
    pub const fn new(against: Against, at_most: f64) -> Self {
        Self { against, at_most, images: None }
    }

    /// For one number of images.
    pub const fn at(images: u32, against: Against, at_most: f64) -> Self {
        Self { against, at_most, images: Some(images) }
    }

    /// Whether it is for this many images.
    pub fn applies(&self, images: u32) -> bool {
        self.images.map_or(images > 1, |only| only == images)
    }
}

/// The verdict about a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Reached; the ratio.
    Met(f64),
    /// Not reached; the ratio.
    Missed(f64),
    /// Ours has no figure.
    OursMissing,
    /// The other side has no figure.
    TheirsMissing,
}

/// Judges one target of one row.
pub fn judge(
    target: &Target,
    images: u32,
    row: &RowKey,
    samples: &Samples,
    peers: &[Peer],
) -> Verdict {
    if target.against == Against::OwnMedian {
        return match own_spread(images, row, samples, peers) {
            Some(spread) if spread <= target.at_most => Verdict::Met(spread),
            Some(spread) => Verdict::Missed(spread),
            None => Verdict::OursMissing,
        };
    }
    let Some(ours) = best(images, row, samples, peers, |kind| kind == Kind::Ours) else {
        return Verdict::OursMissing;
    };
    match theirs(target.against, images, row, samples, peers) {
        Some(theirs) if ours <= target.at_most * theirs => Verdict::Met(ours / theirs),
        Some(theirs) => Verdict::Missed(ours / theirs),
        None => Verdict::TheirsMissing,
    }
}

/// The 95th percentile of the parts of ours over their median.
fn own_spread(images: u32, row: &RowKey, samples: &Samples, peers: &[Peer]) -> Option<f64> {
    let ours = peers.iter().find(|peer| peer.kind == Kind::Ours)?;
    let parts = samples.get(images, row, ours.id)?.parts()?;
    Some(parts.percentile_95 / parts.median)
}

/// Our median over the best median of `against`, if both exist.
pub fn ratio(
    against: Against,
    images: u32,
    row: &RowKey,
    samples: &Samples,
    peers: &[Peer],
) -> Option<f64> {
    let ours = best(images, row, samples, peers, |kind| kind == Kind::Ours)?;
    Some(ours / theirs(against, images, row, samples, peers)?)
}

/// The best median of the other side.
fn theirs(
    against: Against,
    images: u32,
    row: &RowKey,
    samples: &Samples,
    peers: &[Peer],
) -> Option<f64> {
    let row = match against {
        Against::OurRow(name) => &RowKey::new(name, row.size),
        _ => row,
    };
    best(images, row, samples, peers, |kind| against.includes(kind))
}

/// The least median of the peers of the kinds asked for.
fn best(
    images: u32,
    row: &RowKey,
    samples: &Samples,
    peers: &[Peer],
    wanted: impl Fn(Kind) -> bool,
) -> Option<f64> {
    peers
        .iter()
        .filter(|peer| wanted(peer.kind))
        .filter_map(|peer| Some(samples.summary(images, row, peer.id)?.median))
        .min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::Launcher;
    use crate::protocol::{Parts, Time};
    use crate::samples::{Place, Trouble, Value};

    fn peer(id: &'static str, kind: Kind) -> Peer {
        let launcher = Launcher::Environment("N");
        Peer { id, title: id, kind, compiler: None, fortran: None, launcher }
    }

    fn judged(at_most: f64, against: Against, trouble: Option<&'static str>) -> Verdict {
        let peers = [
            peer("ours", Kind::Ours),
            peer("a", Kind::OpenCoarrays),
            peer("b", Kind::OpenCoarrays),
            peer("raw", Kind::RawMpi),
        ];
        let row = RowKey::new("put", 8);
        let mut samples = Samples::default();
        for (peer, value) in [("ours", 1.0), ("a", 4.0), ("b", 2.0), ("raw", 0.5)] {
            let place = Place { images: 2, row: row.clone(), peer };
            samples.add(place.clone(), Value::new(0, value));
            if trouble == Some(peer) {
                samples.trouble(place, Trouble::Wrong);
            }
        }
        judge(&Target::new(against, at_most), 2, &row, &samples, &peers)
    }

    #[test]
    fn the_best_of_the_side_counts() {
        assert_eq!(judged(0.5, Against::OpenCoarrays, None), Verdict::Met(0.5));
        assert_eq!(judged(0.4, Against::OpenCoarrays, None), Verdict::Missed(0.5));
        assert_eq!(judged(1.0, Against::Anyone, None), Verdict::Missed(2.0));
    }

    #[test]
    fn ours_is_compared_with_another_row_of_ours_of_the_same_size() {
        let peers = [peer("ours", Kind::Ours), peer("raw", Kind::RawMpi)];
        let mut samples = Samples::default();
        for (name, size, peer, value) in
            [("new", 7, "ours", 3.0), ("old", 7, "ours", 4.0), ("old", 7, "raw", 1.0)]
        {
            let place = Place { images: 2, row: RowKey::new(name, size), peer };
            samples.add(place, Value::new(0, value));
        }
        let target = Target::new(Against::OurRow("old"), 0.8);
        let judged = |size| judge(&target, 2, &RowKey::new("new", size), &samples, &peers);
        assert_eq!(judged(7), Verdict::Met(0.75));
        assert_eq!(judged(8), Verdict::OursMissing);
    }

    #[test]
    fn the_percentile_of_ours_is_compared_with_its_own_median() {
        let peers = [peer("ours", Kind::Ours), peer("raw", Kind::RawMpi)];
        let row = RowKey::new("co_sum", 8);
        let mut samples = Samples::default();
        let judged = |samples: &Samples, at_most| {
            judge(&Target::new(Against::OwnMedian, at_most), 2, &row, samples, &peers)
        };
        assert_eq!(judged(&samples, 1.5), Verdict::OursMissing);
        for (peer, percentile_95) in [("ours", 3.0), ("raw", 9.0)] {
            let parts = Some(Parts { median: 2.0, percentile_95 });
            let place = Place { images: 2, row: row.clone(), peer };
            samples.add(place, Value::of(0, Time { microseconds: 2.2, parts }));
        }
        assert_eq!(judged(&samples, 1.5), Verdict::Met(1.5));
        assert_eq!(judged(&samples, 1.4), Verdict::Missed(1.5));
    }

    #[test]
    fn one_image_has_targets_of_its_own() {
        let target = Target::new(Against::RawMpi, 1.0);
        assert!(!target.applies(1) && target.applies(2));
        let target = Target::at(1, Against::Sequential, 1.0);
        assert!(target.applies(1) && !target.applies(2));
    }

    #[test]
    fn trouble_takes_a_side_out() {
        assert_eq!(judged(0.5, Against::OpenCoarrays, Some("b")), Verdict::Met(0.25));
        assert_eq!(judged(0.5, Against::OpenCoarrays, Some("ours")), Verdict::OursMissing);
        assert_eq!(judged(0.5, Against::Limit, None), Verdict::TheirsMissing);
    }
}
