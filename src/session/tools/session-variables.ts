/** What commands are told of the session they work for, as hooks are told it. */
import { effortIn } from "../hooks/hook-parts.ts";
import type { HookPartsOptions } from "../hooks/hook-parts-options.ts";
import type { Store } from "../store/store-shape.ts";

export type SessionVariableRooms = Pick<HookPartsOptions, "models" | "selected"> & { store: Pick<Store, "sessionId"> };

export function sessionVariables(rooms: SessionVariableRooms): Record<string, string> {
  const level = effortIn(rooms).effort?.level;
  return {
    CLAUDE_CODE_SESSION_ID: rooms.store.sessionId,
    CLAUDE_PID: String(process.pid),
    ...(level === undefined ? {} : { CLAUDE_EFFORT: level }),
  };
}
