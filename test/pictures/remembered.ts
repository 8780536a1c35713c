/** What the project of the pictures remembers: files of memories of several types and ages. */
const DAY_MS = 86_400_000;

const memories: readonly [type: string, title: string, days: number][] = [
  ["directive", "Never run git push --force on main", 200],
  ["directive", "Run the linter before every commit", 40],
  ["preference", "Answer in short sentences", 150],
  ["preference", "Tabs, not spaces", 12],
  ["feedback", "Do not mock the clock, inject it", 60],
  ["decision", "Postgres instead of SQLite", 500],
  ["decision", "Port 8080, 3000 is taken by the old frontend", 80],
  ["decision", "Prices are integers of cents", 25],
  ["decision", "One queue for mail and invoices", 3],
  ["knowledge", "The test database is emptied at midnight", 300],
  ["knowledge", "Invoices are numbered by the tax office's rule", 20],
  ["knowledge", "The carrier's API answers in Latin-1", 5],
  ["knowledge", "Staging has a tenth of the data", 1],
  ["procedure", "How a release is made", 110],
  ["procedure", "How the search index is built anew", 9],
  ["blocker", "The carrier's sandbox is down until Monday", 2],
  ["idea", "Show delivery dates in the cart", 33],
  ["plan", "Move the images to the new bucket", 6],
];

/** By path in the project. */
export function rememberedFiles(nowMs: number): Record<string, string> {
  return Object.fromEntries(
    memories.map(([type, title, days]) => {
      const created = new Date(nowMs - days * DAY_MS).toISOString();
      const name = title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
      const front = `title: ${JSON.stringify(title)}\ncreated: ${created}\nupdated: ${created}`;
      return [`.opencode/memory/${type}/${name}.md`, `---\n${front}\n---\n${title}.\n`];
    }),
  );
}
