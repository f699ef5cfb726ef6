/** The law of one moment, with what the options of a session say to it. */
import { gitDoubt } from "./git-look.ts";
import type { Law } from "./law.ts";
import type { PermissionOptions } from "./permission-options.ts";

type Momentary = Pick<Law, "mode" | "allow" | "deny" | "ask" | "folders" | "reader" | "confinement">;

export function lawOf(options: PermissionOptions, now: Momentary): Law {
  return {
    ...now,
    outside: options.outside?.(),
    home: options.home,
    toolConcern: options.toolConcern ?? (() => undefined),
    needsPerson: options.needsPerson ?? (() => false),
    isAnswered: options.isAnswered ?? (() => true),
    linked: options.linked ?? (() => []),
    steering: options.steering ?? (() => []),
    gitDoubt: options.gitDoubt ?? gitDoubt,
    brought: options.brought ?? (() => undefined),
  };
}
