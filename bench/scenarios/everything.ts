/** The same work with everything offered: every tool, agents, a team, skills, notes, and a server with tools and resources. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { exampleServer, exampleSkill, everySetting, everyTool, maxPrefixTokens } from "../everything.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { measureMoney } from "./agents.ts";

function pawlFlags(): string[] {
  const program = join(import.meta.dirname, "../..", exampleServer.program);
  const args = [program, JSON.stringify(exampleServer.behaviour)];
  const servers = { mcpServers: { notes: { command: process.execPath, args } } };
  return [
    "--tools",
    everyTool.join(","),
    "--settings",
    JSON.stringify(everySetting),
    "--mcp-config",
    JSON.stringify(servers),
  ];
}

export const everything: Scenario = {
  name: "money-all",
  about: "the same money with every tool, agents, a team, skills, notes and a server on",
  // There is one more request than turns, for the fork that writes notes.
  maxRuns: 1,
  sides: ["floor", "pawl"],
  prepare({ workspace }: Bench) {
    const skill = join(workspace.home, exampleSkill.path);
    mkdirSync(dirname(skill), { recursive: true });
    writeFileSync(skill, exampleSkill.text);
    return Promise.resolve(() => rmSync(dirname(skill), { recursive: true, force: true }));
  },
  run: (side, bench) => measureMoney(side, bench, pawlFlags(), 1),
  rows: [
    {
      label: "everything on: system prompt and tools",
      unit: "tokens",
      figure: "prefix",
      compare: "value",
      atMost: maxPrefixTokens,
    },
    { label: "everything on: first message", unit: "tokens", figure: "first", compare: "value" },
    { label: "everything on: 100 read turns, dollars", unit: "$", figure: "dollars", compare: "ratio", atMost: 1.25 },
    { label: "everything on: cache reads", unit: "%", figure: "share", compare: "value", atLeast: 97 },
  ],
};
