/** The scopes that a login asks for. */
const maxScope = 4_000;

/** Each scope once. Servers decide what they ask for, so invalid characters and excess length are dropped. */
export function mergeScopes(...scopes: readonly (string | undefined)[]): string {
  const each = scopes.flatMap((scope) => scope?.match(/[\x21\x23-\x5b\x5d-\x7e]+/gu) ?? []);
  let all = "";
  // A cut-off scope would be a different one, which no login server knows.
  for (const scope of new Set(each)) if (all.length + scope.length < maxScope) all += all === "" ? scope : ` ${scope}`;
  return all;
}
