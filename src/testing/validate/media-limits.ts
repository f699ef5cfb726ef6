/** Limits on images and documents, counted over the whole request, including resent history and tool results. */
import type { BlockFacts, ImageFacts } from "../wire/facts.ts";
import type { Prompt } from "../wire/prompt.ts";
import type { CheckContext } from "./report.ts";

const imageBytes = 10 * 1024 * 1024;
const pdfBytes = 32 * 1024 * 1024;
const manyImages = 20;

export function checkMedia(prompt: Prompt, context: CheckContext): void {
  const { report, traits } = context;
  const images: { path: string; image: ImageFacts }[] = [];
  let pages = 0;
  prompt.messages.forEach((message, messageIndex) => {
    message.blocks.forEach((facts, blockIndex) => {
      if (facts.images.length === 0 && facts.documents.length === 0) return;
      const path = `messages.${messageIndex}.content.${blockIndex}`;
      for (const image of facts.images) images.push({ path: imagePath(path, facts, image), image });
      pages += checkDocuments(facts, path, context);
    });
  });
  const isSmall = traits.contextWindow < 1_000_000;
  const maximum = isSmall ? 100 : 600;
  if (images.length > maximum) report.add("", `too many images: ${images.length} > ${maximum}`);
  for (const { path, image } of images) checkImage(path, image, images.length, context);
  if (pages > maximum) report.add("", `A maximum of ${maximum} PDF pages may be provided.`);
}

function imagePath(path: string, facts: BlockFacts, image: ImageFacts): string {
  const inner = image.inner === "" ? "" : `.${facts.type}.${image.inner.replace(/\.$/, "")}`;
  return `${path}${inner}.image.source.base64`;
}

function checkImage(path: string, image: ImageFacts, count: number, { report }: CheckContext): void {
  if (image.problem !== undefined) return report.add(path, image.problem);
  if (image.base64Length === 0) return;
  if (image.base64Length > imageBytes) {
    report.add(path, `image exceeds 10 MB maximum: ${image.base64Length} bytes > ${imageBytes} bytes`);
  }
  if (image.size === undefined) {
    report.add("", "Could not process image");
    return;
  }
  if (image.declaredType !== image.size.mediaType) {
    report.add(`${path}.data`, `Image does not match the provided media type ${image.declaredType}`);
  }
  const edge = Math.max(image.size.width, image.size.height);
  if (edge > 8000) {
    report.add(`${path}.data`, "At least one of the image dimensions exceed max allowed size: 8000 pixels");
  } else if (count > manyImages && edge > 2000) {
    report.add(
      `${path}.data`,
      "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    );
  }
}

function checkDocuments(facts: BlockFacts, path: string, { report }: CheckContext): number {
  let pages = 0;
  for (const document of facts.documents) {
    pages += document.pages;
    if (document.base64Length > (pdfBytes * 4) / 3) {
      report.add(`${path}.document.source.base64`, `PDF exceeds 32 MB maximum`);
    }
    if (document.problem !== undefined) report.add(`${path}.document.source.base64.data`, document.problem);
  }
  return pages;
}
