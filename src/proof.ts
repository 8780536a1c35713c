/** What a layer contributes to the session that `strata doctor` plays, and how doctor checks that the layer acted. */
import { formatCount } from "./format.js";
import type { SavingsRecord } from "./record/savings.js";
import type { PlainRecord } from "./records.js";

export interface Proof {
  /** Settings with which the layer acts within about ten requests: `{ toolResults: { threshold: 4096 } }`. */
  readonly settings?: PlainRecord;
  /** Files of the project when the session begins, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Tool calls that the model makes. */
  readonly calls?: readonly { call: string; args: PlainRecord }[];
  /** A slash command of the layer, run when the session is over. */
  readonly command?: string;
  /** A file, by its path below the project, that the command writes a moment after its answer. Doctor waits for it. */
  readonly leaves?: string;
  /** What it did, in a few words; `undefined` if nothing shows that it acted. */
  acted(seen: ProofSeen): string | undefined;
}

/** What the session left behind. */
export interface ProofSeen {
  /** The savings ledger of the session. */
  records: readonly SavingsRecord[];
  /** Every file below `.opencode`, relative to the project: `.opencode/memory/MEMORY.md`. */
  paths: readonly string[];
  /** The bodies of all requests to the model. */
  requests: readonly string[];
}

/** "2 × cleared": how often an event is in the ledger, counted by results; `undefined` for never. */
export function countEvents(
  { records }: ProofSeen,
  event: string,
  what: string,
  layer?: string,
): string | undefined {
  const found = records.filter(
    (record) => record.event === event && (layer === undefined || record.layer === layer),
  );
  const results = found.reduce((sum, record) => sum + (record.results ?? 1), 0);
  return results === 0 ? undefined : `${formatCount(results)} × ${what}`;
}
