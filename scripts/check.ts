// Everything that can be said about the code without running it.
import { checks, runSteps } from "./run/steps.ts";

const outcomes = await runSteps(checks);
process.exitCode = outcomes.every(({ passed }) => passed) ? 0 : 1;
