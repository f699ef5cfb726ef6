/** Takes the snapshots around the work on each prompt, and tells the user what they leave out. */
import { dirname } from "node:path";
import { quoteName } from "../../lib/quote-name.ts";
import type { Transcript } from "../../transcript/index.ts";
import { reasonOf } from "../../lib/system-reason.ts";
import type { UncoveredReason, Tree } from "./entry.ts";
import type { Trees } from "./trees.ts";

export interface TurnSnapshotsOptions {
  trees: Trees;
  transcript: Transcript;
  notice: (text: string) => void;
}

const reportedReasons: Partial<Record<UncoveredReason, string>> = {
  too_large: "too large to be kept",
  too_much: "more than a snapshot takes",
  too_slow: "not reached in time",
  network: "on another machine",
  unreadable: "not readable",
};
const maxNamed = 3;

/** Nothing here throws: a failed snapshot does not hold up the work. */
export class TurnSnapshots {
  readonly trees: Trees;
  readonly #options: TurnSnapshotsOptions;
  /** Reported once per session. */
  readonly #reportedTexts = new Set<string>();
  #isOpen = false;

  constructor(options: TurnSnapshotsOptions) {
    this.#options = options;
    this.trees = options.trees;
  }

  async begin(messageUuid: string): Promise<void> {
    await this.#attempt(async () => {
      const { mark, tree } = await this.trees.takeSnapshot("before");
      this.#isOpen = true;
      const recorded = this.#options.transcript.appendMeta("tree_snapshot", { mark, messageUuid });
      if (!recorded.ok)
        this.#reportOnce("failure", `What commands change cannot be rewound: ${recorded.failure.message}`);
      this.#reportGaps(tree);
    });
  }

  async reopen(): Promise<void> {
    await this.#attempt(async () => {
      await this.trees.takeSnapshot("before");
      this.#isOpen = true;
    });
  }

  async end(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#attempt(async () => {
      await this.trees.takeSnapshot("after");
    });
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const folder = quoteName(dirname(this.#options.transcript.path));
      this.#reportOnce(
        "failure",
        `What commands change cannot be rewound: the working folders could not be kept in ${folder}: ${reasonOf(error)}.`,
      );
    }
  }

  #reportGaps(tree: Tree): void {
    for (const folder of this.trees.tooWideRoots())
      this.#reportOnce(
        folder,
        `What commands change in ${quoteName(folder)} cannot be rewound: it holds your home folder.`,
      );
    const gaps = Array.from(tree).flatMap(([path, entry]) => {
      const why = entry.kind === "left" ? reportedReasons[entry.why] : undefined;
      return why === undefined ? [] : [`${quoteName(path)} (${why})`];
    });
    if (gaps.length === 0) return;
    const more = gaps.length > maxNamed ? ` and ${gaps.length - maxNamed} more` : "";
    this.#reportOnce(
      "gaps",
      `What commands change here cannot be rewound: ${gaps.slice(0, maxNamed).join(", ")}${more}.`,
    );
  }

  #reportOnce(about: string, text: string): void {
    if (this.#reportedTexts.has(about)) return;
    this.#reportedTexts.add(about);
    this.#options.notice(text);
  }
}
