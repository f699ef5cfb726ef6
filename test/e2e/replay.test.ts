// `pawl replay` on what `pawl -p` recorded, and on what a death left of it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atWire, calls, inOrder, says } from "./support/ask.ts";
import type { Place } from "./support/place.ts";

const session = "0b0b0b0b-1111-4222-8333-444444444444";

function transcriptIn({ home }: Place): string {
  const root = join(home, ".pawl", "projects");
  const name = readdirSync(root, { recursive: true, encoding: "utf8" }).find((each) => each.endsWith(".jsonl"));
  return join(root, name ?? "none");
}

test("a killed and resumed session replays the same without a server; an altered transcript does not", () =>
  atWire(
    inOrder([calls(["Bash", { command: "echo one" }]), calls(["Bash", { command: "sleep 60" }]), says("Done.")]),
    async (place, server) => {
      const flags = ["--session-id", session, "--permission-mode", "bypassPermissions", "--verbose"];
      const run = place.start(["-p", "--output-format", "stream-json", ...flags, "Go."]);
      await run.saw(/sleep 60/);
      run.child.kill("SIGKILL");
      await run.ended;
      await place.run(["-p", "--resume", session, "Go on."]);
      const asked = server.requests.length;
      const same = await place.run(["replay", session]);
      expect([same.code, same.stderr]).toEqual([0, ""]);
      expect(same.stdout).toMatch(/turn 1 {2}same {2}next_turn {2}\(The process died here\.\)\n {2}turn 2 {2}same/);
      const path = transcriptIn(place);
      const other = path.replace(".jsonl", "-other.jsonl");
      const text = readFileSync(path, "utf8");
      writeFileSync(other, text.replace('{"reason":"completed"}', '{"reason":"stop_hook_prevented"}'));
      const report = await place.run(["replay", other, "--json"]);
      expect(report.code).toBe(1);
      expect(JSON.parse(report.stdout)).toMatchObject({ same: 1, differs: 1, skipped: 0 });
      const missing = await place.run(["replay", "0c0c0c0c-1111-4222-8333-444444444444"]);
      expect([missing.code, missing.stdout]).toEqual([2, ""]);
      expect(server.requests).toHaveLength(asked);
    },
  ));
