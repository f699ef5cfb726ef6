/** Shows the to-do list after a call that wrote it. */
import { oneLine } from "../../lib/sanitize.ts";
import type { Style } from "../show/style.ts";
import { truncateToWidth } from "./width.ts";

/** Further items are only counted. */
const maxItems = 30;

interface Item {
  content: string;
  status: string;
  activeForm?: unknown;
}

/** Takes a tool result as clients get it. Returns no lines if it has no to-do list. */
export function todoLines(result: unknown, style: Style, columns: number): string[] {
  const { newTodos } = (result ?? {}) as { newTodos?: unknown };
  const items = Array.isArray(newTodos) ? newTodos.filter((each) => isItem(each)) : [];
  const shown = items.slice(0, maxItems).map((item) => itemLine(item, style, columns - 9));
  const more = items.length - shown.length;
  return more > 0 ? [...shown, style.dim(`      (${more} more)`)] : shown;
}

function isItem(value: unknown): value is Item {
  const { content, status } = (value ?? {}) as Partial<Record<keyof Item, unknown>>;
  return typeof content === "string" && typeof status === "string";
}

function itemLine({ content, status, activeForm }: Item, style: Style, width: number): string {
  const shown = (text: string): string => truncateToWidth(oneLine(text, width), width);
  if (status === "completed") return style.dim(`${style.marks.done}${shown(content)}`);
  if (status !== "in_progress") return `${style.marks.open}${shown(content)}`;
  const active = typeof activeForm === "string" && activeForm !== "" ? activeForm : content;
  return style.bold(`${style.marks.inProgress}${shown(active)}`);
}
