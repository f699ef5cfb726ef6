/** Enough of a session to know where it is kept. */
import type { EngineOptions } from "./options.ts";
import type { Store } from "./store-shape.ts";
import type { Surroundings } from "./surroundings.ts";

export interface StoredSession {
  around: Surroundings;
  store: Store;
  options: EngineOptions;
}
