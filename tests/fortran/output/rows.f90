!> Prints rows that have the letter of the image alone: long ones, or in pieces; to standard output, or standard error.
program rows
  use, intrinsic :: iso_fortran_env, only: output_unit, error_unit
  implicit none
  integer, parameter :: number = 150
  character(10) :: what, where
  character :: letter
  integer :: unit, i, k

  call get_command_argument(1, what)
  call get_command_argument(2, where)
  unit = merge(error_unit, output_unit, where == 'error')
  letter = achar(iachar('a') + this_image() - 1)
  sync all
  do i = 1, number
    select case (what)
    case ('long')
      write (unit, '(a)') repeat(letter, 3000 + 2500 * modulo(i, 7))
    case ('pieces')
      do k = 1, 9
        write (unit, '(a)', advance='no') repeat(letter, 7)
      end do
      write (unit, '(a)') letter
    end select
  end do
end program
