// The floor: a bare agent on node:http, which shows what the runtime alone costs. Usage: floor.js PROMPT [--json]
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { Agent, request, type IncomingMessage } from "node:http";
import { pathToFileURL } from "node:url";

type Block = { type: string; id?: string; name?: string; text?: string; input?: Record<string, string>; json?: string };
type Event = { type: string; content_block: Block; delta: { text?: string; partial_json?: string } };
type Print = ((event: Event) => void) | undefined;
const mark = { cache_control: { type: "ephemeral" } };
const system = [{ type: "text", text: "You are a coding agent. Use the tools to do what the user asks.", ...mark }];
const schema = (key: string) => ({ type: "object", properties: { [key]: { type: "string" } }, required: [key] });
const read = { name: "Read", description: "Reads a file.", input_schema: schema("file_path") };
const tools = [read, { name: "Bash", description: "Runs a command in bash.", input_schema: schema("command") }];
const { ANTHROPIC_BASE_URL: base, ANTHROPIC_MODEL: model, ANTHROPIC_API_KEY: key } = process.env;
const headers = { "content-type": "application/json", "x-api-key": key, "anthropic-version": "2023-06-01" };

async function sample(agent: Agent, messages: unknown[], print: Print): Promise<Block[]> {
  const outgoing = request(`${base}/v1/messages`, { method: "POST", agent, headers });
  outgoing.end(JSON.stringify({ model, max_tokens: 8000, stream: true, system, tools, messages }));
  const response = await new Promise<IncomingMessage>((ok, no) => outgoing.on("response", ok).on("error", no));
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}`);
  const blocks: Block[] = [];
  let rest = "";
  for await (const chunk of response.setEncoding("utf8")) {
    const frames = (rest + chunk).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const event = JSON.parse(frame.slice(frame.indexOf("data: ") + 6)) as Event;
      print?.(event);
      const block = blocks.at(-1) as Block;
      if (event.type === "content_block_start") blocks.push(event.content_block);
      else if (event.delta?.text !== undefined) block.text += event.delta.text;
      else if (event.delta?.partial_json !== undefined) block.json = (block.json ?? "") + event.delta.partial_json;
    }
  }
  return blocks.map(({ json, ...block }) => (json ? { ...block, input: JSON.parse(json) as Block["input"] } : block));
}

async function call({ id, name, input: { file_path: file = "", command = "" } = {} }: Block): Promise<object> {
  const child = name === "Bash" ? spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] }) : undefined;
  let output = child === undefined ? await readFile(file, "utf8") : "";
  for await (const text of child?.stdout.setEncoding("utf8") ?? []) output += text;
  return { type: "tool_result", tool_use_id: id, content: output };
}

export async function run(agent: Agent, prompt: string, print?: Print): Promise<unknown[]> {
  const messages: { role: string; content: object[] }[] = [];
  for (let content: object[] = [{ type: "text", text: prompt }]; content.length > 0;) {
    messages.push({ role: "user", content: [...content.slice(0, -1), { ...content.at(-1), ...mark }] });
    const blocks = await sample(agent, messages, print);
    messages.splice(-1, 1, { role: "user", content }, { role: "assistant", content: blocks });
    content = await Promise.all(blocks.filter(({ type }) => type === "tool_use").map(call));
  }
  return messages;
}

const print = (event: Event) => void process.stdout.write(`${JSON.stringify({ type: "stream_event", event })}\n`);
const isMain = import.meta.url === pathToFileURL(process.argv[1] ?? "").href;
if (isMain) await run(new Agent({ keepAlive: true }), process.argv[2] ?? "", process.argv[3] ? print : undefined);
