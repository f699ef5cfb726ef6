/** Which message an answer belongs to: who sent the prompt, and under which ids. */

/** Who sent the message that began a turn: a person (as the host states), a background task, or the session, continuing after a break. */
export type SDKMessageOrigin = { kind: "human" } | { kind: "task-notification" } | { kind: "auto-continuation" };

/** Lets a host tell this result from that of a prompt it has given up. */
export interface SDKAnswering {
  /**
   * Ids of the user messages being answered: the one that began the turn, and those that joined it. A result also names messages that a
   * hook kept from joining. A message sent without an id has the id of its replay. Absent if there are no ids.
   */
  user_message_uuids?: string[];
  /** The last of `user_message_uuids`. */
  user_message_uuid?: string;
}
