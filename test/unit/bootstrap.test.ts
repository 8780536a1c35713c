/** Facts that `strata bootstrap` reads from the files of a project. */
import { describe, expect, it } from "vitest";
import { byFact, FOLDER, findUnfounded, listMemories, openProject, readState } from "../support/bootstrap.js";
import { PROJECT } from "../support/fake-host.js";
import { openPackage } from "../support/packages.js";
import { runStrata } from "../support/shell.js";

const python = {
  "pyproject.toml": `[project]
name = "tide"
description = "Tables of the tides"
requires-python = ">=3.11"
dependencies = ["httpx>=0.27", "numpy"]
[project.scripts]
tide = "tide.cli:main"
[dependency-groups]
dev = ["pytest", { include-group = "docs" }]
[build-system]
build-backend = "hatchling.build"
`,
  ".gitlab-ci.yml": "image: python:3.12\ntest:\n  script:\n    - uv run pytest -q\n    - uv run ruff check\n",
};
const rust = {
  "Cargo.toml": `[package]
name = "gull"
edition = "2021"
rust-version = "1.80"
description = """
A reader of
ship logs."""
[[bin]]
name = "gl"
path = "src/main.rs"
[workspace]
members = ["crates/wire", "crates/log"]
[dependencies]
serde = { version = "1.0.200", features = ["derive"] }
anyhow = "1"
[build-dependencies]
cc = "1.0"
[target.'cfg(windows)'.dependencies]
winapi = "0.3.9"
`,
  "crates/wire/Cargo.toml": '[package]\nname = "wire"\nedition.workspace = true\n',
  "README.md":
    "Gull\n====\n\nReads ship logs.\n\n## Build C# ##\n\n```sh\nmake\n```\nand\n```sh\nmake test\n```\n",
  ".github/workflows/release.yml":
    'name: Release\non: push\njobs:\n  tag:\n    runs-on: ubuntu-latest\n    steps:\n      - run: cargo publish\n      - run: |\n          if [ -z "$TAG" ]; then\n            exit 1\n          fi\n',
  Makefile:
    ".PHONY: test lint\ntest: build ## runs all tests\n\tcargo test\nlint:\n\tcargo clippy\nbuild:\n\tcargo build\n",
};
const go = {
  "go.mod":
    "module example.org/harbour\n\ngo 1.22\n\nrequire (\n\tgithub.com/spf13/pflag v1.0.5\n\tgopkg.in/yaml.v3 v3.0.1 // indirect\n)\n",
};
describe("strata bootstrap takes facts", () => {
  it.each([
    ["commander", ["package.json#about", "package.json#versions", "package.json#commands"]],
    ["toml", ["package.json#about", "package.json#commands"]],
  ])(
    "of the real package %s, each found in the file that it names; the second run changes nothing",
    async (name, expected) => {
      const files = openPackage(name);
      const first = await runStrata(files, "bootstrap");
      expect([first.code, first.err]).toEqual([0, ""]);
      const facts = await byFact(files);
      expect(Object.keys(facts)).toEqual(expect.arrayContaining(expected));
      for (const [fact, memory] of Object.entries(facts)) {
        const file = fact.split("#")[0] ?? "";
        expect(memory.entities).toEqual([file]);
        expect([fact, findUnfounded(memory, files.text(`${PROJECT}/${file}`) ?? "")]).toEqual([fact, []]);
      }
      const before = readState(files);
      const second = await runStrata(files, "bootstrap");
      expect(second.out).toBe(`Added: 0 memories, ${Object.keys(facts).length} unchanged`);
      expect(readState(files)).toEqual(before);
    },
  );

  it("of Python, Rust and Go manifests, quoted as they are written there", async () => {
    const files = openProject({ ...python, ...rust, ...go });
    await runStrata(files, "bootstrap");
    const facts = await byFact(files);
    for (const [fact, expected] of [
      ["pyproject.toml#dependencies", "- `dev`: `pytest`"],
      [".gitlab-ci.yml#ci", "- `uv run pytest -q`"],
      ["Cargo.toml#dependencies", "- `cc`: `1.0`\n- `winapi`: `0.3.9`"],
      ["README.md#about", "README.md begins:\n> Reads ship logs."],
      ["README.md#commands", "by heading:\n- `Build C#`:\n- `make`\n- `make test`"],
      [".github/workflows/release.yml#ci", "- `tag`: `ubuntu-latest`\n- `cargo publish`"],
      ["Cargo.toml#layout", "- `gl`: `src/main.rs`"],
      ["Makefile#commands", "- `test`: `runs all tests`\n- `lint`"],
      ["go.mod#dependencies", "- `github.com/spf13/pflag`: `v1.0.5`"],
    ] as const)
      expect([fact, facts[fact]?.content]).toEqual([fact, expect.stringContaining(expected)]);
    for (const [name, memory] of Object.entries(facts)) {
      const text = files.text(`${PROJECT}/${name.split("#")[0]}`) ?? "";
      expect([name, findUnfounded(memory, text)]).toEqual([name, []]);
    }
  });

  it("of the manifests in folders that are named, or of all folders, but of no installed package", async () => {
    const files = openProject({
      "package.json": '{"name":"root","scripts":{"a":"x"}}',
      "packages/api/package.json": '{"name":"api","scripts":{"b":"y"}}',
      "node_modules/other/package.json": '{"name":"other","scripts":{"c":"z"}}',
    });
    await runStrata(files, "bootstrap packages/api");
    expect(Object.keys(await byFact(files))).toEqual(["packages/api/package.json#commands"]);
    await runStrata(files, "bootstrap --recursive");
    expect(Object.keys(await byFact(files)).sort()).toEqual([
      "package.json#commands",
      "packages/api/package.json#commands",
    ]);
    const outside = await runStrata(files, "bootstrap ../elsewhere");
    expect(outside).toMatchObject({ code: 2, err: expect.stringContaining("outside the project") });
  });

  it("not from links or from files that are too large or broken, which it names", async () => {
    const files = openProject({
      "package.json": "{ not JSON",
      "pyproject.toml": '[project]\nname = "a"\nrequires-python = ">=3.11"\n',
      "go.mod": `module x\n${"// \n".repeat(200_000)}`,
      "Cargo.toml": "= broken",
      Makefile: "test:\n",
    });
    files.links.add(`${PROJECT}/Makefile`);
    const { code, err } = await runStrata(files, "bootstrap");
    expect(code).toBe(1);
    for (const name of ["package.json", "go.mod", "Cargo.toml"]) expect(err).toContain(`Skipped  ${name}: `);
    expect(err).not.toContain("Makefile");
    expect(Object.keys(await byFact(files))).toEqual(["pyproject.toml#versions"]);
  });

  it("without secrets: a fact that holds one is refused", async () => {
    const secret = `ghp_${"aB3dE5gH7j".repeat(4)}`.slice(0, 40);
    const files = openProject({
      "package.json": JSON.stringify({ scripts: { release: `TOKEN=${secret} npm publish` } }),
    });
    for (const line of ["bootstrap --dry-run", "bootstrap"]) {
      const { code, err } = await runStrata(files, line);
      expect([code, err]).toEqual([1, expect.stringContaining("holds a secret")]);
    }
    const written = [...files.contents].filter(([path]) => path !== `${PROJECT}/package.json`);
    expect(written.filter(([, bytes]) => Buffer.from(bytes).includes("ghp_"))).toEqual([]);
  });
});

describe("strata bootstrap keeps memories in step with their files", () => {
  const manifest = (test: string): string => JSON.stringify({ name: "shop", scripts: { test } });

  it("--dry-run writes nothing; a fact is renewed in place when its file changes, and archived when the file no longer states it", async () => {
    const files = openProject({ "package.json": manifest("vitest"), Makefile: "test:\n" });
    const empty = new Map(files.contents);
    const dry = await runStrata(files, "bootstrap --dry-run");
    expect([dry.code, dry.out]).toEqual([
      0,
      expect.stringMatching(/\(package\.json\)\nWould add: 2 memories$/),
    ]);
    expect(files.contents).toEqual(empty);
    await runStrata(files, "bootstrap");
    const [before] = [await byFact(files)];
    await files.writeWhole(`${PROJECT}/package.json`, manifest("jest"));
    await files.remove(`${PROJECT}/Makefile`);
    expect((await runStrata(files, "bootstrap")).out).toMatch(/^Added: 0 memories, 1 renewed, 1 dropped/);
    const after = await byFact(files);
    expect(Object.keys(after)).toEqual(["package.json#commands"]);
    expect(after["package.json#commands"]?.id).toBe(before["package.json#commands"]?.id);
    expect(after["package.json#commands"]?.content).toContain("`jest`");
    await files.writeWhole(`${PROJECT}/Makefile`, "test:\n");
    expect((await runStrata(files, "bootstrap")).out).toMatch(/^Added: 1 memory, 1 unchanged/);
  });

  it("a memory that a person has changed or archived stays as it is and is reported", async () => {
    const files = openProject({ "package.json": manifest("vitest"), Makefile: "test:\n" });
    await runStrata(files, "bootstrap");
    const facts = await byFact(files);
    const changed = `${FOLDER}/${facts["package.json#commands"]?.id}.md`;
    await files.writeWhole(changed, `${files.text(changed)}\nRun them with pnpm.\n`);
    await runStrata(files, `memory archive ${facts["Makefile#commands"]?.id}`);
    await files.writeWhole(`${PROJECT}/package.json`, manifest("jest"));
    const { err, out } = await runStrata(files, "bootstrap");
    expect(out).toBe("Added: 0 memories, 2 left as they are");
    expect(err).toMatch(/package\.json has changed, but so was the memory, by hand/);
    expect(err).toMatch(/strata memory restore procedure\/\S+ brings it back/);
    expect(files.text(changed)).toContain("pnpm");
  });

  it("one undo reverts a whole run, and the next run adds everything again", async () => {
    const files = openProject({
      "package.json": manifest("vitest"),
      Makefile: "test:\n",
      "go.mod": go["go.mod"],
    });
    await runStrata(files, "remember the server listens on 8080");
    await runStrata(files, "bootstrap");
    await files.writeWhole(`${PROJECT}/package.json`, manifest("jest"));
    await files.remove(`${PROJECT}/Makefile`);
    const before = (await listMemories(files)).map(({ content, id }) => ({ content, id }));
    await runStrata(files, "bootstrap");
    await runStrata(files, "undo");
    expect((await listMemories(files)).map(({ content, id }) => ({ content, id }))).toEqual(before);
    await runStrata(files, "undo");
    expect(await listMemories(files)).toHaveLength(1);
    expect((await runStrata(files, "bootstrap")).out).toMatch(/^Added: 3 memories/);
  });
});
