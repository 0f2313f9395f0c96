//! The entry functions of `libxmprt.so` that are recorded: those that communicate, synchronise, allocate or end the
//! image. Inquiries are not.

use crate::decode::{NONE, c, gnu, omni};
use crate::entry::Entry;
use crate::trampoline::through;
use std::arch::naked_asm;
use xmp_trace::operation::Operation;

/// Declares entries: the name, what it does, and how its arguments are decoded.
macro_rules! entries {
    ($($name:ident => $operation:ident, $decoder:expr;)+) => {$(
        #[doc = concat!("Passes on a call of `", stringify!($name), "`.")]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            static ENTRY: Entry = {
                let Ok(symbol) = std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes())
                else {
                    panic!()
                };
                Entry::new(symbol, Operation::$operation, &$decoder)
            };
            naked_asm!(
                "lea rax, [rip + {entry}]",
                "jmp {through}",
                entry = sym ENTRY,
                through = sym through,
            )
        }
    )+};
}

// gfortran.
entries! {
    _gfortran_caf_init => Start, NONE;
    _gfortran_caf_finalize => Finish, NONE;
    _gfortran_caf_register => Allocate, gnu::REGISTER;
    _gfortran_caf_deregister => Deallocate, gnu::DEREGISTER;
    _gfortran_caf_send => Put, gnu::SEND;
    _gfortran_caf_get => Get, gnu::GET;
    _gfortran_caf_sendget => Between, gnu::SENDGET;
    _gfortran_caf_send_by_ref => Put, gnu::SEND_BY_REF;
    _gfortran_caf_get_by_ref => Get, gnu::GET_BY_REF;
    _gfortran_caf_sendget_by_ref => Between, gnu::SENDGET_BY_REF;
    _gfortran_caf_send_to_remote => Put, gnu::SEND_TO_REMOTE;
    _gfortran_caf_get_from_remote => Get, gnu::GET_FROM_REMOTE;
    _gfortran_caf_transfer_between_remotes => Between, gnu::BETWEEN;
    _gfortran_caf_atomic_define => AtomicDefine, gnu::ATOMIC;
    _gfortran_caf_atomic_ref => AtomicRef, gnu::ATOMIC;
    _gfortran_caf_atomic_cas => AtomicCas, gnu::ATOMIC;
    _gfortran_caf_atomic_op => AtomicOp, gnu::ATOMIC_OP;
    _gfortran_caf_sync_all => SyncAll, NONE;
    _gfortran_caf_sync_team => SyncTeam, gnu::TEAM;
    _gfortran_caf_sync_images => SyncImages, gnu::SYNC_IMAGES;
    _gfortran_caf_sync_memory => SyncMemory, NONE;
    _gfortran_caf_event_post => EventPost, gnu::VARIABLE;
    _gfortran_caf_event_wait => EventWait, NONE;
    _gfortran_caf_event_query => EventQuery, gnu::VARIABLE;
    _gfortran_caf_lock => Lock, gnu::VARIABLE;
    _gfortran_caf_unlock => Unlock, gnu::VARIABLE;
    _gfortran_caf_co_sum => CoSum, gnu::REDUCTION;
    _gfortran_caf_co_min => CoMin, gnu::REDUCTION;
    _gfortran_caf_co_max => CoMax, gnu::REDUCTION;
    _gfortran_caf_co_reduce => CoReduce, gnu::CO_REDUCE;
    _gfortran_caf_co_broadcast => CoBroadcast, gnu::BROADCAST;
    _gfortran_caf_form_team => FormTeam, gnu::FORM_TEAM;
    _gfortran_caf_change_team => ChangeTeam, gnu::CHANGE_TEAM;
    _gfortran_caf_end_team => EndTeam, NONE;
    _gfortran_caf_stop_numeric => Stop, NONE;
    _gfortran_caf_stop_str => Stop, NONE;
    _gfortran_caf_error_stop => ErrorStop, NONE;
    _gfortran_caf_error_stop_str => ErrorStop, NONE;
    _gfortran_caf_fail_image => FailImage, NONE;
}

// The C header.
entries! {
    xmprt_put => Put, c::TRANSFER;
    xmprt_get => Get, c::TRANSFER;
    xmprt_sibling_put => Put, c::SIBLING;
    xmprt_sibling_get => Get, c::SIBLING;
    xmprt_sync => SyncTeam, c::TEAM;
    xmprt_sync_images => SyncImages, c::SYNC_IMAGES;
    xmprt_form_team => FormTeam, c::FORM_TEAM;
    xmprt_change_team => ChangeTeam, c::CHANGE_TEAM;
    xmprt_end_team => EndTeam, NONE;
    xmprt_allocate => AllocateAll, c::ALLOCATE;
    xmprt_free => DeallocateAll, c::FREE;
    xmprt_co_sum => CoSum, c::REDUCTION;
    xmprt_co_min => CoMin, c::REDUCTION;
    xmprt_co_max => CoMax, c::REDUCTION;
    xmprt_co_scan => CoScan, c::SCAN;
    xmprt_co_exscan => CoScan, c::SCAN;
    xmprt_co_broadcast => CoBroadcast, c::BROADCAST;
    xmprt_co_allgather => CoAllgather, c::ALL_TO_ALL;
    xmprt_co_alltoall => CoAlltoall, c::ALL_TO_ALL;
    xmprt_co_alltoallv => CoAlltoall, c::TEAM;
    xmprt_co_gather => CoGather, c::ROOTED;
    xmprt_co_scatter => CoScatter, c::ROOTED;
    xmprt_co_gatherv => CoGather, c::GATHERV;
    xmprt_co_scatterv => CoScatter, c::SCATTERV;
    xmprt_begin_sync => Begin, c::TEAM;
    xmprt_begin_co_sum => Begin, c::SCAN;
    xmprt_begin_co_min => Begin, c::SCAN;
    xmprt_begin_co_max => Begin, c::SCAN;
    xmprt_begin_co_scan => Begin, c::SCAN;
    xmprt_begin_co_exscan => Begin, c::SCAN;
    xmprt_begin_co_broadcast => Begin, c::BROADCAST;
    xmprt_begin_co_allgather => Begin, c::ALL_TO_ALL;
    xmprt_begin_co_alltoall => Begin, c::ALL_TO_ALL;
    xmprt_begin_co_alltoallv => Begin, c::TEAM;
    xmprt_begin_co_gather => Begin, c::ALL_TO_ALL;
    xmprt_begin_co_scatter => Begin, c::ALL_TO_ALL;
    xmprt_begin_co_gatherv => Begin, c::TEAM;
    xmprt_begin_co_scatterv => Begin, c::TEAM;
    xmprt_wait => Wait, NONE;
    xmprt_stop => Stop, NONE;
    xmprt_error_stop => ErrorStop, NONE;
    xmprt_reflect => Reflect, NONE;
    xmprt_reflect_async => Reflect, NONE;
    xmprt_reduce_shadow => Reflect, NONE;
    xmprt_reduce_shadow_async => Reflect, NONE;
    xmprt_gmove => Gmove, NONE;
    xmprt_gmove_async => Gmove, NONE;
    xmprt_gmove_in => Gmove, NONE;
    xmprt_gmove_out => Gmove, NONE;
    xmprt_barrier_on => Barrier, NONE;
    xmprt_reduce_on => Reduction, c::REDUCE_ON;
    xmprt_reduce_on_async => Reduction, c::REDUCE_ON;
    xmprt_broadcast_on => Broadcast, c::BROADCAST_ON;
    xmprt_broadcast_on_async => Broadcast, c::BROADCAST_ON;
    xmprt_wait_async => Wait, NONE;
    xmprt_task_begin => TaskBegin, NONE;
    xmprt_task_end => TaskEnd, NONE;
}

// Translated XcalableMP programs.
entries! {
    _XMP_barrier_EXEC => Barrier, NONE;
    _XMP_barrier_NODES_ENTIRE => Barrier, NONE;
    _XMP_bcast_NODES_ENTIRE_OMITTED => Broadcast, omni::BCAST;
    xmprt_omni_bcast_nodes => Broadcast, omni::BCAST;
    _XMP_reduce_NODES_ENTIRE => Reduction, NONE;
    _XMP_reduce_CLAUSE => Reduction, NONE;
    xmprt_omni_reduce_flmm_nodes => Reduction, NONE;
    xmprt_omni_reduce_flmm_clause => Reduction, NONE;
    _XMP_reflect__ => Reflect, NONE;
    _XMP_reflect_async__ => Reflect, NONE;
    _XMP_reduce_shadow__ => Reflect, NONE;
    _XMP_wait_async__ => Wait, NONE;
    xmpc_gmv_do => Gmove, NONE;
    _XMP_coarray_put => Put, NONE;
    _XMP_coarray_get => Get, NONE;
    _XMP_coarray_contiguous_put => Put, NONE;
    _XMP_coarray_contiguous_get => Get, NONE;
    _XMP_exec_task_NODES_ENTIRE => TaskBegin, NONE;
    xmprt_omni_task_nodes_part => TaskBegin, NONE;
    xmprt_omni_task_template_part => TaskBegin, NONE;
    xmp_barrier => Barrier, NONE;
    xmp_barrier_ => Barrier, NONE;
    xmp_sync_all => Barrier, NONE;
    xmp_sync_memory => SyncMemory, NONE;
    xmp_sync_image => SyncImages, omni::SYNC_IMAGE;
    xmp_sync_images => SyncImages, omni::SYNC_IMAGES;
    xmp_sync_images_all => SyncImages, omni::SYNC_IMAGES_ALL;
    xmp_transpose => Library, NONE;
    xmp_transpose_ => Library, NONE;
    xmp_matmul => Library, NONE;
    xmp_matmul_ => Library, NONE;
    xmp_sort_up => Library, NONE;
    xmp_sort_up_ => Library, NONE;
    xmp_sort_down => Library, NONE;
    xmp_sort_down_ => Library, NONE;
    xmpf_barrier__ => Barrier, NONE;
    xmpf_bcast__ => Broadcast, NONE;
    xmpf_reduction__ => Reduction, NONE;
    xmpf_reflect__ => Reflect, NONE;
    xmpf_reflect_async__ => Reflect, NONE;
    xmpf_reduce_shadow__ => Reflect, NONE;
    xmpf_wait_async__ => Wait, NONE;
    xmpf_gmv_do__ => Gmove, NONE;
    xmpf_sync_all_ => Barrier, NONE;
    xmpf_sync_memory_ => SyncMemory, NONE;
    xmpf_end_task__ => TaskEnd, NONE;
}
