/** Fills `${NAME}` and `${NAME:-default}` in a configuration from the environment. A default may contain further references. */
import type { Environment } from "../lib/environment.ts";

export type Expanded = { ok: true; text: string } | { ok: false; missing: string };

/** Matches the beginning of a reference, with its `}` if it has no default, or the end of a default. */
const referencePattern = /\$\{([A-Za-z_]\w*)(:-|\})|\}/gu;

/** A text being filled: the whole, or a default within it. */
interface Filling {
  text: string;
  missing?: string;
}

interface OpenDefault extends Filling {
  name: string;
  begin: string;
}

/** A name without value or default is a failure: otherwise an empty token would be sent as if it were real. */
export function expand(text: string, env: Environment): Expanded {
  // Every object has a `constructor`, which is not a variable.
  const valueOf = (name: string): string | undefined => (Object.hasOwn(env, name) ? env[name] : undefined);
  const whole: Filling = { text: "" };
  const open: OpenDefault[] = [];
  const add = (piece: string, missingName?: string): void => {
    const filling = open.at(-1) ?? whole;
    filling.text += piece;
    if (missingName !== undefined) filling.missing ??= missingName;
  };
  let at = 0;
  for (const { 0: begin, 1: name, 2: end, index } of text.matchAll(referencePattern)) {
    add(text.slice(at, index));
    at = index + begin.length;
    if (name !== undefined && end === ":-") open.push({ text: "", name, begin });
    else if (name !== undefined) add(valueOf(name) ?? "", valueOf(name) === undefined ? name : undefined);
    else {
      const filling = open.pop();
      if (filling === undefined) add(begin);
      else add(valueOf(filling.name) || filling.text, valueOf(filling.name) ? undefined : filling.missing);
    }
  }
  add(text.slice(at));
  // A reference that is never closed is plain text.
  for (let left = open.pop(); left !== undefined; left = open.pop()) add(left.begin + left.text, left.missing);
  return whole.missing === undefined ? { ok: true, text: whole.text } : { ok: false, missing: whole.missing };
}
