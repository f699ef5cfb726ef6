// Ways to break the engine, as edits of its source: each line stands once in its file, or the edit does not apply. The simulator
// knows none of them; that it catches each is what shows that its laws can fail.

export interface Mutation {
  name: string;
  /** Below src/. */
  file: string;
  from: string;
  to: string;
}

export const mutations: readonly Mutation[] = [
  {
    name: "an agent that goes on is told what the session is",
    file: "session/agent-runs/agent-session.ts",
    from: '    if (agentRun !== undefined)\n      return { system: restoredPrompt(restoredSystem) ?? (await agentPrompt(agentRun, around, signal)), place: "" };',
    to: '    if (agentRun !== undefined && !agentRun.isResumed)\n      return { system: await agentPrompt(agentRun, around, signal), place: "" };\n    if (agentRun !== undefined)\n      return { system: await sessionSystemPrompt({ options, around, restored: undefined, messages, style, signal }), place: "" };',
  },
  {
    name: "an agent has a ledger of its own",
    file: "session/join.ts",
    from: "const ledger = agentRun?.parent.ledger ?? createLedger(options, around, models, store);",
    to: "const ledger = createLedger(options, around, models, store);",
  },
  {
    name: "the end of an agent of the background is told with each prompt",
    file: "session/input.ts",
    from: "    ...agentNews.splice(0),",
    to: "    ...structuredClone(agentNews),",
  },
  {
    name: "a model that is chosen during a turn waits for the next turn",
    file: "loop/prepare.ts",
    from: "  if (chosen === undefined || chosen.model === before) return undefined;",
    to: "  if (chosen !== undefined) return undefined;",
  },
  {
    name: "a result is dropped from the conversation",
    file: "loop/tool-batch.ts",
    from: "    return this.#calls.flatMap((call) => (call.result === null ? [] : [call.result]));",
    to: "    return this.#calls.flatMap((call, at) => (call.result === null || at === 2 ? [] : [call.result]));",
  },
  {
    name: "a call that failed is not answered on record",
    file: "loop/tool-batch.ts",
    from: "    yield* recordMessage(this.#run, message);\n    call.outcome",
    to: "    if (!outcome.toolFailed) yield* recordMessage(this.#run, message);\n    call.outcome",
  },
  {
    name: "exclusive calls run beside others",
    file: "loop/tool-batch.ts",
    from: "      if (call.isParallelSafe ? running >= this.#run.limits.toolConcurrency : running > 0) return;",
    to: "      if (running >= this.#run.limits.toolConcurrency) return;",
  },
  {
    name: "results are shown as they come, not in the order of their calls",
    file: "loop/tool-batch.ts",
    from: "      if (result === null) break;",
    to: "      if (result === null && this.#calls.length > 2) continue; else if (result === null) break;",
  },
  {
    name: "a cancel does not reach running calls",
    file: "loop/tool-batch.ts",
    from: '      if (cause !== "interrupt" || !call.outlastsInterrupt)',
    to: '      if (cause === "interrupt" && !call.outlastsInterrupt)',
  },
  {
    name: "a permission that was refused does not stop the call",
    file: "loop/tool-call.ts",
    from: "  if (allowed.outcome !== null) return reportRefusal(tool, allowed.outcome, scope);",
    to: "  if (allowed.outcome !== null && !allowed.outcome.isError) return allowed.outcome;",
  },
  {
    name: "a hook's refusal does not stop the call",
    file: "loop/tool-call.ts",
    from: "  if (before.outcome !== null) return withContexts(reportRefusal(tool, before.outcome, scope), before.answer);",
    to: "  if (before.outcome?.prevent !== undefined) return before.outcome;",
  },
  {
    name: "input that did not parse is run as an empty one",
    file: "loop/tool-call.ts",
    from: "  if (request.invalidInput !== undefined)",
    to: '  if (request.invalidInput === "")',
  },
  {
    name: "the guard of reactive compaction is forgotten",
    file: "loop/state.ts",
    from: "  reactive_compact_retry: { hasAttemptedReactiveCompact: true },",
    to: "  reactive_compact_retry: {},",
  },
  {
    name: "a truncation is resumed without an end",
    file: "loop/decide.ts",
    from: "  const attempt = state.maxOutputTokensRecoveryCount + 1;",
    to: "  const attempt = 1;",
  },
  {
    name: "turns are not counted",
    file: "loop/decide.ts",
    from: "    turnCount: isTurn ? state.turnCount + 1 : state.turnCount,",
    to: "    turnCount: state.turnCount,",
  },
  {
    name: "one turn more than allowed",
    file: "loop/decide.ts",
    from: "  return limits.maxTurns !== undefined && state.turnCount + 1 > limits.maxTurns;",
    to: "  return limits.maxTurns !== undefined && state.turnCount > limits.maxTurns;",
  },
  {
    name: "blocks of stop hooks are not counted",
    file: "loop/decide.ts",
    from: "  const blocks = state.stopHookBlockCount + 1;",
    to: "  const blocks = 1;",
  },
  {
    name: "a stop hook's block is ignored",
    file: "loop/decide.ts",
    from: "  const verdict = fact.blocking.length > 0 ? afterBlock",
    to: "  const verdict = fact.blocking.length > 1 ? afterBlock",
  },
  {
    name: "an interruption leaves no mark",
    file: "loop/decide.ts",
    from: 'fact.cause === "interrupt" ? [] : [interruption',
    to: 'fact.cause !== "consumer" ? [] : [interruption',
  },
  {
    name: "a record is shown before it is written",
    file: "loop/run.ts",
    from: "    if (!(yield* recordMessage(run, message))) break;\n    safe.push(message);\n    yield message;",
    to: "    safe.push(message);\n    yield message;",
  },
  {
    name: "a call is begun before its block is recorded",
    file: "loop/attempt.ts",
    from: "  if (!(yield* recordMessage(run, message, response.usage))) return;\n  response.blocks.push(message);\n  // Before",
    to: "  response.blocks.push(message);\n  // Before",
  },
  {
    name: "what was shown of a broken answer is not taken back",
    file: "loop/sample-failure.ts",
    from: "tombstone !== null && (yield* recordMessage(run, tombstone));",
    to: "tombstone !== null;",
  },
  {
    name: "a wait before a retry is cut short",
    file: "loop/sample-failure.ts",
    from: "advice.delayMs, run.cancel.signal",
    to: "Math.min(advice.delayMs, 20), run.cancel.signal",
  },
  {
    name: "a call whose end was not seen is not charged",
    file: "loop/sample.ts",
    from: "budget.settle(ticket, settlementOf(outcome))",
    to: "budget.settle(ticket, outcome.usage === undefined ? { notBilled: true } : settlementOf(outcome))",
  },
  {
    name: "results are sent in another order than their calls",
    file: "loop/segment.ts",
    from: "  const messages: ApiMessage[] = [",
    to: "  answers.reverse();\n  const messages: ApiMessage[] = [",
  },
  {
    name: "what the user said after a result is left out of the request",
    file: "loop/segment.ts",
    from: "  const messages: ApiMessage[] = [",
    to: "  if (answers.length > 1) segment.userContent.length = 0;\n  const messages: ApiMessage[] = [",
  },
  {
    name: "a call is not ended at its limit",
    file: "loop/tool-run.ts",
    from: "clock.timer(limitMs, () =>",
    to: "clock.timer(limitMs * 1_000, () =>",
  },
  {
    name: "a wait is not named",
    file: "loop/bounded.ts",
    from: '        wait.announce?.({ type: "waiting", key: wait.key, on: wait.on, name: wait.name, limitMs: wait.limitMs });',
    to: '        if (wait.on === "retry") wait.announce?.({ type: "waiting", key: wait.key, on: wait.on, name: wait.name, limitMs: 1 });',
  },
  {
    name: "a timer is left behind",
    file: "loop/tool-run.ts",
    from: "    const finish = (result: ToolResult): void => {\n      stopTimer();",
    to: "    const finish = (result: ToolResult): void => {",
  },
  {
    name: "the budget forgets what is reserved for unseen ends",
    file: "session/ledger/ledger.ts",
    from: "      this.#heldUsd += reservation.usd;\n      return 0;",
    to: "      return 0;",
  },
  {
    name: "the budget forgets what is reserved for an answer that was cut",
    file: "session/ledger/ledger.ts",
    from: "    if (!outcome.final || !isCounted) this.#heldUsd += Math.max(0, reservation.usd - usd);",
    to: "    if (!outcome.final || !isCounted) this.#heldUsd += 0;",
  },
  {
    name: "the ledger counts an answer twice",
    file: "session/ledger/ledger.ts",
    from: "    entry.costUSD += usd;\n    this.#totalUsd += usd;",
    to: "    entry.costUSD += usd;\n    this.#totalUsd += usd * 2;",
  },
  {
    name: "a budget is not lowered by what was spent",
    file: "session/ledger/ledger.ts",
    from: "    this.#spentUsd += usd;",
    to: "    this.#spentUsd += usd / 2;",
  },
  {
    name: "the first of the inputs that come back is lost",
    file: "session/intake/queue.ts",
    from: "    this.#waiting.unshift(...returned);",
    to: "    this.#waiting.unshift(...returned.slice(1));",
  },
  {
    name: "of several inputs that come back all but the first are lost",
    file: "session/intake/queue.ts",
    from: "    this.#waiting.unshift(...returned);",
    to: "    this.#waiting.unshift(...returned.slice(0, 1));",
  },
  {
    name: "input that came meanwhile is delivered twice",
    file: "session/intake/queue.ts",
    from: "    this.#waiting = this.#waiting.filter((input) => !inputs.includes(input));",
    to: "    this.#waiting = [...this.#waiting];",
  },
  {
    name: "memory goes on where the disk did not",
    file: "session/store/conversation.ts",
    from: "    if (!result.ok) return result;",
    to: '    if (!result.ok && message.type !== "user") return result;',
  },
  {
    name: "the result of a turn is given twice",
    file: "session/turn/user-turn.ts",
    from: '  if (cancel.cause === "terminate") return;',
    to: '  if (cancel.cause === "user") yield resultOf(joined, log, terminal, startedAt);',
  },
  {
    name: "a start is not recorded",
    file: "session/tools/tool-parts.ts",
    from: "      const written = record(context.toolUseId);",
    to: '      const written = tool.name === "Change" ? ({ ok: true } as const) : record(context.toolUseId);',
  },
  {
    name: "a session's lock stays when it is closed",
    file: "session/closing.ts",
    from: "    store.transcript?.close();",
    to: "    if (hurry) store.transcript?.close();",
  },
  {
    name: "a compaction loses the pinned head",
    file: "context/rewrite.ts",
    from: "  return [...plan.head, ...first, summaryMessage(world, summary), ...kept,",
    to: "  return [...first, summaryMessage(world, summary), ...kept,",
  },
  {
    name: "a compaction cuts between a call and its result",
    file: "context/trajectories.ts",
    from: "    if (index > 0 && index >= openUntil && beginsPart(message)) points.push(index);",
    to: "    if (index > 0 && beginsPart(message)) points.push(index);",
  },
  {
    name: "a layer that made nothing smaller is a recovery",
    file: "loop/settle.ts",
    from: '  return result.kind === "shrunk" && result.afterTokens < result.beforeTokens;',
    to: '  return result.kind === "shrunk" || "why" in result;',
  },
  {
    name: "thinking is kept behind what was rewritten",
    file: "context/rewrite.ts",
    from: "  if (model.known && !model.thinkingBoundToPrefix) return false;",
    to: "  return !model.known;",
  },
  {
    name: "a result that the disk did not take is forgotten",
    file: "session/store/unwritten-results.ts",
    from: "    if (this.#results.length === 0) return null;",
    to: "    if (this.#results.length < 3) return null;",
  },
  {
    name: "a summary that was cut passes for a whole one",
    file: "context/summarize.ts",
    from: "  return { ok: true, text: `${cut.text}\\n\\n${cutText}` };",
    to: "  return { ok: true, text: cut.text };",
  },
  {
    name: "hooks of the batch are not asked about a call that is taken up",
    file: "session/permissions/orphan.ts",
    from: "    if (run.cancel.cause === null && stop?.isDeferral !== true) {",
    to: "    if (run.cancel.cause === null && stop !== undefined && stop.isDeferral !== true) {",
  },
  {
    name: "a hook of a call that is taken up cannot end the turn",
    file: "session/permissions/orphan.ts",
    from: "      if (stop !== undefined) return",
    to: "      if (stop?.isDeferral === true) return",
  },
  {
    name: "a prompt is not synced before the model is asked",
    file: "transcript/transcript.ts",
    from: '  return message.type !== "notice" && message.type !== "transition";',
    to: '  return message.type !== "notice" && message.type !== "transition" && message.type !== "user";',
  },
  {
    name: "the last whole record goes with a torn one",
    file: "transcript/tail.ts",
    from: "  fs.truncate(descriptor, start);",
    to: "  fs.truncate(descriptor, lastLineStart(fs, descriptor, Math.max(0, start - 1)));",
  },
  {
    name: "a server that has answered is given up on as a wrong address is",
    file: "model/connection-failure.ts",
    from: "  const isMaybeWrong = hasAnswered !== true && wrongAddressCodes.has(code);",
    to: "  const isMaybeWrong = hasAnswered !== undefined && wrongAddressCodes.has(code);",
  },
];
