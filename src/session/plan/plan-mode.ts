/** Plan mode in a session: what the model is told about it, which mode follows an approval, and what is restored after a compaction. */
import type { Permissions } from "../../permissions/permissions.ts";
import type { Attachment, Message } from "../../protocol/message.ts";
import type { PermissionMode, PermissionQuestion } from "../../protocol/permission.ts";
import { reminderIn } from "../../protocol/reminders.ts";
import type { ReattachItem } from "../../context/reattach-item.ts";
import type { Facts } from "../store/facts.ts";
import { exitPlanMode } from "../tools/session-tool-names.ts";
import { lastPlan } from "./last-plan.ts";
import { planModeEnded, planModeText } from "./plan-texts.ts";

/** The names of the reminders. */
const modeReminderName = "plan_mode";
const modeEndedReminderName = "plan_mode_ended";

const noAttachments: readonly Attachment[] = [];

export interface PlanRooms {
  permissions: Permissions;
  facts: Facts;
  messages: () => readonly Message[];
  /** Whether a tool is on offer. */
  hasTool: (name: string) => boolean;
}

export class PlanMode {
  readonly #instructions: string | undefined;
  #rooms: PlanRooms | undefined;
  /** The mode before plan mode; undefined if the session began in plan mode. A session that takes this one's place keeps it. */
  modeBefore: PermissionMode | undefined;
  /** Whether the conversation contains a reminder about plan mode; undefined before the first look. */
  #hasReminder: boolean | undefined;
  /** Plan mode was on when the session was left, and the resume has not turned it on again. */
  #hasLapsed = false;

  constructor(instructions: string | undefined) {
    this.#instructions = instructions;
  }

  attach(rooms: PlanRooms): void {
    this.#rooms = rooms;
  }

  get isOn(): boolean {
    return this.#rooms?.permissions.getMode() === "plan";
  }

  /** Whether a plan may be presented. */
  get canPresentPlan(): boolean {
    return this.isOn || this.#hasLapsed;
  }

  modeChanged = (from: PermissionMode, to: PermissionMode): void => {
    if (to === "plan" && from !== "plan") this.modeBefore = from;
    const rooms = this.#rooms;
    // A session without prompts has no transcript.
    if (rooms !== undefined && rooms.messages().length > 0) rooms.facts.put("permission_mode", { mode: to });
  };

  /** Returns what a host is told in addition: the mode that follows a consent which names none. */
  questionFields({ toolName }: PermissionQuestion): Pick<PermissionQuestion, "modeAfter"> {
    return toolName === exitPlanMode && this.isOn ? { modeAfter: this.#modeAfterPlan } : {};
  }

  get #modeAfterPlan(): PermissionMode {
    return this.modeBefore ?? "default";
  }

  enter(): void {
    if (!this.isOn) this.#rooms?.permissions.setMode("plan");
  }

  /** Leaves plan mode. Returns the mode from here on: the one chosen with the approval, or else the one before plan mode. */
  leave(): PermissionMode {
    const { permissions } = this.#rooms!;
    this.#hasLapsed = false;
    if (this.isOn) {
      try {
        permissions.setMode(this.#modeAfterPlan);
      } catch {
        // Settings have ruled that mode out since.
        permissions.setMode("default");
      }
    }
    return permissions.getMode();
  }

  /** Returns the reminder for the next border if plan mode was turned on or off. `isInTurn`: clients have not been told the mode since. */
  news(isInTurn: boolean): readonly Attachment[] {
    const rooms = this.#rooms;
    if (rooms === undefined) return noAttachments;
    const { isOn } = this;
    // The reminder about its start or end may have been summarized or removed since.
    const last = isOn || this.#hasReminder !== false ? lastReminderName(rooms.messages()) : undefined;
    const isAnnounced = last === modeReminderName;
    this.#hasLapsed ||= this.#hasReminder === undefined && isAnnounced && !isOn;
    this.#hasReminder = isOn || last !== undefined;
    if (isOn === isAnnounced) return noAttachments;
    const mode = isInTurn ? { permissionMode: rooms.permissions.getMode() } : {};
    const reminder = isOn
      ? { name: modeReminderName, text: this.#text(rooms) }
      : { name: modeEndedReminderName, text: planModeEnded };
    return [{ kind: "reminder", ...reminder, ...mode }];
  }

  /** Called after a compaction. `keptMessages`: the part of the conversation that stays. */
  reattached(keptMessages: readonly Message[]): ReattachItem[] {
    const rooms = this.#rooms;
    if (rooms === undefined) return [];
    const plan = lastPlan(keptMessages) === undefined ? lastPlan(rooms.messages()) : undefined;
    const mode = { label: "what holds in plan mode", name: modeReminderName };
    return [...(this.isOn ? [{ ...mode, text: this.#text(rooms) }] : []), ...(plan === undefined ? [] : [plan])];
  }

  #text({ hasTool }: PlanRooms): string {
    return planModeText(this.#instructions, hasTool(exitPlanMode));
  }
}

function lastReminderName(messages: readonly Message[]): string | undefined {
  const isAbout = (message: Message): boolean =>
    [modeReminderName, modeEndedReminderName].includes(reminderIn(message)?.name ?? "");
  const last = messages.findLast(isAbout);
  return last === undefined ? undefined : reminderIn(last)?.name;
}
