/** What the rules and the mode say of a call, before anybody is asked. */
import type { PermissionReason } from "../protocol/permission.ts";

export type Verdict =
  | { behavior: "allow"; reason: PermissionReason }
  | { behavior: "deny"; reason: PermissionReason; why: string }
  | {
      behavior: "ask";
      reason: PermissionReason;
      why: string;
      /** Only a person may answer it: no allow rule, no hook, no mode but the one it names. */
      isFirm: boolean;
      /** The flags that would have answered it; empty where none would. */
      flags: string[];
    };

export type Ask = Extract<Verdict, { behavior: "ask" }>;
