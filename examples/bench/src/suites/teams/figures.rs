//! The figures 4 to 8 of UHCAF from the measured values.

use super::cg;
use super::variants::{rung_on_hosts, rungs};
use crate::error::Error;
use crate::output::Output;
use crate::peers::{Kind, Peer};
use crate::plots::{Across, Chart, Curve, Point, Scale, Side, points};
use crate::samples::Samples;

/// Draws all figures that there are values for.
pub fn draw(
    samples: &Samples,
    peers: &[Peer],
    images: &[u32],
    hosts: &[u32],
    output: &mut Output,
) -> Result<(), Error> {
    for &count in images {
        output.chart(&format!("figure-4-{count}-images.svg"), groups(samples, peers, count))?;
        output.chart(&format!("figure-5-{count}-images.svg"), barriers(samples, peers, count))?;
        for &hosts in hosts.iter().filter(|&&hosts| hosts > 1) {
            let file = format!("figure-6-{count}-images-{hosts}-hosts.svg");
            output.chart(&file, ladder(samples, peers, count, hosts))?;
        }
        output.chart(&format!("figure-7-{count}-images.svg"), sums(samples, peers, count))?;
    }
    for (class, order) in [("S", cg::S), ("W", cg::W), ("A", cg::A)] {
        let chart = conjugate_gradients(samples, peers, images, class, order);
        output.chart(&format!("figure-8-class-{class}.svg"), chart)?;
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
        let level = |x: u32| all.iter().map(move |&point| Point { x: f64::from(x), ..point });
        let some = points("sync_images", Scale::Time, images, samples, peer.id);
        for (form, what, points) in [
            (0, "sync team", team),
            (1, "sync all", level(2).chain(level(images)).collect()),
            (2, "sync images", some),
        ] {
            let label = format!("{}: {what}", peer.title);
            curves.push(Curve { label, form, ..Curve::of(peer, points) });
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

/// The techniques, one after the other; with the last of them it is ours as it is.
fn ladder(samples: &Samples, peers: &[Peer], images: u32, hosts: u32) -> Chart {
    let names: Vec<String> = rungs().map(|rung| rung_on_hosts(rung, hosts)).collect();
    let curve = |(number, name): (usize, &String)| {
        let peer = peers.iter().find(|peer| peer.id == name)?;
        let points = points("team_sum", Scale::Time, images, samples, peer.id);
        let side = if number + 1 == names.len() { Side::Ours } else { Side::Other(number) };
        Some(Curve { label: name.clone(), side, form: 0, points })
    };
    Chart {
        caption: format!("Figure 6: co_sum, {images} images on {hosts} hosts"),
        across: Across::Bytes,
        scale: Scale::Time,
        curves: names.iter().enumerate().filter_map(curve).collect(),
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
    let curve = |peer: &Peer| Curve::of(peer, points(row, Scale::Time, images, samples, peer.id));
    peers.map(curve).collect()
}

/// CG in all forms over the number of images.
fn conjugate_gradients(
    samples: &Samples,
    peers: &[Peer],
    images: &[u32],
    class: &str,
    order: u64,
) -> Chart {
    let mut curves = Vec::new();
    for peer in peers {
        let forms: &[(&str, &str)] = match peer.kind {
            Kind::RawMpi => &[("cg_teams", "messages")],
            _ => {
                &[("cg_teams", "teams"), ("cg_f2008", "Fortran 2008"), ("cg_sums", "a team a sum")]
            }
        };
        for (form, (row, what)) in (0..).zip(forms) {
            let point = |&count: &u32| {
                let times = points(row, Scale::Time, count, samples, peer.id);
                let time = times.into_iter().find(|point| point.x == order as f64)?;
                Some(Point { x: f64::from(count), ..time })
            };
            let points = images.iter().filter_map(point).collect();
            let label = format!("{}: {what}", peer.title);
            curves.push(Curve { label, form, ..Curve::of(peer, points) });
        }
    }
    Chart {
        caption: format!("Figure 8: CG, class {class}"),
        across: Across::Images("images"),
        scale: Scale::Time,
        curves,
    }
}
