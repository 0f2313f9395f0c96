//! Pictures of the page: curves over size on logarithmic axes. Each picture is drawn in light and in dark colours.

use super::data::Line;
use std::fmt::Write;

/// The colours of a picture.
pub struct Theme {
    /// Part of the name of its files.
    pub name: &'static str,
    pub(super) paper: &'static str,
    pub(super) ink: &'static str,
    pub(super) quiet: &'static str,
    pub(super) lines: &'static str,
    /// Of XMP-RT, OpenCoarrays and MPI.
    pub(super) sides: [&'static str; 3],
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
pub(super) const WIDTH: f64 = 810.0;
/// Edges of the plot of curves.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 560.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 350.0;

/// The beginning of a picture: its title on its paper.
pub(super) fn begin(title: &str, height: f64, theme: &Theme) -> String {
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
pub(super) fn place(value: f64, [least, most]: [f64; 2], [from, to]: [f64; 2]) -> f64 {
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
}
