!> The coarray benchmark: one source for every coarray library. See `caf_timing` for its output.
program caf_bench
  use caf_bandwidth, only: run_ladder, run_strided, run_tiles
  use caf_collective, only: run_allocation, run_broadcasts, run_reductions
  use caf_components, only: run_components
  use caf_latency, only: run_latency, run_pingpong
  use caf_mutual, only: run_atomics, run_locks
  use caf_sync, only: run_events, run_sync
  use caf_timing, only: finish_timing, start_timing
  implicit none

  call start_timing()
  call run_latency()
  call run_ladder()
  call run_strided()
  call run_tiles()
  call run_components()
  call run_pingpong()
  call run_sync()
  call run_events()
  call run_locks()
  call run_atomics()
  call run_reductions()
  call run_broadcasts()
  call run_allocation()
  call finish_timing()
end program caf_bench
