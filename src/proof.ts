/** What a layer adds to the session that `strata doctor` plays, and how one sees that it has acted. */
import { formatCount } from "./format.js";
import type { SavingsRecord } from "./record/savings.js";
import type { PlainRecord } from "./records.js";

export interface Proof {
  /** Settings under which a session of some ten requests makes the layer act: `{ toolResults: { threshold: 4096 } }`. */
  readonly settings?: PlainRecord;
  /** What lies in the project when the session begins, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Tool calls that the model makes. */
  readonly calls?: readonly { call: string; args: PlainRecord }[];
  /** A slash command of the layer, run when the session is over. */
  readonly command?: string;
  /** What the command leaves a moment after it has answered: a path below the project, which is waited for. */
  readonly leaves?: string;
  /** What it has done, in a few words; `undefined` where nothing shows that it has acted. */
  acted(seen: ProofSeen): string | undefined;
}

/** What the session has left. */
export interface ProofSeen {
  /** The savings ledger of the session. */
  records: readonly SavingsRecord[];
  /** Every file of ours, below the project: `.opencode/memory/MEMORY.md`. */
  paths: readonly string[];
  /** The bodies of all requests to the model. */
  requests: readonly string[];
}

/** "2 × cleared": how often an event stands in the ledger, by its results; `undefined` for never. */
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
