/** `strata doctor --report`: what an issue needs, and nothing of the user's. The built program reads its own code. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VERSION } from "../../src/base/version.js";
import { formatLogLine } from "../../src/io/log.js";
import { keepOwnWords } from "../../src/operations/doctor/report.js";
import { planFolders } from "../../src/project/folders.js";
import { MORNING } from "../support/fake-clock.js";
import { fc } from "../support/property.js";
import { removeFolder } from "../support/remove-folder.js";

/** What nobody else may read, one for each source. */
const SECRET = `ghp_${"aB3dE5gH7j".repeat(4)}`.slice(0, 40);
const MODEL = "sk-ant-zulu9/kestrel-large-v7";
const PLANTED = {
  title: "Zanzibar payroll moves to Quokkabank in Octember",
  hidden: "Grandmother Wilhelmina lives in Tumbleweed",
  session: "Fix Marsupial billing before Thursdayish",
  url: "https://llm.wombat-intern.example/v1",
  command: "deploy-narwhal --force",
  setting: "lemurColour",
  path: "/srv/axolotl/secrets.txt",
};

let root: string;
let project: string;
let home: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "walrus-"));
  home = join(root, "home-of-ferdinand");
  project = join(home, "Pangolin-Startup");
  mkdirSync(join(project, ".git"), { recursive: true });
});
afterEach(() => removeFolder(root));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
function strata(...args: string[]) {
  const env = {
    PATH: join(home, "bin"),
    HOME: home,
    MY_TOKEN: SECRET,
    XDG_CONFIG_HOME: join(home, ".config"),
  };
  return spawnSync(process.execPath, [resolve("dist/strata.js"), ...args], {
    cwd: project,
    env,
    encoding: "utf8",
  });
}

/** Plants something of the user's in every file that the report may read. */
function plantAll(): void {
  const folders = planFolders(project);
  const { command, hidden, path, session, setting, title, url } = PLANTED;
  const embeddings = { url, model: MODEL, apiKeyEnv: "MY_TOKEN" };
  const options = { log: { level: "debug" }, background: { model: MODEL }, recall: { embeddings } };
  write(
    join(home, ".config/opencode/opencode.json"),
    JSON.stringify({ model: MODEL, plugin: [["opencode-strata@0.1.0", options], `${root}/oh-my-opencode`] }),
  );
  write(
    join(project, "opencode.json"),
    JSON.stringify({
      memory: { [setting]: title, toolResults: { threshold: 9_123 }, dream: { enabled: false } },
      plugin: [`${home}/copies/opencode-strata`],
    }),
  );
  write(join(home, "copies/opencode-strata/package.json"), '{"name": "opencode-strata"}');
  for (const [id, text] of Object.entries({
    "decision/zanzibar-payroll": title,
    "private/idea/wilhelmina": hidden,
  }))
    write(join(folders.memory, `${id}.md`), `---\ntitle: ${text}\n---\n${text}. ${SECRET}\n`);
  write(folders.sessions, JSON.stringify({ v: 1, sessions: { ses_ferdinand: { title: session } } }));
  const refused = `the model ${MODEL} at ${url} said: ${hidden}`;
  const calls = {
    ...{ v: 1, instance: "a", version: VERSION, startedMs: MORNING, writtenMs: MORNING, hasEnded: true },
    ...{ bound: ["context"], signs: {}, hooks: { context: { count: 41, lastMs: MORNING } } },
    layers: {
      "tool-results": { asked: 41, answered: 3, failed: 0, lastMs: MORNING },
      dream: { asked: 1, answered: 0, failed: 0, lastMs: MORNING },
      "auto-memory": {
        ...{ asked: 9, answered: 1, failed: 2, lastMs: MORNING },
        lastFailure: `at hook turn: EACCES: permission denied, open '${path}' after ${command}`,
      },
    },
  };
  write(join(folders.calls, "a.json"), JSON.stringify(calls));
  const log = (level: string, source: string, message: string): string =>
    formatLogLine(MORNING, level, source, message);
  const lines = [
    log("error", "tool-results", `cannot record decisions; 4 results stay in the context: ENOSPC: ${path}`),
    log(
      "warn",
      "memory",
      `${folders.memory}/decision/zanzibar-payroll.md is not used and left as it is: ${title}`,
    ),
    log("warn", "background", `dream: ${refused} (${SECRET})`),
    log("error", "commands", `/remember failed: ${hidden}`),
    log("info", "memory", `remembered ${title}`),
    `${title} ERROR ${SECRET} ${home}`,
  ];
  write(folders.log, `${lines.join("\n")}\n`);
}

describe("strata doctor --report", () => {
  it("has versions, system, entries, layers with their last call, settings and the last errors", () => {
    plantAll();
    write(join(home, "bin/opencode"), "#!/bin/sh\necho 1.18.33\n");
    chmodSync(join(home, "bin/opencode"), 0o755);
    const { status, stderr, stdout } = strata("doctor", "--report");
    expect([status, stderr]).toEqual([1, ""]);
    const report = stdout.replace(/\s+/g, " ");
    for (const row of [
      `strata ${VERSION}`,
      `plugin ${VERSION}, last started 2026-11-21 09:00 UTC in OpenCode 1`,
      "OpenCode 1.18.33, in the PATH",
      `system Node ${process.versions.node}, ${process.platform} ${process.arch}`,
      "the user's package opencode-strata@0.1.0",
      "the project's a path",
      "tool-results 41 times, last 2026-11-21 09:00 UTC, 3 answered",
      "auto-memory 9 times, last 2026-11-21 09:00 UTC, 1 answered, 2 failed: at hook … EACCES: …",
      "micro-compact never asked",
      "dream off",
      "context 41 times, last 2026-11-21 09:00 UTC",
      "toolResults.threshold 9123, from the project's configuration",
      "dream.enabled false, from the project's configuration",
      "log.level debug, from the user's configuration",
      "recall.embeddings.model …, from the user's configuration",
      "ERROR tool-results cannot record decisions; … results stay in the context: ENOSPC: /…",
      "is not used and left as it is",
      "ERROR commands",
    ])
      expect(report).toContain(row);
  });

  it("has no secret, path, model, title or word of the user's, whatever file it is in", () => {
    plantAll();
    const { stdout } = strata("doctor", "--report");
    const words = [...Object.values(PLANTED), SECRET, MODEL, root, "home-of-ferdinand", "Pangolin-Startup"];
    const own = new Set(
      "strata v1 in to at the https force before example fix moves lives large srv home of".split(" "),
    );
    const planted = words
      .flatMap((one) => one.split(/[^\p{L}\p{N}]+/u))
      .filter((one) => one !== "" && !own.has(one.toLowerCase()));
    expect(planted.filter((word) => new RegExp(`\\b${word}\\b`, "i").test(stdout))).toEqual([]);
    expect(stdout).not.toContain("/home");
  });
});

describe("the words of a sentence that are shown", () => {
  const code = " log error cannot write e t no model calls are made now the disk is full ";

  it("are those that stand in a row in our own code, and error codes", () => {
    for (const [sentence, shown] of [
      ["cannot write /home/me/My secret.md: EACCES: permission denied", "cannot write /… EACCES: …"],
      [
        "/home/me/plan.md: no model calls are made now (the disk is full)",
        "… no model calls are made now (the disk is full)",
      ],
      ["the disk of Bob is full", "the disk …"],
      ["Bob: the disk", "…"],
      ["", ""],
    ] as const)
      expect(keepOwnWords(sentence, code)).toBe(shown);
  });

  it("are never others, whatever stands between them", () => {
    const own = new Set(code.trim().split(" "));
    const word = fc.constantFrom(...own, "Bob", "secret", "wri", "full2", "Écrire", "密钥");
    const sentence = fc
      .array(fc.tuple(word, fc.constantFrom(" ", "/", ": ", '"', "…")))
      .map((all) => all.flat().join(""));
    fc.assert(
      fc.property(sentence, (text) => {
        const shown = keepOwnWords(text, code)
          .split(/[^\p{L}\p{N}]+/u)
          .filter(Boolean);
        expect(shown.filter((one) => !own.has(one))).toEqual([]);
      }),
    );
  });
});
