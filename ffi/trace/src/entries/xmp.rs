//! The procedures of XcalableMP that programs call by name (`ffi/src/xmp`).

use super::entries;
use crate::decode::{NONE, xmp};

entries! {
    xmp_barrier => Barrier, NONE;
    xmp_barrier_ => Barrier, NONE;
    xmp_sync_all => Barrier, NONE;
    xmp_sync_memory => SyncMemory, NONE;
    xmp_sync_image => SyncImages, xmp::SYNC_IMAGE;
    xmp_sync_images => SyncImages, xmp::SYNC_IMAGES;
    xmp_sync_images_all => SyncImages, xmp::SYNC_IMAGES_ALL;
    xmp_transpose => Library, NONE;
    xmp_transpose_ => Library, NONE;
    xmp_matmul => Library, NONE;
    xmp_matmul_ => Library, NONE;
    xmp_sort_up => Library, NONE;
    xmp_sort_up_ => Library, NONE;
    xmp_sort_down => Library, NONE;
    xmp_sort_down_ => Library, NONE;
    xmp_pack => Library, NONE;
    xmp_pack_ => Library, NONE;
    xmp_unpack => Library, NONE;
    xmp_unpack_ => Library, NONE;
    xmp_fopen_all => File, NONE;
    xmp_fclose_all => File, NONE;
    xmp_fseek_shared_all => File, NONE;
    xmp_file_sync_all => File, NONE;
    xmp_file_set_view_all => File, NONE;
    xmp_file_clear_view_all => File, NONE;
    xmp_fread_all => File, NONE;
    xmp_fwrite_all => File, NONE;
    xmp_fread_darray_all => File, NONE;
    xmp_fwrite_darray_all => File, NONE;
    xmp_fread_shared => File, NONE;
    xmp_fwrite_shared => File, NONE;
    xmp_fread => File, NONE;
    xmp_fwrite => File, NONE;
    xmprt_xmp_gather => Library, NONE;
    xmprt_xmp_scatter => Library, NONE;
    xmp_post_ => Post, xmp::NODE_OF_FORTRAN;
    xmp_wait_ => WaitPost, xmp::NODE_OF_FORTRAN;
    xmp_wait_node_ => WaitPost, xmp::NODE_OF_FORTRAN;
    xmp_wait_any_ => WaitPost, NONE;
    xmprt_program_start => Start, NONE;
    xmprt_program_finish => Finish, NONE;
    xmp_exit => Stop, NONE;
}
