/** Names of models: aliases people type, and the many spellings of one id. */

/** Environment variables, injected. */
export type Environment = Readonly<Record<string, string | undefined>>;

export const defaultModel = "claude-sonnet-5-5";

interface Alias {
  model: string;
  /** Variables that name another model for the alias, first set wins. */
  variables: readonly string[];
}

const aliases: Record<string, Alias> = {
  // By its short name: who has another model for that has it for what nobody names, too.
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
 * The id to send. Nothing given: `ANTHROPIC_MODEL`, then the default. An alias: its variable, then the built-in model; what
 * that names may be an alias again. Anything else is taken as an id. The `[1m]` suffix some configurations carry is dropped:
 * it is no part of an id.
 */
export function resolveModel(
  nameOrAlias: string | undefined,
  environment: Environment,
  ownAliases: Readonly<Record<string, string>> = {},
): string {
  let name = withoutSuffix(nameOrAlias) || withoutSuffix(environment["ANTHROPIC_MODEL"]) || "default";
  // Aliases that name one another in a circle end at the first that comes again.
  for (const seen = new Set<string>(); !seen.has(name);) {
    seen.add(name);
    name = named(name, environment, ownAliases) || name;
  }
  return name;
}

/** What the name stands for; itself where it is no alias. */
function named(name: string, environment: Environment, ownAliases: Readonly<Record<string, string>>): string {
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
 * The catalogue's id for a spelling of it: dated (`…-20260922`, `…-latest`), of a gateway (`anthropic/…`), of Bedrock
 * (`us.anthropic.…-v1:0`), of Vertex (`…@20260922`), or with dots in the version.
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
