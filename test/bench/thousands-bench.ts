/**
 * Costs of the import and upkeep commands with 1,000 and with 10,000 memories: wall and processor time,
 * and the most memory held, of one process a command. The last column is the ratio of the times a memory: 1 is linear.
 * `-- 1000,3000` measures other numbers.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { formatOthersExport, formatOwnExport, formatPage, MATCHED } from "../support/many-memories.js";

const [given = "1000,10000", only] = process.argv.slice(2);
const SIZES = given.split(",").map(Number);
const binary = resolve("dist/strata.js");
/** Runs in the measured process, the only one that knows its peak memory. */
const MEASURE = `import { writeFileSync } from "node:fs";
process.on("exit", () => writeFileSync(process.env.STRATA_BENCH_USAGE, JSON.stringify(process.resourceUsage())));`;

interface Measured {
  wallMs: number;
  cpuMs: number;
  megabytes: number;
}

const rows = new Map<string, Map<number, Measured>>();
const base = mkdtempSync(join(tmpdir(), "strata-thousands-"));
try {
  writeFileSync(join(base, "measure.mjs"), MEASURE);
  for (const size of SIZES) measureAll(size);
} finally {
  rmSync(base, { recursive: true, force: true });
}
print();

function measureAll(size: number): void {
  const main = createProject(`own-${size}`);
  writeFileSync(join(main, "own.jsonl"), formatOwnExport(size));
  writeFileSync(join(main, "others.json"), formatOthersExport(size));
  writeFileSync(join(main, "page.md"), formatPage(size));
  const run = (name: string, folder: string, ...args: string[]): void => {
    if (only !== undefined && !name.includes(only) && !name.startsWith("import, own")) return;
    const row = rows.get(name) ?? new Map<number, Measured>();
    rows.set(name, row.set(size, measure(folder, args)));
  };
  run("import, own export", main, "import", "own.jsonl");
  run("the same import again", main, "import", "own.jsonl");
  run("list", main, "list", "--json");
  run("check", main, "check");
  run("bootstrap --dry-run", main, "bootstrap", "--dry-run");
  run("bootstrap", main, "bootstrap");
  run("backup", main, "backup", "backup.gz");
  run("memory archive --match (half)", main, "archive", "--match", MATCHED);
  run("undo of the archive", main, "undo");
  run("memory archive --older-than (all)", main, "archive", "--older-than", "1");
  run("undo of the archive of all", main, "undo");
  const restored = createProject(`restored-${size}`);
  run("backup restore", restored, "backup", "restore", join(main, "backup.gz"));
  const others = createProject(`others-${size}`);
  run("import, another tool's", others, "import", join(main, "others.json"));
  run("undo of that import", others, "undo");
  const pages = createProject(`pages-${size}`);
  run("ingest", pages, "ingest", join(main, "page.md"));
}

function createProject(name: string): string {
  const folder = join(base, name);
  mkdirSync(join(folder, ".git"), { recursive: true });
  mkdirSync(join(folder, "home"));
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name, version: "1.2.3", scripts: { test: "vitest run", build: "tsc" } }),
  );
  return folder;
}

function measure(folder: string, args: readonly string[]): Measured {
  const usage = join(base, "usage.json");
  const home = join(folder, "home");
  const started = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", join(base, "measure.mjs"), binary, ...args],
    {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home, STRATA_BENCH_USAGE: usage },
    },
  );
  const wallMs = performance.now() - started;
  // 1: there was something to report, such as another memory.
  if (status !== 0 && status !== 1)
    throw new Error(`strata ${args.join(" ")} ended with ${status}: ${stderr}`);
  const { maxRSS, systemCPUTime, userCPUTime } = JSON.parse(readFileSync(usage, "utf8"));
  const measured = { wallMs, cpuMs: (systemCPUTime + userCPUTime) / 1_000, megabytes: maxRSS / 1_024 };
  process.stderr.write(`${args.slice(0, 2).join(" ")}: ${formatOne(measured)}\n`);
  return measured;
}

function formatOne({ cpuMs, megabytes, wallMs }: Measured): string {
  return `${(wallMs / 1_000).toFixed(2)} s, ${(cpuMs / 1_000).toFixed(2)} s CPU, ${megabytes.toFixed(0)} MB`;
}

function print(): void {
  const load = loadavg().map((one) => one.toFixed(1));
  process.stdout.write(`load ${load.join(" ")} on ${process.platform}\n`);
  const [few = 0] = SIZES;
  const many = SIZES.at(-1) ?? 0;
  for (const [name, row] of rows) {
    const [one, other] = [row.get(few), row.get(many)];
    if (!one || !other) continue;
    const ratio = (a: number, b: number): string => (b / many / (a / few)).toFixed(2);
    process.stdout.write(
      `${name}: ${few} ${formatOne(one)}; ${many} ${formatOne(other)}; a memory × ${ratio(one.wallMs, other.wallMs)} wall, × ${ratio(one.cpuMs, other.cpuMs)} CPU\n`,
    );
  }
}
