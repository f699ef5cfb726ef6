/** What the sandbox adds to a command, without a network and with access to the proxy. */
import { existsSync } from "node:fs";
import { middleOf, type Bench, type Scenario } from "../scenario.ts";
import { expectTurns, gapsIn, runWork } from "./agents.ts";

const turns = 50;

/** Returns the median ms between the end of a reply and the next request, with the command run in between. */
async function medianGap(bench: Bench, sandbox: object): Promise<number> {
  const settings = JSON.stringify({ sandbox: { autoAllowBashIfSandboxed: true, failIfUnavailable: true, ...sandbox } });
  const pawlFlags = ["--allowed-tools", "Bash", "--settings", settings];
  const done = await runWork("pawl", bench, { script: "shell", turns, pawlFlags });
  expectTurns(done, turns);
  return middleOf(gapsIn(done.report));
}

export const sandboxedShell: Scenario = {
  name: "sandbox",
  about: "50 turns, a command run in each, in the open and in the sandbox",
  sides: ["open", "confined"],
  async run(side, bench) {
    if (side === "open") {
      const open = await medianGap(bench, { enabled: false });
      return { closed: open, bridged: open };
    }
    // Without bubblewrap there is no sandbox to measure.
    if (!existsSync("/usr/bin/bwrap")) return { closed: Number.NaN, bridged: Number.NaN };
    const closed = await medianGap(bench, { enabled: true });
    return { closed, bridged: await medianGap(bench, { enabled: true, network: { allowedDomains: ["example.com"] } }) };
  },
  rows: [
    { label: "a command in the sandbox, without a network", unit: "ms", figure: "closed", compare: "difference" },
    { label: "the same, with a way to the proxy", unit: "ms", figure: "bridged", compare: "difference" },
  ],
};
