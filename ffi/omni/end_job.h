/* The end of all nodes because of an error of which this node has printed the message. `exit` would end this node only. */
__attribute__((noreturn)) void _gfortran_caf_error_stop(int code, _Bool quiet);

__attribute__((noreturn)) static inline void end_job(int status)
{
    _gfortran_caf_error_stop(status, 1);
}
