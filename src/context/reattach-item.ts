/** What a part of a session brings back after a compaction. The session makes a `Reattachment` of it. */
export interface ReattachItem {
  label: string;
  /** The reminder's kind, such as `todos`. */
  name: string;
  /** Absent: only the label is mentioned. */
  text?: string;
}
