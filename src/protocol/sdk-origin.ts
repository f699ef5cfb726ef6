/** What a message answers: whose prompt it was, and under which ids it came. */

/** Whose message begins a turn: a person's, as its host says; the news of what worked in the background; the session's own, where it goes on after a break. */
export type SDKMessageOrigin = { kind: "human" } | { kind: "task-notification" } | { kind: "auto-continuation" };

/** So that a result is told apart from that of a prompt which its host gave up. */
export interface SDKAnswering {
  /** Ids of the user messages that it answers: the one that began the turn, and those that joined it; a result also names those that a hook kept from joining. One that came without has that of its replay; absent where there is none. */
  user_message_uuids?: string[];
  /** The last of them. */
  user_message_uuid?: string;
}
