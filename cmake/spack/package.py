"""A recipe for Spack: copied to packages/planbcast of a Spack repository, it builds the source in the current folder with
`spack dev-build planbcast@0.1.0`."""
from spack.package import *


class Planbcast(CMakePackage):
    """Plans and runs MPI broadcasts on heterogeneous machines."""

    license("GPL-3.0-or-later AND BSD-3-Clause")

    version("0.1.0")

    variant("mpi", default=True, description="Measure and broadcast, too: the MPI side and planbcast-mpi")
    variant("fortran", default=True, when="+mpi", description="The Fortran module")
    variant("xpmem", default=False, when="+mpi", description="Map memory of other ranks of a host with XPMEM")
    variant("shared", default=True, description="Shared libraries")
    variant("python", default=False, when="+shared", description="The Python package")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi", when="+mpi")
    depends_on("xpmem", when="+xpmem")
    depends_on("hwloc@2.1:")
    depends_on("igraph@0.10")
    depends_on("glpk")
    depends_on("gsl")
    depends_on("jansson")
    depends_on("graphviz", type="run")
    extends("python", when="+python")
    depends_on("py-numpy", type="run", when="+python")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("PLANBCAST_MPI", "mpi"),
            self.define_from_variant("PLANBCAST_FORTRAN", "fortran"),
            self.define_from_variant("PLANBCAST_XPMEM", "xpmem"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("PLANBCAST_TESTS", False),
            self.define("PLANBCAST_BENCH", False),
        ]

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", self.prefix.share.planbcast.python)
