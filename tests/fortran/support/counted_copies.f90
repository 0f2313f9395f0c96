!> What `c/counted_copies.c` counts.
module counted_copies
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    !> The copies of the system between processes since this was called before.
    integer(c_int) function copies_since() bind(c)
      import :: c_int
    end function
  end interface
end module
