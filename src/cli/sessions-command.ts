/** `pawl sessions`: lists, searches, renames, copies, exports and removes sessions. */
import type { Writable } from "node:stream";
import type { Pruned, SessionDesk } from "../session/sessions/desk.ts";
import { tellIfSlow } from "../lib/tell-if-slow.ts";
import { listText, readingText } from "../surface/show/session-list.ts";
import { written } from "./say.ts";
import { showText } from "./sessions-text.ts";
import type { SessionsArguments } from "./sessions-arguments.ts";

export interface SessionsWorld {
  cwd: string;
  env: Record<string, string | undefined>;
  /** ms since the epoch. */
  now: () => number;
  onNotice: (text: string) => void;
}

type Asked = SessionsArguments & { named: string };

const usualLimit = 50;

/** Returns the exit code. Throws `UsageError` for an unknown session or one that is open. */
export async function runSessions(asked: SessionsArguments, world: SessionsWorld, stdout: Writable): Promise<number> {
  const { SessionDesk: Desk } = await import("../session/sessions/desk.ts");
  const desk = new Desk(world);
  for await (const text of answer({ ...asked, named: asked.words[0] ?? "" }, desk, world))
    if (!(await written(stdout, text))) break;
  return 0;
}

async function* answer(asked: Asked, desk: SessionDesk, world: SessionsWorld): AsyncGenerator<string> {
  const { verb, named, json } = asked;
  const rest = asked.words.slice(1).join(" ");
  switch (verb) {
    case "list":
      return yield await list(asked, desk, world);
    case "search":
      return yield await list({ ...asked, search: asked.words.join(" ") }, desk, world);
    case "show": {
      const report = await desk.report(named);
      return yield json ? jsonLine({ ...report.info, ...report, info: undefined }) : showText(report, world.now());
    }
    case "rename":
      return desk.rename(named, rest);
    case "tag":
      return desk.tag(named, rest);
    case "untag":
      return desk.tag(named, null);
    case "archive":
    case "unarchive":
      return desk.archive(named, verb === "archive");
    case "fork": {
      const { sessionId, notice } = desk.fork(named, asked);
      if (notice !== undefined) world.onNotice(notice);
      return yield json ? jsonLine({ sessionId }) : `${sessionId}\n`;
    }
    case "export":
      return yield* exported(asked, desk);
    case "prune":
      return yield await prune(asked, desk, world);
    case "delete":
      for (const each of asked.words) {
        const sessionId = desk.delete(each);
        yield json ? jsonLine({ deleted: sessionId }) : `deleted ${sessionId}\n`;
      }
      return;
    case "reindex": {
      const sessions = await desk.reindex();
      return yield json ? jsonLine({ sessions }) : `${sessions} sessions are in the index.\n`;
    }
    default:
      return verb satisfies never;
  }
}

function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

async function list(asked: Asked, desk: SessionDesk, world: SessionsWorld): Promise<string> {
  const { all: everywhere, search, tag, json, limit } = asked;
  const wanted = { ...(search === undefined ? {} : { search }), ...(tag === undefined ? {} : { tag }) };
  const looked = await tellIfSlow(desk.list({ everywhere, ...wanted }), () => world.onNotice(readingText));
  const found = looked.filter(({ archived }) => everywhere || archived !== true);
  if (json) return `${JSON.stringify(found.slice(0, limit ?? Infinity), null, 2)}\n`;
  if (found.length === 0) world.onNotice(nothingFound(asked));
  const shown = found.slice(0, limit ?? usualLimit);
  const more = found.length - shown.length;
  const tail = more === 0 ? "" : `and ${more} more (--limit ${found.length} lists all)\n`;
  return listText(shown, world.now(), everywhere) + tail;
}

function nothingFound({ all, search, tag }: Asked): string {
  const what = search !== undefined || tag !== undefined ? "No session matches" : "There are no sessions";
  return all ? `${what}.` : `${what} in this folder; --all looks in every folder.`;
}

async function prune(asked: Asked, desk: SessionDesk, world: SessionsWorld): Promise<string> {
  const { olderThan = Infinity, all: everywhere, dryRun, json } = asked;
  const pruned: Pruned = await desk.prune({ olderThan, everywhere, dryRun });
  if (json) return `${JSON.stringify({ dryRun, ...pruned }, null, 2)}\n`;
  for (const { session, why } of pruned.kept) world.onNotice(`${session.sessionId} is kept: ${why}`);
  const count = pruned.removed.length;
  const what = dryRun ? "would be removed" : count === 1 ? "was removed" : "were removed";
  return `${listText(pruned.removed, world.now(), everywhere)}${count} ${count === 1 ? "session" : "sessions"} ${what}.\n`;
}

async function* exported({ named, format, output, force }: Asked, desk: SessionDesk): AsyncGenerator<string> {
  const pieces = desk.export(named, format);
  if (output === undefined) return yield* pieces;
  const { writePieces } = await import("../session/sessions/export-file.ts");
  writePieces(output, pieces, { force, remedy: "name another file, or give --force" });
  yield `written to ${output}\n`;
}
