//! The picture of whole programs: a mark for the ratio to MPI of XMP-RT and of OpenCoarrays, on a logarithmic axis.

use super::data::Line;
use super::draw::{Theme, WIDTH, begin, place};
use crate::table::short;
use std::fmt::Write;

/// Edges of the axis, the first row, and the height of one.
const LEFT: f64 = 300.0;
const RIGHT: f64 = WIDTH - 60.0;
const TOP: f64 = 50.0;
const ROW: f64 = 22.0;
/// The radius of a mark, and the distance between its middle and its number.
const MARK: f64 = 5.0;
const GAP: f64 = 10.0;
/// The width of a digit.
const DIGIT: f64 = 7.5;
/// The factor by which the axis goes beyond the marks: room for a number.
const MARGIN: f64 = 1.7;

/// The mark of a row: where it is, and its number beside it.
struct Mark {
    ratio: f64,
    at: f64,
    /// True if the number is on the left of the mark.
    is_left: bool,
}

impl Mark {
    /// Numbers are on the side away from the line at 1.
    fn new(ratio: f64, axis: [f64; 2]) -> Self {
        Self { ratio, at: place(ratio, axis, [LEFT, RIGHT]), is_left: ratio < 1.0 }
    }

    /// The number moves to the left where another mark is in its way.
    fn beside(self, other: Option<&Self>) -> Self {
        let end = self.at + GAP + DIGIT * short(self.ratio).len() as f64;
        let is_covered = other.is_some_and(|other| self.at < other.at && other.at - MARK < end);
        Self { is_left: self.is_left || is_covered, ..self }
    }

    fn draw(&self, middle: f64, colour: &str, theme: &Theme) -> String {
        let (anchor, at) =
            if self.is_left { ("end", self.at - GAP) } else { ("start", self.at + GAP) };
        format!(
            "<circle cx=\"{:.1}\" cy=\"{middle}\" r=\"{MARK}\" fill=\"{colour}\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"{anchor}\" fill=\"{}\">{}</text>",
            self.at,
            middle + 4.5,
            theme.ink,
            short(self.ratio)
        )
    }
}

/// The ratios of each row to MPI, the smallest of XMP-RT first. A line shows 1.
pub fn ratios(title: &str, rows: &[Line], theme: &Theme) -> String {
    // OpenCoarrays may have no figure.
    let theirs = |line: &Line| Some(line.times[1]? / line.times[2]?);
    let mut rows: Vec<(&str, f64, Option<f64>)> =
        rows.iter().filter_map(|line| Some((&*line.title, line.ratio(2)?, theirs(line)))).collect();
    rows.sort_by(|one, other| one.1.total_cmp(&other.1));
    let all = || rows.iter().flat_map(|(_, ours, theirs)| [Some(*ours), *theirs]).flatten();
    let axis = [all().fold(1.0, f64::min) / MARGIN, all().fold(1.0, f64::max) * MARGIN];
    let foot = TOP + ROW * rows.len() as f64;
    let mut svg = begin(title, foot + 54.0, theme);
    let one = place(1.0, axis, [LEFT, RIGHT]);
    for power in (-9..=9).map(|exponent| 10_f64.powi(exponent)) {
        if axis[0] <= power && power <= axis[1] {
            let at = place(power, axis, [LEFT, RIGHT]);
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {}V{foot}\" stroke=\"{}\"/>\
                 <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"{}\">{power}</text>",
                TOP - 6.0,
                theme.lines,
                foot + 18.0,
                theme.quiet
            );
        }
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{one:.1} {}V{foot}\" stroke=\"{}\" stroke-width=\"1.5\" stroke-dasharray=\"3 3\"/>",
        TOP - 6.0,
        theme.ink
    );
    for (number, (label, ours, theirs)) in rows.iter().enumerate() {
        let middle = TOP + ROW * number as f64 + 9.0;
        let theirs = theirs.map(|ratio| Mark::new(ratio, axis));
        let ours = Mark::new(*ours, axis).beside(theirs.as_ref());
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{label}</text>\
             <path d=\"M{one:.1} {middle}H{:.1}\" stroke=\"{}\" stroke-width=\"3\"/>",
            LEFT - 10.0,
            middle + 4.5,
            ours.at,
            theme.sides[0]
        );
        for (mark, colour) in theirs.iter().zip([theme.sides[1]]).chain([(&ours, theme.sides[0])]) {
            let _ = writeln!(svg, "{}", mark.draw(middle, colour, theme));
        }
    }
    let legend = foot + 40.0;
    let has_others = rows.iter().any(|(_, _, theirs)| theirs.is_some());
    let others = "OpenCoarrays (none: an error or a wrong result)";
    let sides = [(LEFT - 120.0, theme.sides[0], "XMP-RT"), (LEFT - 30.0, theme.sides[1], others)];
    for (at, colour, text) in &sides[..1 + usize::from(has_others)] {
        let _ = writeln!(
            svg,
            "<circle cx=\"{at}\" cy=\"{}\" r=\"{MARK}\" fill=\"{colour}\"/><text x=\"{}\" y=\"{legend}\" \
             fill=\"{}\">{text}</text>",
            legend - 4.5,
            at + GAP,
            theme.quiet
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{RIGHT}\" y=\"{legend}\" text-anchor=\"end\" fill=\"{}\">1: as fast as MPI; less is faster</text>",
        theme.quiet
    );
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::super::draw::LIGHT;
    use super::*;

    fn line(title: &str, ours: f64, theirs: Option<f64>) -> Line {
        Line {
            title: title.into(),
            row: "x".into(),
            size: 0,
            times: [Some(ours), theirs, Some(2.0)],
        }
    }

    #[test]
    fn rows_are_sorted_and_a_mark_without_a_figure_is_left_out() {
        let svg = ratios("t", &[line("slow", 18.0, None), line("fast", 1.0, Some(200.0))], &LIGHT);
        assert!(svg.find("fast") < svg.find("slow"), "{svg}");
        for number in [">9.00<", ">0.500<", ">100<"] {
            assert!(svg.contains(number), "{number}: {svg}");
        }
        // Two marks of ours, one of OpenCoarrays, and the legend.
        assert_eq!(svg.matches("<circle").count(), 5, "{svg}");
    }

    #[test]
    fn equal_factors_are_equal_distances() {
        let axis = [0.1, 100.0];
        let at = |ratio| Mark::new(ratio, axis).at;
        assert!((at(10.0) - at(1.0) - (at(1.0) - at(0.1))).abs() < 1e-9);
        assert!((at(0.1) - LEFT).abs() < 1e-9 && (at(100.0) - RIGHT).abs() < 1e-9);
    }

    #[test]
    fn a_number_is_not_drawn_over_the_other_mark() {
        let axis = [0.1, 100.0];
        let theirs = Mark::new(1.3, axis);
        assert!(Mark::new(1.1, axis).beside(Some(&theirs)).is_left);
        assert!(!Mark::new(1.1, axis).beside(Some(&Mark::new(20.0, axis))).is_left);
        assert!(!Mark::new(1.1, axis).beside(None).is_left);
    }
}
