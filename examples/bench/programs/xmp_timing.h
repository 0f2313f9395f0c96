/* Timing of XMP/C programs. */
#ifndef XMP_TIMING_H
#define XMP_TIMING_H

#include "timing.h"

/* This node and the number of nodes. */
extern int node, nodes;

#endif
