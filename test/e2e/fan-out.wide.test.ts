// Forty agents that change files and leave programs running, under a budget that does not last for all of them: what the server
// bills, what goes on running, and what one rewind puts back.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startScriptedServer, type Reply, type RequestView, type Script } from "../../src/testing/index.ts";
import { makePlace } from "./support/place.ts";
import { isAgent } from "../support/is-agent.ts";

const budget = 0.25;
const session = "0a0a0a0a-1111-4222-8333-555555555555";

function script(): Script {
  const fanOut: Reply = {
    content: Array.from({ length: 40 }, (_, at) => ({
      tool: "Agent",
      input: { description: `part ${at}`, prompt: `Do part ${at}.`, run_in_background: at % 5 === 0 },
    })),
  };
  const own = ({ turns }: RequestView): Reply | string => (turns === 0 ? fanOut : "They are at it.");
  const below = ({ body, turns }: RequestView): Reply | string => {
    if (turns > 1) return "done";
    const part = /Do part (\d+)/.exec(JSON.stringify(body.messages))?.[1] ?? "none";
    const command = `setsid sleep 300 & mkdir -p made/${part}; echo ${turns} >> made/${part}/log; echo changed >> notes.txt; rm -f old/${part}.txt`;
    return { content: ["thinking aloud ".repeat(150), { tool: "Bash", input: { command } }] };
  };
  return { rules: [{ when: {}, reply: (request) => (isAgent(request) ? below(request) : own(request)) }] };
}

/** Of every file below `folder`, its content. */
function picture(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.toSorted().map((file) => [file, hashOf(file)]));
}

function hashOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

test("forty agents stop at the budget, leave no process, and one rewind restores their files", async () => {
  const server = await startScriptedServer(script());
  const place = makePlace(server.url);
  try {
    place.write("notes.txt", "mine\n");
    for (let at = 0; at < 40; at++) place.write(`old/${at}.txt`, `${at}\n`);
    const before = picture(place.folder);
    const flags = ["-p", "--output-format", "json", "--permission-mode", "bypassPermissions"];
    const limits = ["--max-budget-usd", String(budget), "--session-id", session];
    const { stdout } = await place.run([...flags, ...limits, "--", "Divide the work."]);
    const result = JSON.parse(stdout) as { subtype: string; total_cost_usd: number };
    // Of the calls that were left some were not covered; the lead's own last words may have been.
    expect(["success", "error_max_budget_usd"]).toContain(result.subtype);
    expect(server.requests.length).toBeLessThan(40 * 3);
    const { totalUsd } = server.bill;
    expect(totalUsd).toBeLessThanOrEqual(budget);
    // What is reserved for calls under way is waited for: less is left than one more call would have needed.
    expect(totalUsd).toBeGreaterThan(budget * 0.8);
    expect(result.total_cost_usd).toBeCloseTo(totalUsd, 9);
    expect(place.leftovers()).toEqual([]);
    expect(picture(place.folder)).not.toEqual(before);

    const rewound = await place.run(["-p", "--resume", session, "--rewind", "1"]);
    expect([rewound.code, rewound.stderr]).toEqual([0, expect.not.stringContaining("cannot")]);
    expect(picture(place.folder)).toEqual(before);
  } finally {
    place.clear();
    await server.close();
  }
}, 60_000);
