// SPDX-License-Identifier: Apache-2.0
// Turns the signals that ask a program to end into a question that a run asks between its steps.
#pragma once

namespace ngb::app {

// From now on SIGINT, SIGTERM and SIGHUP are only remembered. Signals that were ignored when ngb started (by nohup, or
// by a shell's `&`) stay ignored.
void catch_signals();

// Lets signals end ngb at once again: nothing is lost while no device is measuring.
void restore_signals();

// Returns whether one of the signals came since they are caught.
bool is_stop_requested();

}  // namespace ngb::app
