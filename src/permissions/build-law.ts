/** Builds the law that one call is judged by: the state of the moment, completed from the session's options. */
import { gitDoubt } from "./git/git-look.ts";
import type { Law } from "./judging/law.ts";
import type { PermissionOptions } from "./permission-options.ts";
import { steeringPlaces, type SteeringPlaces } from "./paths/steering-files.ts";

export type CurrentState = Pick<Law, "mode" | "allow" | "deny" | "ask" | "folders" | "reader" | "confinement">;

export function buildLaw(options: PermissionOptions, current: CurrentState): Law {
  let steering: SteeringPlaces | undefined;
  return {
    ...current,
    outside: options.outsideBlocks?.(),
    home: options.home,
    toolConcern: options.toolConcern ?? (() => undefined),
    needsPerson: options.needsPerson ?? (() => false),
    isAnswered: options.isAnswered ?? (() => true),
    linked: options.linked ?? (() => []),
    steering: () => (steering ??= steeringPlaces(options.steering?.() ?? [], current.reader)),
    gitDoubt: options.gitDoubt ?? gitDoubt,
    repositoryProgram: options.repositoryProgram ?? (() => undefined),
    programFolders: options.programFolders ?? (() => []),
    limits: options.limits ?? {},
  };
}
