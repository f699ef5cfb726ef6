/** Collects a session's servers from every place that names some, lowest precedence first: of two with one name, the later is used. */
import { dirname, resolve } from "node:path";
import { readNamedFile } from "../../lib/named-file.ts";
import { reasonOf } from "../../lib/system-reason.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { McpScope, McpServerConfig } from "../../protocol/mcp.ts";
import type * as ConfigRoom from "../../mcp/config.ts";
import type { ConfigSource, ReadConfig } from "../../mcp/config.ts";
import type { ServersText } from "../../settings/mcp.ts";
import { jsonText } from "../options/check-arguments.ts";
import type { EngineOptions } from "../options/options.ts";
import { readClaudeJsonServers } from "./claude-json-servers.ts";
import { pluginWishes } from "../plugins/wishes.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

const maxFlagBytes = 2 * 1024 * 1024;

/** Loads nothing if no place names a server. Throws `UsageError` for an unusable flag or option. */
export async function findServers(options: EngineOptions, around: Surroundings): Promise<ReadConfig> {
  const found: ReadConfig = { servers: [], problems: [] };
  const isStrict = options.strictMcpConfig === true;
  const { settings, cwd } = around;
  const file = isStrict ? undefined : around.mcpFile;
  const sources = isStrict ? [] : settings.mcp.sources;
  const claudeJsonFile = isStrict ? undefined : around.claudeJsonFile;
  const claudeJson = claudeJsonFile === undefined ? undefined : readClaudeJsonServers(claudeJsonFile, cwd);
  const flags = options.mcpConfig ?? [];
  const optionServers = Object.entries(options.mcpServers ?? {});
  const wishes = pluginWishes({ ...options, pluginDirsWithoutServers: [] }, settings);
  const mayBring = !isStrict && (wishes.dirs.length > 0 || Object.values(wishes.enabled).includes(true));
  if (
    file === undefined &&
    claudeJson === undefined &&
    !mayBring &&
    sources.length + flags.length + optionServers.length === 0
  )
    return found;
  const config = await import("../../mcp/config.ts");
  const { readUserFile } = await import("../../mcp/user-file.ts");
  const own = file === undefined ? undefined : readUserFile(file, cwd);
  const add = ({ servers, problems }: ReadConfig): void => {
    found.servers.push(...servers);
    for (const problem of problems) found.problems.push(problem);
  };
  const hostServerNames = new Set(optionServers.map(([name]) => name));
  const sourceOf = (name: string, scope: McpScope, folder = cwd): ConfigSource => {
    const source = { name, scope, folder, env: environmentOf(around) };
    return scope === "flag" ? { ...source, hostServerNames } : source;
  };
  if (mayBring) add((await import("../plugins/plugin-servers.ts")).pluginServers(wishes, around, config.readServers));
  const claudeJsonName = claudeJsonFile ?? "";
  if (typeof claudeJson === "string") found.problems.push({ source: claudeJsonName, scope: "user", why: claudeJson });
  if (typeof claudeJson === "object") add(config.readServers(claudeJson.servers, sourceOf(claudeJsonName, "user")));
  const ownName = file ?? "";
  if (own?.ok === false) found.problems.push({ source: ownName, scope: "user", why: own.why });
  if (own?.ok === true) {
    add(config.readServers(own.servers, sourceOf(ownName, "user")));
    add({ servers: [], problems: config.repeatedOf(own.text, own.repeated, { name: ownName, scope: "user" }) });
  }
  for (const source of sources) add(readSource(source, sourceOf, config));
  if (typeof claudeJson === "object") add(config.readServers(claudeJson.local, sourceOf(claudeJsonName, "local")));
  if (own?.ok === true) add(config.readServers(own.local, sourceOf(ownName, "local")));
  for (const flag of flags) add(requireNoProblems(config.readConfigText(...readFlag(flag, cwd, sourceOf)), config));
  for (const [name, server] of optionServers)
    add(requireNoProblems(readServerOption(name, server, sourceOf("mcpServers", "sdk"), config), config));
  return found;
}

/** Reads the servers of an untrusted folder so that they can be reported; none of them is started. */
export async function untrustedServers(around: Surroundings): Promise<ReadConfig> {
  const read: ReadConfig = { servers: [], problems: [] };
  const { project } = around;
  if (project === undefined || project.isTrusted) return read;
  const { readConfigText } = await import("../../mcp/config.ts");
  for (const { name, folder, content } of project.servers) {
    if (!("text" in content)) continue;
    const each = readConfigText(content.text, { name, folder, scope: "project", env: environmentOf(around) });
    read.servers.push(...each.servers);
    read.problems.push(...each.problems);
  }
  return read;
}

function environmentOf({ env, cwd }: Surroundings): ConfigSource["env"] {
  return { ...env, CLAUDE_PROJECT_DIR: cwd };
}

type SourceOf = (name: string, scope: McpScope, folder?: string) => ConfigSource;
type Config = Pick<typeof ConfigRoom, "readServers" | "readConfigText" | "repeatedOf" | "problemText" | "toolPolicies">;

function readSource({ name, origin, folder, content }: ServersText, sourceOf: SourceOf, config: Config): ReadConfig {
  // Files in the folder belong to the project, whether committed or not.
  const source = sourceOf(name, origin === "local" ? "project" : origin, folder);
  return "text" in content ? config.readConfigText(content.text, source) : config.readServers(content.value, source);
}

/** A server that was requested explicitly must not be left out with just a remark. */
function requireNoProblems(read: ReadConfig, { problemText }: Config): ReadConfig {
  const problem = read.problems.find(({ isRemark }) => isRemark !== true);
  if (problem !== undefined) throw new UsageError(problemText({ ...problem, endsStart: true }));
  return read;
}

function readFlag(flag: string, cwd: string, sourceOf: SourceOf): [text: string, source: ConfigSource] {
  if (/^\s*\{/u.test(flag)) return [flag, sourceOf("--mcp-config", "flag")];
  const path = resolve(cwd, flag);
  let text: string | undefined;
  try {
    text = readNamedFile(path, maxFlagBytes);
  } catch (error) {
    // The flag takes every word up to the next flag, so a prompt behind it is read as one more file.
    const hint = /\s/u.test(flag) ? '; a prompt after a list needs "--" before it' : "";
    throw new UsageError(`--mcp-config: ${path} cannot be read: ${reasonOf(error)}${hint}.`);
  }
  if (text === undefined) throw new UsageError(`--mcp-config: ${path} is larger than 2 MiB.`);
  return [text, sourceOf(path, "flag", dirname(path))];
}

/** Reads a server that the host names while the session runs. */
export async function readHostServer(
  name: string,
  givenConfig: McpServerConfig,
  around: Surroundings,
): Promise<ReadConfig> {
  const config = await import("../../mcp/config.ts");
  const source = { name: "mcpServers", scope: "sdk" as const, folder: around.cwd, env: environmentOf(around) };
  return readServerOption(name, givenConfig, source, config);
}

function readServerOption(
  name: string,
  serverConfig: McpServerConfig,
  source: ConfigSource,
  config: Config,
): ReadConfig {
  if (serverConfig.type !== "sdk" && serverConfig.type !== "transport") {
    return config.readServers({ [name]: JSON.parse(jsonText(`mcpServers.${name}`, serverConfig)) as unknown }, source);
  }
  const { timeout, alwaysLoad = false } = serverConfig;
  const policies = config.toolPolicies(serverConfig.tools);
  const common = {
    name,
    scope: source.scope,
    source: source.name,
    alwaysLoad,
    ...(policies === undefined ? {} : { policies }),
    ...(timeout === undefined || timeout < 1_000 ? {} : { timeoutMs: timeout }),
  };
  if (serverConfig.type === "transport")
    return { servers: [{ ...common, type: "transport", open: () => serverConfig.open() }], problems: [] };
  if (typeof serverConfig.instance?.connect !== "function")
    throw new UsageError(`mcpServers.${name}: "instance" must be a server made by createSdkMcpServer().`);
  return { servers: [{ ...common, type: "sdk", instance: serverConfig.instance }], problems: [] };
}
