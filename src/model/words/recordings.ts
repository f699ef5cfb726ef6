/** A server that plays back recorded answers has none for the request. */
import type { Phrase } from "./phrase.ts";

export const noRecording: readonly Phrase[] = [
  [
    /no fixture matched/,
    [
      "aimock",
      '{"error":{"message":"No fixture matched","type":"invalid_request_error","code":"no_fixture_match"}}',
      404,
    ],
    ["aimock", "Strict mode: no fixture matched", 503],
  ],
  [
    /fixture\(s\) skipped by sequence/,
    ["aimock", "Strict mode: 2 candidate fixture(s) skipped by sequence/turn state", 503],
  ],
];
