//! Pictures of the page: curves over size on logarithmic axes, and bars of ratios. Each is drawn in light and in dark colours.

use super::data::Line;
use crate::table::short;
use std::fmt::Write;

/// The colours of a picture.
pub struct Theme {
    /// Part of the name of its files.
    pub name: &'static str,
    paper: &'static str,
    ink: &'static str,
    quiet: &'static str,
    lines: &'static str,
    /// Of XMP-RT, OpenCoarrays and MPI.
    sides: [&'static str; 3],
}

/// For readers with light pages.
pub const LIGHT: Theme = Theme {
    name: "light",
    paper: "#ffffff",
    ink: "#1f2328",
    quiet: "#59636e",
    lines: "#d8dee4",
    sides: ["#0a58ca", "#c9771a", "#6e7781"],
};

/// For readers with dark pages.
pub const DARK: Theme = Theme {
    name: "dark",
    paper: "#0d1117",
    ink: "#e6edf3",
    quiet: "#9198a1",
    lines: "#30363d",
    sides: ["#6cb0ff", "#e8a04c", "#9aa4ae"],
};

const SIDES: [&str; 3] = ["XMP-RT", "better OpenCoarrays", "better MPI"];
const WIDTH: f64 = 810.0;
/// Edges of the plot of curves.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 560.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 350.0;
/// Edges of bars, and the height of one.
const BARS: f64 = 290.0;
const BARS_END: f64 = 700.0;
const BAR: f64 = 22.0;
/// The width of a digit, and the distance between the end of a bar and its number.
const DIGIT: f64 = 7.5;
const GAP: f64 = 6.0;
/// The greatest ratio that has room; a longer bar is cut there.
const GREATEST_RATIO: f64 = 2.0;

fn begin(title: &str, height: f64, theme: &Theme) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"{}\">\n<title>{title}</title>\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"{}\"/>\n\
         <text x=\"16\" y=\"26\" font-size=\"16\" font-weight=\"600\">{title}</text>\n",
        theme.ink, theme.paper
    )
}

/// A size in bytes with its unit.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 if bytes.is_multiple_of(1024) => format!("{} KiB", bytes / 1024),
        1024..1_048_576 => format!("{bytes} B"),
        _ => format!("{} MiB", bytes / 1_048_576),
    }
}

/// Where a value is between two edges, on a logarithmic axis.
fn place(value: f64, [least, most]: [f64; 2], [from, to]: [f64; 2]) -> f64 {
    from + (to - from) * (value / least).ln() / (most / least).ln()
}

/// The time of rows over their sizes. The first row is drawn through, the second one dashed.
pub fn curves(title: &str, rows: &[(&str, Vec<&Line>)], theme: &Theme) -> String {
    let mut svg = begin(title, 400.0, theme);
    let lines = || rows.iter().flat_map(|(_, lines)| lines);
    let times: Vec<f64> = lines().flat_map(|line| line.times).flatten().collect();
    let least = times.iter().copied().fold(f64::INFINITY, f64::min).log10().floor();
    let most = times.iter().copied().fold(0.0, f64::max).log10().ceil();
    let (lowest, highest) = (10_f64.powf(least), 10_f64.powf(most));
    let sizes: Vec<f64> = lines().map(|line| line.size.max(1) as f64).collect();
    let smallest = sizes.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    let x = |bytes: f64| place(bytes, [smallest, largest], [LEFT, RIGHT]);
    let y = |time: f64| place(time, [lowest, highest], [BOTTOM, TOP]);
    for exponent in least as i32..=most as i32 {
        let (at, label) = (y(10_f64.powi(exponent)), time_label(exponent));
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{RIGHT}\" stroke=\"{}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" \
             fill=\"{}\">{label}</text>",
            theme.lines,
            LEFT - 8.0,
            at + 4.0,
            theme.quiet
        );
    }
    let mut shown: Vec<u64> = lines().map(|line| line.size).collect();
    shown.sort_unstable();
    shown.dedup();
    for bytes in shown {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"{}\">{}</text>",
            x(bytes as f64),
            BOTTOM + 20.0,
            theme.quiet,
            size(bytes)
        );
    }
    let mut legend = TOP + 10.0;
    for (number, (name, lines)) in rows.iter().enumerate() {
        let dashes = if number == 0 { "" } else { " stroke-dasharray=\"6 4\"" };
        for (side, label) in SIDES.iter().enumerate() {
            let points: Vec<[f64; 2]> = lines
                .iter()
                .filter_map(|line| Some([x(line.size as f64), y(line.times[side]?)]))
                .collect();
            let (colour, width) = (theme.sides[side], if side == 0 { 3 } else { 2 });
            let path: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
            let _ = writeln!(
                svg,
                "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"{dashes}/>",
                path.join("L")
            );
            for [x, y] in points {
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>"
                );
            }
            let from = RIGHT + 20.0;
            let label = if rows.len() == 1 {
                (*label).into()
            } else {
                format!("{name}, {}", short_side(label))
            };
            let _ = writeln!(
                svg,
                "<path d=\"M{from} {legend}h26\" stroke=\"{colour}\" stroke-width=\"{width}\"{dashes}/>\
                 <text x=\"{}\" y=\"{}\">{label}</text>",
                from + 34.0,
                legend + 4.0
            );
            legend += 22.0;
        }
    }
    svg + "</svg>\n"
}

/// The name of a side where there is little room.
fn short_side(label: &str) -> &str {
    label.strip_prefix("better ").unwrap_or(label)
}

/// A power of ten of microseconds with its unit.
fn time_label(exponent: i32) -> String {
    let (power, unit) = match exponent {
        ..0 => (exponent + 3, "ns"),
        0..3 => (exponent, "us"),
        3..6 => (exponent - 3, "ms"),
        _ => (exponent - 6, "s"),
    };
    format!("{} {unit}", 10_f64.powi(power))
}

/// The place of the number of a bar that ends at `end`, and whether that is in the bar: at its end, unless the line at `one` would
/// cross the number; then behind it.
fn number_place(end: f64, one: f64, digits: usize) -> (f64, bool) {
    let (right, width) = (end - GAP, DIGIT * digits as f64);
    let crosses = right - width < one + 2.0 && one - 2.0 < right;
    if crosses { (end + GAP, false) } else { (right, true) }
}

/// A bar for the ratio of each row to MPI, the smallest first. A line shows 1; longer bars are cut, and say so.
pub fn ratios(title: &str, rows: &[Line], theme: &Theme) -> String {
    let mut rows: Vec<(&str, f64)> =
        rows.iter().filter_map(|line| Some((&*line.title, line.ratio(2)?))).collect();
    rows.sort_by(|one, other| one.1.total_cmp(&other.1));
    let foot = TOP + BAR * rows.len() as f64;
    let mut svg = begin(title, foot + 46.0, theme);
    let x = |ratio: f64| BARS + (BARS_END - BARS) * ratio.min(GREATEST_RATIO) / GREATEST_RATIO;
    for (number, (label, ratio)) in rows.iter().enumerate() {
        let top = TOP + BAR * number as f64;
        let colour = if *ratio <= 1.0 { theme.sides[0] } else { theme.sides[1] };
        let cut = if *ratio > GREATEST_RATIO { " &#8594;" } else { "" };
        let (end, middle, number) = (x(*ratio), top + 14.0, short(*ratio));
        let (at, is_inside) = number_place(end, x(1.0), number.len());
        let (anchor, ink) = if is_inside { ("end", theme.paper) } else { ("start", theme.ink) };
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{label}</text>\
             <rect x=\"{BARS}\" y=\"{}\" width=\"{:.1}\" height=\"{}\" fill=\"{colour}\"/>\
             <text x=\"{at:.1}\" y=\"{middle}\" text-anchor=\"{anchor}\" fill=\"{ink}\">{number}{cut}</text>",
            BARS - 10.0,
            top + 2.0,
            end - BARS,
            BAR - 5.0
        );
    }
    let one = x(1.0);
    let _ = writeln!(
        svg,
        "<path d=\"M{one:.1} {}V{foot}\" stroke=\"{}\" stroke-width=\"1.5\" stroke-dasharray=\"3 3\"/>\
         <text x=\"{one:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"{}\">1: as fast as MPI; shorter is faster</text>",
        TOP - 6.0,
        theme.ink,
        foot + 20.0,
        theme.quiet
    );
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_have_their_units() {
        assert_eq!([8, 4000, 8192, 1 << 20].map(size), ["8 B", "4000 B", "8 KiB", "1 MiB"]);
        assert_eq!(
            [-3, -1, 0, 2, 3, 6].map(time_label),
            ["1 ns", "100 ns", "1 us", "100 us", "1 ms", "1 s"]
        );
    }

    #[test]
    fn a_bar_is_as_long_as_its_ratio() {
        let line = |title: &str, ours| Line {
            title: title.into(),
            row: "x".into(),
            size: 0,
            times: [Some(ours), None, Some(2.0)],
        };
        let svg = ratios("t", &[line("slow", 18.0), line("fast", 1.0)], &LIGHT);
        let quarter = (BARS_END - BARS) / 4.0;
        assert!(svg.contains(&format!("width=\"{quarter:.1}\"")), "{svg}");
        assert!(svg.contains("9.00 &#8594;") && svg.find("fast") < svg.find("slow"), "{svg}");
    }

    #[test]
    fn the_line_at_1_crosses_no_number() {
        let one = f64::midpoint(BARS, BARS_END);
        for ratio in (10..200).map(|percent| f64::from(percent) / 100.0) {
            let end = BARS + (one - BARS) * ratio;
            let digits = short(ratio).len();
            let (at, is_inside) = number_place(end, one, digits);
            let width = DIGIT * digits as f64;
            let [left, right] = if is_inside { [at - width, at] } else { [at, at + width] };
            assert!(right < one || one < left, "{ratio}");
            assert_eq!(is_inside, right <= end, "{ratio}");
        }
    }
}
