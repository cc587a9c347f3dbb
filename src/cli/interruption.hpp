// Whether a signal has asked the program to end, for work that keeps something when it does. Not for work that may as
// well be cut off: there a signal simply ends the program.
#pragma once

namespace vitrine::cli {

/// From now on Ctrl-C, the end of the session and a plain kill end nothing; interrupted() tells of them. Signals that
/// the program was started to ignore stay ignored.
void catch_signals();

bool interrupted();

}  // namespace vitrine::cli
