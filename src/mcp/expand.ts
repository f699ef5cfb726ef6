/** `${NAME}` and `${NAME:-default}` in a configuration, filled from the environment. */

export type Expanded = { ok: true; text: string } | { ok: false; missing: string };

const reference = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/gu;

/** A name without a value and without a default is a failure: an empty token would be sent as if it were one. */
export function expand(text: string, env: Readonly<Record<string, string | undefined>>): Expanded {
  let missing: string | undefined;
  const filled = text.replace(reference, (_whole, name: string, otherwise: string | undefined) => {
    // Every object has a `constructor`, which is no variable.
    const value: unknown = env[name];
    if (typeof value === "string" && (value !== "" || otherwise === undefined)) return value;
    if (otherwise !== undefined) return otherwise;
    missing ??= name;
    return "";
  });
  return missing === undefined ? { ok: true, text: filled } : { ok: false, missing };
}
