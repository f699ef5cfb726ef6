/** What a login asks to be allowed. */
const maxScope = 4_000;

/** Each of the scopes once; servers say what they want. */
export function allOf(...scopes: readonly (string | undefined)[]): string {
  const each = scopes.flatMap((scope) => scope?.match(/[\x21\x23-\x5b\x5d-\x7e]+/gu) ?? []);
  let all = "";
  // One that is cut off would be another, which no login server knows.
  for (const scope of new Set(each)) if (all.length + scope.length < maxScope) all += all === "" ? scope : ` ${scope}`;
  return all;
}
