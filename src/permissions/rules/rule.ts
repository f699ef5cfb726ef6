/** `Tool` and `Tool(specifier)`: one rule as a person wrote it, made ready to match. What cannot be read is reported and matches nothing. */
import { isExact, parseCommandPattern, withoutNeedlessQuotes, type CommandPattern } from "./command-pattern.ts";
import { canonicalTool, inAnyCase, knownTools } from "./tool-names.ts";
import { parsePathRule, type PathRule, type RulePlaces } from "../paths/path-rule.ts";

export type RuleBehavior = "allow" | "deny" | "ask";

/** A rule with where it came from. `root` is what a leading `/` in its path means (the folder of its file); the working directory where absent. */
export interface SourcedRule {
  rule: string;
  /** For people: `user settings`, `--allowed-tools`. */
  source: string;
  root?: string;
  /** It stands for what its source says and could not be read. */
  isStandIn?: boolean;
}

export type WrittenRules = Record<RuleBehavior, readonly SourcedRule[]>;

export interface RuleProblem extends SourcedRule {
  behavior: RuleBehavior;
  /** `error`: a rule that was to protect cannot be understood, so nothing should start. `notice`: the rule works, or does no harm, but not as its writer may think. */
  level: "error" | "notice";
  /** One sentence that names the rule and its source. */
  text: string;
  /** What is said of all rules like it, without a full stop: once, where there are many. */
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
  /** Canonical; with `*` only where globs are allowed. */
  tool: string;
  /** Any of them. */
  specifiers: Specifier[];
}

export type ParsedRule = { rule: Rule | null; problems: RuleProblem[] };

/** `SlashCommand:/commit` and `SlashCommand(/commit)`, as commands were permitted before they were skills. */
const commandForm = /^SlashCommand(?::|\()\/?([^)]+)\)?$/u;
const form = /^([A-Za-z*][\w*.:-]*)(?:\(([^]*)\))?$/u;
/** No tool has such a name; servers are written so. */
const colonForm = /^(?!mcp__)([^:]+):(.*)$/u;
const commandTools = new Set(["Bash", "PowerShell"]);
const editTools = new Set(["Write", "MultiEdit", "NotebookEdit"]);
const readTools = new Set(["Glob", "Grep", "LS", "NotebookRead"]);
const nameFields: Record<string, string> = { Agent: "subagent_type", Skill: "skill" };
const primaryFields = new Set(["command", "file_path", "path", "notebook_path", "url"]);
/** What file tools are called with besides a path; a path that begins so is a rare one, and goes on being one. */
const fileParameters =
  /^(?:offset|limit|pages|content|old_string|new_string|replace_all|new_source|cell_id|cell_type|edit_mode|pattern|glob|type|output_mode|head_limit|multiline):/u;
const bashParameters = /^(?:timeout|description|run_in_background|dangerouslyDisableSandbox):/u;

/** Another rule behind the first one's parenthesis: as one pattern they would match no command. */
const severalRules = new RegExp(`\\)\\s*[|,;&\\s]+(?:${[...knownTools].join("|")}|mcp__\\w+)\\(`, "u");

class Reader {
  readonly problems: RuleProblem[] = [];
  readonly #written: SourcedRule;
  readonly #behavior: RuleBehavior;

  constructor(written: SourcedRule, behavior: RuleBehavior) {
    this.#written = written;
    this.#behavior = behavior;
  }

  notice(text: string, gist = text): void {
    this.#add({ level: "notice", text, gist });
  }

  #add({ text, ...problem }: Pick<RuleProblem, "level" | "text" | "gist">): void {
    const { rule, source } = this.#written;
    const name = `The ${this.#behavior} rule ${JSON.stringify(rule)} (${source})`;
    this.problems.push({ ...this.#written, behavior: this.#behavior, text: `${name}: ${text}.`, ...problem });
  }

  /** A rule that is to allow and cannot be read merely does not allow. */
  broken(text: string): null {
    this.#add({ level: this.#behavior === "allow" ? "notice" : "error", text });
    return null;
  }
}

/** Lists have headings, as JSON has no comments: `// --- Git ---`. A path that begins so goes on with a name. */
const note = /^(?:\/\/|#|--|==)(?:$|[\s#=\u2010-\u2015\u2500-\u257f-])/u;

interface RuleContext {
  written: SourcedRule;
  behavior: RuleBehavior;
  places: RulePlaces;
}

export function parseRule(written: SourcedRule, behavior: RuleBehavior, places: RulePlaces): ParsedRule {
  const reader = new Reader(written, behavior);
  return { rule: readRule({ written, behavior, places }, reader), problems: reader.problems };
}

function readRule(context: RuleContext, reader: Reader): Rule | null {
  const { written, behavior } = context;
  const text = written.rule.trim();
  if (note.test(text)) return null;
  const [, name, specifier] = form.exec(text.replace(commandForm, "Skill($1)")) ?? [];
  if (name === undefined) return reader.broken("it is no rule such as Read or Bash(npm test *)");
  const [, before, after] = colonForm.exec(name) ?? [];
  if (before !== undefined) {
    const meant = after === "" || after === "*" ? before : `${before}(${after})`;
    return reader.broken(`a rule has no colon after the tool's name; write ${meant}`);
  }
  if (specifier !== undefined && severalRules.test(specifier))
    return reader.broken("it holds more than one rule; write each as a rule of its own");
  const named = canonicalTool(name);
  // What guards is held against names in any case.
  const tool = behavior === "allow" ? named : (inAnyCase(named) ?? named);
  if (behavior !== "allow" && !knownTools.has(tool) && !/^mcp__|\*/u.test(tool))
    reader.notice(`no built-in tool is called ${name}, so it guards only a tool of your own by that name`);
  if (tool.includes("*")) {
    if (specifier !== undefined) return reader.broken("a rule with a star in the tool's name takes no parentheses");
    if (behavior === "allow" && !/^mcp__[^*]*[^*_]__/u.test(tool))
      return reader.broken("an allow rule may have a star only after mcp__<server>__");
  }
  const specifiers = readSpecifier(tool, specifier, context, reader);
  return specifiers === null ? null : { ...written, behavior, tool, specifiers };
}

const addressForm = /^(?:https?:\/\/)?((?:[\w*-]+\.)+[a-z]{2,})(?:[:/].*)?$/iu;

function readSpecifier(
  tool: string,
  specifier: string | undefined,
  context: RuleContext,
  reader: Reader,
): Specifier[] | null {
  if (specifier === undefined) return [{ kind: "whole" }];
  const text = specifier.trim();
  if (text === "")
    return reader.broken("nothing stands between its parentheses; write the tool's name alone to mean every call");
  const guards = context.behavior !== "allow";
  const given = guards && fileParameters.test(text) ? parameterOf(text, reader) : null;
  const beside = given === null ? [] : [given];
  if (tool === "Read" || tool === "Edit") {
    const path = readPath(tool === "Edit" ? "edit" : "read", text, context, reader);
    return path === null ? null : [...path, ...beside];
  }
  if (text === "*") return [{ kind: "whole" }];
  if (commandTools.has(tool)) return readCommandSpecifier(tool, text, guards, reader);
  if (editTools.has(tool) || readTools.has(tool))
    return given === null ? readOtherFileTool(tool, text, context, reader) : beside;
  if (tool === "WebFetch" && text.startsWith("domain:")) return readDomain(text.slice("domain:".length), reader);
  const host = tool === "WebFetch" ? addressForm.exec(text)?.[1] : undefined;
  if (host !== undefined) return reader.broken(`pages are named by their host; write WebFetch(domain:${host})`);
  if (tool === "Cd") {
    reader.notice("Cd rules concern the /cd command, which there is none of yet");
    return [];
  }
  const parameter = guards ? parameterOf(text, reader) : null;
  const field = Object.hasOwn(nameFields, tool) ? nameFields[tool] : undefined;
  if (field !== undefined) {
    // Kinds of agents are also named together, as among an agent's tools; one of several words may have a comma.
    const names = tool === "Agent" ? new Set([text, ...text.split(",").map((name) => name.trim())]) : [text];
    const patterns = [...names].flatMap(namePatterns);
    if (patterns.length === 0) return reader.broken("it names nothing");
    const named = patterns.map((pattern) => ({ kind: "parameter" as const, name: field, pattern }));
    return parameter === null ? named : [...named, parameter];
  }
  if (parameter !== null) return [parameter];
  const meant = inAnyCase(tool);
  if (meant !== undefined && meant !== tool) return reader.broken(`the tool is called ${meant}`);
  return reader.broken(
    guards ? `${tool} rules take the form ${tool}(parameter:value)` : `${tool} takes no parentheses in an allow rule`,
  );
}

/** `docs:*` is also what the plugin docs brings: its names begin so. */
function namePatterns(written: string): CommandPattern[] {
  const name = written.replace(/^\//u, "");
  const pattern = parseCommandPattern(name);
  if (pattern === null) return [];
  return /^[^*\\]+:\*$/u.test(name) ? [pattern, { pieces: [name.slice(0, -1), ""], endsAtWord: false }] : [pattern];
}

/** Behind a program's name, or a subcommand of git's, which have no colon: what follows was to be anything. */
const colonWithin = /^(?:git\s+)?[\w./-]+:\*(?=.*\S)/u;

/** Between two commands: what is quoted is left out. */
const joinsCommands = /\s(?:&&|\|\|?)\s|[^\s\\];\s/u;

function readCommandSpecifier(tool: string, text: string, guards: boolean, reader: Reader): Specifier[] | null {
  const pattern = parseCommandPattern(text);
  if (pattern === null) return reader.broken(`it names no command; write ${tool} alone to mean every command`);
  const unquoted = text.replace(/"(?:\\[^]|[^"\\])*"|'[^']*'/gu, "x");
  if (!guards && tool === "Bash" && !isExact(pattern) && joinsCommands.test(unquoted))
    reader.notice(
      "each command of a line is judged by itself, so that no line of several matches it; write a rule for each of them",
    );
  const parameter = guards && bashParameters.test(text) ? parameterOf(text, reader) : null;
  if (parameter === null && colonWithin.test(text))
    reader.notice(
      'only at the end does ":*" stand for all that follows; here it is a colon, so that hardly any command matches; write " *" in its place',
    );
  const bare = withoutNeedlessQuotes(text);
  const patterns = [pattern, bare === text ? null : parseCommandPattern(bare)].filter((each) => each !== null);
  return [
    ...patterns.map((each) => ({ kind: "command" as const, pattern: each })),
    ...(parameter === null ? [] : [parameter]),
  ];
}

function parameterOf(text: string, reader: Reader): Specifier | null {
  const [, name, value] = /^([A-Za-z_][\w-]*):([^]+)$/u.exec(text) ?? [];
  if (name === undefined || value === undefined) return null;
  if (primaryFields.has(name)) {
    reader.notice(`${name} cannot be matched as a parameter`);
    return null;
  }
  // A lone star is any value, but a value there must be.
  return { kind: "parameter", name, pattern: parseCommandPattern(value) ?? { pieces: ["", ""], endsAtWord: false } };
}

function readPath(access: "read" | "edit", text: string, context: RuleContext, reader: Reader): Specifier[] | null {
  const path = parsePathRule(text, context.written.root, context.behavior !== "allow", context.places);
  if (path === null) return reader.broken("its path can match nothing");
  for (const hint of path.hints) reader.notice(hint);
  return [{ kind: "path", access, path }];
}

/** `Write(p)`, `Glob(p)` and the like: where they are to protect, they are read as the `Edit` or `Read` rule they must mean. */
function readOtherFileTool(tool: string, text: string, context: RuleContext, reader: Reader): Specifier[] | null {
  const meant = editTools.has(tool) ? "Edit" : "Read";
  if (context.behavior === "allow") {
    const gist = `these tools with a path match nothing; write ${meant}(…)`;
    reader.notice(`${tool} with a path matches nothing; write ${meant}(${text})`, gist);
    return [];
  }
  const concerned = `which concerns every tool that ${meant === "Edit" ? "writes" : "reads"} files`;
  reader.notice(`read as ${meant}(${text}), ${concerned}`, `read as ${meant}(…), ${concerned}`);
  return readPath(meant === "Edit" ? "edit" : "read", text, context, reader);
}

function readDomain(domain: string, reader: Reader): Specifier[] | null {
  const host = domain.trim().toLowerCase().replace(/\.$/u, "");
  const isHost = /^(?:\*|[\p{L}\p{N}_*-]+(?:\.[\p{L}\p{N}_*-]+)*|\*\.[^*]+|\[[\da-f:.]+\])$/u.test(host);
  if (!isHost) return reader.broken(`"${domain}" is no host name such as example.com or *.example.com`);
  return [{ kind: "domain", labels: asciiHost(host).split(".") }];
}

/** As a URL's own host is spelled: international names in their ASCII form. */
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
  /** Until `endGrants`, as far as deny and ask rules leave it. Answers what is wrong with rules that cannot be read. */
  grant(behavior: "allow" | "deny", rules: readonly SourcedRule[]): RuleProblem[];
  /** Of what was granted, these very rules no longer hold. */
  withdraw(rules: readonly SourcedRule[]): void;
  endGrants(): void;
}
