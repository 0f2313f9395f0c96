/* Start and end of a program with directives; a second call of either does nothing. */
#ifndef XMPRT_INITIAL_H
#define XMPRT_INITIAL_H

void xmprt_started(void);
void xmprt_finished(void);

#endif
