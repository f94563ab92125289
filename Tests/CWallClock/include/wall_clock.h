#ifndef MOYEO_WALL_CLOCK_H
#define MOYEO_WALL_CLOCK_H

// Stands in for the timed waits of the C library that follow the wall clock (sem_timedwait,
// pthread_cond_timedwait, pthread_mutex_timedlock) in threads whose name begins with "moyeo". A
// test cannot set the machine's clock; it can let those waits take as long as they would.

// From now on (1) each such wait lasts a minute longer, as if the clock were set back during it;
// 0: as long as it should.
void wall_clock_steps_back(int is_stepping);

#endif
