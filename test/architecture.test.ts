/** The rules of AGENTS.md that a machine can check, each with its reason. */
import { basename, dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { code, read, readImports, scripts, sources } from "./support/sources.js";

const importing = (test: (imported: string, path: string) => boolean): string[] =>
  sources.flatMap((path) =>
    readImports(path)
      .filter((imported) => test(imported, path))
      .map((imported) => `${path} imports ${imported}`),
  );

/** `src/context`, `layers/2-micro-compact`; a file of `src` itself stands for itself. */
function folderOf(path: string): string {
  const parts = path.split("/");
  return parts.length > 2 ? parts.slice(0, 2).join("/") : path;
}

/** What imports what, by these names; nothing imports itself. */
function linksBetween(
  nameOf: (path: string) => string,
  within: (path: string) => boolean = () => true,
): Map<string, Set<string>> {
  const among = sources.filter(within);
  const known = new Set(among);
  const links = new Map<string, Set<string>>();
  for (const path of among) {
    const imported = readImports(path)
      .filter((one) => known.has(one))
      .map(nameOf);
    const own = links.get(nameOf(path)) ?? new Set();
    for (const name of imported) if (name !== nameOf(path)) own.add(name);
    links.set(nameOf(path), own);
  }
  return links;
}

/** Names that import each other in a row, the first one again at the end; `undefined` where none do. */
function findCircle(links: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const next of links.get(name) ?? []) {
      const circle = visit(next, [...way, name]);
      if (circle) return circle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of links.keys()) {
    const circle = visit(name, []);
    if (circle) return circle;
  }
  return undefined;
}

describe("imports point one way", () => {
  it("only what the entries run imports layers: plugin, command line, servers and screen: the machine must not know its policies", () => {
    const isEntry = (path: string) =>
      path === "src/plugin.ts" || /^src\/(cli|inspector|mcp|operations|serve|tui)\//.test(path);
    expect(
      importing(
        (imported, path) => imported.startsWith("layers/") && path.startsWith("src/") && !isEntry(path),
      ),
    ).toEqual([]);
  });

  it("folders of src form no circle: each can be read before those that use it", () => {
    expect(findCircle(linksBetween(folderOf))).toBeUndefined();
    expect(findCircle(linksBetween((path) => path))).toBeUndefined();
  });

  it("nor do the files and folders in any folder", () => {
    const folders = new Set<string>();
    for (const path of sources) for (let at = dirname(path); at !== "."; at = dirname(at)) folders.add(at);
    const circles = [...folders].flatMap((folder) => {
      const within = (path: string) => path.startsWith(`${folder}/`);
      const childOf = (path: string) => path.slice(folder.length + 1).split("/")[0] ?? "";
      const circle = findCircle(linksBetween(childOf, within));
      return circle ? [`${folder}: ${circle.join(" → ")}`] : [];
    });
    expect(circles).toEqual([]);
  });

  it("nothing in src is used by a single layer only: what one layer alone needs lies in its folder", () => {
    const links = linksBetween((path) => path);
    const users = (of: string) => [...links].flatMap(([path, imported]) => (imported.has(of) ? [path] : []));
    const isOneLayers = (path: string): boolean => {
      const layers = users(path).map((user) => (user.startsWith("layers/") ? folderOf(user) : "src"));
      return layers.length > 0 && layers[0] !== "src" && new Set(layers).size === 1;
    };
    expect(sources.filter((path) => path.startsWith("src/") && isOneLayers(path))).toEqual([]);
  });

  it("no folder holds more than thirty files", () => {
    const counts = new Map<string, number>();
    for (const path of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 30)).toEqual([]);
  });

  it("no layer imports another: each can be switched off by itself", () => {
    const layerOf = (path: string) => path.split("/")[1];
    expect(
      importing(
        (imported, path) =>
          imported.startsWith("layers/") &&
          path.startsWith("layers/") &&
          path !== "layers/index.ts" &&
          layerOf(imported) !== layerOf(path),
      ),
    ).toEqual([]);
  });

  it("nothing imports the entries that OpenCode loads", () => {
    expect(importing((imported) => /^src\/(plugin|tui)\.ts$/.test(imported))).toEqual([]);
  });

  it("only the screen half is drawn with what the host's TUI gives, in one file, and nothing else imports it", () => {
    const given = (imported: string) => /^(solid-js|@opentui\/)/.test(imported);
    expect(importing((imported, path) => given(imported) && path !== "src/tui/draw.ts")).toEqual([]);
    const isScreen = (path: string) => path === "src/tui.ts" || path.startsWith("src/tui/");
    expect(importing((imported, path) => imported.startsWith("src/tui/") && !isScreen(path))).toEqual([]);
  });

  it("only src/host imports OpenCode's packages, and the entry their types: the machine must outlive a host's release", () => {
    const allowed = (path: string) => path.startsWith("src/host/") || path === "src/plugin.ts";
    expect(importing((imported, path) => imported.startsWith("@opencode-ai/") && !allowed(path))).toEqual([]);
    expect(read("src/plugin.ts")).toMatch(/import type \{[^}]*\} from "@opencode-ai\/plugin"/);
  });

  it("there is one barrel, layers/index.ts: a symbol is imported from the file that owns it", () => {
    const barrels = sources.filter(
      (path) => /^export (\*|\{)[^;]* from/m.test(read(path)) && path !== "layers/index.ts",
    );
    expect(barrels).toEqual([]);
  });
});

/** Constants of a module that some code of its changes, or that can only have been made to be changed. */
function findModuleState(path: string): string[] {
  const text = code(path);
  const declared = [
    ...text.matchAll(/^(?:export )?const (\w+)(?::[^=\n]+)? = (new \w+(?:<[^;(]*>)?\(\)|new \w+|\[|\{)/gm),
  ];
  const isState = (name: string, value: string): boolean =>
    /^new (Map|Set|WeakMap|WeakSet|Array|PQueue)\b.*\(\)$/.test(value) ||
    new RegExp(
      `(?<![.\\w])${name}(\\.(set|add|delete|clear|push|pop|shift|unshift|splice)\\(|\\[[^\\]]+\\] = |\\.\\w+ = )`,
    ).test(text);
  return declared.flatMap(([, name = "", value = ""]) => (isState(name, value) ? [`${path}: ${name}`] : []));
}

describe("the outside is reached through seams", () => {
  const rules: [what: string, pattern: RegExp, allowed: RegExp][] = [
    ["node:fs, so that tests can make a disk full", /"node:fs(\/promises)?"/, /^src\/io\/node-files\.ts$/],
    [
      "the clock, so that tests need not wait",
      /\bDate\.now\b|\bnew Date\(\)|\bset(Timeout|Interval|Immediate)\(|\bperformance\./,
      /^src\/(io\/clock|inspector\/page\/(hooks|page))\.tsx?$/,
    ],
    [
      "the network, so that tests need none",
      /(?<![.\w])fetch\(/,
      /^src\/(io\/(post|get)|host\/server|operations\/doctor\/[\w-]+|inspector\/page\/hooks)\.ts$/,
    ],
    ["the environment", /\bprocess\.(env|cwd|argv|exit)/, /^src\/(host|cli|io|operations)\//],
    [
      "standard output, which is the host's screen",
      /\bconsole\.|\bprocess\.(stdout|stderr)/,
      /^src\/(cli|operations)\//,
    ],
    ["Bun, which the desktop host does not have", /\bBun\.|"bun:/, /^src\/conversations\/engine\.ts$/],
    ["chance: it may only make an instance's name", /\bMath\.random\b/, /^$/],
    [
      "OpenCode's dotted hook names",
      /"(chat|tool|experimental|permission|command|shell)\.[a-z.]+"/,
      /^src\/host\//,
    ],
  ];
  for (const [what, pattern, allowed] of rules) {
    it(what, () => {
      expect(sources.filter((path) => !allowed.test(path) && pattern.test(code(path)))).toEqual([]);
    });
  }

  it("the inspector's page never turns text into markup, and is separate from the server's code", () => {
    const isPage = (path: string) => path.startsWith("src/inspector/page/");
    const markup =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|\beval\(|new Function/i;
    expect(sources.filter((path) => isPage(path) && markup.test(code(path)))).toEqual([]);
    const allowed =
      /^(src\/inspector\/(page\/|answers\.ts)|src\/base\/format\.ts|src\/status\/|preact|diff$)/;
    expect(importing((imported, path) => isPage(path) && !allowed.test(imported))).toEqual([]);
    expect(importing((imported, path) => isPage(imported) && !isPage(path))).toEqual([]);
  });

  it("no state at module level: two projects may live in one process", () => {
    expect(sources.filter((path) => /^(export )?(let|var) /m.test(code(path)))).toEqual([]);
    expect(sources.flatMap(findModuleState)).toEqual([]);
  });

  it("no `any`, and no comment that switches a check off", () => {
    expect(sources.filter((path) => /[:<]\s*any\b|\bas any\b/.test(code(path)))).toEqual([]);
    expect(
      sources.filter((path) => /@ts-(ignore|nocheck|expect-error)|biome-ignore/.test(read(path))),
    ).toEqual([]);
  });
});

/**
 * What the house may have at most: each is what it has, and may only go down. To raise one takes a line in CHANGELOG.md
 * with the reason.
 */
const MOST = { lines: 69_740, files: 386, below40Lines: 16, withOneImporterBeside: 1 } as const;

describe("files stay readable", () => {
  const lengths = new Map(sources.map((path) => [path, read(path).split("\n").length - 1]));
  const count = (path: string): number => lengths.get(path) ?? 0;

  it("a story is a file of at most 400 lines", () => {
    expect(scripts.filter((path) => read(path).split("\n").length > 400)).toEqual([]);
  });

  it("the house does not grow, and splinters become fewer", () => {
    const users = new Map<string, string[]>();
    for (const path of sources)
      for (const imported of new Set(readImports(path)))
        users.set(imported, [...(users.get(imported) ?? []), path]);
    const isLazy = (path: string, user: string): boolean =>
      read(user).includes(`import("./${basename(path).replace(/\.tsx?$/, ".js")}")`);
    const beside = sources.filter((path) => {
      const [user, ...others] = users.get(path) ?? [];
      const isAlone = user !== undefined && others.length === 0 && dirname(user) === dirname(path);
      return isAlone && count(path) < 120 && !isLazy(path, user);
    });
    expect([...lengths.values()].reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(MOST.lines);
    expect(sources.length).toBeLessThanOrEqual(MOST.files);
    expect(sources.filter((path) => count(path) < 40).length).toBeLessThanOrEqual(MOST.below40Lines);
    expect(beside.length, beside.join("\n")).toBeLessThanOrEqual(MOST.withOneImporterBeside);
  });

  it("the entry assembles in under 80 lines, and AGENTS.md fits 60", () => {
    expect(read("src/plugin.ts").split("\n").length).toBeLessThan(80);
    expect(read("AGENTS.md").trimEnd().split("\n").length).toBeLessThanOrEqual(60);
  });

  it("no test is skipped or left for later", () => {
    const tests = scripts.filter((path) => path.endsWith(".test.ts") && path !== "test/architecture.test.ts");
    expect(tests.filter((path) => /\b(it|test|describe)\.(skip|todo|only)\b/.test(read(path)))).toEqual([]);
  });

  it("a test never sleeps", () => {
    const tests = scripts.filter((path) => /^test\/(?!bench\/|architecture)/.test(path));
    const sleeping = [
      /=>\s*(void )?setTimeout\((resolve|done|next|\(\) => (resolve|done|next)\()/,
      /setTimeout\(\w+, [\d_]+\)\s*\)/,
      /"(node:)?timers\/promises"/,
      /systemClock\.pause\(|\bBun\.sleep|scheduler\.wait\(/,
    ];
    expect(tests.filter((path) => sleeping.some((one) => one.test(code(path))))).toEqual([]);
  });
});
