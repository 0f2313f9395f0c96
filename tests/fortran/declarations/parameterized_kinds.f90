!> Coarrays of every kind that ISO_FORTRAN_ENV and ISO_C_BINDING name, declared with parameters of a module.
module kinds
  use, intrinsic :: iso_fortran_env
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: wp = real64, n = 4
end module

program parameterized_kinds
  use checks
  use kinds
  implicit none
  integer(int8) :: i8(n)[*]
  integer(int16) :: i16(n)[*]
  integer(int64) :: i64(n)[*]
  real(real32) :: r32(n)[*]
  real(wp) :: r(n)[*]
  real(real128) :: r128(n)[*]
  integer(c_size_t) :: bytes[*]
  real(c_long_double) :: long_double(n)[*]
  logical(c_bool) :: flag(n)[*]
  character(kind=c_char) :: letter[*]
  complex(c_double_complex) :: z(n)[*]
  integer :: me, next

  me = this_image(); next = right_of(me)
  i8 = int(me, int8); i16 = int(me, int16); i64 = me; r32 = me; r = me; r128 = me; bytes = me; long_double = me
  flag = mod(me, 2) == 0; letter = achar(iachar('a') + me); z = me
  sync all
  call require(i8(n)[next] == next .and. i16(n)[next] == next .and. i64(n)[next] == next, 'integers')
  call require(r32(n)[next] == next .and. r(n)[next] == next .and. r128(n)[next] == next, 'reals')
  call require(bytes[next] == next .and. long_double(n)[next] == next .and. z(n)[next] == next, 'of C')
  call require(logical(flag(n)[next]) .eqv. mod(next, 2) == 0, 'logical')
  call require(letter[next] == achar(iachar('a') + next), 'character')
end program
