// The floor's 200 sessions in one process, all at once. Usage: floor-sessions.js COUNT
import { Agent } from "node:http";
import { run } from "./floor.ts";

const count = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true });
// Keep all sessions to the end, as a process that serves sessions does.
const sessions = await Promise.all(
  Array.from({ length: count }, (_, index) => run(agent, `Session ${index}: read every note in turn.`)),
);
process.stdout.write(`${JSON.stringify({ sessions: sessions.length })}\n`);
