//! The time of each image as bars that are as wide as the page, and the states of all images over time.

use super::html::escaped;
use crate::summary::{ImageRow, Summary};
use crate::units::{percent, time};
use std::fmt::{self, Display};

/// The parts of an image's time: the classes of their colours and their names.
const PARTS: [&str; 4] = ["start", "computing", "communicating", "waiting"];

/// The times of these parts.
fn times(image: &ImageRow) -> [u64; 4] {
    [image.starting, image.computing(), image.communicating(), image.waiting]
}

/// The least height that the numbers of the picture can express, per cent: two digits after the point.
const LEAST_HEIGHT: f64 = 0.005;

/// What all images do over time: a column for each interval, whose parts are shares of the time of all images.
pub struct Phases<'a>(pub &'a Summary);

impl Display for Phases<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Phases(summary) = self;
        let count = summary.phases.len();
        writeln!(
            f,
            "<svg class=\"phases\" viewBox=\"0 0 {count} 100\" preserveAspectRatio=\"none\" width=\"100%\" height=\"90\">"
        )?;
        let whole = summary.phases.iter().map(|parts| parts.iter().sum::<u64>()).max().unwrap_or(0);
        for (number, parts) in summary.phases.iter().enumerate() {
            let mut top = 100.0;
            for (class, &spent) in PARTS.iter().zip(parts) {
                let height = percent(spent, whole);
                top -= height;
                if height < LEAST_HEIGHT {
                    continue;
                }
                write!(
                    f,
                    "<rect class=\"{class}\" x=\"{number}\" y=\"{top:.2}\" width=\"1\" height=\"{height:.2}\">\
                     <title>{class}: {:.0} %</title></rect>",
                    percent(spent, parts.iter().sum())
                )?;
            }
            writeln!(f)?;
        }
        let length = summary.length();
        for race in &summary.races {
            let at = percent(race.time.max(0) as u64, length).min(100.0) / 100.0 * count as f64;
            writeln!(
                f,
                "<line x1=\"{at:.2}\" x2=\"{at:.2}\" y1=\"0\" y2=\"100\"><title>race: {}</title></line>",
                escaped(&race.pair())
            )?;
        }
        writeln!(f, "</svg>")?;
        write!(
            f,
            "<div class=\"axis\"><span>0</span><span>{}</span><span>{}</span></div>",
            time(length / 2),
            time(length)
        )?;
        if !summary.races.is_empty() {
            write!(
                f,
                "\n<p class=\"legend\"><i class=\"race\"></i> a race is found for the first time</p>"
            )?;
        }
        Ok(())
    }
}

/// A bar for each image, with the parts that the columns of the table have. It begins when the image does.
pub struct Images<'a>(pub &'a Summary);

impl Display for Images<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Images(summary) = self;
        let longest = summary.length().max(1);
        writeln!(f, "<div class=\"images\">")?;
        for image in &summary.images {
            write!(f, "<span>image {}</span><div class=\"bar\">", image.image)?;
            if image.begins > 0 {
                let width = percent(image.begins, longest);
                write!(f, "<i style=\"width:{width:.2}%\"></i>")?;
            }
            for (class, spent) in PARTS.iter().zip(times(image)) {
                let width = percent(spent, longest).min(100.0);
                write!(
                    f,
                    "<i class=\"{class}\" style=\"width:{width:.2}%\" title=\"image {}: {class} {}\"></i>",
                    image.image,
                    time(spent)
                )?;
            }
            writeln!(f, "</div>")?;
        }
        writeln!(
            f,
            "<span></span><div class=\"axis\"><span>0</span><span>{}</span><span>{}</span></div>\n</div>",
            time(longest / 2),
            time(longest)
        )?;
        write!(f, "<p class=\"legend\">")?;
        PARTS
            .iter()
            .try_for_each(|class| write!(f, "<span><i class=\"{class}\"></i> {class}</span> "))?;
        write!(f, "</p>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::races::Race;

    #[test]
    fn races_are_marked_where_they_were_found() {
        let image = ImageRow { image: 1, elapsed: 1000, ..ImageRow::default() };
        let races = vec![Race { time: 250, ..Race::default() }];
        let phases = vec![[0, 1, 0, 0]; 120];
        let summary = Summary { images: vec![image], races, phases, ..Summary::default() };
        let text = Phases(&summary).to_string();
        assert!(text.contains("<line x1=\"30.00\" x2=\"30.00\""), "{text}");
        assert!(text.contains("found for the first time"), "{text}");
    }

    #[test]
    fn the_bar_of_an_image_that_begins_later_begins_later() {
        let image = |image, begins| ImageRow { image, begins, elapsed: 100, ..ImageRow::default() };
        let images = vec![image(1, 0), image(2, 100)];
        let text = Images(&Summary { images, ..Summary::default() }).to_string();
        let bars: Vec<&str> = text.lines().filter(|line| line.contains("<span>image ")).collect();
        assert!(!bars[0].contains("<i style"), "{text}");
        assert!(bars[1].contains("<div class=\"bar\"><i style=\"width:50.00%\"></i>"), "{text}");
        assert!(text.contains("<span>200 ns</span>"), "{text}");
    }

    #[test]
    fn shares_of_no_visible_height_are_not_drawn() {
        let phases = vec![[1, 999_989, 10, 0], [0, 500_000, 400_000, 100_000]];
        let text = Phases(&Summary { phases, ..Summary::default() }).to_string();
        assert_eq!(text.matches("<rect").count(), 4, "{text}");
        assert!(!text.contains("height=\"0.00\""), "{text}");
    }
}
