! All images write one dataset of an HDF5 file, with one collective call; then each reads the part of the next image.
program io_hdf5
  use mpi
  use hdf5
  implicit none
  integer(HSIZE_T), parameter :: n = 1000
  real(8), allocatable :: part(:)[:]
  real(8) :: found(n)
  integer(HSIZE_T) :: place(1)
  integer(HID_T) :: access, transfer, file, whole, own, dataset
  integer :: error

  call MPI_Init(error)
  allocate (part(n)[*])
  part = this_image()
  call h5open_f(error)
  call h5pcreate_f(H5P_FILE_ACCESS_F, access, error)
  call h5pset_fapl_mpio_f(access, MPI_COMM_WORLD, MPI_INFO_NULL, error)
  call h5fcreate_f('all.h5', H5F_ACC_TRUNC_F, file, error, access_prp=access)
  if (error /= 0) error stop 'io_hdf5: the file cannot be made'
  call h5screate_simple_f(1, [n * num_images()], whole, error)
  call h5screate_simple_f(1, [n], own, error)
  call h5dcreate_f(file, 'values', H5T_NATIVE_DOUBLE, whole, dataset, error)
  call h5pcreate_f(H5P_DATASET_XFER_F, transfer, error)
  call h5pset_dxpl_mpio_f(transfer, H5FD_MPIO_COLLECTIVE_F, error)

  place = (this_image() - 1) * n
  call h5sselect_hyperslab_f(whole, H5S_SELECT_SET_F, place, [n], error)
  call h5dwrite_f(dataset, H5T_NATIVE_DOUBLE, part, [n], error, own, whole, transfer)
  if (error /= 0) error stop 'io_hdf5: the values cannot be written'
  place = mod(this_image(), num_images()) * n
  call h5sselect_hyperslab_f(whole, H5S_SELECT_SET_F, place, [n], error)
  call h5dread_f(dataset, H5T_NATIVE_DOUBLE, found, [n], error, own, whole, transfer)
  if (any(found /= mod(this_image(), num_images()) + 1)) error stop 'io_hdf5: the file has other values'

  call h5dclose_f(dataset, error)
  call h5fclose_f(file, error)
  call h5close_f(error)
  if (this_image() == 1) print '(a,i0,a)', 'wrote ', n * num_images(), ' values'
  call MPI_Finalize(error)
end program io_hdf5
