/** Answers a question about a page; what it says of a failure is for the model. */
export interface PageReader {
  read(page: { url: string; text: string; prompt: string }, signal: AbortSignal): Promise<string>;
}
