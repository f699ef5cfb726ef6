/** An image or a document is refused. */
import type { Phrase } from "./phrase.ts";

/** Required for the complaints below to be about media. */
export const mediaSubject = /\b(?:images?|pdfs?|documents?|media[ _]type)\b/;

export const mediaComplaints: readonly Phrase[] = [
  [
    /exceed/,
    [
      "Anthropic",
      "messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    ],
    [
      "Anthropic",
      "messages.4.content.0.image.source.base64: image exceeds 10 MB maximum: 12000000 bytes > 10485760 bytes",
    ],
  ],
  [/too (?:large|big|many|small)/, ["Anthropic", "messages.0.content: Too many images: 101 > 100"]],
  [/maximum/, ["Anthropic", "A maximum of 100 PDF pages may be provided."]],
  [
    /could not|cannot|unable/,
    ["Anthropic", "Could not process image"],
    ["Gemini", "Unable to process input image. Please retry or report."],
  ],
  [
    /invalid|not valid/,
    ["Anthropic", "messages.2.content.0.document.source.base64.data: Invalid base64 data"],
    ["Anthropic", "The PDF specified was not valid."],
    [
      "DashScope",
      "<400> InternalError.Algo.InvalidParameter: The image length and width do not meet the model restrictions. [height:1 or width:1 must be larger than 10]",
    ],
  ],
  [
    /unsupported|not supported/,
    [
      "OpenAI",
      "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
    ],
  ],
  [
    /appears? to be/,
    [
      "Anthropic",
      "The image was specified using the image/png media type, but the image appears to be a image/jpeg image",
    ],
  ],
  [/does not match/, ["Anthropic", "Image does not match the provided media type image/png"]],
  [/has no pages/, ["Gemini", "The document has no pages."]],
  [/password/, ["Anthropic", "The PDF specified is password protected."]],
  [/failed/, ["unnamed", "Failed to download the image"]],
  [
    /input should be/,
    [
      "Anthropic",
      "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ],
  ],
];

/** The model accepts no images at all. */
export const noImageSupport: readonly Phrase[] = [
  [
    /\b(?:support|accept)s?\b[^.:=]{0,40}\b(?:images?|multi-?modal|vision)\b/,
    ["Ollama", "this model does not support image input (ref: b1feda6a)"],
    ["OpenRouter", "No endpoints found that support image input", 404],
    [
      "Bedrock",
      "This model doesn't support the image content block that you provided. Update the content block and try again.",
    ],
    ["Vertex", "Unable to submit request because the model does not support multimodal input"],
  ],
  [/not a multi-?modal model/, ["vLLM", "deepseek-v4-flash is not a multimodal model"]],
  [
    /\bimage input is not supported/,
    [
      "llama.cpp",
      "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
      500,
    ],
  ],
  [/\bat most \d+ image/, ["vLLM", "At most 0 image(s) may be provided in one prompt."]],
  [
    /unknown variant `?(?:image|image_url|input_image)`?, expected `?text/,
    [
      "DeepSeek",
      "Failed to deserialize the JSON body into the target type: messages[408]: unknown variant `image_url`, expected `text` at line 1 column 4795048",
    ],
  ],
  [
    /\bimage_url\b.{0,20}(?:not|only) supported/,
    ["OpenAI", "Invalid content type. image_url is only supported by certain models."],
  ],
  [/content\.type\b.{0,40}\['text'\]/, ["Z.ai", "messages.content.type 参数非法，取值范围 ['text']"]],
  [
    /`text` is not set/,
    ["Xiaomi MiMo", '{"error":{"code":"400","message":"Param Incorrect","param":"`text` is not set","type":""}}'],
  ],
  // For a message or a tool result that holds an image.
  [
    /(?<![:)\]]) input should be a valid string(?: \(ref|\.?$)/,
    ["Ollama's cloud", '{"error":"Input should be a valid string (ref: 67b376d7)"}'],
  ],
  [
    /\bmessages\b\W{0,6}\d+\W{1,6}content\b.{1,40}\bcontent\b.{1,10}input should be a valid string/,
    ["unnamed, in Pydantic's words", "messages.4.content.0.tool_result.content: Input should be a valid string"],
  ],
  [
    /role:(?:tool|user)\b.{1,100}\.content\W{1,4}value must be a string/,
    [
      "Groq",
      "'messages.3' : for 'role:tool' the following must be satisfied[('messages.3.content' : value must be a string)]",
    ],
    [
      "Groq",
      "'messages.1' : for 'role:user' the following must be satisfied[('messages.1.content' : value must be a string)]",
    ],
  ],
];
