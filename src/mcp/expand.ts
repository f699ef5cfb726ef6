/** `${NAME}` and `${NAME:-default}` in a configuration, filled from the environment; a default may have more of them in it. */

export type Expanded = { ok: true; text: string } | { ok: false; missing: string };

/** What begins a reference, with `}` where that is all of it, and what ends a default. */
const mark = /\$\{([A-Za-z_]\w*)(:-|\})|\}/gu;

/** A text that is being filled: the whole, or a default within it. */
interface Filling {
  text: string;
  missing?: string;
}

interface Default extends Filling {
  name: string;
  begin: string;
}

/** A name without a value and without a default is a failure: an empty token would be sent as if it were one. */
export function expand(text: string, env: Readonly<Record<string, string | undefined>>): Expanded {
  // Every object has a `constructor`, which is no variable.
  const valueOf = (name: string): string | undefined => (Object.hasOwn(env, name) ? env[name] : undefined);
  const whole: Filling = { text: "" };
  const open: Default[] = [];
  const add = (piece: string, missing?: string): void => {
    const filling = open.at(-1) ?? whole;
    filling.text += piece;
    if (missing !== undefined) filling.missing ??= missing;
  };
  let at = 0;
  for (const { 0: begin, 1: name, 2: end, index } of text.matchAll(mark)) {
    add(text.slice(at, index));
    at = index + begin.length;
    if (name !== undefined && end === ":-") open.push({ text: "", name, begin });
    else if (name !== undefined) add(valueOf(name) ?? "", valueOf(name) === undefined ? name : undefined);
    else {
      const given = open.pop();
      if (given === undefined) add(begin);
      else add(valueOf(given.name) || given.text, valueOf(given.name) ? undefined : given.missing);
    }
  }
  add(text.slice(at));
  // What is never closed is text.
  for (let left = open.pop(); left !== undefined; left = open.pop()) add(left.begin + left.text, left.missing);
  return whole.missing === undefined ? { ok: true, text: whole.text } : { ok: false, missing: whole.missing };
}
