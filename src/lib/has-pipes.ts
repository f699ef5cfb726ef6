/**
 * Whether a started process has its streams. If no more files can be opened, Node.js returns a child without streams and reports the error
 * as an event, which would end this process if nobody listened.
 */
export function hasPipes(child: { stdio?: unknown }): boolean {
  return child.stdio !== undefined;
}
