// SPDX-License-Identifier: Apache-2.0
// An exception that leaves a callback: nobody above it knows C++.
#include <stdexcept>

extern "C" void unruly_throw();
void unruly_throw() { throw std::runtime_error("thrown by unruly"); }
