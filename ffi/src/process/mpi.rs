//! MPI communicators of a process whose images are processes of an MPI job.

use super::end;
use super::instance::{Instance, OfImage, created};
use std::cell::{LazyCell, OnceCell, RefCell};
use std::collections::HashMap;
use xmp_coarray::front_end::sync_all;
use xmp_core::image_set::{ImageSet, Key};
use xmp_core::plugin::{Communicator, Plugin, detect};
use xmp_core::settings::Settings;
use xmp_core::{Error, Rank, Result};

/// The communicators that there are.
#[derive(Debug, Default)]
struct Communicators {
    /// By the members of the sets that they are of.
    made: RefCell<HashMap<Key, Box<Communicator>>>,
    /// MPI_COMM_WORLD.
    world: OnceCell<Communicator>,
}

static COMMUNICATORS: OfImage<LazyCell<Communicators>> = OfImage::lazy();

/// Whether this process is, or is to be, an image under MPI. Also if it is wrong to start it as it was started: its
/// start says why.
pub fn wants_mpi() -> bool {
    let wanted = Settings::from_env().and_then(|settings| detect::wanted(&settings));
    !matches!(wanted, Ok(None))
}

/// The communicator of a set of images, with their ranks in its order. It lives until the end. Collective over the set.
///
/// # Errors
/// Without MPI, and when images of the set have ended.
pub fn communicator(instance: &Instance, set: &ImageSet) -> Result<Communicator> {
    let Instance { image, .. } = instance;
    let known = &COMMUNICATORS.of(instance).made;
    let plugin = plugin(instance)?;
    let key = set.key();
    if let Some(known) = known.borrow().get(&key) {
        return Ok(**known);
    }
    // MPI waits for all within the call. So the images synchronise first: none that is waited for has yet to be served.
    sync_all(image, set)?;
    let ranks: Vec<Rank> = set.ranks().collect();
    let made = plugin.communicator(&ranks, key.0[0] as u16)?;
    known.borrow_mut().insert(key, Box::new(made));
    Ok(made)
}

/// The communicator that nodes of XcalableMP have, and where it is until the end as an `MPI_Comm` of C:
/// MPI_COMM_WORLD if they are all images, for which one of them may ask alone; any other is collective.
///
/// # Errors
/// Without MPI, and when images of the set have ended.
pub fn communicator_of_nodes(
    instance: &Instance,
    set: &ImageSet,
) -> Result<(Communicator, *const u64)> {
    let Communicators { made, world } = &**COMMUNICATORS.of(instance);
    if set.members() != instance.image.stack().initial().members() {
        let found = communicator(instance, set)?;
        // What is in a box stays where it is, and none is ever taken out.
        return Ok((found, &raw const made.borrow()[&set.key()].c));
    }
    let found = match world.get() {
        Some(found) => found,
        None => {
            let found = plugin(instance)?.world()?;
            world.get_or_init(|| found)
        }
    };
    Ok((*found, &raw const found.c))
}

fn plugin(instance: &Instance) -> Result<&Plugin> {
    instance.exit.plugin().ok_or_else(|| {
        let why = "the images are no processes of an MPI job: start the program with mpirun";
        Error::Invalid(why.into())
    })
}

/// For a program that has initialised MPI itself: its MPI_Finalize ends its image.
pub(super) fn watch_finalize(instance: &Instance) {
    extern "C" fn hook() {
        if let Some(instance) = created() {
            instance.exit.stop(&instance.image);
        }
    }
    let Some(plugin) = instance.exit.plugin() else { return };
    if plugin.by_program()
        && let Err(error) = plugin.on_finalize(hook)
    {
        end::run_time_error("start", &error);
    }
}
