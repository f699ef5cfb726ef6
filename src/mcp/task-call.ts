/**
 * Tools that their server runs only as tasks (2025-11-25, tasks): the call starts a task, which is polled until it ends or needs
 * input from the user. The call's result is the task's result.
 */
import type { CallToolRequest, Client, RequestOptions } from "@modelcontextprotocol/client";
import { isRecord } from "../lib/is-record.ts";
import { pause } from "../lib/pause.ts";
import { anyObject } from "./any-object.ts";
import type { McpClock } from "./world.ts";

export interface TaskWatch {
  clock: McpClock;
  /** The task is alive. */
  onActivity: () => void;
  /** The server reports progress. */
  onProgress: (message: string) => void;
}

/** Bounds of the poll interval, ms, whatever the server asks for. */
const minPollMs = 100;
const maxPollMs = 10_000;
const defaultPollMs = 1_000;
const cancelMs = 1_000;
const finalStatuses: readonly unknown[] = ["completed", "failed", "cancelled"];

/** Reads a tool as it was listed. */
export function requiresTask({ execution }: Record<string, unknown>, client: Client): boolean {
  if (!isRecord(execution) || execution["taskSupport"] !== "required" || client.getProtocolEra() === "modern")
    return false;
  return client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined;
}

export async function callAsTask(
  client: Client,
  params: CallToolRequest["params"],
  options: RequestOptions,
  watch: TaskWatch,
): Promise<Record<string, unknown>> {
  const call = { method: "tools/call", params: { ...params, task: {} } };
  const started = await client.request(call, anyObject, options);
  const { task } = started;
  const taskId = isRecord(task) ? task["taskId"] : undefined;
  if (typeof taskId !== "string") return started;
  const { signal, timeout } = options;
  const limits = { ...(signal === undefined ? {} : { signal }), ...(timeout === undefined ? {} : { timeout }) };
  const ask = (method: string, about: RequestOptions): Promise<Record<string, unknown>> =>
    client.request({ method, params: { taskId } }, anyObject, about);
  try {
    await pollUntilDone(() => ask("tasks/get", limits), watch, signal);
    // If the task needs input from the user, the result comes once the user has answered.
    return await ask("tasks/result", limits);
  } catch (error) {
    // A task that cannot be cancelled ends at its own time limit.
    if (signal?.aborted === true) await ask("tasks/cancel", { timeout: cancelMs }).catch(() => undefined);
    throw error;
  }
}

async function pollUntilDone(
  look: () => Promise<Record<string, unknown>>,
  { clock, onActivity, onProgress }: TaskWatch,
  signal: AbortSignal | undefined,
): Promise<void> {
  let lastMessage = "";
  for (;;) {
    const { status, statusMessage, pollInterval } = await look();
    onActivity();
    if (typeof statusMessage === "string" && statusMessage !== lastMessage) onProgress(statusMessage);
    lastMessage = typeof statusMessage === "string" ? statusMessage : lastMessage;
    if (status === "input_required" || finalStatuses.includes(status)) return;
    const wanted = typeof pollInterval === "number" ? pollInterval : defaultPollMs;
    await pause(clock, Math.min(Math.max(wanted, minPollMs), maxPollMs), signal);
  }
}
