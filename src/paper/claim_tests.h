// SPDX-License-Identifier: Apache-2.0
// The tests of the paper's claims about how speed, batches and the processor scale, and about what that means for a
// design. Each returns the reason if the setting has no cells for it.
#pragma once

#include "metrics/series/claim_test.h"
#include "metrics/series/relation.h"
#include "metrics/series/workload.h"

namespace ngb::paper {

using metrics::Analysis;
using metrics::series::Block;
using metrics::series::block_of;
using metrics::series::Cells;
using metrics::series::claimed_above;
using metrics::series::claimed_below;
using metrics::series::ClaimTest;
using metrics::series::is_of_blocks;
using metrics::series::log_cpu_ratio;
using metrics::series::log_ratio;
using metrics::series::log_rtr;
using metrics::series::log_speed;
using metrics::series::log_speed_up;
using metrics::series::LogOf;
using metrics::series::mean_over;
using metrics::series::model_group_of;
using metrics::series::Relation;
using metrics::series::Setting;
using metrics::series::Style;
using metrics::series::style_of;
using metrics::series::sum_of;
using metrics::series::sum_of_all;

ClaimTest small_batches_gain_two_to_six(const Analysis& analysis, const Setting& setting);
ClaimTest only_vendors_gain_at_16(const Analysis& analysis, const Setting& setting);
ClaimTest torchscript_gains_little(const Analysis& analysis, const Setting& setting);
ClaimTest openvino_gains_five_times(const Analysis& analysis, const Setting& setting);
ClaimTest families_scale_alike(const Analysis& analysis, const Setting& setting);
ClaimTest batching_raises_throughput(const Analysis& analysis, const Setting& setting);
ClaimTest throughput_saturates(const Analysis& analysis, const Setting& setting);
ClaimTest vendors_ase_falls(const Analysis& analysis, const Setting& setting);
ClaimTest tvm_ase_rises(const Analysis& analysis, const Setting& setting);
ClaimTest bsr_above_one(const Analysis& analysis, const Setting& setting);
ClaimTest depth_raises_bsr(const Analysis& analysis, const Setting& setting);
ClaimTest only_tvm_compiles_longer(const Analysis& analysis, const Setting& setting);
ClaimTest cpu_use_rises_on_cpu(const Analysis& analysis, const Setting& setting);

ClaimTest convolutions_gain(const Analysis& analysis, const Setting& setting);
ClaimTest transformers_gain_less(const Analysis& analysis, const Setting& setting);
ClaimTest vendors_gain_over_depth(const Analysis& analysis, const Setting& setting);
ClaimTest width_costs_efficiency(const Analysis& analysis, const Setting& setting);
ClaimTest width_is_mitigated(const Analysis& analysis, const Setting& setting);
ClaimTest convolutions_keep_efficiency(const Analysis& analysis, const Setting& setting);
ClaimTest bsr_consistently_above_one(const Analysis& analysis, const Setting& setting);
ClaimTest scarce_devices_keep_efficiency(const Analysis& analysis, const Setting& setting);
ClaimTest cpu_use_falls_with_batch(const Analysis& analysis, const Setting& setting);
ClaimTest load_hurts_larger_models(const Analysis& analysis, const Setting& setting);

}  // namespace ngb::paper
