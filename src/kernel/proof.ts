/** What a layer contributes to the session that `strata doctor` plays, and how doctor checks that the layer acted. */
import { formatCount } from "../base/format.js";
import type { PlainRecord } from "../base/shape.js";
import type { SavingsRecord } from "../costs/savings.js";

export interface Proof {
  /** Settings that make the layer act within about ten requests: `{ toolResults: { threshold: 4096 } }`. */
  readonly settings?: PlainRecord;
  /** Files of the project at the start of the session, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Tool calls that the model makes. */
  readonly calls?: readonly { call: string; args: PlainRecord }[];
  /** A slash command of the layer, run at the end of the session. */
  readonly command?: string;
  /** Path, relative to the project, of a file that the command writes shortly after it answers. Doctor waits for it. */
  readonly leaves?: string;
  /** What the layer did, in a few words; `undefined` if nothing shows that it acted. */
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

/** "2 × cleared": number of results with this event in the ledger; `undefined` for none. */
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
