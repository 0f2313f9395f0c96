//! A picture of curves: both axes logarithmic, the legend beside the plot, a line about the machine below it.

use super::axes::{Across, Scale};
use super::style::{Marker, Side, characters_in, pixels_of};
use crate::error::Error;
use crate::peers::{Kind, Peer};
use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use std::ops::Range;
use std::path::Path;

/// A value of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where it is on the horizontal axis.
    pub x: f64,
    /// The value; of repetitions, their median.
    pub y: f64,
    /// The least and the greatest value, where there were repetitions.
    pub spread: Option<(f64, f64)>,
}

impl From<(f64, f64)> for Point {
    fn from(point: (f64, f64)) -> Self {
        let (x, y) = point;
        Self { x, y, spread: None }
    }
}

/// One line of a chart.
#[derive(Clone, Debug)]
pub struct Curve {
    /// What the legend says.
    pub label: String,
    /// Whose it is: its colour, its marker and its width.
    pub side: Side,
    /// Which of its side's curves it is: 0 is drawn through, the others dashed, with hollow markers.
    pub form: u32,
    /// The values.
    pub points: Vec<Point>,
}

impl Curve {
    /// The curve of a peer.
    pub fn of(peer: &Peer, points: Vec<Point>) -> Self {
        // On 2 and 4 virtual hosts: the first and the second further curve of ours.
        let form = u32::from(peer.kind == Kind::OursOnHosts) * peer.launcher.virtual_hosts() / 2;
        Self { label: peer.title.to_owned(), side: Side::of(peer), form, points }
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
    /// The lines.
    pub curves: Vec<Curve>,
}

/// Pixels of the plot with its axes.
const PLOT: (u32, u32) = (860, 560);
/// Pixels of the caption above it.
const CAPTION: u32 = 44;
/// Pixels of the line below it.
const FOOTER: u32 = 26;
/// Pixels of a line of the legend.
const LEGEND_LINE: u32 = 26;
/// Pixels of the sample of a line in the legend, with its margins.
const LEGEND_SAMPLE: u32 = 56;
const CAPTION_FONT: u32 = 22;
const AXIS_FONT: u32 = 18;
const LABEL_FONT: u32 = 15;
const FOOTER_FONT: u32 = 12;
/// Radius of a marker in pixels.
const RADIUS: i32 = 4;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

impl Chart {
    /// Draws it into `path` with `footer` below it, and says whether it did: there is no picture if no curve has two
    /// points that logarithmic axes can show.
    pub fn draw(mut self, path: &Path, footer: &str) -> Result<bool, Error> {
        for curve in &mut self.curves {
            curve.points.retain(|point| point.x > 0.0 && point.y > 0.0 && point.y.is_finite());
        }
        self.curves.retain(|curve| !curve.points.is_empty());
        if self.curves.iter().all(|curve| curve.points.len() < 2) {
            return Ok(false);
        }
        self.render(path, footer)
            .map_err(|error| Error::Plot { path: path.to_owned(), reason: error.to_string() })?;
        Ok(true)
    }

    fn render(&self, path: &Path, footer: &str) -> Drawn {
        let widest = self.curves.iter().map(|curve| pixels_of(&curve.label, LABEL_FONT)).max();
        let legend = LEGEND_SAMPLE + widest.unwrap_or(0) + 12;
        let needed = LEGEND_LINE * self.curves.len() as u32 + 24;
        let size = (PLOT.0 + legend, CAPTION + PLOT.1.max(needed) + FOOTER);
        let root = SVGBackend::new(path, size).into_drawing_area();
        root.fill(&WHITE)?;
        let caption = shortened(&self.caption, characters_in(size.0 - 24, CAPTION_FONT));
        root.draw(&Text::new(caption, (16, 14), font(CAPTION_FONT)))?;
        let below = i32::try_from(size.1 - FOOTER + 4)?;
        let grey = RGBColor(90, 90, 90);
        let footer = shortened(footer, characters_in(size.0 - 24, FOOTER_FONT));
        root.draw(&Text::new(footer, (16, below), font(FOOTER_FONT).color(&grey)))?;
        let inner = root.margin(CAPTION, FOOTER, 0, 0);
        let (plot, legend) = inner.split_horizontally(PLOT.0);
        self.draw_plot(&root, &plot)?;
        self.draw_legend(&legend)?;
        root.present()?;
        Ok(())
    }

    /// Draws axes and curves into `area`, a part of `root`.
    fn draw_plot(&self, root: &Area, area: &Area) -> Drawn {
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let across = bounds(points().map(|point| point.x));
        let ends = |point: &Point| {
            let (low, high) = point.spread.unwrap_or((point.y, point.y));
            [low, high].into_iter().filter(|value| *value > 0.0)
        };
        let values = bounds(points().flat_map(ends));
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(54)
            .y_label_area_size(104)
            .build_cartesian_2d(across.log_scale().base(2.0), values.log_scale())?;
        chart
            .configure_mesh()
            .x_desc(self.across.title())
            .y_desc(self.scale.title())
            .axis_desc_style(font(AXIS_FONT))
            .label_style(font(LABEL_FONT))
            .x_label_formatter(&|value| self.across.label(*value))
            .y_label_formatter(&|value| self.scale.label(*value))
            .light_line_style(WHITE)
            .draw()?;
        // Ours last, so that it lies on top.
        let (ours, others): (Vec<_>, Vec<_>) =
            self.curves.iter().partition(|curve| curve.side == Side::Ours);
        for curve in others.into_iter().chain(ours) {
            let colour = curve.side.colour();
            let line = colour.stroke_width(curve.side.width());
            let path: Vec<(f64, f64)> =
                curve.points.iter().map(|point| (point.x, point.y)).collect();
            if curve.form == 0 {
                chart.draw_series(LineSeries::new(path.clone(), line))?;
            } else {
                let (dash, gap) = dashes(curve.form);
                chart.draw_series(DashedLineSeries::new(path.clone(), dash, gap, line))?;
            }
            for point in &curve.points {
                if let Some((low, high)) =
                    point.spread.filter(|(low, high)| 0.0 < *low && low < high)
                {
                    let at = |y: f64| chart.plotting_area().map_coordinate(&(point.x, y));
                    draw_error_bar(root, (at(low), at(high)), colour)?;
                }
            }
            let Curve { side, form, .. } = *curve;
            for at in path {
                draw_marker(root, chart.plotting_area().map_coordinate(&at), side, form)?;
            }
        }
        Ok(())
    }

    fn draw_legend(&self, area: &Area) -> Drawn {
        for (number, curve) in self.curves.iter().enumerate() {
            let y = 24 + i32::try_from(number)? * LEGEND_LINE as i32;
            let line = curve.side.colour().stroke_width(curve.side.width());
            let ends = [(4, y), (40, y)];
            if curve.form == 0 {
                area.draw(&PathElement::new(ends, line))?;
            } else {
                let (dash, gap) = dashes(curve.form);
                area.draw(&DashedPathElement::new(ends, dash, gap, line))?;
            }
            draw_marker(area, (22, y), curve.side, curve.form)?;
            let text = (LEGEND_SAMPLE as i32 - 8, y - LABEL_FONT as i32 / 2);
            area.draw(&Text::new(curve.label.clone(), text, font(LABEL_FONT)))?;
        }
        Ok(())
    }
}

/// Pixels of a dash and of the gap behind it.
fn dashes(form: u32) -> (u32, u32) {
    if form % 2 == 1 { (8, 5) } else { (2, 4) }
}

fn font(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&BLACK)
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(3)).chain("...".chars()).collect()
}

/// Draws a line from the least to the greatest value, with a cap at each end.
fn draw_error_bar(area: &Area, ends: ((i32, i32), (i32, i32)), colour: RGBColor) -> Drawn {
    const CAP: i32 = 4;
    let thin = colour.stroke_width(1);
    area.draw(&PathElement::new([ends.0, ends.1], thin))?;
    for (x, y) in [ends.0, ends.1] {
        area.draw(&PathElement::new([(x - CAP, y), (x + CAP, y)], thin))?;
    }
    Ok(())
}

/// Draws the marker of a side: filled, or hollow for a further curve of the same side.
fn draw_marker(area: &Area, at: (i32, i32), side: Side, form: u32) -> Drawn {
    let colour = side.colour();
    let fill = if form == 0 { colour.filled() } else { WHITE.filled() };
    let edge = colour.stroke_width(2);
    if side.marker() == Marker::Circle {
        area.draw(&Circle::new(at, RADIUS, fill))?;
        area.draw(&Circle::new(at, RADIUS, edge))?;
        return Ok(());
    }
    let corners = side.marker().corners(RADIUS);
    let corners: Vec<(i32, i32)> = corners.iter().map(|(x, y)| (at.0 + x, at.1 + y)).collect();
    let around: Vec<(i32, i32)> = corners.iter().chain(corners.first()).copied().collect();
    area.draw(&Polygon::new(corners, fill))?;
    area.draw(&PathElement::new(around, edge))?;
    Ok(())
}

/// The range of the values with some air around it.
fn bounds(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = values
        .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    low / 1.5..high * 1.5
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn curve(label: &str, side: Side, form: u32) -> Curve {
        let point = |x: i32| {
            let y = f64::from(x * x);
            Point { x: f64::from(x), y, spread: Some((0.8 * y, 1.3 * y)) }
        };
        Curve { label: label.to_owned(), side, form, points: [1, 2, 4].map(point).into() }
    }

    fn drawn(curves: Vec<Curve>) -> Option<String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.svg");
        let caption = "put: time".to_owned();
        let chart = Chart { caption, across: Across::Bytes, scale: Scale::Time, curves };
        let is_drawn = chart.draw(&path, "a machine, today").unwrap();
        assert_eq!(is_drawn, path.exists());
        is_drawn.then(|| fs::read_to_string(path).unwrap())
    }

    #[test]
    fn a_picture_names_its_curves_axes_and_machine() {
        let svg = drawn(vec![curve("ours", Side::Ours, 0), curve("peer", Side::Other(1), 1)]);
        let svg = svg.unwrap();
        for text in [
            "put: time",
            "ours",
            "peer",
            "size of the operand (bytes)",
            "time of an operation",
            "a machine, today",
        ] {
            assert!(svg.lines().any(|line| line.trim() == text), "{text}");
        }
    }

    #[test]
    fn the_legend_is_outside_of_the_plot() {
        let svg = drawn(vec![curve("ours", Side::Ours, 0), curve("peer", Side::Other(1), 0)]);
        let svg = svg.unwrap();
        let lines: Vec<&str> = svg.lines().collect();
        for label in ["ours", "peer"] {
            let text = lines.iter().position(|line| line.trim() == label).unwrap();
            let x = lines[text - 1].split("x=\"").nth(1).unwrap().split('"').next().unwrap();
            assert!(x.parse::<u32>().unwrap() > PLOT.0, "{label} at {x}");
        }
    }

    #[test]
    fn every_value_with_a_spread_has_an_error_bar() {
        let thin_lines = |spread: bool| {
            let mut curve = curve("peer", Side::Other(0), 0);
            if !spread {
                curve.points.iter_mut().for_each(|point| point.spread = None);
            }
            let svg = drawn(vec![curve]).unwrap();
            let thin =
                |line: &&str| line.contains("#E69F00") && line.contains("stroke-width=\"1\"");
            svg.lines().filter(thin).count()
        };
        assert_eq!((thin_lines(true), thin_lines(false)), (9, 0));
    }

    #[test]
    fn curves_without_two_points_make_no_picture() {
        let mut lone = curve("ours", Side::Ours, 0);
        lone.points.truncate(1);
        assert_eq!(drawn(vec![lone]), None);
    }
}
