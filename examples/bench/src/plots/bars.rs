//! A picture of bars: the time of a few operations, a group of bars each, on a logarithmic axis.

use super::axes::{Scale, in_unit};
use super::style::{Side, pixels_of};
use crate::error::Error;
use crate::table::short;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::path::Path;

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Whose it is, as the legend says.
    pub label: String,
    /// Its colour.
    pub side: Side,
    /// Microseconds; written behind it.
    pub value: f64,
}

/// The bars of one operation.
#[derive(Clone, Debug)]
pub struct BarGroup {
    /// The operation.
    pub title: String,
    /// Its bars.
    pub bars: Vec<Bar>,
}

/// A picture of bars.
pub struct Bars {
    /// What it shows.
    pub caption: String,
    /// What its axis shows.
    pub axis: &'static str,
    /// The operations.
    pub groups: Vec<BarGroup>,
}

const WIDTH: i32 = 900;
/// Pixels of the operations' titles on the left.
const TITLES: i32 = 190;
/// Pixels on the right that a bar's text may need.
const TEXTS: i32 = 80;
/// Pixels of the caption and the legend.
const TOP: i32 = 84;
/// Pixels of the axis and the footer.
const BOTTOM: i32 = 74;
const BAR: i32 = 15;
const BETWEEN_GROUPS: i32 = 14;

type Drawn = Result<(), Box<dyn std::error::Error>>;

impl Bars {
    /// Draws it into `path` with `footer` below it.
    pub fn draw(&self, path: &Path, footer: &str) -> Result<(), Error> {
        self.render(path, footer)
            .map_err(|error| Error::Plot { path: path.to_owned(), reason: error.to_string() })
    }

    fn render(&self, path: &Path, footer: &str) -> Drawn {
        let bars = || self.groups.iter().flat_map(|group| &group.bars);
        let height = TOP
            + BOTTOM
            + self.groups.iter().map(|g| g.bars.len() as i32 * BAR + BETWEEN_GROUPS).sum::<i32>();
        let root = SVGBackend::new(path, (WIDTH as u32, height as u32)).into_drawing_area();
        root.fill(&WHITE)?;
        let write = |text: &str, at: (i32, i32), size: u32, anchor: HPos| {
            let style = ("sans-serif", size).into_font().color(&BLACK);
            root.draw(&Text::new(text.to_owned(), at, style.pos(Pos::new(anchor, VPos::Center))))
        };
        write(&self.caption, (16, 24), 20, HPos::Left)?;
        let mut legend = 16;
        for (label, side) in self.legend() {
            let square = [(legend, 52), (legend + 12, 64)];
            root.draw(&Rectangle::new(square, side.colour().filled()))?;
            write(label, (legend + 18, 58), 14, HPos::Left)?;
            legend += 18 + pixels_of(label, 14) as i32 + 22;
        }

        // Whole decades, so that each bar begins at a power of ten below every value.
        let least = bars().map(|bar| bar.value).fold(f64::INFINITY, f64::min).log10();
        let greatest = bars().map(|bar| bar.value).fold(0.0, f64::max).log10();
        let (from, to) = ((least - 0.05).floor() as i32, greatest.ceil() as i32);
        let pixels = f64::from(WIDTH - TITLES - TEXTS) / f64::from((to - from).max(1));
        let x = |exponent: f64| TITLES + ((exponent - f64::from(from)) * pixels).round() as i32;
        let foot = height - BOTTOM;
        for exponent in from..=to {
            let at = x(f64::from(exponent));
            let line = RGBColor(215, 215, 215).stroke_width(1);
            root.draw(&PathElement::new([(at, TOP - 6), (at, foot)], line))?;
            write(&Scale::Time.label(10_f64.powi(exponent)), (at, foot + 14), 14, HPos::Center)?;
        }
        write(self.axis, ((TITLES + WIDTH - TEXTS) / 2, foot + 34), 14, HPos::Center)?;
        write(footer, (16, height - 16), 12, HPos::Left)?;

        let mut y = TOP;
        for group in &self.groups {
            let middle = y + group.bars.len() as i32 * BAR / 2;
            write(&group.title, (TITLES - 12, middle), 15, HPos::Right)?;
            for bar in &group.bars {
                let end = x(bar.value.log10());
                let area = [(x(f64::from(from)), y + 1), (end, y + BAR - 1)];
                root.draw(&Rectangle::new(area, bar.side.colour().filled()))?;
                write(&time_text(bar.value), (end + 5, y + BAR / 2), 12, HPos::Left)?;
                y += BAR;
            }
            y += BETWEEN_GROUPS;
        }
        root.present()?;
        Ok(())
    }

    /// Each side once, in the order of the bars.
    fn legend(&self) -> Vec<(&str, Side)> {
        let mut sides: Vec<(&str, Side)> = Vec::new();
        for bar in self.groups.iter().flat_map(|group| &group.bars) {
            if !sides.iter().any(|(label, _)| *label == bar.label) {
                sides.push((&bar.label, bar.side));
            }
        }
        sides
    }
}

/// A time in the unit that fits, with three digits.
fn time_text(microseconds: f64) -> String {
    let (value, unit) = in_unit(microseconds);
    format!("{} {unit}", short(value))
}
