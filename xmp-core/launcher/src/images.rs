//! The images of a job: their number, and the hosts and cores on which they run.

use crate::bench;
use crate::info::Info;
use crate::locality::{self, Machine};
use crate::options::{Binding, Options};
use crate::output;
use crate::several::{self, HostSelection};
use std::io::{self, Write};
use xmp_core::hosts::Hosts;
use xmp_core::launch::{self, Placement};
use xmp_core::settings::{self, Settings};
use xmp_core::{Result, plugin};

/// The images of a job.
pub struct Images {
    /// Their number. Hosts whose cores are not counted yet have `u32::MAX`.
    pub count: u32,
    /// Their hosts, where they are not on this one alone.
    pub several: Option<Hosts>,
    /// The number of virtual hosts.
    pub virtual_hosts: u32,
    /// The cores of each image on this host.
    pub placements: Vec<Placement>,
    /// This machine, if it was examined: that takes longer than starting a small job.
    machine: Option<Machine>,
}

impl Images {
    /// The images that a command line asks for.
    ///
    /// # Errors
    /// When hosts are named wrongly, or the machine cannot be examined.
    pub fn of(options: &Options, settings: &Settings) -> Result<Images> {
        let (several, slots) = match several::place(options, settings)? {
            HostSelection::Here(slots) => (None, slots),
            HostSelection::There(hosts) => (Some(hosts), None),
        };
        let asked = options.images.or(settings.num_images).or(slots);
        let asked = asked.or(options.bench.then_some(bench::IMAGES));
        let machine = match asked {
            Some(_) if matches!(options.bind, Binding::Auto | Binding::None) && !options.info => {
                None
            }
            None if several.is_some() && !options.info => None,
            _ => Some(locality::detect()?),
        };
        let count = asked.unwrap_or_else(|| match &several {
            Some(hosts) => hosts.images.unwrap_or(u32::MAX),
            None => {
                let cores = machine.as_ref().map_or(1, |machine| machine.cores.len());
                let given = launch::processors_of_scheduler().unwrap_or(usize::MAX);
                cores.min(launch::cores_available()).min(given) as u32
            }
        });
        let placements = match (&machine, options.bind) {
            _ if several.is_some() => Vec::new(),
            (Some(machine), bind) => locality::place_images(machine, count, bind),
            (None, Binding::Auto) => launch::one_processor_each(count),
            (None, _) => Vec::new(),
        };
        let virtual_hosts = options.virtual_hosts.unwrap_or(settings.virtual_hosts);
        Ok(Images { count, several, virtual_hosts, placements, machine })
    }

    /// `--info`: prints the machine, the job and the settings. Returns the exit status, or `None` where the option is not given.
    ///
    /// # Errors
    /// When the job is not possible, or nothing can be printed.
    pub fn info(&self, options: &Options, settings: &Settings) -> Result<Option<i32>> {
        let (true, Some(machine)) = (options.info, &self.machine) else { return Ok(None) };
        let count = if self.several.is_some() { machine.cores.len() as u32 } else { self.count };
        let plan = launch::plan(count, self.virtual_hosts, &self.placements, settings)?;
        let (plugins, plugin_directories) = plugin::installed(settings);
        let info = Info {
            machine,
            huge_pages: &launch::huge_pages(&plan, settings)?,
            plan: &plan,
            binding: options.bind,
            plugins: &plugins,
            plugin_directories: &plugin_directories,
            one_sided: settings.one_sided,
            reach: settings.reach,
            sockets: settings.sockets,
            unknown: &settings::unknown(),
            lookup: |name| std::env::var(name).ok(),
        };
        output::status_after(write!(io::stdout().lock(), "{info}"), 0).map(Some)
    }
}
