//! The entries that gfortran's programs call (`ffi/src/gnu`).

use super::entries;
use crate::decode::{NONE, gnu};

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
    _gfortran_caf_is_present => Get, gnu::IS_PRESENT;
    _gfortran_caf_is_present_on_remote => Get, gnu::IS_PRESENT;
    _gfortran_caf_random_init => RandomInit, NONE;
    _gfortran_caf_atomic_define => AtomicDefine, gnu::ATOMIC;
    _gfortran_caf_atomic_ref => AtomicRef, gnu::ATOMIC;
    _gfortran_caf_atomic_cas => AtomicCas, gnu::ATOMIC;
    _gfortran_caf_atomic_op => AtomicOp, gnu::ATOMIC_OP;
    _gfortran_caf_sync_all => SyncAll, NONE;
    _gfortran_caf_sync_team => SyncTeam, gnu::TEAM;
    _gfortran_caf_sync_images => SyncImages, gnu::SYNC_IMAGES;
    _gfortran_caf_sync_memory => SyncMemory, NONE;
    _gfortran_caf_event_post => EventPost, gnu::VARIABLE;
    _gfortran_caf_event_wait => EventWait, gnu::EVENT_WAIT;
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
