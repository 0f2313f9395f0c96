//! The entries of PRIF (`ffi/src/prif`): what flang calls, and what the module `prif` calls.

use super::entry;
use crate::decode::{NONE, prif};

/// Declares procedures by their names without `prif_`.
macro_rules! procedures {
    ($($name:ident => $operation:ident, $decoder:expr;)+) => {$(
        entry! { concat!("xmp_prif_", stringify!($name)) => $operation, $decoder }
        entry! { concat!("_QMprifPprif_", stringify!($name)) => $operation, $decoder }
    )+};
}

procedures! {
    init => Start, NONE;
    stop => Stop, NONE;
    error_stop => ErrorStop, NONE;
    fail_image => FailImage, NONE;
    allocate_coarray => AllocateAll, prif::ALLOCATE_COARRAY;
    deallocate_coarray => DeallocateAll, prif::DEALLOCATE_COARRAY;
    deallocate_coarrays => DeallocateAll, prif::DEALLOCATE_COARRAYS;
    allocate => Allocate, prif::ALLOCATE;
    deallocate => Deallocate, prif::DEALLOCATE;
    put => Put, prif::BLOCK;
    put_indirect => Put, prif::BLOCK_INDIRECT;
    put_strided => Put, prif::STRIDED;
    put_strided_indirect => Put, prif::STRIDED_INDIRECT;
    put_with_notify => PutNotify, prif::BLOCK;
    put_with_notify_indirect => PutNotify, prif::BLOCK;
    put_indirect_with_notify => PutNotify, prif::BLOCK_INDIRECT;
    put_indirect_with_notify_indirect => PutNotify, prif::BLOCK_INDIRECT;
    put_strided_with_notify => PutNotify, prif::STRIDED;
    put_strided_with_notify_indirect => PutNotify, prif::STRIDED;
    put_strided_indirect_with_notify => PutNotify, prif::STRIDED_INDIRECT;
    put_strided_indirect_with_notify_indirect => PutNotify, prif::STRIDED_INDIRECT;
    get => Get, prif::BLOCK;
    get_indirect => Get, prif::BLOCK_INDIRECT;
    get_strided => Get, prif::STRIDED;
    get_strided_indirect => Get, prif::STRIDED_INDIRECT;
    sync_all => SyncAll, NONE;
    sync_team => SyncTeam, prif::SYNC_TEAM;
    sync_images => SyncImages, prif::SYNC_IMAGES;
    sync_memory => SyncMemory, NONE;
    event_post => EventPost, prif::VARIABLE;
    event_post_indirect => EventPost, prif::VARIABLE_INDIRECT;
    event_wait => EventWait, NONE;
    event_query => EventQuery, NONE;
    notify_wait => NotifyWait, NONE;
    lock => Lock, prif::VARIABLE;
    lock_indirect => Lock, prif::VARIABLE_INDIRECT;
    unlock => Unlock, prif::VARIABLE;
    unlock_indirect => Unlock, prif::VARIABLE_INDIRECT;
    critical => Critical, NONE;
    end_critical => EndCritical, NONE;
    co_broadcast => CoBroadcast, prif::COLLECTIVE;
    co_broadcast_cptr => CoBroadcast, prif::BROADCAST_CPTR;
    co_sum => CoSum, prif::COLLECTIVE;
    co_min => CoMin, prif::COLLECTIVE;
    co_min_character => CoMin, prif::COLLECTIVE;
    co_max => CoMax, prif::COLLECTIVE;
    co_max_character => CoMax, prif::COLLECTIVE;
    co_reduce => CoReduce, prif::REDUCE;
    co_reduce_cptr => CoReduce, prif::REDUCE_CPTR;
    form_team => FormTeam, prif::FORM_TEAM;
    change_team => ChangeTeam, prif::CHANGE_TEAM;
    end_team => EndTeam, NONE;
    atomic_define_int => AtomicDefine, prif::ATOMIC;
    atomic_define_int_indirect => AtomicDefine, prif::ATOMIC_INDIRECT;
    atomic_define_logical => AtomicDefine, prif::ATOMIC;
    atomic_define_logical_indirect => AtomicDefine, prif::ATOMIC_INDIRECT;
    atomic_ref_int => AtomicRef, prif::ATOMIC;
    atomic_ref_int_indirect => AtomicRef, prif::ATOMIC_INDIRECT;
    atomic_ref_logical => AtomicRef, prif::ATOMIC;
    atomic_ref_logical_indirect => AtomicRef, prif::ATOMIC_INDIRECT;
    atomic_cas_int => AtomicCas, prif::ATOMIC;
    atomic_cas_int_indirect => AtomicCas, prif::ATOMIC_INDIRECT;
    atomic_cas_logical => AtomicCas, prif::ATOMIC;
    atomic_cas_logical_indirect => AtomicCas, prif::ATOMIC_INDIRECT;
    atomic_add => AtomicOp, prif::ATOMIC;
    atomic_add_indirect => AtomicOp, prif::ATOMIC_INDIRECT;
    atomic_and => AtomicOp, prif::ATOMIC;
    atomic_and_indirect => AtomicOp, prif::ATOMIC_INDIRECT;
    atomic_or => AtomicOp, prif::ATOMIC;
    atomic_or_indirect => AtomicOp, prif::ATOMIC_INDIRECT;
    atomic_xor => AtomicOp, prif::ATOMIC;
    atomic_xor_indirect => AtomicOp, prif::ATOMIC_INDIRECT;
    atomic_fetch_add => AtomicOp, prif::ATOMIC;
    atomic_fetch_add_indirect => AtomicOp, prif::ATOMIC_INDIRECT;
    atomic_fetch_and => AtomicOp, prif::ATOMIC;
    atomic_fetch_and_indirect => AtomicOp, prif::ATOMIC_INDIRECT;
    atomic_fetch_or => AtomicOp, prif::ATOMIC;
    atomic_fetch_or_indirect => AtomicOp, prif::ATOMIC_INDIRECT;
    atomic_fetch_xor => AtomicOp, prif::ATOMIC;
    atomic_fetch_xor_indirect => AtomicOp, prif::ATOMIC_INDIRECT;
}
