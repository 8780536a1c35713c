/** Thousands of memories that differ as real ones do: about parts of a system, each with words of its own. Pure. */
import { formatCopy } from "../../src/operations/transfer/json-export.js";

const PARTS = "billing search ledger gateway mailer catalogue invoices sessions uploads audit".split(" ");
const THINGS = "tokens rows pages drafts webhooks receipts thumbnails events reports quotas".split(" ");
const VERBS = "retries caches signs validates archives compresses batches mirrors throttles replays".split(
  " ",
);
const PLACES = "Redis Postgres Kafka SQLite nginx Consul Vault MinIO RabbitMQ Elasticsearch".split(" ");
const REASONS = [
  "because the upstream drops connections at night",
  "since the auditors asked for a trace of every change",
  "so that a restart loses nothing",
  "because the first design doubled the bill",
  "since two teams write to it at once",
];
const TYPES = ["decision", "knowledge", "procedure", "idea"] as const;

/** Marks half of the memories, so that `archive --match` has something to select. */
export const MATCHED = "quarterly";

export interface OneOfMany {
  title: string;
  text: string;
  type: (typeof TYPES)[number];
}

/** The memory with this number; no two say the same or contradict each other. */
export function planOneOfMany(n: number): OneOfMany {
  const pick = (list: readonly string[], step: number): string =>
    list[Math.floor(n / step) % list.length] ?? "";
  const [part, thing, verb, place] = [
    pick(PARTS, 1),
    pick(THINGS, 10),
    pick(VERBS, 100),
    pick(PLACES, 1_000),
  ];
  const own = `${part}-${thing}-${n}`;
  const often = n % 2 === 0 ? ` It is part of the ${MATCHED} review.` : "";
  const text = `The worker ${own} ${verb} its ${thing} in ${place} ${pick(REASONS, 7)}; its owner is team-${n % 97}.${often}`;
  return { title: `${part} ${verb} ${thing} ${n}`, text, type: TYPES[n % TYPES.length] ?? "idea" };
}

const all = (count: number): OneOfMany[] => Array.from({ length: count }, (_, n) => planOneOfMany(n));

/** As `strata export` writes them. */
export function formatOwnExport(count: number): string {
  const lines = all(count).map(({ text, title, type }, n) => {
    const front = `title: ${title}\ncreated: 2026-01-01T00:00:00.000Z\nupdated: 2026-01-01T00:00:00.000Z\ntags: [a, b]\nsource:\n  by: user\n  evidence: "use ${n}"`;
    const contents = `---\n${front}\n---\n${text}\n`;
    return formatCopy({ id: `${type}/memory-${n}`, isArchived: false, contents });
  });
  return `${lines.join("\n")}\n`;
}

/** As another memory tool writes them. */
export function formatOthersExport(count: number): string {
  const memories = all(count).map(({ text, title }) => ({
    title,
    content: text,
    created_at: "2026-01-01T00:00:00Z",
  }));
  return JSON.stringify({ memories });
}

/** One page of Markdown with a heading for each. */
export function formatPage(count: number): string {
  return all(count)
    .map(({ text, title }) => `## ${title}\n\n${text}\n`)
    .join("\n");
}
