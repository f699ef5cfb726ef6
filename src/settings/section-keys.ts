/** The keys that hold more than one value, by path: their purpose and their form. `layer.ts` reads them. */
import { withoutPrototype } from "../lib/without-prototype.ts";
import { permissionModes } from "../protocol/permission.ts";
import { nonBlankSchema, keyRules, type Schema } from "./keys.ts";
import { sandboxKeys, sandboxProviders, type SandboxKey } from "./sandbox-keys.ts";

export interface SectionKey {
  /** One line for people that explains the key. */
  about: string;
  /** Completes the sentence "… should be". */
  expected: string;
  schema: Schema;
  /** `list`: every file adds to it. `map`: every file may set entries of it. `one`: the highest file decides. */
  holds: "list" | "map" | "one";
}

const textSchema: Schema = { type: "string" };
const textListSchema: Schema = { type: "array", items: textSchema };
const nonBlankListSchema: Schema = { type: "array", items: nonBlankSchema };

const listKey = (about: string, expected: string, schema: Schema = textListSchema): SectionKey => ({
  about,
  expected,
  schema,
  holds: "list",
});
const mapKey = (about: string, expected: string, schema: Schema = { type: "object" }): SectionKey => ({
  about,
  expected,
  schema,
  holds: "map",
});
const flagKey = (about: string): SectionKey => ({
  about,
  expected: "true or false",
  schema: { type: "boolean" },
  holds: "one",
});
const ruleListKey = (about: string): SectionKey => listKey(about, "a list of rules such as Bash(npm test *)");
const nameListKey = (about: string): SectionKey => listKey(about, "a list of names");
const outsideBlockKey = (action: string): SectionKey =>
  flagKey(`Nothing outside of the working directories is ${action}. No other file can undo this.`);
const modeLockKey = (mode: string): SectionKey => ({
  about: `\`disable\`: the mode ${mode} cannot be used. No other file can undo this.`,
  expected: '"disable"',
  schema: { type: "string", enum: ["disable"] },
  holds: "one",
});

const matcherListKey = (about: string): SectionKey =>
  listKey(about, 'a list such as [{"serverName": "github"}]', {
    type: "array",
    items: {
      type: "object",
      properties: { serverName: textSchema, serverUrl: textSchema, serverCommand: textListSchema },
      anyOf: ["serverName", "serverUrl", "serverCommand"].map((name) => ({ required: [name] })),
    },
  });

const priceSchema: Schema = { type: "number", minimum: 0 };
const pricesSchema: Schema = {
  type: "object",
  properties: { input: priceSchema, output: priceSchema },
  required: ["input", "output"],
  additionalProperties: priceSchema,
};

const sandboxKindSchemas: Record<SandboxKey["kind"], Schema> = {
  flag: { type: "boolean" },
  commands: nonBlankListSchema,
  // A host name, not a URL.
  domains: { type: "array", items: { type: "string", pattern: "^\\s*[^\\s/]+\\s*$" } },
  "allowed paths": nonBlankListSchema,
  "denied paths": nonBlankListSchema,
  "hidden paths": nonBlankListSchema,
  port: { type: "integer", minimum: 1, maximum: 65_535 },
  program: { type: "string", pattern: "^(?:~?/|~$)" },
  provider: { type: "string", enum: [...sandboxProviders] },
  violations: { type: "object", additionalProperties: nonBlankListSchema },
};

const withheldListSchema = (field: string): Schema => ({
  type: "array",
  items: { type: "object", properties: { [field]: nonBlankSchema }, required: [field] },
});

function sandboxSchema(): Schema {
  const credentials = { files: withheldListSchema("path"), envVars: withheldListSchema("name") };
  const own: Record<string, Schema> = { credentials: { type: "object", properties: credentials } };
  const groups: Record<string, Record<string, Schema>> = {};
  for (const [key, { kind }] of Object.entries(sandboxKeys)) {
    const [group = "", name] = key.split(".");
    if (name === undefined) own[group] = sandboxKindSchemas[kind];
    else (groups[group] ??= {})[name] = sandboxKindSchemas[kind];
  }
  for (const [group, properties] of Object.entries(groups)) own[group] = { type: "object", properties };
  return { type: "object", properties: own };
}

export const sectionKeys = withoutPrototype<SectionKey>({
  "permissions.allow": ruleListKey("Rules for what is done without asking."),
  "permissions.deny": ruleListKey("Rules for what is never done, whatever allows it."),
  "permissions.ask": ruleListKey("Rules for what a person is always asked about."),
  "permissions.additionalDirectories": listKey(
    "Folders to work in besides the one pawl is started in.",
    "a list of folders",
    nonBlankListSchema,
  ),
  "permissions.blockReadsOutsideWorkingDirectories": outsideBlockKey("read"),
  "permissions.blockWritesOutsideWorkingDirectories": outsideBlockKey("written"),
  "permissions.blockReadsExemptPaths": listKey(
    "What may be read outside of the working directories all the same.",
    "a list of paths",
    nonBlankListSchema,
  ),
  "permissions.defaultMode": {
    about: "The permission mode a session begins in.",
    expected: `one of ${permissionModes.join(", ")}`,
    schema: { type: "string", enum: [...permissionModes, "manual"] },
    holds: "one",
  },
  "permissions.disableBypassPermissionsMode": modeLockKey("bypassPermissions"),
  "permissions.disableAutoMode": modeLockKey("auto"),
  disableAutoMode: modeLockKey("auto"),
  "permissions.denyInsteadOfPrompting": flagKey(
    "Whatever a person would be asked about is refused. No other file can undo this.",
  ),
  env: mapKey(
    "Variables for the session and the commands it runs; the real environment takes precedence.",
    "an object of texts",
    {
      type: "object",
      propertyNames: { pattern: "^[A-Za-z_]\\w*$" },
      additionalProperties: { type: ["string", "number", "boolean"] },
    },
  ),
  hooks: listKey("Your hooks, by the event that runs them; `pawl hooks` lists them.", "an object of events", {
    type: "object",
    additionalProperties: {
      type: "array",
      items: {
        type: "object",
        properties: { matcher: { type: "string" }, hooks: { type: "array", items: { type: "object" } } },
        required: ["hooks"],
      },
    },
  }),
  models: mapKey("Windows, limits and prices of models, by id, over the built-in catalogue.", "an object"),
  aliases: mapKey("Names of your own for models.", "an object"),
  claudeMdExcludes: listKey("Globs of memory files and rules that are left out.", "a list of globs"),
  skillOverrides: mapKey(
    "By a skill's name, whether and how it is offered.",
    "an object of on, name-only, user-invocable-only or off",
    { type: "object", additionalProperties: { enum: ["on", "name-only", "user-invocable-only", "off"] } },
  ),
  enabledPlugins: mapKey("By plugin@marketplace, whether it is on.", "an object of true or false", {
    type: "object",
    additionalProperties: { type: "boolean" },
  }),
  extraKnownMarketplaces: mapKey(
    "Marketplaces by name; those that are folders or files on this disk are read.",
    "an object of objects",
    { type: "object", additionalProperties: { type: "object" } },
  ),
  modelPricing: mapKey(
    "Prices in USD per million tokens, under the convention's names.",
    "an object whose overrides give each model's input and output price",
    {
      type: "object",
      properties: {
        multiplier: { type: "number", exclusiveMinimum: 0 },
        overrides: { type: "object", additionalProperties: pricesSchema },
      },
    },
  ),
  sandbox: mapKey("What the commands that the model runs may reach.", "an object", sandboxSchema()),
  mcpServers: mapKey("MCP servers by name, as in .mcp.json.", "an object of servers by name", {
    type: "object",
    additionalProperties: { type: "object" },
  }),
  enableAllProjectMcpServers: flagKey("Whether every MCP server of a trusted folder's .mcp.json starts."),
  enabledMcpjsonServers: nameListKey("The MCP servers of .mcp.json that start, and no other."),
  disabledMcpjsonServers: nameListKey("MCP servers of .mcp.json that do not start."),
  allowedMcpServers: matcherListKey("The only MCP servers that may be used."),
  deniedMcpServers: matcherListKey("MCP servers that must not be used."),
  pluginConfigs: mapKey(
    "By plugin, its `options`: what its `userConfig` asks for; for `agents-md@builtin`: which instruction files are read.",
    "an object",
  ),
});

/** The paths of all keys that this version acts on. */
export const supportedKeys: readonly string[] = [...Object.keys(keyRules), ...Object.keys(sectionKeys)];
