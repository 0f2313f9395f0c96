//! Curves as SVG, both axes logarithmic.

use crate::error::Error;
use crate::peers::Peer;
use crate::samples::Samples;
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

/// One line of a chart.
pub struct Curve {
    /// Whose it is.
    pub label: String,
    /// Horizontal and vertical values.
    pub points: Vec<(f64, f64)>,
}

/// What the horizontal axis shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// Bytes of the operand.
    Bytes,
    /// A number of images, with what they are.
    Images(&'static str),
    /// A time, with what it is.
    Microseconds(&'static str),
}

impl Across {
    /// What it says.
    pub fn name(self) -> &'static str {
        match self {
            Across::Bytes => "bytes",
            Across::Images(what) | Across::Microseconds(what) => what,
        }
    }
}

/// What the vertical axis shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Microseconds an operation.
    Time,
    /// Megabytes (10^6 bytes) a second.
    Bandwidth,
    /// Mebibytes.
    Memory,
    /// How many times as long.
    Factor,
}

impl Scale {
    /// What it says.
    pub fn name(self) -> &'static str {
        match self {
            Scale::Time => "microseconds",
            Scale::Bandwidth => "MB/s",
            Scale::Memory => "MiB",
            Scale::Factor => "times",
        }
    }
}

/// A picture of curves.
pub struct Chart {
    /// What it shows.
    pub caption: String,
    /// The horizontal axis.
    pub across: Across,
    /// The vertical axis.
    pub scale: Scale,
    /// The lines; the first is drawn thicker.
    pub curves: Vec<Curve>,
}

/// Colours of the curves in their order; none is told apart by red and green alone.
const COLOURS: [RGBColor; 14] = [
    RGBColor(0, 0, 0),
    RGBColor(0, 114, 178),
    RGBColor(86, 180, 233),
    RGBColor(204, 121, 167),
    RGBColor(213, 94, 0),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(110, 110, 110),
    RGBColor(136, 34, 85),
    RGBColor(153, 153, 51),
    RGBColor(51, 34, 136),
    RGBColor(17, 119, 51),
    RGBColor(221, 204, 119),
    RGBColor(170, 68, 153),
];

/// `row` over its bytes, one line a peer.
pub fn over_bytes(
    row: &str,
    scale: Scale,
    images: u32,
    samples: &Samples,
    peers: &[Peer],
) -> Chart {
    let curve = |peer: &Peer| Curve {
        label: peer.title.to_owned(),
        points: points(row, scale, images, samples, peer.id),
    };
    let what = if scale == Scale::Bandwidth { "bandwidth" } else { "time" };
    Chart {
        caption: format!("{row}: {what}, {images} images"),
        across: Across::Bytes,
        scale,
        curves: peers.iter().map(curve).collect(),
    }
}

/// A peer's medians of a row over its sizes.
pub fn points(
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
            let size = place.row.size as f64;
            let median = cell.summary()?.median;
            // Bytes a microsecond are megabytes a second.
            let value = if scale == Scale::Bandwidth { size / median } else { median };
            Some((size, value))
        })
        .collect()
}

impl Chart {
    /// Draws it into `path`; nothing if no curve has two points that logarithmic axes can show.
    pub fn draw(mut self, path: &Path) -> Result<(), Error> {
        for curve in &mut self.curves {
            curve.points.retain(|&(x, y)| x > 0.0 && y > 0.0 && y.is_finite());
        }
        self.curves.retain(|curve| !curve.points.is_empty());
        if self.curves.iter().all(|curve| curve.points.len() < 2) {
            return Ok(());
        }
        self.render(path)
            .map_err(|error| Error::Plot { path: path.to_owned(), reason: error.to_string() })
    }

    fn render(&self, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
        let all = || self.curves.iter().flat_map(|curve| &curve.points);
        let across = bounds(all().map(|point| point.0));
        let values = bounds(all().map(|point| point.1));
        let root = SVGBackend::new(path, (900, 600)).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(&self.caption, ("sans-serif", 22))
            .margin(12)
            .x_label_area_size(45)
            .y_label_area_size(75)
            .build_cartesian_2d(across.log_scale().base(2.0), values.log_scale())?;
        chart
            .configure_mesh()
            .x_desc(self.across.name())
            .y_desc(self.scale.name())
            .x_label_formatter(&|value| match self.across {
                Across::Bytes => size_label(*value),
                Across::Images(_) => format!("{value:.0}"),
                Across::Microseconds(_) => value.to_string(),
            })
            .y_label_formatter(&f64::to_string)
            .light_line_style(WHITE)
            .draw()?;
        for (number, curve) in self.curves.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let style = colour.stroke_width(if number == 0 { 3 } else { 2 });
            chart
                .draw_series(LineSeries::new(curve.points.iter().copied(), style).point_size(3))?
                .label(&curve.label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
        }
        chart
            .configure_series_labels()
            .position(match self.scale {
                // The corner that the curves leave free.
                Scale::Bandwidth => SeriesLabelPosition::LowerRight,
                Scale::Time | Scale::Memory | Scale::Factor => SeriesLabelPosition::UpperLeft,
            })
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        root.present()?;
        Ok(())
    }
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
