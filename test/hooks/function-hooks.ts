// Hooks made of functions, without settings and a session.
import { createFunctionRunners, type FunctionHooks } from "../../src/hooks/function-hooks.ts";
import { createHooks, type OwnedHooks } from "../../src/hooks/run.ts";
import type { HookDependencies } from "../../src/hooks/runner.ts";

export function createFunctionHooks(hooks: FunctionHooks, dependencies: HookDependencies): OwnedHooks {
  return createHooks(createFunctionRunners(hooks), dependencies);
}
