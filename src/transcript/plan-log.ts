/** Plans that a session keeps outside its folder, by a setting. They are removed with it if they are unchanged since it wrote them. */
import { basename, dirname, isAbsolute, join } from "node:path";
import { tryParseRecord } from "../lib/try-parse-json.ts";
import { openRegular, readWholeFile, writeAll } from "./file-io.ts";
import { nodeFileSystem, type TranscriptFileSystem } from "./file-system.ts";
import { planLogPath, sessionFolder } from "./paths.ts";

const maxLogBytes = 1 << 20;

/** `plan`: absolute path of a plan that was just written. Throws the system's error. */
export function recordPlan(transcriptPath: string, plan: string, fs: TranscriptFileSystem = nodeFileSystem): void {
  const status = fs.statusOf(plan);
  if (status === undefined) return;
  const { size, modifiedAt } = status;
  fs.makeFolder(sessionFolder(transcriptPath));
  const descriptor = openRegular(fs, planLogPath(transcriptPath), "append");
  try {
    writeAll(fs, descriptor, Buffer.from(`${JSON.stringify({ path: plan, size, modifiedAt })}\n`));
  } finally {
    fs.close(descriptor);
  }
}

/** The log's content is untrusted: only plain files that have the name of one of this session's plans and are unchanged since count. */
export function loggedPlans(transcriptPath: string, fs: TranscriptFileSystem): string[] {
  const log = planLogPath(transcriptPath);
  if (fs.statusOf(log)?.isFile !== true) return [];
  const sessionId = basename(sessionFolder(transcriptPath));
  const own = new RegExp(`^plan-${sessionId}(?:-\\d+)?\\.md$`, "u");
  const plans = readWholeFile(fs, log, maxLogBytes)
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const { path, size, modifiedAt } = tryParseRecord(line) ?? {};
      if (typeof path !== "string" || !isAbsolute(path) || !own.test(basename(path))) return [];
      const status = fs.statusOf(path);
      return status?.isFile === true && status.size === size && status.modifiedAt === modifiedAt ? [path] : [];
    });
  return [...new Set(plans)];
}

/** Whether the path is in a git repository: files that a project keeps must not be removed automatically. */
export function isInRepository(path: string, fs: TranscriptFileSystem): boolean {
  const folder = dirname(path);
  if (folder === path) return false;
  return fs.statusOf(join(folder, ".git")) !== undefined || isInRepository(folder, fs);
}
