/** The law of one moment, with what the options of a session say to it. */
import { gitDoubt } from "./git/git-look.ts";
import type { Law } from "./judging/law.ts";
import type { PermissionOptions } from "./permission-options.ts";
import { steeringPlaces, type SteeringPlaces } from "./paths/steering-files.ts";

export type Momentary = Pick<Law, "mode" | "allow" | "deny" | "ask" | "folders" | "reader" | "confinement">;

export function lawOf(options: PermissionOptions, now: Momentary): Law {
  let steering: SteeringPlaces | undefined;
  return {
    ...now,
    outside: options.outside?.(),
    home: options.home,
    toolConcern: options.toolConcern ?? (() => undefined),
    needsPerson: options.needsPerson ?? (() => false),
    isAnswered: options.isAnswered ?? (() => true),
    linked: options.linked ?? (() => []),
    steering: () => (steering ??= steeringPlaces(options.steering?.() ?? [], now.reader)),
    gitDoubt: options.gitDoubt ?? gitDoubt,
    brought: options.brought ?? (() => undefined),
    searched: options.searched ?? (() => []),
    limits: options.limits ?? {},
  };
}
