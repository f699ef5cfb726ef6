// A server for tests, by hand over the protocol: one JSON message a line. Its first argument is what it does, as JSON.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

interface Behaviour {
  tools?: Record<string, unknown>[];
  /** What `tools/list` answers after the first call of a tool; with `list_changed` said before that call's answer. */
  laterTools?: Record<string, unknown>[];
  /** With an empty list it does not know the question. */
  prompts?: unknown[];
  resources?: Record<string, unknown>[];
  /** What is in its folders, by their addresses; two at a time. */
  folders?: Record<string, Record<string, unknown>[]>;
  instructions?: string;
  /** Results of tools, as they are, by name; of the method where it has none of its own here. */
  answers?: Record<string, unknown>;
  /** Whole messages that answer tools, but for their id; as they are, by name. */
  messages?: Record<string, object>;
  answersFile?: string;
  /** Ids of the work that continues after the answer. */
  done?: string[];
  /** Of what the tool `asks` asks. */
  requestedSchema?: Record<string, unknown>;
  /** It does not know that question. */
  hasNoTools?: boolean;
  /** What is said in place of its tools. */
  toolsFault?: string;
  /** It runs tools as tasks, of which it says this, one look after another; the last one is said again. */
  tasks?: Record<string, unknown>[];
  /** Ways to be no good: each is what it says. */
  hangs?: boolean;
  exits?: boolean;
  talksNonsense?: boolean;
  neverEndsALine?: boolean;
  paginatesForEver?: boolean;
  /** So many tools a page. */
  perPage?: number;
}

const behaviour = JSON.parse(process.argv[2] ?? "{}") as Behaviour;
/** Methods and parameters it is asked go there, a line each. */
const { TOOLS_FILE: toolsFile, ASKED_FILE: askedFile } = process.env;
if (behaviour.answersFile !== undefined)
  behaviour.answers = JSON.parse(readFileSync(behaviour.answersFile, "utf8")) as Record<string, unknown>;
const listed =
  toolsFile === undefined ? undefined : (JSON.parse(readFileSync(toolsFile, "utf8")) as typeof behaviour.tools);
let tools = listed ??
  behaviour.tools ?? [
    {
      name: "echo",
      description: "Says it again",
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
    },
  ];

function send(message: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

if (behaviour.exits === true) {
  process.stderr.write("no licence\n");
  process.exit(3);
}
if (behaviour.talksNonsense === true) process.stdout.write("starting up...\n{not json\n\n[]\n42\n");
if (behaviour.neverEndsALine === true) flood();

function flood(): void {
  const piece = "x".repeat(1 << 20);
  const more = (): boolean => process.stdout.write(piece, () => setImmediate(more));
  more();
}

const waiting = new Map<unknown, NodeJS.Timeout>();

function call(id: unknown, name: unknown, input: Record<string, unknown>, meta: Record<string, unknown>): void {
  const { answers = {}, messages = {} } = behaviour;
  if (Object.hasOwn(messages, String(name)))
    return void process.stdout.write(`${JSON.stringify({ ...messages[String(name)], id })}\n`);
  if (Object.hasOwn(answers, String(name))) return send({ id, result: answers[String(name)] });
  const text = (content: string): Record<string, unknown> => ({ content: [{ type: "text", text: content }] });
  switch (name) {
    case "echo":
      return send({ id, result: text(String(input["text"])) });
    case "env":
      return send({ id, result: text(JSON.stringify(process.env)) });
    case "input":
      return send({ id, result: text(JSON.stringify(input)) });
    case "big":
      return send({ id, result: text("b".repeat(Number(input["size"]))) });
    case "fails":
      return send({ id, result: { ...text("it went wrong"), isError: true } });
    case "write":
      writeFileSync(String(input["path"]), String(input["text"]));
      return send({ id, result: text("written") });
    case "picture":
      return send({ id, result: { content: [{ type: "image", data: input["data"], mimeType: "image/png" }] } });
    case "structured":
      return send({ id, result: { content: [], structuredContent: { answer: 42 } } });
    case "slow":
      send({
        method: "notifications/progress",
        params: { progressToken: meta["progressToken"], progress: 1, total: 2, message: "half" },
      });
      waiting.set(
        id,
        setTimeout(() => send({ id, result: text("done") }), 60_000),
      );
      return;
    case "cancelled":
      return send({ id, result: text(String(process.env["CANCELLED"] ?? "")) });
    case "dies":
      return process.exit(1);
    case "changes":
      tools = behaviour.laterTools ?? [];
      send({ method: "notifications/tools/list_changed" });
      return send({ id, result: text("changed") });
    case "visits":
      if ((visits += 1) > Number(input["needed"])) return send({ id, result: text("been there") });
      return send({ id, error: { code: -32042, message: "go there first", data: { elicitations: input["where"] } } });
    case "asks":
      asked = id;
      doneIds = behaviour.done ?? [];
      return send({
        id: "q1",
        method: "elicitation/create",
        params: { requestedSchema: behaviour.requestedSchema, ...input },
      });
    default:
      return send({ id, error: { code: -32602, message: `no tool ${String(name)}` } });
  }
}

let asked: unknown;
let doneIds: string[] = [];
let visits = 0;
let begun: Record<string, unknown> = {};
const looks = [...(behaviour.tasks ?? [])];

function handle(message: Record<string, unknown>): void {
  const { id, method, params = {} } = message as { id?: unknown; method?: string; params?: Record<string, unknown> };
  if (method === undefined) {
    if (id === "q1")
      for (const elicitationId of doneIds)
        send({ method: "notifications/elicitation/complete", params: { elicitationId } });
    if (id === "q1")
      send({ id: asked, result: { content: [{ type: "text", text: JSON.stringify(message["result"]) }] } });
    return;
  }
  if (askedFile !== undefined) appendFileSync(askedFile, `${method} ${JSON.stringify(params)}\n`);
  const { answers = {} } = behaviour;
  if (method !== "tools/call" && Object.hasOwn(answers, method)) return send({ id, result: answers[method] });
  switch (method) {
    case "initialize":
      return send({
        id,
        result: {
          protocolVersion: params["protocolVersion"],
          serverInfo: { name: "test", version: "1" },
          capabilities: {
            tools: { listChanged: true },
            ...(behaviour.tasks === undefined ? {} : { tasks: { cancel: {}, requests: { tools: { call: {} } } } }),
            ...(behaviour.prompts === undefined ? {} : { prompts: {} }),
            ...(behaviour.resources === undefined ? {} : { resources: {} }),
            ...(behaviour.folders === undefined
              ? {}
              : { extensions: { "io.modelcontextprotocol/skills": { directoryRead: true } } }),
          },
          ...(behaviour.instructions === undefined ? {} : { instructions: behaviour.instructions }),
        },
      });
    case "ping":
      return send({ id, result: {} });
    case "tools/list": {
      if (behaviour.toolsFault !== undefined)
        return send({ id, error: { code: -32603, message: behaviour.toolsFault } });
      if (behaviour.hasNoTools === true) return send({ id, error: { code: -32601, message: "Method not found" } });
      if (behaviour.paginatesForEver === true) return send({ id, result: { tools, nextCursor: `${Math.random()}` } });
      const { perPage = tools.length } = behaviour;
      const from = Number(params["cursor"] ?? 0);
      const rest = from + perPage < tools.length ? { nextCursor: String(from + perPage) } : {};
      return send({ id, result: { tools: tools.slice(from, from + perPage), ...rest } });
    }
    case "prompts/list":
      if (behaviour.prompts?.length === 0) return send({ id, error: { code: -32601, message: "Method not found" } });
      return send({ id, result: { prompts: behaviour.prompts } });
    case "prompts/get": {
      const text = `${String(params["name"])} ${JSON.stringify(params["arguments"] ?? {})}`;
      return send({ id, result: { messages: [{ role: "user", content: { type: "text", text } }] } });
    }
    case "resources/list":
      return send({ id, result: { resources: behaviour.resources } });
    case "resources/templates/list":
      return send({ id, result: { resourceTemplates: [] } });
    case "resources/directory/read": {
      const found = behaviour.folders?.[String(params["uri"])];
      if (found === undefined) return send({ id, error: { code: -32602, message: "it is no folder" } });
      const from = Number(params["cursor"] ?? 0);
      const next = from + 2 < found.length ? { nextCursor: String(from + 2) } : {};
      return send({ id, result: { resources: found.slice(from, from + 2), ...next } });
    }
    case "resources/read":
      // None of other letters is there.
      if (/[^!-~]/u.test(String(params["uri"]))) return send({ id, error: { code: -32002, message: "not found" } });
      return send({
        id,
        result: {
          contents: [{ uri: params["uri"], mimeType: "text/plain", text: `what is in ${String(params["uri"])}` }],
        },
      });
    case "notifications/cancelled":
      clearTimeout(waiting.get(params["requestId"]));
      process.env["CANCELLED"] = String(params["requestId"]);
      return;
    case "tasks/get":
      return send({ id, result: { taskId: "t1", ...(looks.length > 1 ? looks.shift() : looks[0]) } });
    case "tasks/result":
      return call(id, begun["name"], (begun["arguments"] ?? {}) as Record<string, unknown>, {});
    case "tasks/cancel":
      writeFileSync(String((begun["arguments"] as Record<string, unknown>)["path"]), String(params["taskId"]));
      return send({ id, result: { taskId: "t1", status: "cancelled" } });
    case "tools/call":
      if ("task" in params) {
        begun = params;
        return send({ id, result: { task: { taskId: "t1", status: "working", ttl: null } } });
      }
      return call(
        id,
        params["name"],
        (params["arguments"] ?? {}) as Record<string, unknown>,
        (params["_meta"] ?? {}) as Record<string, unknown>,
      );
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: "unknown" } });
  }
}

if (behaviour.hangs !== true) {
  createInterface({ input: process.stdin }).on("line", (line) => handle(JSON.parse(line) as Record<string, unknown>));
  process.stdin.on("end", () => process.exit(0));
} else setInterval(() => undefined, 60_000);
