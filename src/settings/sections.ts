/** The keys that hold more than one value, by path: their purpose and their form. `layer.ts` reads them. */
import { ownNames } from "../lib/own-names.ts";
import { permissionModes } from "../protocol/permission.ts";
import { filled, keyRules, type Schema } from "./keys.ts";
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

const text: Schema = { type: "string" };
const texts: Schema = { type: "array", items: text };
const filledTexts: Schema = { type: "array", items: filled };

const list = (about: string, expected: string, schema: Schema = texts): SectionKey => ({
  about,
  expected,
  schema,
  holds: "list",
});
const map = (about: string, expected: string, schema: Schema = { type: "object" }): SectionKey => ({
  about,
  expected,
  schema,
  holds: "map",
});
const flag = (about: string): SectionKey => ({
  about,
  expected: "true or false",
  schema: { type: "boolean" },
  holds: "one",
});
const rules = (about: string): SectionKey => list(about, "a list of rules such as Bash(npm test *)");
const names = (about: string): SectionKey => list(about, "a list of names");
const outside = (done: string): SectionKey =>
  flag(`Nothing outside of the working directories is ${done}. No other file can undo this.`);
const ruledOut = (mode: string): SectionKey => ({
  about: `\`disable\`: the mode ${mode} cannot be used. No other file can undo this.`,
  expected: '"disable"',
  schema: { type: "string", enum: ["disable"] },
  holds: "one",
});

const matchers = (about: string): SectionKey =>
  list(about, 'a list such as [{"serverName": "github"}]', {
    type: "array",
    items: {
      type: "object",
      properties: { serverName: text, serverUrl: text, serverCommand: texts },
      anyOf: ["serverName", "serverUrl", "serverCommand"].map((name) => ({ required: [name] })),
    },
  });

const price: Schema = { type: "number", minimum: 0 };
const prices: Schema = {
  type: "object",
  properties: { input: price, output: price },
  required: ["input", "output"],
  additionalProperties: price,
};

const sandboxKinds: Record<SandboxKey["kind"], Schema> = {
  flag: { type: "boolean" },
  commands: filledTexts,
  // A host name, not a URL.
  domains: { type: "array", items: { type: "string", pattern: "^\\s*[^\\s/]+\\s*$" } },
  "allowed paths": filledTexts,
  "denied paths": filledTexts,
  "hidden paths": filledTexts,
  port: { type: "integer", minimum: 1, maximum: 65_535 },
  program: { type: "string", pattern: "^(?:~?/|~$)" },
  provider: { type: "string", enum: [...sandboxProviders] },
  violations: { type: "object", additionalProperties: filledTexts },
};

const withheld = (field: string): Schema => ({
  type: "array",
  items: { type: "object", properties: { [field]: filled }, required: [field] },
});

function sandboxSchema(): Schema {
  const credentials = { files: withheld("path"), envVars: withheld("name") };
  const own: Record<string, Schema> = { credentials: { type: "object", properties: credentials } };
  const groups: Record<string, Record<string, Schema>> = {};
  for (const [key, { kind }] of Object.entries(sandboxKeys)) {
    const [group = "", name] = key.split(".");
    if (name === undefined) own[group] = sandboxKinds[kind];
    else (groups[group] ??= {})[name] = sandboxKinds[kind];
  }
  for (const [group, properties] of Object.entries(groups)) own[group] = { type: "object", properties };
  return { type: "object", properties: own };
}

export const sectionKeys = ownNames<SectionKey>({
  "permissions.allow": rules("Rules for what is done without asking."),
  "permissions.deny": rules("Rules for what is never done, whatever allows it."),
  "permissions.ask": rules("Rules for what a person is always asked about."),
  "permissions.additionalDirectories": list(
    "Folders to work in besides the one pawl is started in.",
    "a list of folders",
    filledTexts,
  ),
  "permissions.blockReadsOutsideWorkingDirectories": outside("read"),
  "permissions.blockWritesOutsideWorkingDirectories": outside("written"),
  "permissions.blockReadsExemptPaths": list(
    "What may be read outside of the working directories all the same.",
    "a list of paths",
    filledTexts,
  ),
  "permissions.defaultMode": {
    about: "The permission mode a session begins in.",
    expected: `one of ${permissionModes.join(", ")}`,
    schema: { type: "string", enum: [...permissionModes, "manual"] },
    holds: "one",
  },
  "permissions.disableBypassPermissionsMode": ruledOut("bypassPermissions"),
  "permissions.disableAutoMode": ruledOut("auto"),
  disableAutoMode: ruledOut("auto"),
  "permissions.denyInsteadOfPrompting": flag(
    "Whatever a person would be asked about is refused. No other file can undo this.",
  ),
  env: map(
    "Variables for the session and the commands it runs; the real environment takes precedence.",
    "an object of texts",
    {
      type: "object",
      propertyNames: { pattern: "^[A-Za-z_]\\w*$" },
      additionalProperties: { type: ["string", "number", "boolean"] },
    },
  ),
  hooks: list("Your hooks, by the event that runs them; `pawl hooks` lists them.", "an object of events", {
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
  models: map("Windows, limits and prices of models, by id, over the built-in catalogue.", "an object"),
  aliases: map("Names of your own for models.", "an object"),
  claudeMdExcludes: list("Globs of memory files and rules that are left out.", "a list of globs"),
  skillOverrides: map(
    "By a skill's name, whether and how it is offered.",
    "an object of on, name-only, user-invocable-only or off",
    { type: "object", additionalProperties: { enum: ["on", "name-only", "user-invocable-only", "off"] } },
  ),
  enabledPlugins: map("By plugin@marketplace, whether it is on.", "an object of true or false", {
    type: "object",
    additionalProperties: { type: "boolean" },
  }),
  extraKnownMarketplaces: map(
    "Marketplaces by name; those that are folders or files on this disk are read.",
    "an object of objects",
    { type: "object", additionalProperties: { type: "object" } },
  ),
  modelPricing: map(
    "Prices in USD per million tokens, under the convention's names.",
    "an object whose overrides give each model's input and output price",
    {
      type: "object",
      properties: {
        multiplier: { type: "number", exclusiveMinimum: 0 },
        overrides: { type: "object", additionalProperties: prices },
      },
    },
  ),
  sandbox: map("What the commands that the model runs may reach.", "an object", sandboxSchema()),
  mcpServers: map("MCP servers by name, as in .mcp.json.", "an object of servers by name", {
    type: "object",
    additionalProperties: { type: "object" },
  }),
  enableAllProjectMcpServers: flag("Whether every MCP server of a trusted folder's .mcp.json starts."),
  enabledMcpjsonServers: names("The MCP servers of .mcp.json that start, and no other."),
  disabledMcpjsonServers: names("MCP servers of .mcp.json that do not start."),
  allowedMcpServers: matchers("The only MCP servers that may be used."),
  deniedMcpServers: matchers("MCP servers that must not be used."),
  pluginConfigs: map(
    "By plugin, its `options`: what its `userConfig` asks for; for `agents-md@builtin`: which instruction files are read.",
    "an object",
  ),
});

/** The paths of all keys that this version acts on. */
export const actedOn: readonly string[] = [...Object.keys(keyRules), ...Object.keys(sectionKeys)];
