#!/usr/bin/env bash
# usage: xmpf_coarray_decl.sh >xmpf_coarray_decl.f90
# Writes the Fortran module that every program unit uses which the Omni XcalableMP compiler has translated: the generic
# interfaces to the procedures for each type and rank, which libxmprt_omni.so has (src/coarray), and a few functions of
# its own. A compiler makes the .mod file that only it can read, so this is done where the programs will be compiled.
set -euo pipefail

ranks="0 1 2 3 4 5 6 7"

# "name|declaration" of each type. (Of characters the length is given where the interface is.)
integers="i2|integer(2) i4|integer(4) i8|integer(8)"
reals="r4|real(4) r8|real(8)"
complexes="z8|complex(4) z16|complex(8)"
logicals="l2|logical(2) l4|logical(4)"
all="$integers $logicals l8|logical(8) $reals $complexes cn|character"

# shape RANK: "(:,:)" for 2, nothing for 0.
shape() {
    local colons
    (($1 == 0)) && return
    printf -v colons '%*s' "$1" ''
    colons=${colons// /:,}
    echo "(${colons%,})"
}

# sizes RANK: "(size(mold,1), size(mold,2))" for 2.
sizes() {
    local dim list=
    for ((dim = 1; dim <= $1; dim++)); do list+=", size(mold,$dim)"; done
    [[ -z $list ]] || echo "(${list#, })"
}

# typed TYPE LENGTH: how a dummy argument of the type is declared.
typed() {
    case $1 in
        character) echo "character(len=$2)" ;;
        *) echo "$1" ;;
    esac
}

# generic NAME MEMBER TYPES RANKS: the generic interface, MEMBER writing each of its procedures.
generic() {
    local kind rank
    echo "  interface $1"
    for rank in $4; do
        for kind in $3; do "$2" "${kind%|*}" "${kind#*|}" "$rank"; done
    done
    echo "  end interface $1"
    echo
}

handle="      integer(8), intent(in) :: descptr
      integer, intent(in) :: coindex"

put() {
    local type name=xmpf_coarray_put${3}d_$1
    type=$(typed "$2" '*')
    cat <<END
    subroutine $name(descptr, coindex, mold, src)
$handle
      $type, intent(in) :: mold$(shape "$3"), src$(shape "$3")
    end subroutine $name
END
    (($3 > 0)) || return 0
    name=xmpf_coarray_spread${3}d_$1
    cat <<END
    subroutine $name(descptr, coindex, mold, src)
$handle
      $type, intent(in) :: mold$(shape "$3"), src
    end subroutine $name
END
}

get() {
    local name=xmpf_coarray_get${3}d_$1
    cat <<END
    function $name(descptr, coindex, mold) result(dst)
$handle
      $(typed "$2" '*'), intent(in) :: mold$(shape "$3")
      $(typed "$2" 'len(mold)') :: dst$(sizes "$3")
    end function $name
END
}

# What is got is defined: declared so, a section of which the caller passes a copy gets its value, too.
getsub() {
    local type name=xmpf_coarray_getsub${3}d_$1
    type=$(typed "$2" '*')
    cat <<END
    subroutine $name(descptr, coindex, mold, dst)
$handle
      $type, intent(in) :: mold$(shape "$3")
      $type, intent(inout) :: dst$(shape "$3")
    end subroutine $name
END
}

# memory NAME ATTRIBUTE MEMBER...: an interface with bounds; the descriptor is defined by it.
memory() {
    local prefix=$1 attribute=$2 dim bounds="" name
    name=$prefix${5}d_$3
    for ((dim = 1; dim <= $5; dim++)); do bounds+=", lb$dim, ub$dim"; done
    cat <<END
    subroutine $name(descptr, var, count, element, tag, rank$bounds)
      integer(8), intent(inout) :: descptr
      integer(8), intent(in) :: tag
      integer, intent(in) :: count, element, rank$bounds
      $(typed "$4" element), ${attribute}intent(inout) :: var$(shape "$5")
    end subroutine $name
END
}
malloc() { memory xmpf_coarray_malloc "pointer, " "$@"; }
regmem() { memory xmpf_coarray_regmem "" "$@"; }

dealloc() {
    local name=xmpf_coarray_dealloc${3}d_$1
    cat <<END
    subroutine $name(descptr, var)
      integer(8), intent(inout) :: descptr
      $(typed "$2" '*'), pointer, intent(inout) :: var$(shape "$3")
    end subroutine $name
END
}

broadcast() {
    local name=xmpf_co_broadcast${3}d_$1
    cat <<END
    subroutine $name(source, source_image)
      $2, intent(inout) :: source$(shape "$3")
      integer(4), intent(in) :: source_image
    end subroutine $name
END
}

reduction() {
    local name=xmpf_co_${op}${3}d_$1
    cat <<END
    subroutine $name(source, result, result_image)
      $2, intent(inout) :: source$(shape "$3")
      $2, intent(inout), optional :: result$(shape "$3")
      integer(4), intent(in), optional :: result_image
    end subroutine $name
END
}

# The mold stands for what others define or refer to: declared so, the compiler keeps it where it is.
atomic() {
    local name intent_of_atom=$1 value=$2 intent_of_value=$3 kind type
    echo "  interface xmpf_atomic_$4_generic"
    for kind in "i4|integer" "l4|logical"; do
        type=${kind#*|}
        name=xmpf_atomic_$4_self_${kind%|*}
        cat <<END
    subroutine $name(descptr, atom, $value)
      integer(8), intent(in) :: descptr
      $type, intent($intent_of_atom) :: atom
      $type, intent($intent_of_value) :: $value
    end subroutine $name
END
        name=xmpf_atomic_$4_remote_${kind%|*}
        cat <<END
    subroutine $name(descptr, coindex, mold, $value)
$handle
      $type, intent(inout) :: mold
      $type, intent($intent_of_value) :: $value
    end subroutine $name
END
    done
    echo "  end interface xmpf_atomic_$4_generic"
    echo
}

image_index() {
    local dim list=
    for ((dim = 1; dim <= $1; dim++)); do list+=", cs$dim"; done
    cat <<END
  function xmpf_image_index_dim$1(descptr$list) result(index)
    integer(8), intent(in) :: descptr
    integer, intent(in) :: ${list#, }
    integer :: index
    index = xmpf_image_index(descptr, [${list#, }])
  end function xmpf_image_index_dim$1

END
}

# layer NAME: whether communication goes over it. Programs ask this to go round what it cannot do.
layer() {
    cat <<END
  function xmpf_coarray_uses_$1() result(answer)
    logical :: answer
    answer = .false.
  end function xmpf_coarray_uses_$1

END
}

# Statements with STAT=.
stat_interface() {
    local name=$1 argument=${2%%|*} declaration=${2#*|}
    cat <<END
    subroutine $name(${argument:+$argument, }stat, errmsg)
${declaration:+      $declaration
}      integer, intent(out) :: stat
      character(len=*), intent(inout), optional :: errmsg
    end subroutine $name
END
}

cat <<'END'
! Written by xmpf_coarray_decl.sh.
module xmpf_coarray_decl
  implicit none

  interface
    function xmpf_image_index(descptr, cosubs) result(index)
      integer(8), intent(in) :: descptr
      integer, intent(in) :: cosubs(*)
      integer :: index
    end function xmpf_image_index
END
stat_interface xmpf_sync_all_stat ""
stat_interface xmpf_sync_memory_stat_wrap ""
stat_interface xmpf_sync_image_stat_wrap "image|integer, intent(in) :: image"
stat_interface xmpf_sync_images_stat_wrap "images|integer, intent(in) :: images(:)"
stat_interface xmpf_sync_allimages_stat_wrap "aster|character(len=1), intent(in) :: aster"
cat <<'END'
    subroutine xmpf_critical()
    end subroutine xmpf_critical
    subroutine xmpf_end_critical()
    end subroutine xmpf_end_critical
    subroutine xmpf_error_stop()
    end subroutine xmpf_error_stop
    subroutine xmp_get_primary_image_index(number, index, pri_index, node_desc)
      integer, intent(in) :: number, index(*)
      integer, intent(inout) :: pri_index(*)
      type(*), intent(in), optional :: node_desc
    end subroutine xmp_get_primary_image_index
    subroutine xmp_get_image_index(number, index, cur_index, node_desc)
      integer, intent(in) :: number, index(*)
      integer, intent(inout) :: cur_index(*)
      type(*), intent(in) :: node_desc
    end subroutine xmp_get_image_index
  end interface

  interface xmpf_image_index_generic
    module procedure xmpf_image_index_dim1, xmpf_image_index_dim2, xmpf_image_index_dim3, xmpf_image_index_dim4, &
      xmpf_image_index_dim5, xmpf_image_index_dim6, xmpf_image_index_dim7
  end interface xmpf_image_index_generic

  interface xmpf_cobound_generic
    function xmpf_cobound_nodim(descptr, kind, lu, corank) result(bounds)
      integer(8), intent(in) :: descptr
      integer, intent(in) :: kind, lu, corank
      integer :: bounds(corank)
    end function xmpf_cobound_nodim
    function xmpf_cobound_dim(descptr, dim, kind, lu, corank) result(bound)
      integer(8), intent(in) :: descptr
      integer, intent(in) :: dim, kind, lu, corank
      integer :: bound
    end function xmpf_cobound_dim
  end interface xmpf_cobound_generic

  interface xmpf_num_images_generic
    function xmpf_num_images_current() result(images)
      integer :: images
    end function xmpf_num_images_current
  end interface xmpf_num_images_generic

  interface xmpf_this_image_generic
    function xmpf_this_image_current() result(image)
      integer :: image
    end function xmpf_this_image_current
    function xmpf_this_image_coarray_wrap(descptr, corank) result(image)
      integer(8), intent(in) :: descptr
      integer, intent(in) :: corank
      integer :: image(corank)
    end function xmpf_this_image_coarray_wrap
    function xmpf_this_image_coarray_dim(descptr, corank, dim) result(coindex)
      integer(8), intent(in) :: descptr
      integer, intent(in) :: corank, dim
      integer :: coindex
    end function xmpf_this_image_coarray_dim
  end interface xmpf_this_image_generic

END
generic xmpf_coarray_put_generic put "$all" "$ranks"
generic xmpf_coarray_get_generic get "$all" "$ranks"
generic xmpf_coarray_getsub_generic getsub "$all" "$ranks"
generic xmpf_coarray_malloc_generic malloc "$all" "$ranks"
generic xmpf_coarray_regmem_generic regmem "$all" "$ranks"
generic xmpf_coarray_dealloc_generic dealloc "$all" "$ranks"
generic xmpf_co_broadcast_generic broadcast "$integers $reals $complexes $logicals" "$ranks"
op=sum
generic xmpf_co_sum_generic reduction "$integers $reals $complexes" "$ranks"
for op in max min; do generic "xmpf_co_${op}_generic" reduction "$integers $reals" "$ranks"; done
atomic out src in define
atomic in dst out ref
cat <<'END'
  external :: xmpf_coarray_prolog, xmpf_coarray_epilog

contains

END
for rank in 1 2 3 4 5 6 7; do image_index "$rank"; done
for name in gasnet fjrdma mpi3_onesided; do layer "$name"; done
echo "end module xmpf_coarray_decl"
