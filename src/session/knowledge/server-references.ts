/** What servers say to references in a prompt, as records for the model. */
import type { ContentBlock, Message, ToolResultContent } from "../../protocol/message.ts";
import type { Intake } from "../intake/intake.ts";
import { contentMessage } from "../store/own-records.ts";
import { attachmentRecord } from "../../protocol/new-record.ts";

export interface ReferenceWorld {
  intake: Pick<Intake, "clock" | "ids">;
  /** Makes media fit, or replaces them with a text that says why they are missing. */
  fitMedia: (content: ContentBlock[]) => Promise<ContentBlock[]>;
}

export async function referenceRecord(
  content: ToolResultContent,
  { intake, fitMedia }: ReferenceWorld,
): Promise<Message> {
  if (typeof content === "string") return attachmentRecord({ kind: "reminder", name: "mcp", text: content }, intake);
  return contentMessage(await fitMedia(content), intake);
}
