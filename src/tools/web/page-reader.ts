/** Answers a question about a page; the text of its errors is written for the model. */
export interface PageReader {
  read(page: { url: string; text: string; prompt: string }, signal: AbortSignal): Promise<string>;
}
