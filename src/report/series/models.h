// SPDX-License-Identifier: Apache-2.0
// Which model is the best, given compilers: of each the best setting, and what is told of it beside the best model.
#pragma once

#include <optional>

#include "metrics/derive.h"
#include "metrics/goal.h"
#include "report/document.h"

namespace ngb::report {

// Returns a row for each model on each device that counts for the goal, or for all of them, at each batch size and
// load: its best setting by the metric of the answer (Heading::by) among those that keep the goal's bounds, and whether
// it is the best model, may be it, or is out.
Document models_document(const metrics::Derived& derived, const metrics::Goal& goal);

// Returns what the answer to a study says of models: the document for its goal or, without one, of results that vary
// one network (metrics::series::is_one_network_varied); else nothing.
std::optional<Document> models_of_answer(const metrics::Derived& derived);
// Returns the document for a terminal without remarks; if it was not asked for, in at most kMostUnaskedLines lines:
// of more only its sentences, as far as they go, and the command that prints all.
inline constexpr std::size_t kMostUnaskedLines = 8;
Document shortened(Document models, bool is_asked);

}  // namespace ngb::report
