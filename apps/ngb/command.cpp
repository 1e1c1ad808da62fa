// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/command.h"

#include "apps/ngb/terminal.h"

namespace ngb::app {

int report_failure(const Error& error, ExitCode code) {
  warn("ngb: {}\n", error.text());
  return code;
}

ExitCode report_refusal(const campaign::Refusal& refusal) {
  print_error(refusal.text);
  switch (refusal.kind) {
    case campaign::Refusal::Kind::wrong_usage:
      return kWrongUsage;
    case campaign::Refusal::Kind::interrupted:
      return kInterrupted;
    case campaign::Refusal::Kind::cannot_go_on:
      break;
  }
  return kCannotGoOn;
}

}  // namespace ngb::app
