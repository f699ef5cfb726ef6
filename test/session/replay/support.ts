// Recorded sessions to replay, and recordings that say something else than happened.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaySession, type EngineOptions, type ReplayReport } from "../../../src/index.ts";
import type { Script, ScriptedModel } from "../../../src/testing/index.ts";
import { jsonLines } from "../../support/json-lines.ts";
import { layGround, openOn, scripted, turn, type Ground } from "../support.ts";

export interface Recorded {
  ground: Ground;
  sessionId: string;
  path: string;
}

/** A closed session of these prompts. */
export async function recorded(
  script: Script | ScriptedModel,
  options: EngineOptions = {},
  prompts: readonly string[] = ["Do it."],
  ground = layGround(),
): Promise<Recorded> {
  const model = "handle" in script ? script : scripted(script);
  const engine = await openOn(ground, model, { permissionMode: "bypassPermissions", ...options });
  for (const prompt of prompts) await turn(engine, prompt);
  await engine.dispose();
  return { ground, sessionId: engine.getSessionId(), path: engine.getTranscriptPath()! };
}

export function replay({ ground }: Recorded, session: string): Promise<ReplayReport> {
  return replaySession(session, { cwd: ground.work, home: ground.home, env: {} });
}

export interface Entry {
  type: string;
  uuid: string;
  seq: number;
  message?: Record<string, unknown>;
  data?: Record<string, unknown>;
}

/** The recording with its lines changed, under a file of its own. */
export function altered({ path }: Recorded, change: (lines: Entry[]) => Entry[]): string {
  // As older versions wrote them.
  const lines = jsonLines<Entry>(readFileSync(path, "utf8")).map((line) => {
    const { message, type } = line;
    if (message?.["type"] === "message") return { ...line, message: { ...message, type } };
    return { ...line, type: (message?.["type"] as string | undefined) ?? type };
  });
  const other = join(dirname(path), "altered.jsonl");
  let parentUuid: string | null = null;
  const text = change(lines).map((line, seq) => {
    const numbered = JSON.stringify({ ...line, seq, parentUuid });
    if (line.message !== undefined) parentUuid = line.uuid;
    return numbered;
  });
  writeFileSync(other, `${text.join("\n")}\n`);
  return other;
}

export function withoutNotes(lines: Entry[]): Entry[] {
  return lines.filter(({ type }) => type !== "run");
}
