/** Runs the command once against answers that the server gives in order, repeating the last one. Every request must be valid. */
import { makePlace, type Ended, type Place } from "./place.ts";
import { blocksOf, problemsOf, type Json } from "./strict.ts";
import type { ProcessOptions } from "./watched-process.ts";
import {
  messageEvents,
  startWire,
  type Answer,
  type Answerer,
  type ReceivedRequest,
  type Look,
  type WireOptions,
  type WireServer,
} from "./wire.ts";

export interface Asking extends ProcessOptions {
  args?: readonly string[];
  /** Called before the command starts. */
  prepare?: (place: Place) => void;
  /** Appended to the server's URL. */
  path?: string;
  wire?: WireOptions;
}

export interface Outcome extends Ended {
  requests: readonly ReceivedRequest[];
  result: Json;
}

/** A complete, streamed message. */
export function says(
  blocks: readonly Json[] | string,
  stopReason: string | null = "end_turn",
  look: Look = {},
): Answer {
  const content = typeof blocks === "string" ? [{ type: "text", text: blocks }] : blocks;
  return { kind: "stream", events: messageEvents(content, { stopReason }), look };
}

/** A message with these tool calls, each with a new id. */
export function calls(...uses: readonly (readonly [name: string, input: unknown])[]): Answer {
  const id = ++made;
  return says(
    uses.map(([name, input], at) => ({ type: "tool_use", id: `toolu_${id}_${at}`, name, input })),
    "tool_use",
  );
}

let made = 0;

export function inOrder(answers: readonly Answer[]): Answerer {
  return (_, index) => answers[Math.min(index, answers.length - 1)]!;
}

/** The texts of the tool results in the last message. An error begins with `E:`. */
export function resultsIn(request: ReceivedRequest | undefined): string[] {
  const last = request?.body.messages.at(-1);
  if (last === undefined) return [];
  const results = blocksOf(last).filter((block) => block["type"] === "tool_result");
  return results.map(({ content, is_error: isError }) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    return isError === true ? `E:${text}` : text;
  });
}

/** The problems a strict server would find in the requests. Signatures of thinking are not checked. */
export function refusals(requests: readonly ReceivedRequest[]): string[] {
  return requests
    .filter(({ path }) => path.endsWith("/messages"))
    .flatMap(({ body }, at) => problemsOf(body, { signatures: false }).map((problem) => `request ${at}: ${problem}`));
}

/** Makes a server and a place for one test, and closes them afterwards. */
export async function atWire<T>(
  answers: readonly Answer[] | Answerer,
  use: (place: Place, server: WireServer) => Promise<T>,
  { path = "", wire }: Pick<Asking, "path" | "wire"> = {},
): Promise<T> {
  const server = await startWire(typeof answers === "function" ? answers : inOrder(answers), wire);
  const place = makePlace(server.url + path);
  try {
    const outcome = await use(place, server);
    const problems = refusals(server.requests);
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return outcome;
  } finally {
    await server.close();
    place.clear();
  }
}

export async function ask(answers: readonly Answer[] | Answerer, asking: Asking = {}): Promise<Outcome> {
  const run = async (place: Place, server: WireServer): Promise<Outcome> => {
    asking.prepare?.(place);
    const args = ["-p", "--output-format", "stream-json", ...(asking.args ?? [])];
    const ended = await place.run(asking.input === undefined ? [...args, "--", "hello"] : args, asking);
    const { lines } = ended;
    const results = lines.filter((line) => line["type"] === "result");
    if (results.length !== 1 || lines.at(-1) !== results[0])
      throw new Error(`${results.length} results, one of them last:\n${ended.stdout}\n${ended.stderr}`);
    return { ...ended, lines, requests: [...server.requests], result: results[0]! };
  };
  return await atWire(answers, run, asking);
}
