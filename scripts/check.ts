// Runs all checks that do not execute the code.
import { availableParallelism } from "node:os";
import { checks, runSteps } from "./run/steps.ts";

// Each check mostly uses one thread.
const outcomes = await runSteps(checks, Math.min(availableParallelism(), 4));
process.exitCode = outcomes.every(({ passed }) => passed) ? 0 : 1;
