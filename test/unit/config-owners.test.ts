import { describe, expect, it } from "vitest";
import type { PlainRecord } from "../../src/base/shape.js";
import { readConfig } from "../../src/config/config.js";
import { listFields, readPath } from "../../src/config/setting.js";
import type { ConfigFile } from "../../src/io/host.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { otherSettings } from "../support/other-settings.js";
import { defaults, parts, settings } from "../support/settings.js";

const GLOBAL = "/home/me/.config/opencode/opencode.json";
const PROJECT = "/project/opencode.json";
const CONFIG_FILES: ConfigFile[] = [
  { path: GLOBAL, origin: "user" },
  { path: PROJECT, origin: "project" },
];
const OWN = `Move it to your own configuration, ${GLOBAL}.`;

/** Reads files of these contents, and options as the host hands them over. */
function read(world: Record<string, object>, options?: PlainRecord) {
  const texts = Object.entries(world).map(([path, contents]) => [path, JSON.stringify(contents)] as const);
  return readConfig({
    files: createMemoryFiles(Object.fromEntries(texts)),
    configFiles: CONFIG_FILES,
    options,
    parts,
  });
}

const inList = (options: object) => ({ plugin: [["opencode-strata", options]] });
const fields = listFields(settings).map(({ owner, path }) => ({ owner, name: path.join(".") }));

function nest(name: string, value: unknown): PlainRecord {
  return name.split(".").reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as PlainRecord;
}

describe("every setting says who may set it", () => {
  it("a setting that decides what is sent, spent or trusted is the user's alone", () => {
    const grave =
      /url|host|remote|model|key|token|budget|daily|max.*tokens|repeat|accept|trust|linked|interval|timeout|provider|path|folder/i;
    // Of what stays in the context of one request; neither sends nor buys anything.
    const harmless = ["toolResults.turnBudget"];
    const open = fields.filter(({ owner, name }) => owner === "anyone" && grave.test(name));
    expect(open.map(({ name }) => name)).toEqual(harmless);
  });
});

describe("a user's setting in a file of the project", () => {
  const users = fields.filter(({ owner }) => owner !== "anyone").map(({ name }) => name);

  it("a user's setting in a file of the project is tested here for every such setting", () => {
    // Their defaults cost and show the most that is allowed.
    const most = ["boot.activeSessions", "boot.maxItems", "search.enabled", "sync.pullOnStart"];
    expect([...Object.keys(otherSettings), ...most].sort()).toEqual([...users].sort());
  });

  it.each(Object.entries(otherSettings))(
    "%s counts neither in its memory key nor beside the plugin's name, and one sentence says so; in the user's file it counts",
    async (name, value) => {
      const usual = readPath(defaults, name.split("."));
      const settings = nest(name, value);
      const byKey = await read({ [PROJECT]: { memory: settings }, [GLOBAL]: {} });
      expect(readPath(byKey.config, name.split("."))).toEqual(usual);
      // A map is refused entry by entry.
      const refused = (key: string): unknown =>
        expect.stringMatching(new RegExp(`${key}(\\.\\w+)? in ${PROJECT} is not used: `));
      expect(byKey.problems).toEqual([refused(`memory.${name}`)]);
      expect(byKey.problems[0]).toContain(OWN);
      const byOptions = await read({ [PROJECT]: inList(settings), [GLOBAL]: {} }, settings);
      expect(readPath(byOptions.config, name.split("."))).toEqual(usual);
      expect(byOptions.problems).toEqual([refused(name)]);
      const own = await read({ [GLOBAL]: { memory: settings } });
      expect(own.problems).toEqual([]);
      expect(readPath(own.config, name.split("."))).toEqual(value);
    },
  );

  /** A value of the user's, one that costs or shows less, and one that costs or shows more. */
  const directions: Readonly<Record<string, readonly [own: unknown, less: unknown, more: unknown]>> = {
    "autoCompact.retryLimit": [3, 1, 4],
    "autoMemory.keepOutOfGit": [["preference"], ["preference", "decision"], ["decision", "idea"]],
    "background.dailyCalls": [100, 0, 101],
    "background.dailyTokens": [100, 0, 101],
    "background.enabled": ["auto", false, true],
    "boot.activeSessions": [false, false, true],
    "boot.maxItems": [100, 0, 101],
    "boot.recentDecisions": [true, false, true],
    "dream.interval": [70_000, 70_001, 60_000],
    "dream.maxRuntime": [5_000, 1_000, 5_001],
    "recall.embeddings.allowPrivate": [true, false, true],
    "recall.embeddings.timeoutMs": [5_000, 100, 5_001],
    "search.acrossProjects": [true, false, true],
    "search.enabled": [false, false, true],
    "search.maxBytes": [2_000_000, 1_000_000, 2_000_001],
    "sessionMemory.toolCallThreshold": [10, 11, 9],
    "sessionMemory.updateThreshold": [4_096, 4_097, 4_095],
    "sync.pullOnStart": [true, false, true],
    "sync.worktrees": ["auto", false, true],
  };

  it("a user's setting in a file of the project has a direction here if its owner says so", () => {
    const directed = fields.filter(({ owner }) => owner === "user or lower" || owner === "user or higher");
    expect(Object.keys(directions).sort()).toEqual(directed.map(({ name }) => name).sort());
  });

  it.each(Object.entries(directions))(
    "a user's setting in a file of the project may cost or show less, never more: %s",
    async (name, [own, less, more]) => {
      const inForce = async (value: unknown) => {
        const world = { [GLOBAL]: { memory: nest(name, own) }, [PROJECT]: { memory: nest(name, value) } };
        const { config, problems } = await read(world);
        return [readPath(config, name.split(".")), problems.length];
      };
      expect(await inForce(less)).toEqual([less, 0]);
      expect(await inForce(more)).toEqual([own, JSON.stringify(own) === JSON.stringify(more) ? 0 : 1]);
    },
  );

  it("a user's setting in a file of the project is not reported if it equals the value in force", async () => {
    const same = { background: { dailyCalls: defaults.background.dailyCalls }, trust: { projects: [] } };
    expect((await read({ [PROJECT]: { memory: same } })).problems).toEqual([]);
  });
});

describe("options passed by the host without their file", () => {
  const options = { background: { dailyCalls: 5_000 } };

  it("options passed by the host are the user's if the user's file has them, even if a project has the same", async () => {
    const world = { [GLOBAL]: inList(options), [PROJECT]: inList(options) };
    const { config, problems } = await read(world, options);
    expect(config.background.dailyCalls).toBe(5_000);
    expect(problems).toEqual([]);
  });

  it("options passed by the host do not undo those beside the plugin's name in the user's file, which the host drops for a project's entry", async () => {
    const users = { background: { dailyCalls: 2, enabled: false }, toolResults: { threshold: 9_000 } };
    for (const [entry, handed] of [
      ["opencode-strata", undefined],
      [
        ["opencode-strata@0.1.0", { toolResults: { threshold: 8_000 } }],
        { toolResults: { threshold: 8_000 } },
      ],
    ] as const) {
      const { config } = await read({ [GLOBAL]: inList(users), [PROJECT]: { plugin: [entry] } }, handed);
      expect(config.background).toMatchObject({ dailyCalls: 2, enabled: false });
      expect(config.toolResults.threshold).toBe(handed ? 8_000 : 9_000);
    }
    const other = { plugin: [["another-plugin", { background: { dailyCalls: 0 } }]] };
    expect((await read({ [GLOBAL]: other })).config.background.dailyCalls).toBe(100);
  });
});

describe("trust", () => {
  it("trust is a list of absolute paths and one of remotes; a list with anything else is ignored as a whole, and the rest counts", async () => {
    const right = {
      projects: ["/home/me/shop", "/home/me/clients/*", "C:\\work\\shop"],
      remotes: ["github.com/acme/shop", "git.example/group/sub/*"],
    };
    expect((await read({ [GLOBAL]: { memory: { trust: right } } })).config.trust).toEqual(right);
    const wrong = {
      trust: { projects: ["/ok", "shop", 5], remotes: right.remotes },
      recall: { enabled: false },
    };
    const { config, problems } = await read({ [GLOBAL]: { memory: wrong } });
    expect(problems).toEqual([
      `memory.trust.projects is ["/ok","shop",5], expected ${
        'a list, each item text like "/home/me/shop" or "/home/me/clients/*" (Projects whose committed memories count ' +
        "as yours, as absolute paths. A path that ends in /* covers everything below it. Counts only in your own " +
        "configuration, not in a project's files). Using []."
      } (${GLOBAL})`,
    ]);
    expect(config.trust).toEqual({ projects: [], remotes: right.remotes });
    expect(config.recall.enabled).toBe(false);
    for (const remote of [
      "*",
      "git@github.com:acme/shop",
      "https://github.com/acme/shop",
      "github.com/*/shop",
      "/a",
    ])
      expect((await read({ [GLOBAL]: { memory: { trust: { remotes: [remote] } } } })).problems).toHaveLength(
        1,
      );
  });
});
