/** Which parts of a request the server should cache, and for how long: variables take precedence over settings. */
import type { PlainSettings } from "../../settings/settings.ts";
import { baseName } from "../../model/model-names.ts";
import type { Variables } from "../options/variables.ts";

export type CacheTtl = "5m" | "1h";

export interface CacheChoice {
  ttl: CacheTtl;
  /** Applies to agents' conversations. */
  agentTtl: CacheTtl;
  /** Whether a model is asked without any caching. Absent: no model is. */
  isUncached?: (model: string) => boolean;
}

const families = ["haiku", "sonnet", "opus", "fable"] as const;
const ttls = ["5m", "1h"] as const;

/** `idOf` returns the model id that a family's short name stands for here. */
export function readCacheChoice(
  variables: Variables,
  { promptCacheTtl, subagentPromptCacheTtl }: Pick<PlainSettings, "promptCacheTtl" | "subagentPromptCacheTtl">,
  idOf: (name: string) => string,
): CacheChoice {
  const ttl = variables.flag("ENABLE_PROMPT_CACHING_1H") === true ? "1h" : (promptCacheTtl ?? "5m");
  const agentTtl = variables.oneOf("CLAUDE_CODE_SUBAGENT_PROMPT_CACHE_TTL", ttls) ?? subagentPromptCacheTtl ?? ttl;
  const choice = { ttl, agentTtl };
  const isAllOff = variables.flag("DISABLE_PROMPT_CACHING") === true;
  const off = families.filter((family) => variables.flag(`DISABLE_PROMPT_CACHING_${family.toUpperCase()}`) === true);
  if (isAllOff) return { ...choice, isUncached: () => true };
  if (off.length === 0) return choice;
  const ids = new Set(off.map(idOf));
  const isOff = (model: string): boolean => {
    const parts = baseName(model).split("-");
    return ids.has(model) || off.some((family) => parts.includes(family));
  };
  return { ...choice, isUncached: isOff };
}
