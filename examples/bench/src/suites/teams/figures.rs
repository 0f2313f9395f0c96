//! The figures 4 to 8 of UHCAF from the measured values.

use super::cg;
use super::variants::{rung_on_hosts, rungs};
use crate::error::Error;
use crate::peers::{Kind, Peer};
use crate::plots::{Across, Chart, Curve, Scale, points};
use crate::samples::Samples;
use std::path::Path;

/// Draws all figures that there are values for into the directory.
pub fn draw(
    samples: &Samples,
    peers: &[Peer],
    images: &[u32],
    hosts: &[u32],
    out: &Path,
) -> Result<(), Error> {
    for &count in images {
        groups(samples, peers, count).draw(&out.join(format!("figure-4-{count}-images.svg")))?;
        barriers(samples, peers, count).draw(&out.join(format!("figure-5-{count}-images.svg")))?;
        for &hosts in hosts.iter().filter(|&&hosts| hosts > 1) {
            let file = format!("figure-6-{count}-images-{hosts}-hosts.svg");
            ladder(samples, peers, count, hosts).draw(&out.join(file))?;
        }
        sums(samples, peers, count).draw(&out.join(format!("figure-7-{count}-images.svg")))?;
    }
    for (class, order) in [("S", cg::S), ("W", cg::W), ("A", cg::A)] {
        let file = format!("figure-8-class-{class}.svg");
        conjugate_gradients(samples, peers, images, (class, order)).draw(&out.join(file))?;
    }
    Ok(())
}

/// Three ways to synchronise groups of images, ours and OpenCoarrays.
fn groups(samples: &Samples, peers: &[Peer], images: u32) -> Chart {
    let mut curves = Vec::new();
    let compared = |kind| matches!(kind, Kind::Ours | Kind::OpenCoarrays | Kind::CafShmem);
    for peer in peers.iter().filter(|peer| compared(peer.kind)) {
        let team = points("sync_team", Scale::Time, images, samples, peer.id);
        // `sync all` knows no groups: a level line.
        let all = points("sync_all", Scale::Time, images, samples, peer.id);
        let level = |x: u32| all.iter().map(move |&(_, time)| (f64::from(x), time));
        let some = points("sync_images", Scale::Time, images, samples, peer.id);
        for (what, points) in [
            ("sync team", team),
            ("sync all", level(2).chain(level(images)).collect()),
            ("sync images", some),
        ] {
            curves.push(Curve { label: format!("{}: {what}", peer.title), points });
        }
    }
    Chart {
        caption: format!("Figure 4: synchronising groups of images, {images} images"),
        across: Across::Images("images in a group"),
        scale: Scale::Time,
        curves,
    }
}

/// The barrier of a team, everyone.
fn barriers(samples: &Samples, peers: &[Peer], images: u32) -> Chart {
    Chart {
        caption: format!("Figure 5: barrier of a team, {images} images"),
        across: Across::Images("images in a team"),
        scale: Scale::Time,
        curves: of_row("sync_team", samples, peers.iter(), images),
    }
}

/// The techniques, one after the other.
fn ladder(samples: &Samples, peers: &[Peer], images: u32, hosts: u32) -> Chart {
    let names: Vec<String> = rungs().map(|rung| rung_on_hosts(rung, hosts)).collect();
    let chosen = peers.iter().filter(|peer| names.iter().any(|name| name == peer.id));
    Chart {
        caption: format!("Figure 6: co_sum, {images} images on {hosts} hosts"),
        across: Across::Bytes,
        scale: Scale::Time,
        curves: of_row("team_sum", samples, chosen, images),
    }
}

/// co_sum in a team, everyone.
fn sums(samples: &Samples, peers: &[Peer], images: u32) -> Chart {
    let chosen = peers.iter().filter(|peer| peer.kind != Kind::Technique);
    Chart {
        caption: format!("Figure 7: co_sum in a team, {images} images"),
        across: Across::Bytes,
        scale: Scale::Time,
        curves: of_row("team_sum", samples, chosen, images),
    }
}

fn of_row<'a>(
    row: &str,
    samples: &Samples,
    peers: impl Iterator<Item = &'a Peer>,
    images: u32,
) -> Vec<Curve> {
    let curve = |peer: &Peer| Curve {
        label: peer.title.to_owned(),
        points: points(row, Scale::Time, images, samples, peer.id),
    };
    peers.map(curve).collect()
}

/// CG in all forms over the number of images.
fn conjugate_gradients(
    samples: &Samples,
    peers: &[Peer],
    images: &[u32],
    (class, order): (&str, u64),
) -> Chart {
    let mut curves = Vec::new();
    for peer in peers {
        let forms: &[(&str, &str)] = match peer.kind {
            Kind::RawMpi => &[("cg_teams", "messages")],
            _ => {
                &[("cg_teams", "teams"), ("cg_f2008", "Fortran 2008"), ("cg_sums", "a team a sum")]
            }
        };
        for (row, form) in forms {
            let point = |&count: &u32| {
                let times = points(row, Scale::Time, count, samples, peer.id);
                let time = times.into_iter().find(|&(size, _)| size == order as f64);
                time.map(|(_, time)| (f64::from(count), time))
            };
            let label = format!("{}: {form}", peer.title);
            curves.push(Curve { label, points: images.iter().filter_map(point).collect() });
        }
    }
    Chart {
        caption: format!("Figure 8: CG, class {class}"),
        across: Across::Images("images"),
        scale: Scale::Time,
        curves,
    }
}
