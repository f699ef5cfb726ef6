/** Resuming a session whose transcript has grown to 100 MB: what the 100 MB cost. */
import { statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { writeLongSession, type LongSession } from "../long-session.ts";
import { measure } from "../measure.ts";
import type { Scenario } from "../scenario.ts";
import { model } from "../workspace.ts";
import { msToFirstRequest } from "./agents.ts";

const megabytes = 100;
const sessions = new Map<string, LongSession & { size: number }>();

export const resume: Scenario = {
  name: "resume",
  about: "pawl --resume of a 100 MB transcript with a boundary near its end, beside one without what is before it",
  sides: ["short", "long"],
  prepare: async ({ workspace }) => {
    workspace.clean();
    const place = { home: join(workspace.home, ".pawl"), cwd: workspace.folder, model };
    for (const [name, size] of [
      ["short", 0],
      ["long", megabytes],
    ] as const) {
      const written = writeLongSession(place, size);
      sessions.set(name, { ...written, size: statSync(written.path).size });
    }
    return () => workspace.clean();
  },
  async run(side, { server, workspace }) {
    const session = sessions.get(side);
    if (session === undefined) throw new Error(`No session was written for ${side}`);
    const { result, report } = await server.serve("reply", { folder: workspace.folder, turns: 1 }, (url) =>
      measure(workspace.pawl(["-p", "And now?", "--resume", session.id], url)),
    );
    const start = msToFirstRequest({ measured: result, report });
    // Restore the transcript for the next run.
    truncateSync(session.path, session.size);
    return { start, cpu: result.cpuMs, peak: result.peakMb };
  },
  rows: [
    { label: "resume of 100 MB: to first request", unit: "ms", figure: "start", compare: "difference", atMost: 1000 },
    { label: "resume of 100 MB: CPU", unit: "ms", figure: "cpu", compare: "difference" },
    { label: "resume of 100 MB: peak RSS", unit: "MB", figure: "peak", compare: "difference" },
  ],
};
