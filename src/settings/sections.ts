/** The keys that hold more than one value, by their path: what they are for and what may stand there. `layer.ts` reads them. */
import { permissionModes } from "../protocol/permission.ts";
import { keyRules, type Schema } from "./keys.ts";
import { sandboxKeys, sandboxProviders, type SandboxKey } from "./sandbox-keys.ts";

export interface SectionKey {
  /** One line for people. */
  about: string;
  /** Ends the sentence "… should be". */
  expected: string;
  schema: Schema;
  /** `list`: every file adds to it. `map`: every file may set entries of it. `one`: the highest file decides. */
  holds: "list" | "map" | "one";
}

const rules = (about: string): SectionKey => ({
  about,
  expected: "a list of rules such as Bash(npm test *)",
  schema: { type: "array", items: { type: "string" } },
  holds: "list",
});

const outside = (done: string): SectionKey => ({
  about: `Nothing outside of the working directories is ${done}. No file takes it back.`,
  expected: "true or false",
  schema: { type: "boolean" },
  holds: "one",
});

const noAuto: SectionKey = {
  about: "`disable`: the mode auto cannot be had. No file takes it back.",
  expected: '"disable"',
  schema: { type: "string", enum: ["disable"] },
  holds: "one",
};
const names = (about: string): SectionKey => ({
  about,
  expected: "a list of names",
  schema: { type: "array", items: { type: "string" } },
  holds: "list",
});

const matchers = (about: string): SectionKey => ({
  about,
  expected: 'a list such as [{"serverName": "github"}]',
  schema: {
    type: "array",
    items: {
      type: "object",
      properties: {
        serverName: { type: "string" },
        serverUrl: { type: "string" },
        serverCommand: { type: "array", items: { type: "string" } },
      },
      anyOf: ["serverName", "serverUrl", "serverCommand"].map((name) => ({ required: [name] })),
    },
  },
  holds: "list",
});

const price: Schema = { type: "number", minimum: 0 };
const prices: Schema = {
  type: "object",
  properties: { input: price, output: price },
  required: ["input", "output"],
  additionalProperties: price,
};

const filled: Schema = { type: "string", pattern: "\\S" };
const filledTexts: Schema = { type: "array", items: filled };

const sandboxKinds: Record<SandboxKey["kind"], Schema> = {
  flag: { type: "boolean" },
  texts: filledTexts,
  // A host, and no address.
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

export const sectionKeys: Readonly<Record<string, SectionKey>> = {
  "permissions.allow": rules("Rules for what is done without asking."),
  "permissions.deny": rules("Rules for what is never done, whatever allows it."),
  "permissions.ask": rules("Rules for what a person is always asked about."),
  "permissions.additionalDirectories": {
    about: "Folders to work in besides the one pawl is started in.",
    expected: "a list of folders",
    schema: { type: "array", items: { type: "string", pattern: "\\S" } },
    holds: "list",
  },
  "permissions.blockReadsOutsideWorkingDirectories": outside("read"),
  "permissions.blockWritesOutsideWorkingDirectories": outside("written"),
  "permissions.blockReadsExemptPaths": {
    about: "What may be read outside of the working directories all the same.",
    expected: "a list of paths",
    schema: { type: "array", items: { type: "string", pattern: "\\S" } },
    holds: "list",
  },
  "permissions.defaultMode": {
    about: "The permission mode a session begins in.",
    expected: `one of ${permissionModes.join(", ")}`,
    schema: { type: "string", enum: [...permissionModes, "manual"] },
    holds: "one",
  },
  "permissions.disableBypassPermissionsMode": {
    about: "`disable`: the mode bypassPermissions cannot be had. No file takes it back.",
    expected: '"disable"',
    schema: { type: "string", enum: ["disable"] },
    holds: "one",
  },
  "permissions.disableAutoMode": noAuto,
  disableAutoMode: noAuto,
  "permissions.denyInsteadOfPrompting": {
    about: "What would be asked of a person is refused. No file takes it back.",
    expected: "true or false",
    schema: { type: "boolean" },
    holds: "one",
  },
  env: {
    about: "Variables for the session and the commands it runs; the real environment counts over them.",
    expected: "an object of texts",
    schema: { type: "object", propertyNames: { pattern: "^[A-Za-z_]\\w*$" }, additionalProperties: { type: "string" } },
    holds: "map",
  },
  hooks: {
    about: "What of yours is run when; `pawl hooks` lists it.",
    expected: "an object of events",
    schema: {
      type: "object",
      additionalProperties: {
        type: "array",
        items: {
          type: "object",
          properties: { matcher: { type: "string" }, hooks: { type: "array", items: { type: "object" } } },
          required: ["hooks"],
        },
      },
    },
    holds: "list",
  },
  models: {
    about: "Windows, limits and prices of models, by id, over the built-in catalogue.",
    expected: "an object",
    schema: { type: "object" },
    holds: "map",
  },
  aliases: {
    about: "Names of your own for models.",
    expected: "an object",
    schema: { type: "object" },
    holds: "map",
  },
  claudeMdExcludes: {
    about: "Globs of memory files and rules that are left out.",
    expected: "a list of globs",
    schema: { type: "array", items: { type: "string" } },
    holds: "list",
  },
  skillOverrides: {
    about: "By a skill's name, whether and how it is offered.",
    expected: "an object of on, name-only, user-invocable-only or off",
    schema: { type: "object", additionalProperties: { enum: ["on", "name-only", "user-invocable-only", "off"] } },
    holds: "map",
  },
  enabledPlugins: {
    about: "By plugin@marketplace, whether it is on.",
    expected: "an object of true or false",
    schema: { type: "object", additionalProperties: { type: "boolean" } },
    holds: "map",
  },
  extraKnownMarketplaces: {
    about: "Marketplaces by name; those that are folders or files on this disk are read.",
    expected: "an object of objects",
    schema: { type: "object", additionalProperties: { type: "object" } },
    holds: "map",
  },
  modelPricing: {
    about: "Prices in USD per million tokens, in the convention's words.",
    expected: "an object whose overrides give each model's input and output price",
    schema: {
      type: "object",
      properties: {
        multiplier: { type: "number", exclusiveMinimum: 0 },
        overrides: { type: "object", additionalProperties: prices },
      },
    },
    holds: "map",
  },
  sandbox: {
    about: "What the commands that the model runs may reach.",
    expected: "an object",
    schema: sandboxSchema(),
    holds: "map",
  },
  mcpServers: {
    about: "MCP servers by name, as in .mcp.json.",
    expected: "an object of servers by name",
    schema: { type: "object", additionalProperties: { type: "object" } },
    holds: "map",
  },
  enableAllProjectMcpServers: {
    about: "Whether every MCP server of a trusted folder's .mcp.json starts.",
    expected: "true or false",
    schema: { type: "boolean" },
    holds: "one",
  },
  enabledMcpjsonServers: names("The MCP servers of .mcp.json that start, and no other."),
  disabledMcpjsonServers: names("MCP servers of .mcp.json that do not start."),
  allowedMcpServers: matchers("The only MCP servers there may be."),
  deniedMcpServers: matchers("MCP servers there must not be."),
  pluginConfigs: {
    about:
      "By plugin, its `options`: what its `userConfig` asks for; of `agents-md@builtin`: which instruction files are read.",
    expected: "an object",
    schema: { type: "object" },
    holds: "map",
  },
};

/** Every key this version acts on, by its path. */
export const actedOn: readonly string[] = [...Object.keys(keyRules), ...Object.keys(sectionKeys)];
