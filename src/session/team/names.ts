/** Names of the agents that work together in one session. */

/** The session itself. */
export const leadName = "team-lead";

const leadNames: ReadonlySet<string> = new Set([leadName, "main", "lead"]);
/** Everyone but the sender. */
const everyoneNames: ReadonlySet<string> = new Set(["*", "all", "everyone"]);

const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/u;

export type Address = { kind: "lead" } | { kind: "everyone" } | { kind: "one"; name: string };

export function addressOf(to: string): Address {
  const lower = to.trim().toLowerCase();
  if (leadNames.has(lower)) return { kind: "lead" };
  return everyoneNames.has(lower) ? { kind: "everyone" } : { kind: "one", name: to.trim() };
}

/** Returns why a teammate cannot have this name. */
export function nameProblem(name: string): string | null {
  const shown = JSON.stringify(name.slice(0, 40));
  if (!namePattern.test(name))
    return `A teammate's name must have 1 to 32 letters, digits, "_" and "-", and start with a letter, unlike ${shown}.`;
  if (addressOf(name).kind !== "one" || name.toLowerCase() === "user")
    return `${shown} is not free for a teammate: choose another name.`;
  return null;
}
