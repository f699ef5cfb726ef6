// Everything that can be said about the code without running it.
import { availableParallelism } from "node:os";
import { checks, runSteps } from "./run/steps.ts";

// Most of each check is one thread's work.
const outcomes = await runSteps(checks, Math.min(availableParallelism(), 4));
process.exitCode = outcomes.every(({ passed }) => passed) ? 0 : 1;
