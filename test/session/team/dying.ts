// A session with a teammate in a process that dies after so many changes of the disk, and the session that goes on from there.
import { createEngineIn } from "../../../src/session/compose.ts";
import { surroundingsWithoutKey } from "../../../src/session/surroundings/read-surroundings.ts";
import type { EngineOptions, QueryEngine } from "../../../src/index.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { thisMachine } from "../../../src/session/surroundings/machine.ts";
import { nodeFileSystem, readSession, type TranscriptFileSystem } from "../../../src/transcript/index.ts";
import type { ProcessTable } from "../../../src/transcript/process-table.ts";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { layGround, optionsFor, scripted, turn, type Ground } from "../support.ts";
import { cast, count, on, send, teammate, untilQuiet } from "./cast.ts";

const changing = ["write", "truncate", "rename", "link", "remove", "makeFolder"] as const;

/** After `most` changes nothing is written any more: what is on the disk then is what a dead process leaves. */
function dyingFiles(most: number): { files: TranscriptFileSystem; changes: () => number } {
  let made = 0;
  const change = (): void => {
    if (++made > most) throw Object.assign(new Error("gone"), { code: "EIO" });
  };
  const files: TranscriptFileSystem = { ...nodeFileSystem };
  for (const name of changing) {
    const real = nodeFileSystem[name] as (...args: unknown[]) => unknown;
    Object.assign(files, {
      [name]: (...args: unknown[]) => {
        change();
        return real(...args);
      },
    });
  }
  files.open = (path, how) => {
    if (how !== "read") change();
    return nodeFileSystem.open(path, how);
  };
  return { files, changes: () => made };
}

/** Each process another one, and all but the last are dead. */
function processOf(pid: number): ProcessTable {
  let nonces = 0;
  return {
    pid,
    host: "here",
    isAlive: (other) => other === pid,
    startTimeOf: () => undefined,
    nonce: () => `${pid}-x-${nonces++}`,
    onExit: () => {},
    offExit: () => {},
  };
}

async function openIn(options: EngineOptions, pid: number, files: TranscriptFileSystem): Promise<QueryEngine> {
  const machine = { ...thisMachine, files, processes: processOf(pid) };
  return await createEngineIn(options, async (own) => ({
    ...surroundingsWithoutKey(own),
    apiKey: "scripted",
    machine,
  }));
}

const sessionId = "11111111-2222-4333-8444-555555555555";

/** Answers how many changes there were. */
async function first(ground: Ground, most: number): Promise<number> {
  const model = scripted(
    cast({
      lead: [[teammate("ada", "Rest.", { run_in_background: false })], [send("ada", "letter-1")], "Waiting.", "Fine."],
      ada: ["Resting.", "Read one."],
    }),
  );
  const { files, changes } = dyingFiles(most);
  const engine = await openIn({ ...optionsFor(ground, model, on), sessionId }, 900_001, files);
  try {
    await untilQuiet(engine, "Go.");
  } finally {
    await engine.dispose();
  }
  return changes();
}

/** Ids of all letters that are on record. */
function lettersIn(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.type === "attachment" && message.attachment.kind === "reminder" && message.attachment.mail !== undefined
      ? [message.attachment.mail.id]
      : [],
  );
}

function agentMessages(engine: QueryEngine): Message[] {
  const folder = join(engine.getTranscriptPath()!.replace(/\.jsonl$/u, ""), "subagents");
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return names.flatMap((name) => readSession(join(folder, name), nodeFileSystem).messages);
}

/** Dies after `most` changes, and goes on. Answers how many changes the whole would have had, where it was not cut. */
export async function diesAndGoesOn(most: number): Promise<number> {
  const ground = layGround();
  let changes = 0;
  try {
    changes = await first(ground, most);
  } catch {
    // It died before there was a session.
  }
  const path = join(ground.pawlHome, "projects");
  const isThere =
    existsSync(path) &&
    readdirSync(path, { recursive: true }).some((name) => String(name).endsWith(`${sessionId}.jsonl`));
  if (!isThere) return changes;
  const lead = ({ body }: { body: { messages: unknown } }) => {
    const said = JSON.stringify(body.messages);
    return said.includes("Second part.") && !said.includes("letter-2") ? [send("ada", "letter-2")] : "Waiting.";
  };
  const model = scripted(cast({ lead, ada: () => "Read." }));
  const engine = await openIn({ ...optionsFor(ground, model, on), resume: sessionId }, 900_002, nodeFileSystem);
  const before = JSON.stringify(engine.getMessages());
  await turn(engine, "Second part.");
  for (let round = 0; engine.openAgents > 0 && round < 20; round++) {
    await engine.whenAgentsEnd();
    if (engine.openAgents > 0) await turn(engine, "Go on.", { isMeta: true });
  }
  const mine = engine.getMessages();
  const hers = agentMessages(engine);
  await engine.dispose();
  const where = `cut after ${most} changes`;
  for (const letters of [lettersIn(mine), lettersIn(hers)]) expect(new Set(letters).size, where).toBe(letters.length);
  const read = count(JSON.stringify(hers), "letter-1");
  if (before.includes("Sent to ada.")) expect(read, where).toBe(1);
  else expect(read, where).toBeLessThanOrEqual(1);
  if (JSON.stringify(mine).split("letter-2")[1]?.includes("Sent to ada.") === true) {
    expect(count(JSON.stringify(hers), "letter-2"), where).toBe(1);
    // Its task, whose first word it may not have had on record.
    expect(count(JSON.stringify(hers), '"Rest."'), where).toBe(1);
  }
  expect(
    model.requests.flatMap(({ violations }) => violations),
    where,
  ).toEqual([]);
  return changes;
}
