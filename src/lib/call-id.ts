/**
 * Ids of calls that the API would not take back, `functions.Bash:0`, in a form that it takes, and back again. Those who gave them
 * want them as they were: Kimi's templates read them, and LiteLLM keeps what Gemini thought in them.
 */
import { textDigest } from "./text-digest.ts";

/** What the API takes as the id of a call, and as the name of a tool. */
export const callIdForm = /^[a-zA-Z0-9_-]+$/;
export const toolNameForm = /^[a-zA-Z0-9_-]{1,64}$/;

const prefix = "given-";
/** OpenAI takes no longer ones; Bedrock takes 64. */
const longest = 40;

/** The same for one that may stay. Of the others the API's own servers, and gateways, shall read nothing into what is left. */
export function sendableCallId(id: string): string {
  if (callIdForm.test(id) && !id.startsWith(prefix)) return id;
  let binary = "";
  for (const byte of new TextEncoder().encode(id)) binary += String.fromCharCode(byte);
  return prefix + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** As its server gave it. */
export function givenCallId(id: string): string {
  if (!id.startsWith(prefix)) return id;
  const given = decoded(id.slice(prefix.length).replaceAll("-", "+").replaceAll("_", "/"));
  return given !== undefined && sendableCallId(given) === id ? given : id;
}

/** For a server of another model than the one that gave it, which reads nothing in it. One that may stay as it is does so. */
export function shortCallId(id: string): string {
  return id.startsWith(prefix) ? strictCallId(id) : id;
}

/** The same where even one that may stay as it is was refused. */
export function strictCallId(id: string): string {
  return id.length <= longest ? id : `${id.slice(0, longest - 17)}-${textDigest(id)}`;
}

function decoded(base64: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    // A host's own, that only begins like one of ours.
    return undefined;
  }
}
