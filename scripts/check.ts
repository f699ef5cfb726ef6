// Everything that can be said about the code without running it.
import { runChecks } from "./run/steps.ts";

const outcomes = await runChecks();
process.exitCode = outcomes.every(({ passed }) => passed) ? 0 : 1;
