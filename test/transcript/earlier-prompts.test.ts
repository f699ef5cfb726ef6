// What people typed in the sessions of a folder.
import { appendFileSync, mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Message } from "../../src/protocol/index.ts";
import { earlierPrompts, projectFolder, transcriptPath } from "../../src/transcript/index.ts";
import { appendAll, clock, open, user } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const human = (uuid: string, text: string): Message => user(uuid, text, { origin: "human" });

interface Session {
  cwd?: string;
  source?: string;
  messages: Message[];
}

/** Sessions of one folder of transcripts, the oldest first, in which those of `a-b` and of `a/b` lie. */
function sessions(...all: Session[]): { folder: string; here: string; paths: string[] } {
  const place = temporaryFolder();
  const here = join(place, "a-b");
  for (const each of ["a-b", "a/b"]) mkdirSync(join(place, each), { recursive: true });
  const folder = projectFolder(place, here);
  const paths = all.map(({ cwd = "a-b", source = "cli", messages }, index) => {
    const id = `11111111-2222-4333-8444-${String(index).padStart(12, "0")}`;
    const path = transcriptPath(folder, id);
    const transcript = open("", { path, sessionId: id, cwd: join(place, cwd), facts: { source } });
    appendAll(transcript, messages);
    transcript.close();
    const at = clock.now() / 1000 + index;
    utimesSync(path, at, at);
    return path;
  });
  return { folder, here, paths };
}

const queued: Message = {
  type: "attachment",
  uuid: "q",
  timestamp: "2026-11-20T12:00:00.000Z",
  attachment: { kind: "queued_command", prompt: [{ type: "text", text: "and the docs" }], sourceUuid: "s" },
};

test("earlier prompts are those of people on a terminal in this folder, oldest first, queued ones included", () => {
  const { folder, here, paths } = sessions(
    { messages: [human("a", "first"), user("r", "a result"), queued] },
    { source: "print", messages: [human("a", "a script's")] },
    { cwd: "a/b", messages: [human("a", "of another folder")] },
    { messages: [user("c", "memory", { isMeta: true, origin: "context" }), human("a", "second\nof two lines")] },
  );
  appendFileSync(paths[3] ?? "", '{"v":1,"type":"user","origin":"human" damaged\n');
  expect(earlierPrompts(folder, here)).toEqual(["first", "and the docs", "second\nof two lines"]);
  expect(earlierPrompts(`${folder}/none`, here)).toEqual([]);
});

test("earlier prompts are read from the newest sessions, within the limits of sessions and bytes", () => {
  const { folder, here } = sessions(
    { messages: [human("a", "first")] },
    { messages: [human("a", "second")] },
    { messages: [human("a", "long ".repeat(1_000)), human("b", "third")] },
  );
  expect(earlierPrompts(folder, here, { sessions: 2 }).at(0)).toBe("second");
  expect(earlierPrompts(folder, here, { bytes: 1_000 })).toEqual(["third"]);
});
