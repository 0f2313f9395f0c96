//! Times, sizes and shares in the units that people read.

/// A time in ns with three digits and its unit.
pub fn time(nanoseconds: u64) -> String {
    scaled(nanoseconds as f64, 1000.0, &["ns", "us", "ms", "s"])
}

/// A number of bytes with three digits and its unit.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        _ => scaled(bytes as f64, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]),
    }
}

fn scaled(mut value: f64, factor: f64, units: &[&str]) -> String {
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= factor;
        unit += 1;
    }
    let digits = match value {
        _ if unit == 0 => 0,
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {}", units[unit])
}

/// A share in percent; of nothing it is 0.
pub fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// The quotient of two times with two digits after the point; without a second one a dash.
pub fn ratio(part: u64, whole: u64) -> String {
    if whole == 0 { "-".into() } else { format!("{:.2}", part as f64 / whole as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        assert_eq!(
            [0, 999, 1000, 12_345, 999_400, 999_600, 61_000_000_000].map(time),
            ["0 ns", "999 ns", "1.00 us", "12.3 us", "999 us", "1.00 ms", "61.0 s"]
        );
        assert_eq!(
            [0, 1023, 1024, 1536, 8 << 20, 5 << 40].map(bytes),
            ["0 B", "1023 B", "1.00 KiB", "1.50 KiB", "8.00 MiB", "5.00 TiB"]
        );
        assert_eq!((percent(1, 4), percent(1, 0)), (25.0, 0.0));
    }
}
