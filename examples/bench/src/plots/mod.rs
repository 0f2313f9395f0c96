//! Pictures as SVG: curves on logarithmic axes, and bars of a few operations.

mod axes;
mod bars;
mod chart;
mod style;

pub use axes::{Across, Scale};
pub use bars::{Bar, BarGroup, Bars};
pub use chart::{Chart, Curve, Point};
pub use style::Side;

use crate::peers::Peer;
use crate::samples::Samples;

/// `row` over its bytes, one line a peer.
pub fn over_bytes(
    row: &str,
    scale: Scale,
    images: u32,
    samples: &Samples,
    peers: &[Peer],
) -> Chart {
    let curve = |peer: &Peer| Curve::of(peer, points(row, scale, images, samples, peer.id));
    let what = if scale == Scale::Bandwidth { "bandwidth" } else { "time" };
    Chart {
        caption: format!("{row}: {what}, {images} images"),
        across: Across::Bytes,
        scale,
        curves: peers.iter().map(curve).collect(),
    }
}

/// A peer's medians of a row over its sizes, with their spread.
pub fn points(
    row: &str,
    scale: Scale,
    images: u32,
    samples: &Samples,
    peer: &'static str,
) -> Vec<Point> {
    samples
        .iter()
        .filter(|(place, _)| place.images == images && place.row.name == row && place.peer == peer)
        .filter_map(|(place, cell)| {
            let size = place.row.size as f64;
            let summary = cell.summary()?;
            // Bytes a microsecond are megabytes a second.
            let value = |time: f64| if scale == Scale::Bandwidth { size / time } else { time };
            let ends = [value(summary.min), value(summary.max)];
            let spread = Some((ends[0].min(ends[1]), ends[0].max(ends[1])));
            Some(Point { x: size, y: value(summary.median), spread })
        })
        .collect()
}
