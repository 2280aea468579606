# The version of the project: of the tools, the libraries and the packages. Before 1.0 a new minor version may change what users
# see, a new patch may not. TILE_C_API_VERSION (include/Tile-c/Support.h) has the same major and minor numbers.
set(TILE_VERSION 0.2.0)
