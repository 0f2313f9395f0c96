//! Drawings in SVG: where the time of each image went, and heat maps of pairs of images.

use super::html::escaped;
use crate::summary::Summary;
use crate::units::time;
use std::fmt::{self, Display};

/// Width of a drawing.
const WIDTH: f64 = 720.0;
/// Height of the bar of an image.
const BAR: usize = 18;
/// Room for the number of an image.
const MARGIN: f64 = 60.0;

/// A bar for each image: computing, operations without waiting, waiting.
pub struct Images<'a>(pub &'a Summary);

impl Display for Images<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Images(summary) = self;
        let height = BAR * summary.images.len();
        let longest = summary.elapsed().max(1) as f64;
        writeln!(
            f,
            "<svg class=\"images\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\">"
        )?;
        for (number, image) in summary.images.iter().enumerate() {
            let top = BAR * number;
            let label = top + BAR - 5;
            writeln!(f, "<text x=\"0\" y=\"{label}\">image {}</text>", image.image)?;
            let own = image.operations.saturating_sub(image.waiting);
            let parts =
                [("computing", image.computing()), ("operations", own), ("waiting", image.waiting)];
            let mut left = MARGIN;
            for (class, spent) in parts {
                let width = (WIDTH - MARGIN) * spent as f64 / longest;
                writeln!(
                    f,
                    "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{}\">\
                     <title>image {}: {class} {}</title></rect>",
                    BAR - 3,
                    image.image,
                    time(spent)
                )?;
                left += width;
            }
        }
        write!(f, "</svg>\n<p class=\"legend\">")?;
        ["computing", "operations", "waiting"]
            .iter()
            .try_for_each(|class| write!(f, "<span class=\"{class}\"></span> {class} "))?;
        write!(f, "</p>")
    }
}

/// A square of a heat map.
pub struct Square {
    /// Row and column: images, from 1.
    pub pair: (u32, u32),
    /// What its colour shows.
    pub value: u64,
    /// What it says when it is pointed at.
    pub text: String,
}

/// A heat map with a row and a column for each image.
pub struct HeatMap {
    /// Number of images.
    pub images: u32,
    /// The squares that are not empty.
    pub cells: Vec<Square>,
}

impl Display for HeatMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = (480.0 / f64::from(self.images.max(1))).clamp(2.0, 32.0);
        let size = side * f64::from(self.images) + MARGIN;
        let most = self.cells.iter().map(|cell| cell.value).max().unwrap_or(1).max(1) as f64;
        writeln!(
            f,
            "<svg class=\"heat\" viewBox=\"0 0 {size} {size}\" width=\"{size}\" height=\"{size}\">"
        )?;
        // Numbers where there is room for them.
        let every = (14.0 / side).ceil() as usize;
        for image in (1..=self.images).step_by(every.max(1)) {
            let at = MARGIN + side * (f64::from(image) - 0.5);
            writeln!(
                f,
                "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{image}</text>",
                MARGIN - 6.0
            )?;
            writeln!(
                f,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{image}</text>",
                MARGIN - 6.0,
                at + 4.0
            )?;
        }
        for Square { pair: (row, column), value, text } in &self.cells {
            let [x, y] = [column, row].map(|image| MARGIN + side * (f64::from(*image) - 1.0));
            let shade = *value as f64 / most;
            writeln!(
                f,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" fill-opacity=\"{shade:.3}\">\
                 <title>image {row}, image {column}: {}</title></rect>",
                escaped(text)
            )?;
        }
        write!(f, "</svg>")
    }
}
