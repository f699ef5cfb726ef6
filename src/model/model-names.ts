/** Model names: the aliases that people type, and the many spellings of one id. */
import type { Environment } from "../lib/environment.ts";

export const defaultModel = "claude-sonnet-5-5";

interface Alias {
  model: string;
  /** Variables that name another model for the alias; the first one set wins. */
  variables: readonly string[];
}

const aliases: Record<string, Alias> = {
  // An alias rather than an id: a user who maps "sonnet" to another model gets that one by default, too.
  default: { model: "sonnet", variables: ["ANTHROPIC_DEFAULT_MODEL"] },
  sonnet: { model: defaultModel, variables: ["ANTHROPIC_DEFAULT_SONNET_MODEL"] },
  opus: { model: "claude-opus-5-5", variables: ["ANTHROPIC_DEFAULT_OPUS_MODEL"] },
  opusplan: { model: "claude-opus-5-5", variables: ["ANTHROPIC_DEFAULT_OPUS_MODEL"] },
  haiku: { model: "claude-haiku-5-5", variables: ["ANTHROPIC_DEFAULT_HAIKU_MODEL", "ANTHROPIC_SMALL_FAST_MODEL"] },
  fable: { model: "claude-fable-5-2", variables: ["ANTHROPIC_DEFAULT_FABLE_MODEL"] },
  best: { model: "claude-fable-5-2", variables: ["ANTHROPIC_DEFAULT_FABLE_MODEL"] },
};

export const modelAliases: readonly string[] = Object.keys(aliases);

/**
 * Returns the id to send. Without a name: `ANTHROPIC_MODEL`, then the default. For an alias: its variable, then the built-in model;
 * the result may be an alias again. Anything else is taken as an id. The `[1m]` suffix that some configurations carry is dropped,
 * because it is not part of the id.
 */
export function resolveModel(
  nameOrAlias: string | undefined,
  environment: Environment,
  ownAliases: Readonly<Record<string, string>> = {},
): string {
  let name = withoutSuffix(nameOrAlias) || withoutSuffix(environment["ANTHROPIC_MODEL"]) || "default";
  // Aliases that name one another in a circle end at the first repeated name.
  for (const seen = new Set<string>(); !seen.has(name);) {
    seen.add(name);
    name = resolveAliasOnce(name, environment, ownAliases) || name;
  }
  return name;
}

/** What the name stands for, or the name itself if it is no alias. */
function resolveAliasOnce(
  name: string,
  environment: Environment,
  ownAliases: Readonly<Record<string, string>>,
): string {
  if (Object.hasOwn(ownAliases, name)) return withoutSuffix(ownAliases[name]);
  const alias = Object.hasOwn(aliases, name.toLowerCase()) ? aliases[name.toLowerCase()] : undefined;
  if (alias === undefined) return name;
  const chosen = alias.variables.map((variable) => withoutSuffix(environment[variable])).find((each) => each !== "");
  return chosen ?? alias.model;
}

function withoutSuffix(name: string | undefined): string {
  return (name ?? "")
    .trim()
    .replace(/\[1m\]$/i, "")
    .trim();
}

/**
 * The catalogue's id for any spelling of a model's id: dated (`…-20260922`, `…-latest`), from a gateway (`anthropic/…`), from
 * Bedrock (`us.anthropic.…-v1:0`), from Vertex (`…@20260922`), or with dots in the version.
 */
export function baseName(id: string): string {
  return withoutSuffix(id)
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/^(?:[a-z-]+\.)?anthropic\./, "")
    .replace(/[:@].*$/, "")
    .replace(/-v\d+$/, "")
    .replace(/-(?:\d{8}|latest)$/, "")
    .replace(/(\d)\.(\d)/g, "$1-$2");
}
