//! The functions of `libxmprt.so` behind this library.

use crate::entry::Entry;
use std::ffi::{CStr, c_int};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use xmp_core::launch::report;

/// `xmprt_team` of the team changed to last.
pub const CURRENT: i64 = 0;
/// `xmprt_team` of all images.
pub const INITIAL: i64 = -1;

/// Address of the function that an entry is before.
pub fn function_of(entry: &Entry) -> usize {
    // Relaxed: the code behind the address has been there since the program was loaded.
    match entry.function.load(Ordering::Relaxed) {
        0 => {
            let function = next(entry.symbol);
            entry.function.store(function, Ordering::Relaxed);
            function
        }
        function => function,
    }
}

#[cold]
fn next(symbol: &CStr) -> usize {
    // SAFETY: looks for the symbol in the objects behind this library.
    let function = unsafe { libc::dlsym(libc::RTLD_NEXT, symbol.as_ptr()) };
    if function.is_null() {
        report(format_args!(
            "trace: {symbol:?} is not in the library behind libxmprt_trace.so: link the program with libxmprt.so of this \
             installation"
        ));
        std::process::abort();
    }
    function.expose_provenance()
}

type Inquiry = extern "C" fn(i64) -> c_int;

fn inquiry(place: &OnceLock<Inquiry>, symbol: &CStr, team: i64) -> u32 {
    let function = place.get_or_init(|| {
        let function = std::ptr::with_exposed_provenance::<()>(next(symbol));
        // SAFETY: a function of `xmprt.h` with this signature.
        unsafe { std::mem::transmute::<*const (), Inquiry>(function) }
    });
    u32::try_from(function(team)).unwrap_or(0)
}

/// Index of this image in a team, from 1.
pub fn this_image(team: i64) -> u32 {
    static FUNCTION: OnceLock<Inquiry> = OnceLock::new();
    inquiry(&FUNCTION, c"xmprt_this_image", team)
}

/// Number of the images of a team.
pub fn num_images(team: i64) -> u32 {
    static FUNCTION: OnceLock<Inquiry> = OnceLock::new();
    inquiry(&FUNCTION, c"xmprt_num_images", team)
}

/// `xmp_get_primary_image_index` of Fortran: image indices of the executing images, and their indices in the initial team.
type PrimaryIndices = extern "C" fn(&c_int, *const c_int, *mut c_int, *const ());

/// The executing images, by their indices in the initial team.
pub fn executing() -> Vec<c_int> {
    images((1..=num_images(CURRENT) as c_int).collect(), std::ptr::null())
}

/// The images of nodes, which a descriptor of XcalableMP describes.
pub fn images_of_nodes(nodes: &u64) -> Vec<c_int> {
    let indices = (1..=num_images(INITIAL) as c_int).collect();
    let mut images = images(indices, nodes);
    // Indices that mean no node.
    images.retain(|&image| image > 0);
    images
}

/// The images of nodes that a C program knows by this handle; `None` if it is no handle of nodes.
pub fn images_of_handle(handle: u64) -> Option<Vec<c_int>> {
    type Size = extern "C" fn(u64, c_int) -> c_int;
    type Address = extern "C" fn(u64) -> *const ();
    static FUNCTIONS: OnceLock<(Size, Address)> = OnceLock::new();
    let (size, address) = FUNCTIONS.get_or_init(|| {
        let [size, address] = [c"xmprt_nodes_size", c"xmprt_descriptor"]
            .map(|name| std::ptr::with_exposed_provenance::<()>(next(name)));
        // SAFETY: functions of `ffi/src/c/global` with these signatures: a handle is a structure of one 64-bit number.
        unsafe {
            (
                std::mem::transmute::<*const (), Size>(size),
                std::mem::transmute::<*const (), Address>(address),
            )
        }
    });
    (size(handle, 0) > 0).then(|| images_of_nodes(&(address(handle).addr() as u64)))
}

/// The image of the node with this number, from 1; 0 if there is none.
pub fn image_of_node(nodes: &u64, number: c_int) -> c_int {
    images(vec![number], nodes).first().copied().unwrap_or(0)
}

/// The images, by their indices in the initial team, that have these indices among nodes; null is the executing ones.
fn images(indices: Vec<c_int>, nodes: *const u64) -> Vec<c_int> {
    static FUNCTION: OnceLock<PrimaryIndices> = OnceLock::new();
    let function = FUNCTION.get_or_init(|| {
        let function =
            std::ptr::with_exposed_provenance::<()>(next(c"xmp_get_primary_image_index_"));
        // SAFETY: a function of `ffi/src/xmp/images.rs` with this signature.
        unsafe { std::mem::transmute::<*const (), PrimaryIndices>(function) }
    });
    let mut images = vec![0; indices.len()];
    function(&(indices.len() as c_int), indices.as_ptr(), images.as_mut_ptr(), nodes.cast());
    images
}
