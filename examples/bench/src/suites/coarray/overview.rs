//! Six operations that stand for the rest, as one picture for readers in a hurry.

use crate::peers::{Kind, Peer};
use crate::plots::{Bar, BarGroup, Bars, Side};
use crate::protocol::RowKey;
use crate::samples::Samples;

/// Name of the picture's file.
pub const FILE: &str = "six-operations.svg";

/// Row, size and title of each operation.
const OPERATIONS: [(&str, u64, &str); 6] = [
    ("put8", 8, "put 8 bytes"),
    ("get8", 8, "get 8 bytes"),
    ("put_section", 80_000, "put a 2-D section"),
    ("sync_all", 0, "sync all"),
    ("event_pingpong", 0, "event ping-pong"),
    ("co_sum", 8, "co_sum of 1 double"),
];

/// The picture for so many images; `None` if not all six have a figure of ours and of a peer.
pub fn bars(images: u32, samples: &Samples, peers: &[Peer]) -> Option<Bars> {
    let groups = OPERATIONS.map(|(row, size, title)| {
        let key = RowKey::new(row, size);
        let bar = |peer: &Peer| {
            let value = samples.summary(images, &key, peer.id)?.median;
            Some(Bar { label: label(peer), side: Side::of(peer), value })
        };
        // The limit is no library that one could use instead.
        let bars: Vec<Bar> =
            peers.iter().filter(|peer| peer.kind != Kind::Limit).filter_map(bar).collect();
        BarGroup { title: title.to_owned(), bars }
    });
    let is_compared =
        |group: &BarGroup| group.bars.len() > 1 && group.bars.iter().any(|b| b.side == Side::Ours);
    groups.iter().all(is_compared).then(|| Bars {
        caption: format!("Six operations, {images} images on one machine"),
        axis: "time of an operation, logarithmic: shorter is better",
        groups: groups.into(),
    })
}

/// What the legend says of a peer: no abbreviation, as the picture stands alone.
fn label(peer: &Peer) -> String {
    match peer.id {
        "ours" => "XMP-RT".to_owned(),
        "oc-openmpi" => "OpenCoarrays, Open MPI".to_owned(),
        "oc-mpich" => "OpenCoarrays, MPICH".to_owned(),
        "mpi-openmpi" => "Open MPI itself".to_owned(),
        "mpi-mpich" => "MPICH itself".to_owned(),
        _ => peer.title.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::ROWS;
    use super::*;
    use crate::peers::Launcher;
    use crate::samples::{Place, Value};

    fn peer(id: &'static str, kind: Kind) -> Peer {
        let launcher = Launcher::Environment("N");
        Peer { id, title: id, kind, compiler: None, fortran: None, launcher }
    }

    fn measured(operations: &[(&str, u64, &str)], ids: &[&'static str]) -> Samples {
        let mut samples = Samples::default();
        for (row, size, _) in operations {
            for peer in ids {
                let place = Place { images: 2, row: RowKey::new(row, *size), peer };
                samples.add(place, Value::new(0, 0.25));
            }
        }
        samples
    }

    #[test]
    fn the_operations_are_rows_that_quick_runs_have_too() {
        let quick = crate::rows::choose(ROWS, &[], true).unwrap();
        for (name, size, title) in OPERATIONS {
            assert!(quick.iter().any(|row| row.key() == RowKey::new(name, size)), "{title}");
        }
    }

    #[test]
    fn the_picture_has_a_bar_with_its_time_for_each_side() {
        let peers = [
            peer("ours", Kind::Ours),
            peer("oc-openmpi", Kind::OpenCoarrays),
            peer("limit", Kind::Limit),
        ];
        let ids = ["ours", "oc-openmpi", "limit"];
        let picture = bars(2, &measured(&OPERATIONS, &ids), &peers).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        picture.draw(&path, "a machine").unwrap();
        let svg = std::fs::read_to_string(path).unwrap();
        let count = |text: &str| svg.lines().filter(|line| line.trim() == text).count();
        assert_eq!((count("XMP-RT"), count("OpenCoarrays, Open MPI"), count("limit")), (1, 1, 0));
        assert_eq!(count("250 ns"), 12);
        assert_eq!(count("a machine"), 1);
    }

    #[test]
    fn without_a_peer_or_an_operation_there_is_no_picture() {
        let peers = [peer("ours", Kind::Ours), peer("oc-openmpi", Kind::OpenCoarrays)];
        assert!(bars(2, &measured(&OPERATIONS, &["ours"]), &peers).is_none());
        assert!(bars(2, &measured(&OPERATIONS, &["oc-openmpi"]), &peers).is_none());
        let five = measured(&OPERATIONS[1..], &["ours", "oc-openmpi"]);
        assert!(bars(2, &five, &peers).is_none());
    }
}
