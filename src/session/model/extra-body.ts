/** Fields that the user adds to the body of every request to the model, from `CLAUDE_CODE_EXTRA_BODY`. */
import { isDeeperThan } from "../../lib/is-deeper.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { tryParseRecord } from "../../lib/try-parse-json.ts";
import type { Variables } from "../options/variables.ts";

const name = "CLAUDE_CODE_EXTRA_BODY";

/**
 * What pawl itself decides: the conversation, the bound on each call's cost, and how answers arrive depend on these fields. A
 * `cache_control` of the whole body would be a fifth breakpoint beside the four that pawl sets.
 */
const ownFields = new Set(
  "model messages system tools max_tokens stream thinking output_config speed compaction cache_control".split(" "),
);

/** Documented fields that do not make a call more expensive than its bytes and `max_tokens` say. */
const costlessFields = "metadata stop_sequences temperature tool_choice top_k top_p".split(" ");

const maxDepth = 50;

/** Invalid or unsuitable fields are left out, with a notice. `isBudgeted`: no call may cost more than pawl foresees. */
export function readExtraBody(
  variables: Variables,
  isBudgeted: boolean,
  notice: (text: string) => void,
): Record<string, unknown> {
  const text = variables.text(name);
  if (text === undefined) return {};
  const body = tryParseRecord(text);
  if (body === undefined || isDeeperThan(body, maxDepth)) {
    notice(`${name} is ignored: it is not a JSON object${body === undefined ? "" : ` of at most ${maxDepth} levels`}.`);
    return {};
  }
  const leaveOut = (fields: readonly string[], why: string): void => {
    const list = oneLine(fields.join(", "), 200);
    if (fields.length > 0) notice(`${name}: ${list} ${fields.length === 1 ? "was" : "were"} left out: ${why}.`);
  };
  const fields = Object.keys(body);
  const own = fields.filter((field) => ownFields.has(field));
  leaveOut(own, "pawl sends its own values");
  const others = fields.filter((field) => !ownFields.has(field));
  const uncertain = isBudgeted ? others.filter((field) => !costlessFields.includes(field)) : [];
  leaveOut(uncertain, `with a budget only ${costlessFields.join(", ")} are sent, since others may cost extra`);
  return Object.fromEntries(others.flatMap((field) => (uncertain.includes(field) ? [] : [[field, body[field]]])));
}
