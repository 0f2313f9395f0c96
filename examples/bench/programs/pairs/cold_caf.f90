!> The first operations of a job with coarrays.
module cold_coarrays
  use cold_sizes, only: operand
  use pair_timing, only: images
  implicit none

contains

  subroutine sum_all(n)
    integer, intent(in) :: n

    call co_sum(operand(:n))
  end subroutine sum_all

  subroutine broadcast(n)
    integer, intent(in) :: n

    call co_broadcast(operand(:n), images)
  end subroutine broadcast

end module cold_coarrays

program cold_caf
  use cold_coarrays, only: broadcast, sum_all
  use cold_sizes, only: measure_first
  use pair_timing, only: end_pair, start_pair
  implicit none

  call start_pair()
  call measure_first('co_sum', sum_all, .true.)
  call measure_first('co_broadcast', broadcast, .false.)
  call end_pair()
end program cold_caf
