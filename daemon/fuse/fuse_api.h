// The one place that names the version of libfuse's interface.
#pragma once

#define FUSE_USE_VERSION 35
#include <fuse3/fuse_lowlevel.h>
#include <fuse3/fuse_opt.h>
