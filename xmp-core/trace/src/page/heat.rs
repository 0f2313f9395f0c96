//! Heat maps of pairs of images, with titles of their axes and a scale.

use super::html::escaped;
use std::fmt::{self, Display};

/// Room for the numbers of images and the title of an axis.
const MARGIN: f64 = 56.0;
/// Room below a map for its scale.
const SCALE: f64 = 44.0;
/// Least width of a drawing: the scale has to fit.
const MIN_WIDTH: f64 = 300.0;
/// Room for the title of the axis that is written downwards.
const TITLE: f64 = 180.0;
/// Steps of the scale.
const STEPS: u32 = 10;

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
    /// What the images of rows and columns do.
    pub axes: [&'static str; 2],
    /// The squares that are not empty.
    pub cells: Vec<Square>,
    /// A value with its unit.
    pub unit: fn(u64) -> String,
}

/// Images whose numbers are written, so far apart that none covers another one.
fn labelled(images: u32, side: f64) -> impl Iterator<Item = u32> {
    let room = 8.0 * f64::from(images.max(1).ilog10() + 1) + 8.0;
    let steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
    let every = steps.into_iter().find(|&step| f64::from(step) * side >= room).unwrap_or(10_000);
    (1..=images)
        .filter(move |&image| image == 1 || image % every == 0)
        .filter(move |&image| image == 1 || f64::from(image - 1) * side >= room)
}

impl Display for HeatMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = (480.0 / f64::from(self.images.max(1))).clamp(1.0, 32.0);
        let whole = side * f64::from(self.images);
        let width = (whole + MARGIN).max(MIN_WIDTH);
        let height = (whole + MARGIN + SCALE).max(MARGIN + TITLE);
        let most = self.cells.iter().map(|cell| cell.value).max().unwrap_or(1).max(1);
        writeln!(
            f,
            "<svg class=\"heat\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\">\n\
             <rect class=\"ground\" x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{whole:.1}\" height=\"{whole:.1}\"></rect>"
        )?;
        let [rows, columns] = self.axes;
        writeln!(
            f,
            "<text x=\"{MARGIN}\" y=\"14\">{columns} &#8594;</text>\n\
             <text transform=\"translate(14 {MARGIN}) rotate(90)\">{rows} &#8594;</text>"
        )?;
        for image in labelled(self.images, side) {
            let at = MARGIN + side * (f64::from(image) - 0.5);
            let (above, beside) = (MARGIN - 6.0, at + 4.0);
            writeln!(
                f,
                "<text x=\"{at:.1}\" y=\"{above}\" text-anchor=\"middle\">{image}</text>\
                 <text x=\"{above}\" y=\"{beside:.1}\" text-anchor=\"end\">{image}</text>"
            )?;
        }
        for Square { pair: (row, column), value, text } in &self.cells {
            let [x, y] = [column, row].map(|image| MARGIN + side * (f64::from(*image) - 1.0));
            let shade = shade(*value as f64 / most as f64);
            writeln!(
                f,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" fill-opacity=\"{shade:.3}\">\
                 <title>image {row}, image {column}: {}</title></rect>",
                escaped(text)
            )?;
        }
        self.scale(f, MARGIN + whole + 14.0, most)?;
        write!(f, "</svg>")
    }
}

/// The opacity of a share of the greatest value: what is not empty is seen.
fn shade(share: f64) -> f64 {
    0.08 + 0.92 * share
}

impl HeatMap {
    fn scale(&self, f: &mut fmt::Formatter<'_>, top: f64, most: u64) -> fmt::Result {
        let step = 16.0;
        for number in 0..STEPS {
            let left = MARGIN + step * f64::from(number);
            let shade = shade((f64::from(number) + 0.5) / f64::from(STEPS));
            writeln!(
                f,
                "<rect class=\"step\" x=\"{left}\" y=\"{top:.1}\" width=\"{step}\" height=\"10\" fill-opacity=\"{shade:.3}\"></rect>"
            )?;
        }
        let (below, right) = (top + 24.0, MARGIN + step * f64::from(STEPS));
        writeln!(
            f,
            "<text x=\"{MARGIN}\" y=\"{below:.1}\">0</text>\
             <text x=\"{right}\" y=\"{below:.1}\" text-anchor=\"middle\">{}</text>",
            (self.unit)(most)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_images_do_not_cover_one_another() {
        for images in [1, 4, 9, 32, 100, 4096] {
            let side = (480.0 / f64::from(images)).clamp(1.0, 32.0);
            let shown: Vec<u32> = labelled(images, side).collect();
            assert_eq!(shown.first(), Some(&1));
            let digits = f64::from(images.ilog10() + 1);
            for pair in shown.windows(2) {
                assert!(f64::from(pair[1] - pair[0]) * side >= 8.0 * digits, "{images}: {pair:?}");
            }
        }
        assert_eq!(labelled(4, 32.0).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }
}
