/** What the sandbox adds to a command, without a network and with access to the proxy. */
import { existsSync } from "node:fs";
import type { Bench, Scenario } from "../scenario.ts";
import { runWork } from "./agents.ts";

const turns = 50;

/** Returns the median ms between the end of a reply and the next request, with the command run in between. */
async function medianGap(bench: Bench, sandbox: object): Promise<number> {
  const settings = JSON.stringify({ sandbox: { autoAllowBashIfSandboxed: true, failIfUnavailable: true, ...sandbox } });
  const pawlFlags = ["--allowed-tools", "Bash", "--settings", settings];
  const { report } = await runWork("pawl", bench, { script: "shell", turns, pawlFlags });
  const { exchanges } = report;
  if (exchanges.length !== turns) throw new Error(`${exchanges.length} requests instead of ${turns}`);
  const gaps = exchanges.slice(1).map(({ arrivedAt }, index) => arrivedAt - (exchanges[index]?.endedAt ?? Number.NaN));
  return gaps.toSorted((one, other) => one - other)[gaps.length >> 1] ?? Number.NaN;
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
