/** What of a session changes its model. */
import type { ContextUsage } from "../../protocol/context-usage.ts";
import type { HookPort } from "../../protocol/hook.ts";

export interface Switching {
  hooks: HookPort;
  model: { readonly current: string };
  /** The id that a name stands for. Throws where it can be none. */
  resolveModel(name: string): string;
  setModel(name: string): void;
  contextUsage(): ContextUsage;
}
