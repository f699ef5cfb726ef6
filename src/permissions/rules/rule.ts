/** Parses `Tool` and `Tool(specifier)`, one rule as a person wrote it. What cannot be read is reported and matches nothing. */
import { isExactPattern, parseCommandPattern, withoutNeedlessQuotes, type CommandPattern } from "./command-pattern.ts";
import { canonicalTool, findToolIgnoringCase, knownTools } from "./tool-names.ts";
import { parsePathRule, type PathRule, type RulePlaces } from "../paths/path-rule.ts";

export type RuleBehavior = "allow" | "deny" | "ask";

/** A rule with its origin. `root` is what a leading `/` in its path means (the folder of its file); by default the working directory. */
export interface SourcedRule {
  rule: string;
  /** For display: `user settings`, `--allowed-tools`. */
  source: string;
  root?: string;
  /** The rule replaces a part of its source that could not be read. */
  isStandIn?: boolean;
}

export type WrittenRules = Record<RuleBehavior, readonly SourcedRule[]>;

export interface RuleProblem extends SourcedRule {
  behavior: RuleBehavior;
  /**
   * `error`: a protecting rule is unreadable, so nothing should start. `notice`: the rule works or does no harm, but perhaps not as meant.
   */
  level: "error" | "notice";
  /** One sentence that names the rule and its source. */
  text: string;
  /** The text common to all rules with this problem, without a full stop: shown once if there are many. */
  gist?: string;
}

export type Specifier =
  | { kind: "whole" }
  | { kind: "command"; pattern: CommandPattern }
  | { kind: "path"; access: "read" | "edit"; path: PathRule }
  | { kind: "domain"; labels: string[] }
  | { kind: "parameter"; name: string; pattern: CommandPattern };

export interface Rule extends SourcedRule {
  behavior: RuleBehavior;
  /** The canonical name; contains `*` only where globs are allowed. */
  tool: string;
  /** The rule matches if any of these does. */
  specifiers: Specifier[];
}

export type ParsedRule = { rule: Rule | null; problems: RuleProblem[] };

/** `SlashCommand:/commit` and `SlashCommand(/commit)`: how commands were permitted before they became skills. */
const slashCommandForm = /^SlashCommand(?::|\()\/?([^)]+)\)?$/u;
const ruleForm = /^([A-Za-z*][\w*.:-]*)(?:\(([^]*)\))?$/u;
/** Tool names have no colon, except that MCP servers are written with one. */
const colonForm = /^(?!mcp__)([^:]+):(.*)$/u;
const commandTools = new Set(["Bash", "PowerShell"]);
const editTools = new Set(["Write", "MultiEdit", "NotebookEdit"]);
const readTools = new Set(["Glob", "Grep", "LS", "NotebookRead"]);
const nameFields: Record<string, string> = { Agent: "subagent_type", Skill: "skill" };
const primaryFields = new Set(["command", "file_path", "path", "notebook_path", "url"]);
/** Parameters of file tools besides the path. A path that begins like one is rare, and is still matched as a path. */
const fileParameters =
  /^(?:offset|limit|pages|content|old_string|new_string|replace_all|new_source|cell_id|cell_type|edit_mode|pattern|glob|type|output_mode|head_limit|multiline):/u;
const bashParameters = /^(?:timeout|description|run_in_background|dangerouslyDisableSandbox):/u;

/** Another rule after the first one's parenthesis; read as one pattern, they would match no command. */
const severalRules = new RegExp(`\\)\\s*[|,;&\\s]+(?:${[...knownTools].join("|")}|mcp__\\w+)\\(`, "u");

class RuleReporter {
  readonly problems: RuleProblem[] = [];
  readonly #sourcedRule: SourcedRule;
  readonly #behavior: RuleBehavior;

  constructor(written: SourcedRule, behavior: RuleBehavior) {
    this.#sourcedRule = written;
    this.#behavior = behavior;
  }

  notice(text: string, gist = text): void {
    this.#add({ level: "notice", text, gist });
  }

  #add({ text, ...problem }: Pick<RuleProblem, "level" | "text" | "gist">): void {
    const { rule, source } = this.#sourcedRule;
    const name = `The ${this.#behavior} rule ${JSON.stringify(rule)} (${source})`;
    this.problems.push({ ...this.#sourcedRule, behavior: this.#behavior, text: `${name}: ${text}.`, ...problem });
  }

  /** Reports a rule that cannot be read. For an allow rule that is only a notice: it merely allows nothing. */
  reject(text: string): null {
    this.#add({ level: this.#behavior === "allow" ? "notice" : "error", text });
    return null;
  }
}

/** Headings in lists of rules, since JSON has no comments: `// --- Git ---`. A path that begins like this continues with a name. */
const headingForm = /^(?:\/\/|#|--|==)(?:$|[\s#=\u2010-\u2015\u2500-\u257f-])/u;

interface RuleContext {
  sourcedRule: SourcedRule;
  behavior: RuleBehavior;
  places: RulePlaces;
}

export function parseRule(sourcedRule: SourcedRule, behavior: RuleBehavior, places: RulePlaces): ParsedRule {
  const reporter = new RuleReporter(sourcedRule, behavior);
  return { rule: readRule({ sourcedRule, behavior, places }, reporter), problems: reporter.problems };
}

function readRule(context: RuleContext, reporter: RuleReporter): Rule | null {
  const { sourcedRule, behavior } = context;
  const text = sourcedRule.rule.trim();
  if (headingForm.test(text)) return null;
  const [, name, specifier] = ruleForm.exec(text.replace(slashCommandForm, "Skill($1)")) ?? [];
  if (name === undefined) return reporter.reject("it is not a rule; rules look like Read or Bash(npm test *)");
  const [, before, after] = colonForm.exec(name) ?? [];
  if (before !== undefined) {
    const suggested = after === "" || after === "*" ? before : `${before}(${after})`;
    return reporter.reject(`a rule has no colon after the tool's name; write ${suggested}`);
  }
  if (specifier !== undefined && severalRules.test(specifier))
    return reporter.reject("it holds more than one rule; write each as a rule of its own");
  const canonicalName = canonicalTool(name);
  // Deny and ask rules match tool names in any case.
  const tool = behavior === "allow" ? canonicalName : (findToolIgnoringCase(canonicalName) ?? canonicalName);
  if (behavior !== "allow" && !knownTools.has(tool) && !/^mcp__|\*/u.test(tool))
    reporter.notice(`no built-in tool is called ${name}, so the rule guards only a tool of your own by that name`);
  if (tool.includes("*")) {
    if (specifier !== undefined) return reporter.reject("a rule with a star in the tool's name takes no parentheses");
    if (behavior === "allow" && !/^mcp__[^*]*[^*_]__/u.test(tool))
      return reporter.reject("an allow rule may have a star only after mcp__<server>__");
  }
  const specifiers = readSpecifier(tool, specifier, context, reporter);
  return specifiers === null ? null : { ...sourcedRule, behavior, tool, specifiers };
}

const addressForm = /^(?:https?:\/\/)?((?:[\w*-]+\.)+[a-z]{2,})(?:[:/].*)?$/iu;

function readSpecifier(
  tool: string,
  specifier: string | undefined,
  context: RuleContext,
  reporter: RuleReporter,
): Specifier[] | null {
  if (specifier === undefined) return [{ kind: "whole" }];
  const text = specifier.trim();
  if (text === "") return reporter.reject("its parentheses are empty; write the tool's name alone to mean every call");
  const guards = context.behavior !== "allow";
  const fileParameter = guards && fileParameters.test(text) ? readParameter(text, reporter) : null;
  const parameterSpecifiers = fileParameter === null ? [] : [fileParameter];
  if (tool === "Read" || tool === "Edit") {
    const path = readPath(tool === "Edit" ? "edit" : "read", text, context, reporter);
    return path === null ? null : [...path, ...parameterSpecifiers];
  }
  if (text === "*") return [{ kind: "whole" }];
  if (commandTools.has(tool)) return readCommandSpecifier(tool, text, guards, reporter);
  if (editTools.has(tool) || readTools.has(tool))
    return fileParameter === null ? readOtherFileTool(tool, text, context, reporter) : parameterSpecifiers;
  if (tool === "WebFetch" && text.startsWith("domain:")) return readDomain(text.slice("domain:".length), reporter);
  const host = tool === "WebFetch" ? addressForm.exec(text)?.[1] : undefined;
  if (host !== undefined) return reporter.reject(`pages are named by their host; write WebFetch(domain:${host})`);
  if (tool === "Cd") {
    reporter.notice("Cd rules concern the /cd command, which does not exist yet");
    return [];
  }
  const parameter = guards ? readParameter(text, reporter) : null;
  const field = Object.hasOwn(nameFields, tool) ? nameFields[tool] : undefined;
  if (field !== undefined) {
    // Kinds of agents may be listed with commas, as among an agent's tools; but the name of a single one may hold a comma, too.
    const names = tool === "Agent" ? new Set([text, ...text.split(",").map((name) => name.trim())]) : [text];
    const patterns = [...names].flatMap(namePatterns);
    if (patterns.length === 0) return reporter.reject("it names nothing");
    const parameters = patterns.map((pattern) => ({ kind: "parameter" as const, name: field, pattern }));
    return parameter === null ? parameters : [...parameters, parameter];
  }
  if (parameter !== null) return [parameter];
  const knownName = findToolIgnoringCase(tool);
  if (knownName !== undefined && knownName !== tool) return reporter.reject(`the tool is called ${knownName}`);
  if (guards) return reporter.reject(`${tool} rules take the form ${tool}(parameter:value)`);
  const unknownTool =
    knownTools.has(tool) || tool.startsWith("mcp__") ? "" : `no built-in tool is called ${tool}, and `;
  return reporter.reject(`${unknownTool}${tool} takes no parentheses in an allow rule`);
}

/** `docs:*` also means everything of the plugin docs, whose names begin with `docs:`. */
function namePatterns(written: string): CommandPattern[] {
  const name = written.replace(/^\//u, "");
  const pattern = parseCommandPattern(name);
  if (pattern === null) return [];
  return /^[^*\\]+:\*$/u.test(name) ? [pattern, { pieces: [name.slice(0, -1), ""], endsAtWord: false }] : [pattern];
}

/** After a program's name or a git subcommand, which contain no colon, `:*` was meant to stand for anything. */
const innerColonStar = /^(?:git\s+)?[\w./-]+:\*(?=.*\S)/u;

/** Joins two commands; matched against text from which quoted parts were removed. */
const joinsCommands = /\s(?:&&|\|\|?)\s|[^\s\\];\s/u;

function readCommandSpecifier(tool: string, text: string, guards: boolean, reporter: RuleReporter): Specifier[] | null {
  const pattern = parseCommandPattern(text);
  if (pattern === null) return reporter.reject(`it names no command; write ${tool} alone to mean every command`);
  const unquoted = text.replace(/"(?:\\[^]|[^"\\])*"|'[^']*'/gu, "x");
  if (!guards && tool === "Bash" && !isExactPattern(pattern) && joinsCommands.test(unquoted))
    reporter.notice(
      "each command of a line is judged separately, so this rule matches no line of several commands; write a rule for each command",
    );
  const parameter = guards && bashParameters.test(text) ? readParameter(text, reporter) : null;
  if (parameter === null && innerColonStar.test(text))
    reporter.notice(
      '":*" stands for anything only at the end of a rule; here the colon is literal, so hardly any command matches; write " *" instead',
    );
  const bare = withoutNeedlessQuotes(text);
  const patterns = [pattern, bare === text ? null : parseCommandPattern(bare)].filter((each) => each !== null);
  return [
    ...patterns.map((each) => ({ kind: "command" as const, pattern: each })),
    ...(parameter === null ? [] : [parameter]),
  ];
}

function readParameter(text: string, reporter: RuleReporter): Specifier | null {
  const [, name, value] = /^([A-Za-z_][\w-]*):([^]+)$/u.exec(text) ?? [];
  if (name === undefined || value === undefined) return null;
  if (primaryFields.has(name)) {
    reporter.notice(`${name} cannot be matched as a parameter`);
    return null;
  }
  // A lone star matches any value, but the parameter must be present.
  return { kind: "parameter", name, pattern: parseCommandPattern(value) ?? { pieces: ["", ""], endsAtWord: false } };
}

function readPath(
  access: "read" | "edit",
  text: string,
  context: RuleContext,
  reporter: RuleReporter,
): Specifier[] | null {
  const path = parsePathRule(text, context.sourcedRule.root, context.behavior !== "allow", context.places);
  if (path === null) return reporter.reject("its path can match nothing");
  for (const hint of path.hints) reporter.notice(hint);
  return [{ kind: "path", access, path }];
}

/** `Write(p)`, `Glob(p)` and the like: protecting rules of this form are read as the `Edit` or `Read` rule they must mean. */
function readOtherFileTool(
  tool: string,
  text: string,
  context: RuleContext,
  reporter: RuleReporter,
): Specifier[] | null {
  const ruleTool = editTools.has(tool) ? "Edit" : "Read";
  if (context.behavior === "allow") {
    const gist = `these tools with a path match nothing; write ${ruleTool}(…)`;
    reporter.notice(`${tool} with a path matches nothing; write ${ruleTool}(${text})`, gist);
    return [];
  }
  const concerned = `which concerns every tool that ${ruleTool === "Edit" ? "writes" : "reads"} files`;
  reporter.notice(`read as ${ruleTool}(${text}), ${concerned}`, `read as ${ruleTool}(…), ${concerned}`);
  return readPath(ruleTool === "Edit" ? "edit" : "read", text, context, reporter);
}

function readDomain(domain: string, reporter: RuleReporter): Specifier[] | null {
  const host = domain.trim().toLowerCase().replace(/\.$/u, "");
  const isHost = /^(?:\*|[\p{L}\p{N}_*-]+(?:\.[\p{L}\p{N}_*-]+)*|\*\.[^*]+|\[[\da-f:.]+\])$/u.test(host);
  if (!isHost) return reporter.reject(`"${domain}" is not a host name such as example.com or *.example.com`);
  return [{ kind: "domain", labels: asciiHost(host).split(".") }];
}

/** The host as a URL spells it: international names in their ASCII form. */
function asciiHost(host: string): string {
  if (/^[\x20-\x7e]*$/u.test(host) || host.includes("*")) return host;
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host;
}

export interface DescribedRule {
  behavior: RuleBehavior;
  rule: string;
  source: string;
}

export interface Grants {
  /** Adds rules until `endGrants`, subject to deny and ask rules. Returns the problems of rules that cannot be read. */
  grant(behavior: "allow" | "deny", rules: readonly SourcedRule[]): RuleProblem[];
  /** Ends grants, identified by the same rule objects that were granted. */
  withdraw(rules: readonly SourcedRule[]): void;
  endGrants(): void;
}
