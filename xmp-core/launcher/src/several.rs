//! The hosts of a job: those that the user names, or the hosts of the allocation of a scheduler.

use crate::locality::{self, place_images};
use crate::options::{Binding, Options};
use crate::stacks;
use clap::ValueEnum;
use std::fs;
use xmp_core::hosts::{Allocation, HostSlots, Hosts, Reach, StackText, Surroundings, allocation};
use xmp_core::hosts::{from_file, from_option, is_here};
use xmp_core::launch::{Placement, cores_available, processors_of_scheduler};
use xmp_core::plugin::{ancestry, detect};
use xmp_core::settings::{Settings, TransportChoice};
use xmp_core::{Error, Result};

/// The hosts on which images run.
#[derive(Debug)]
pub enum HostSelection {
    /// On this host: this number of images, if the hosts fix it.
    Here(Option<u32>),
    /// On several hosts, or on another one.
    There(Hosts),
}

/// The hosts on which the images of this command line run.
///
/// # Errors
/// When hosts are named wrongly, or cannot be used with the other options.
pub fn place(options: &Options, settings: &Settings) -> Result<HostSelection> {
    // An image, or a task of another launcher, starts its own job where it is.
    let is_nested = ancestry::is_started_by_image() || detect::launcher_of_several().is_some();
    let named = named(options)?;
    let is_named = named.is_some();
    let allocation = match (is_nested, is_named) {
        (true, _) => None,
        (false, false) => allocation()?,
        // One that cannot be used is no obstacle.
        (false, true) => allocation().unwrap_or_default(),
    };
    let hosts = named.or_else(|| allocation.as_ref().map(|its| its.hosts.clone()));
    let Some(mut hosts) = hosts else { return Ok(HostSelection::Here(None)) };
    let of_allocation = allocation.as_ref().filter(|_| !is_named).and_then(|its| its.images);
    let asked = options.images.or(settings.num_images).or(of_allocation);
    leave_out_idle(&mut hosts, asked);
    if let [HostSlots { name, slots }] = &hosts[..] {
        // A node of Slurm may have another name than its host.
        let is_ours = !is_named && allocation.as_ref().is_some_and(|its| its.is_here);
        if is_ours || is_here(name) {
            let tasks = of_allocation.filter(|&images| images > 1);
            return Ok(HostSelection::Here(if is_named { *slots } else { tasks }));
        }
    }
    refuse(options, settings)?;
    let program = std::env::current_exe()
        .map_err(|error| Error::os("cannot find out where xmprun is", error))?;
    Ok(HostSelection::There(Hosts {
        reach: reach(&hosts, settings, allocation),
        hosts,
        fan_out: settings.fan_out,
        images: asked,
        binding: word(options.bind),
        program: program.into_os_string(),
    }))
}

/// Leaves out the hosts after the ones that have slots for all images.
fn leave_out_idle(hosts: &mut Vec<HostSlots>, images: Option<u32>) {
    let Some(images) = images else { return };
    let mut left = u64::from(images);
    hosts.retain(|host| {
        let is_used = left > 0;
        // Those of a host whose cores are not counted yet may be enough, or not.
        left = left.saturating_sub(host.slots.unwrap_or(0).into());
        is_used
    });
}

/// The hosts that the command line names.
fn named(options: &Options) -> Result<Option<Vec<HostSlots>>> {
    if let Some(list) = &options.hosts {
        return from_option(list).map(Some);
    }
    let Some(file) = &options.hostfile else { return Ok(None) };
    let text = fs::read_to_string(file).map_err(|error| {
        let error = Error::os(format!("cannot read {}", file.display()), error);
        Error::Invalid(format!("--hostfile: {error}"))
    })?;
    from_file(&text, &file.display().to_string()).map(Some)
}

/// The command that reaches these hosts: the user's; for hosts of a scheduler its own; else `ssh`.
fn reach(hosts: &[HostSlots], settings: &Settings, allocation: Option<Allocation>) -> Reach {
    let ssh = || vec!["ssh".to_owned()];
    if let Some(command) = &settings.ssh {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        return Reach::Command(if words.is_empty() { ssh() } else { words });
    }
    let has_all = |its: &Allocation| {
        hosts.iter().all(|host| its.hosts.iter().any(|other| other.name == host.name))
    };
    allocation.filter(has_all).map_or_else(|| Reach::Command(ssh()), |its| its.reach)
}

/// Refuses options that do not work on several hosts.
fn refuse(options: &Options, settings: &Settings) -> Result<()> {
    if options.debug == Some(crate::options::Debugger::Rr) {
        return Err(Error::Invalid(
            "--debug rr records the images of one host: --hosts localhost runs all of them here"
                .into(),
        ));
    }
    if options.bench {
        return Err(Error::Invalid(
            "--bench measures operations on one host: --hosts localhost runs all images here"
                .into(),
        ));
    }
    if options.watch.is_some() {
        return Err(Error::Invalid(
            "--watch shows the images of one host: Ctrl-\\, or SIGUSR1 to xmprun, shows once what each image does on several ones"
                .into(),
        ));
    }
    match settings.transport {
        TransportChoice::Auto | TransportChoice::Sockets => Ok(()),
        TransportChoice::Shm => Err(Error::Invalid(
            "setting XMP_TRANSPORT: shm is for one host, and the images are to run on several ones: unset it, or name one host \
             with --hosts localhost"
                .into(),
        )),
        TransportChoice::Mpi | TransportChoice::OpenMpi | TransportChoice::Mpich => {
            Err(Error::Invalid(
                "setting XMP_TRANSPORT: xmprun starts images on several hosts without an MPI: unset it, or start the program \
                 with the mpirun of that MPI or with srun"
                    .into(),
            ))
        }
    }
}

/// The binding, as on the command line.
fn word(binding: Binding) -> String {
    binding.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// The properties of this host that a proxy finds out.
#[derive(Debug)]
pub struct ThisHost;

impl Surroundings for ThisHost {
    fn cores(&self) -> u32 {
        let cores = locality::detect().map_or(usize::MAX, |machine| machine.cores.len());
        cores.min(cores_available()).min(processors_of_scheduler().unwrap_or(usize::MAX)) as u32
    }

    fn places(&self, binding: &str, images: u32) -> Result<Vec<Placement>> {
        match Binding::from_str(binding, false) {
            Ok(Binding::Core | Binding::L3 | Binding::Numa) if images == 0 => Ok(Vec::new()),
            Ok(binding @ (Binding::Core | Binding::L3 | Binding::Numa)) => {
                Ok(place_images(&locality::detect()?, images, binding))
            }
            // Images that have a processor each bind themselves.
            _ => Ok(Vec::new()),
        }
    }

    fn stacks(&self, each: &mut dyn FnMut(StackText)) {
        stacks::of_own_images(each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_without_images_are_left_alone() {
        let left = |images| {
            let mut hosts = from_option("a:2,b:2,c,d:1").unwrap();
            leave_out_idle(&mut hosts, images);
            hosts.into_iter().map(|host| host.name).collect::<String>()
        };
        assert_eq!(left(None), "abcd");
        assert_eq!(
            [1, 2, 3, 4, 5, 9].map(|images| left(Some(images))),
            ["a", "a", "ab", "ab", "abcd", "abcd"]
        );
    }
}
