//! What the axes show, and how their numbers are written.

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
    /// The head of a table's column.
    pub fn name(self) -> &'static str {
        match self {
            Across::Bytes => "bytes",
            Across::Images(what) | Across::Microseconds(what) => what,
        }
    }

    /// The title of the axis.
    pub fn title(self) -> &'static str {
        if self == Across::Bytes { "size of the operand (bytes)" } else { self.name() }
    }

    /// A number at the axis.
    pub fn label(self, value: f64) -> String {
        match self {
            Across::Bytes => size_label(value),
            Across::Images(_) => format!("{value:.0}"),
            Across::Microseconds(_) => value.to_string(),
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
    /// The unit of the values in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Scale::Time => "microseconds",
            Scale::Bandwidth => "MB/s",
            Scale::Memory => "MiB",
            Scale::Factor => "times",
        }
    }

    /// The title of the axis.
    pub fn title(self) -> &'static str {
        match self {
            Scale::Time => "time of an operation",
            Scale::Bandwidth => "bandwidth",
            Scale::Memory => "memory",
            Scale::Factor => "times as long",
        }
    }

    /// A number at the axis, with its unit.
    pub fn label(self, value: f64) -> String {
        match self {
            Scale::Time => time_label(value),
            Scale::Bandwidth if value >= 1000.0 => format!("{} GB/s", value / 1000.0),
            Scale::Bandwidth => format!("{value} MB/s"),
            Scale::Memory => format!("{value} MiB"),
            Scale::Factor => value.to_string(),
        }
    }
}

/// Microseconds at an axis, in the unit that fits.
fn time_label(microseconds: f64) -> String {
    let (value, unit) = in_unit(microseconds);
    // What arithmetic leaves behind the sixth digit is noise.
    format!("{} {unit}", (value * 1e6).round() / 1e6)
}

/// Microseconds in the unit that leaves one to three digits before the point, and that unit.
pub(super) fn in_unit(microseconds: f64) -> (f64, &'static str) {
    match microseconds {
        t if t >= 1e6 => (t / 1e6, "s"),
        t if t >= 1e3 => (t / 1e3, "ms"),
        t if t >= 1.0 => (t, "µs"),
        t => (t * 1e3, "ns"),
    }
}

fn size_label(bytes: f64) -> String {
    match bytes {
        b if b >= f64::from(1 << 20) => format!("{:.0} MiB", b / f64::from(1 << 20)),
        b if b >= 1024.0 => format!("{:.0} KiB", b / 1024.0),
        b => format!("{b:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit_that_fits() {
        let times = [0.1, 1.0, 50.0, 1000.0, 2.5e6];
        let labels = times.map(|time| Scale::Time.label(time));
        assert_eq!(labels, ["100 ns", "1 µs", "50 µs", "1 ms", "2.5 s"]);
    }

    #[test]
    fn sizes_are_powers_of_1024() {
        let labels = [8.0, 1024.0, 65536.0, 8.0 * 1048576.0].map(|size| Across::Bytes.label(size));
        assert_eq!(labels, ["8", "1 KiB", "64 KiB", "8 MiB"]);
    }
}
