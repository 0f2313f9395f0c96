!> Coarrays and calls of MPI (in C: mixed_mpi.c) in one program.
program mixed
  use, intrinsic :: iso_c_binding, only: c_int
  use checks
  implicit none
  interface
    !> The sum of `value` over all processes, by MPI_Allreduce; less than 0 when their number is not `images`.
    integer(c_int) function mpi_sum(value, images) bind(C)
      import
      integer(c_int), value :: value, images
    end function
    !> The rank of this process in MPI_COMM_WORLD.
    integer(c_int) function mpi_rank() bind(C)
      import
    end function
    !> Sends to the right and receives from the left by messages: the rank of the left one.
    integer(c_int) function mpi_left() bind(C)
      import
    end function
  end interface
  integer, save :: token[*] = 0
  integer :: round, total

  call require_equal(int(mpi_rank()) + 1, this_image(), 'rank and image')
  do round = 1, 100
    token[right_of(this_image())] = round * this_image()
    sync all
    call require_equal(token, round * left_of(this_image()), 'put')
    total = this_image()
    call co_sum(total)
    call require_equal(int(mpi_sum(this_image(), num_images())), total, 'sums of MPI and of coarrays')
    call require_equal(int(mpi_left()) + 1, left_of(this_image()), 'message')
    sync all
  end do
end program
