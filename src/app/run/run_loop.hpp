#pragma once
// The steps of a run, with all that looks at them: output, progress, checkpoints, reasons to stop.

#include "app/interrupt.hpp"
#include "app/run/run_plan.hpp"
#include "app/run/run_report.hpp"

namespace talus::app {

/// Steps until the last of the plan, a stop or a failure, which the end tells. Collective.
RunEnd run_steps(RunPlan& plan, bool checkpoint_at_end, const CommonOptions& common,
                 const CheckpointSignal& signal, RunTotals& totals);

}  // namespace talus::app
