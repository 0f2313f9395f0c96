//! Time and bandwidth over size as SVG, one line a peer, both axes logarithmic.

use crate::error::Error;
use crate::peers::Peer;
use crate::samples::Samples;
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

/// A curve's peer and its points: bytes and the value.
type Series = (&'static str, Vec<(f64, f64)>);

/// What the vertical axis shows.
#[derive(Clone, Copy)]
pub enum Scale {
    /// Microseconds an operation.
    Time,
    /// Megabytes (10^6 bytes) a second.
    Bandwidth,
}

/// Colours of the curves in the order of the peers; none is told apart by red and green alone.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 0, 0),
    RGBColor(0, 114, 178),
    RGBColor(86, 180, 233),
    RGBColor(204, 121, 167),
    RGBColor(213, 94, 0),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
];

/// Draws `row` over its sizes into `path`. Draws nothing if there are fewer than two sizes.
pub fn draw(
    row: &str,
    scale: Scale,
    images: u32,
    samples: &Samples,
    peers: &[Peer],
    path: &Path,
) -> Result<(), Error> {
    let curves: Vec<Series> = peers
        .iter()
        .map(|peer| (peer.title, points(row, scale, images, samples, peer.id)))
        .collect();
    if curves.iter().all(|(_, points)| points.len() < 2) {
        return Ok(());
    }
    let caption = match scale {
        Scale::Time => format!("{row}: time, {images} images"),
        Scale::Bandwidth => format!("{row}: bandwidth, {images} images"),
    };
    chart(&caption, scale, &curves, path)
        .map_err(|error| Error::Plot { path: path.to_owned(), reason: error.to_string() })
}

fn points(
    row: &str,
    scale: Scale,
    images: u32,
    samples: &Samples,
    peer: &'static str,
) -> Vec<(f64, f64)> {
    samples
        .iter()
        .filter(|(place, _)| place.images == images && place.row.name == row && place.peer == peer)
        .filter_map(|(place, cell)| {
            let bytes = place.row.bytes as f64;
            let median = cell.summary()?.median;
            let value = match scale {
                Scale::Time => median,
                // Bytes a microsecond are megabytes a second.
                Scale::Bandwidth => bytes / median,
            };
            Some((bytes, value))
        })
        .filter(|&(bytes, value)| bytes > 0.0 && value > 0.0 && value.is_finite())
        .collect()
}

fn chart(
    caption: &str,
    scale: Scale,
    curves: &[Series],
    path: &Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let all = || curves.iter().flat_map(|(_, points)| points);
    let sizes = bounds(all().map(|point| point.0));
    let values = bounds(all().map(|point| point.1));
    let root = SVGBackend::new(path, (900, 600)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(caption, ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(45)
        .y_label_area_size(75)
        .build_cartesian_2d(sizes.log_scale().base(2.0), values.log_scale())?;
    chart
        .configure_mesh()
        .x_desc("bytes")
        .y_desc(match scale {
            Scale::Time => "microseconds",
            Scale::Bandwidth => "MB/s",
        })
        .x_label_formatter(&|bytes| size_label(*bytes))
        .y_label_formatter(&f64::to_string)
        .light_line_style(WHITE)
        .draw()?;
    for (number, (title, points)) in curves.iter().enumerate() {
        if points.is_empty() {
            continue;
        }
        let style = COLOURS[number % COLOURS.len()].stroke_width(if number == 0 { 3 } else { 2 });
        chart
            .draw_series(LineSeries::new(points.iter().copied(), style).point_size(3))?
            .label(*title)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
    }
    chart
        .configure_series_labels()
        .position(match scale {
            // The corner that the curves leave free.
            Scale::Time => SeriesLabelPosition::UpperLeft,
            Scale::Bandwidth => SeriesLabelPosition::LowerRight,
        })
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    root.present()?;
    Ok(())
}

/// The range of the values with some air around it.
fn bounds(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = values
        .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    low / 1.5..high * 1.5
}

fn size_label(bytes: f64) -> String {
    match bytes {
        b if b >= f64::from(1 << 20) => format!("{:.0} MiB", b / f64::from(1 << 20)),
        b if b >= 1024.0 => format!("{:.0} KiB", b / 1024.0),
        b => format!("{b:.0}"),
    }
}
