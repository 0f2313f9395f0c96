! The calls that the Omni XcalableMP compiler makes of declarative directives, in its order.
module calls
  implicit none
  integer, parameter :: collapsed = 100, block = 101, cyclic = 102, gblock = 104
  integer, parameter :: int4 = 507, real8 = 514, logical4 = 502
  integer(8) :: omitted = 0

  ! An array of two dimensions at most, as the translator declares it: descriptor, sizes and offsets of what is local.
  type mapped
    integer(8) :: descriptor = 0
    integer :: size(2) = 0, first(2) = 0, origin(2) = 0
  end type
contains
  subroutine expect(is_so, what)
    logical, intent(in) :: is_so
    character(*), intent(in) :: what
    integer :: xmp_all_node_num
    if (is_so) return
    print '(a,i0,2a)', 'node ', xmp_all_node_num(), ': ', what
    error stop 3
  end subroutine

  ! nodes p(sizes), -1 for *
  subroutine nodes(p, sizes)
    integer(8), intent(out) :: p
    integer, intent(in) :: sizes(:)
    call nodes_sizes(p, sizes)
    call xmpf_nodes_init_global_(p)
  end subroutine

  subroutine nodes_sizes(p, sizes)
    integer(8), intent(inout) :: p
    integer, intent(in) :: sizes(:)
    integer :: dim
    call xmpf_nodes_alloc_(p, size(sizes))
    do dim = 1, size(sizes)
      call xmpf_nodes_dim_size_(p, dim - 1, sizes(dim))
    end do
  end subroutine

  ! template t(lower:upper), distribute t(manner(chunk)) onto p
  subroutine template(t, p, lower, upper, manner, chunk)
    integer(8), intent(out) :: t
    integer(8), intent(in) :: p
    integer, intent(in) :: lower(:), upper(:), manner(:), chunk(:)
    integer :: dim
    call xmpf_template_alloc_(t, size(lower), 1)
    do dim = 1, size(lower)
      call xmpf_template_dim_info_(t, dim - 1, lower(dim), upper(dim), manner(dim), chunk(dim))
    end do
    call xmpf_template_init_(t, p)
  end subroutine

  ! align a(i, j) with t(i, j), bounds as those of the template; shadow a(before:after), -1 and -1 for *
  subroutine array(a, t, kind, lower, upper, before, after)
    type(mapped), intent(out) :: a
    integer(8), intent(in) :: t
    integer, intent(in) :: kind, lower(:), upper(:), before(:), after(:)
    integer :: dim
    call xmpf_array_alloc_(a%descriptor, size(lower), kind, 0_8, t)
    call xmp_f_init_allocated_(a%descriptor)
    do dim = 1, size(lower)
      call xmpf_align_info_(a%descriptor, dim - 1, lower(dim), upper(dim), dim - 1, 0)
    end do
    do dim = 1, size(lower)
      if (before(dim) == 0 .and. after(dim) == 0) cycle
      call xmpf_array_init_shadow_(a%descriptor, dim - 1, before(dim), after(dim))
    end do
    call xmpf_array_init_(a%descriptor)
    do dim = 1, size(lower)
      call xmpf_array_get_local_size_off_(a%descriptor, dim - 1, a%size(dim), a%first(dim), a%origin(dim))
    end do
  end subroutine

  ! The loop of the reference r over dimension dim of a template: its bounds, as loop number 0.
  subroutine schedule(r, t, dims, dim, lower, upper, step)
    integer(8), intent(out) :: r
    integer(8), intent(in) :: t
    integer, intent(in) :: dims, dim
    integer, intent(inout) :: lower, upper, step
    call xmpf_ref_templ_alloc_(r, t, dims)
    call xmpf_ref_set_loop_info_(r, 0, dim - 1, 0)
    call xmpf_ref_init_(r)
    call xmpf_loop_sched_(lower, upper, step, 0, r, 413, 0, 0, 0)
  end subroutine

  ! The global index of a local one in the loop of a reference.
  integer function global(r, local)
    integer(8), intent(in) :: r
    integer, intent(in) :: local
    call xmpf_l2g_(global, local, 0, r)
  end function

  ! A reference to a part of nodes: one index if last is 0, * if first is 0, too.
  subroutine on_nodes(r, p, first, last, step)
    integer(8), intent(out) :: r
    integer(8), intent(in) :: p
    integer, intent(in) :: first(:), last(:), step(:)
    integer :: dim, kind
    call xmpf_ref_nodes_alloc_(r, p, size(first))
    do dim = 1, size(first)
      kind = 2
      if (last(dim) == 0) kind = merge(0, 1, first(dim) == 0)
      call xmpf_ref_set_dim_info_(r, dim - 1, kind, first(dim), last(dim), step(dim))
    end do
    call xmpf_ref_init_(r)
  end subroutine

  ! The sum of a number over the executing nodes.
  integer function total(number)
    integer, intent(in) :: number
    total = number
    call xmpf_reduction_(total, 1, int4, 300, omitted, 0)
  end function
end module
