//! Numbers of bytes as users read and write them.

use std::fmt::{self, Display};

/// A number of bytes in the largest unit that keeps it exact to a tenth, rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let unit = self.0.max(1).ilog2() as usize / 10;
        let tenths = (u128::from(self.0) * 10) >> (10 * unit);
        match (tenths / 10, tenths % 10) {
            (1, 0) if unit == 0 => f.write_str("1 byte"),
            (whole, 0) => write!(f, "{whole} {}", units[unit]),
            (whole, tenth) => write!(f, "{whole}.{tenth} {}", units[unit]),
        }
    }
}

/// A number of bytes as the value of a setting, exactly: `64M`, `3000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingSize(pub u64);

impl Display for SettingSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = (self.0.max(1).trailing_zeros() / 10).min(4);
        write!(f, "{}{}", self.0 >> (10 * unit), ["", "K", "M", "G", "T"][unit as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_well() {
        let texts = [0, 1, 1023, 1024, 1536, 64 << 30, u64::MAX].map(|n| Size(n).to_string());
        assert_eq!(
            texts,
            ["0 bytes", "1 byte", "1023 bytes", "1 KiB", "1.5 KiB", "64 GiB", "15.9 EiB"]
        );
    }

    #[test]
    fn settings_are_exact() {
        let texts = [0, 3000, 1 << 20, 3 << 30, 1 << 50].map(|n| SettingSize(n).to_string());
        assert_eq!(texts, ["0", "3000", "1M", "3G", "1024T"]);
    }
}
