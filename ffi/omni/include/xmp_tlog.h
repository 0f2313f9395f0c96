/* What programs include that were translated with --profile tlog: each directive logs an event where it begins and one
   where it ends. The events are those of the library tlog, which comes with the compiler. */
#ifndef _XMP_TLOG_H
#define _XMP_TLOG_H

#include "tlog_mpi.h"

#define _XMP_M_TLOG_TASK_IN(unused) tlog_log(TLOG_EVENT_1_IN)
#define _XMP_M_TLOG_TASK_OUT(unused) tlog_log(TLOG_EVENT_1_OUT)
#define _XMP_M_TLOG_LOOP_IN(unused) tlog_log(TLOG_EVENT_2_IN)
#define _XMP_M_TLOG_LOOP_OUT(unused) tlog_log(TLOG_EVENT_2_OUT)
#define _XMP_M_TLOG_REFLECT_IN(unused) tlog_log(TLOG_EVENT_3_IN)
#define _XMP_M_TLOG_REFLECT_OUT(unused) tlog_log(TLOG_EVENT_3_OUT)
#define _XMP_M_TLOG_BARRIER_IN(unused) tlog_log(TLOG_EVENT_4_IN)
#define _XMP_M_TLOG_BARRIER_OUT(unused) tlog_log(TLOG_EVENT_4_OUT)
#define _XMP_M_TLOG_REDUCTION_IN(unused) tlog_log(TLOG_EVENT_5_IN)
#define _XMP_M_TLOG_REDUCTION_OUT(unused) tlog_log(TLOG_EVENT_5_OUT)
#define _XMP_M_TLOG_BCAST_IN(unused) tlog_log(TLOG_EVENT_6_IN)
#define _XMP_M_TLOG_BCAST_OUT(unused) tlog_log(TLOG_EVENT_6_OUT)
#define _XMP_M_TLOG_GMOVE_IN(unused) tlog_log(TLOG_EVENT_7_IN)
#define _XMP_M_TLOG_GMOVE_OUT(unused) tlog_log(TLOG_EVENT_7_OUT)

#endif
