//! What a process has of MPI, if its images are processes of an MPI job.

use super::end;
use super::instance::{Instance, current};
use std::cell::RefCell;
use std::collections::HashMap;
use xmp_coarray::sync_all;
use xmp_core::image_set::{ImageSet, Key};
use xmp_core::plugin::{Communicator, detect};
use xmp_core::settings::Settings;
use xmp_core::{Error, Rank, Result};

/// The communicators that there are, by the members of the sets that they are of.
#[derive(Debug, Default)]
pub struct Communicators(RefCell<HashMap<Key, Box<Communicator>>>);

/// Whether this process is, or is to be, an image under MPI. Also if it is wrong to start it as it was started: its start
/// says why.
pub fn wants_mpi() -> bool {
    let wanted = Settings::from_env().and_then(|settings| detect::wanted(&settings));
    !matches!(wanted, Ok(None))
}

/// The communicator of a set of images, with their ranks in its order. It lives until the end. Collective over the set,
/// unless that is the initial one: all images are MPI_COMM_WORLD.
///
/// # Errors
/// Without MPI, and when images of the set have ended.
pub fn communicator(instance: &Instance, set: &ImageSet) -> Result<Communicator> {
    let Instance { image, exit, communicators, .. } = instance;
    let plugin = exit.plugin().ok_or_else(|| {
        let why = "the images are no processes of an MPI job: start the program with mpirun";
        Error::Invalid(why.into())
    })?;
    let key = set.key();
    let known = communicators.0.borrow().get(&key).map(|known| **known);
    if let Some(known) = known {
        return Ok(known);
    }
    // MPI waits for all within the call. So they meet first: nobody who is waited for has yet to be served.
    if set.members() != image.stack().initial().members() {
        sync_all(image, set)?;
    }
    let ranks: Vec<Rank> = set.ranks().collect();
    let made = plugin.communicator(&ranks, key.0[0] as u16)?;
    communicators.0.borrow_mut().insert(key, Box::new(made));
    Ok(made)
}

/// Where such a communicator lies until the end, as an `MPI_Comm` of C.
///
/// # Errors
/// As [`communicator`].
pub fn communicator_place(instance: &Instance, set: &ImageSet) -> Result<*const u64> {
    communicator(instance, set)?;
    // What is in a box stays where it is, and none is ever taken out.
    Ok(&raw const instance.communicators.0.borrow()[&set.key()].c)
}

/// For a program that has initialised MPI itself: its MPI_Finalize ends its image.
pub(super) fn watch_finalize(instance: &Instance) {
    extern "C" fn hook() {
        if let Some(instance) = current() {
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
