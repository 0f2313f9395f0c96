//! How the curve of each side looks, the same in every picture.

use crate::peers::{Kind, Peer};
use plotters::prelude::RGBColor;

/// Whose curve it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// XMP-RT as it works by itself. No other side is black or as thick.
    Ours,
    /// What the machine allows.
    Limit,
    /// A peer, or another way to do the same; each number has its colour and marker.
    Other(usize),
}

impl Side {
    /// The side of a peer.
    pub fn of(peer: &Peer) -> Self {
        match (peer.kind, peer.id) {
            (Kind::Ours | Kind::OursEmbedded | Kind::OursOverMpi | Kind::OursOnHosts, _) => {
                Self::Ours
            }
            (Kind::Limit, _) => Self::Limit,
            (_, "oc-openmpi") => Self::Other(0),
            (_, "oc-mpich") => Self::Other(1),
            (_, "mpi-openmpi") => Self::Other(2),
            (_, "mpi-mpich") => Self::Other(3),
            (Kind::CafShmem, _) => Self::Other(4),
            _ => Self::Other(5),
        }
    }

    /// Its colour. No two are told apart by red and green alone.
    pub fn colour(self) -> RGBColor {
        match self {
            Self::Ours => RGBColor(0, 0, 0),
            Self::Limit => RGBColor(140, 140, 140),
            Self::Other(number) => COLOURS[number % COLOURS.len()],
        }
    }

    /// The width of its lines in pixels.
    pub fn width(self) -> u32 {
        if self == Self::Ours { 3 } else { 2 }
    }

    /// Its marker.
    pub fn marker(self) -> Marker {
        match self {
            Self::Ours => Marker::Circle,
            Self::Limit => Marker::Bar,
            Self::Other(number) => MARKERS[number % MARKERS.len()],
        }
    }
}

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A disc: ours alone.
    Circle,
    /// A horizontal bar: the limit.
    Bar,
    /// A square on its side.
    Square,
    /// A triangle that points up.
    Up,
    /// A triangle that points down.
    Down,
    /// A square on its corner.
    Diamond,
    /// A triangle that points to the left.
    Left,
    /// A triangle that points to the right.
    Right,
    /// A star with four points.
    Star,
}

impl Marker {
    /// The corners of a marker of this radius around (0, 0) in pixels; none of a circle.
    pub fn corners(self, radius: i32) -> Vec<(i32, i32)> {
        let (r, half) = (radius, (radius + 1) / 2);
        match self {
            Self::Circle => Vec::new(),
            Self::Bar => vec![(-r, -1), (r, -1), (r, 1), (-r, 1)],
            Self::Square => vec![(-r, -r), (r, -r), (r, r), (-r, r)],
            Self::Up => vec![(0, -r), (r, r), (-r, r)],
            Self::Down => vec![(0, r), (r, -r), (-r, -r)],
            Self::Left => vec![(-r, 0), (r, -r), (r, r)],
            Self::Right => vec![(r, 0), (-r, -r), (-r, r)],
            Self::Diamond => vec![(0, -r - 1), (r + 1, 0), (0, r + 1), (-r - 1, 0)],
            Self::Star => vec![
                (0, -r - 2),
                (half - 1, 1 - half),
                (r + 2, 0),
                (half - 1, half - 1),
                (0, r + 2),
                (1 - half, half - 1),
                (-r - 2, 0),
                (1 - half, 1 - half),
            ],
        }
    }
}

/// Markers of the other sides.
const MARKERS: [Marker; 7] = [
    Marker::Square,
    Marker::Up,
    Marker::Diamond,
    Marker::Down,
    Marker::Left,
    Marker::Right,
    Marker::Star,
];

/// Colours of the other sides: those of Okabe and Ito (2008) first, then those of Tol (2021). Their number and that of
/// the markers have no common divisor, so that 77 sides differ.
const COLOURS: [RGBColor; 11] = [
    RGBColor(230, 159, 0),
    RGBColor(0, 114, 178),
    RGBColor(204, 121, 167),
    RGBColor(0, 158, 115),
    RGBColor(213, 94, 0),
    RGBColor(86, 180, 233),
    RGBColor(136, 34, 85),
    RGBColor(153, 153, 51),
    RGBColor(51, 34, 136),
    RGBColor(221, 204, 119),
    RGBColor(170, 68, 153),
];

/// The characters that fit into so many pixels of text of this size, by the mean width of sans-serif letters.
pub fn characters_in(pixels: u32, font_size: u32) -> usize {
    (f64::from(pixels) / (0.53 * f64::from(font_size))) as usize
}

/// The pixels that a text of this font size takes.
pub fn pixels_of(text: &str, font_size: u32) -> u32 {
    (text.chars().count() as f64 * 0.53 * f64::from(font_size)).ceil() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::Launcher;
    use std::collections::HashSet;

    fn side(id: &'static str, kind: Kind) -> Side {
        let launcher = Launcher::Environment("N");
        Side::of(&Peer { id, title: id, kind, compiler: None, fortran: None, launcher })
    }

    #[test]
    fn no_two_peers_share_a_colour_or_a_marker() {
        let sides = [
            side("ours", Kind::Ours),
            side("oc-openmpi", Kind::OpenCoarrays),
            side("oc-mpich", Kind::OpenCoarrays),
            side("mpi-openmpi", Kind::RawMpi),
            side("mpi-mpich", Kind::RawMpi),
            side("caf-shmem", Kind::CafShmem),
            side("omni", Kind::Omni),
            side("limit", Kind::Limit),
        ];
        let colours: HashSet<_> =
            sides.iter().map(|s| s.colour()).map(|c| (c.0, c.1, c.2)).collect();
        assert_eq!(colours.len(), sides.len());
        let markers: HashSet<_> = sides.iter().map(|s| s.marker() as u8).collect();
        assert_eq!(markers.len(), sides.len());
    }

    #[test]
    fn only_ours_is_black_and_thick() {
        for number in 0..20 {
            let side = Side::Other(number);
            assert!(side.colour() != Side::Ours.colour() && side.width() < Side::Ours.width());
            assert_ne!(side.marker(), Marker::Circle);
        }
    }
}
