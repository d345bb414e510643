/* SPDX-License-Identifier: Apache-2.0 */
#include "peers.h"

/* BENCH_WITH_... come from CMake: what it found. */
#ifndef BENCH_WITH_XNNPACK
const bench_peer bench_peer_xnnpack = {.name = "xnnpack"};
#endif
#ifndef BENCH_WITH_VOLK
const bench_peer bench_peer_volk = {.name = "volk"};
#endif
#ifndef BENCH_WITH_ONEDNN
const bench_peer bench_peer_onednn = {.name = "onednn"};
#endif

const bench_peer *const bench_peers[] = {&bench_peer_xnnpack, &bench_peer_volk, &bench_peer_onednn};
const size_t bench_peer_count = sizeof bench_peers / sizeof bench_peers[0];
