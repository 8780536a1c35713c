import { isRecord, parseJson } from "../../../src/base/shape.js";
import { createTemplateCheck, isExportedMessage } from "../../../src/host/1/past-sessions.js";
import { listRemotes, nameRemote, readChanges } from "../../../src/memory/trust/git.js";
import { formatAddress } from "../../../src/memory/trust/team.js";
import { listLines, parseCopy, readJsonExport } from "../../../src/operations/transfer/json-export.js";
import { parseSections, planDrafts, readMemoryFolder } from "../../../src/operations/transfer/markdown.js";
import { readFacts } from "../../../src/sources/bootstrap/find-sources.js";
import { findFormatFault, parseSegment } from "../../../src/sync/bare-repository.js";
import { withoutCredentials } from "../../../src/text/secrets/secrets.js";
import { PROJECT } from "../fake-host.js";
import { createMemoryFiles } from "../memory-files.js";
import { user } from "../messages.js";

import {
  bytes,
  isAnything,
  isList,
  isOr,
  isText,
  isTruth,
  LOG,
  MEMORY,
  type Parser,
  REMOTES,
  row,
  texts,
} from "./parser.js";

export const imports: readonly Parser[] = [
  row(
    "page of another tool's memory",
    (text) => {
      const files = createMemoryFiles({ "/m/MEMORY.md": "# a", "/m/a.md": text });
      return readMemoryFolder(files, "/m", { name: "m" }).then(({ drafts }) =>
        drafts.map(({ type }) => type),
      );
    },
    texts,
    "---\ntitle: a\ntype: constructor\n---\nx\n",
  ),
  row(
    "JSON export of another tool",
    (text) => readJsonExport(text, { name: "x" }),
    isOr(isRecord),
    '[{"content":"a","type":"decision","tags":["x"],"created_at":1e9,"metadata":{"kind":"idea"}}]',
    '{"memories":[{"memory":"b","sensitivity":"secret"}]}\n',
    '{"text":"a"}\n{"text":"b"}\n',
  ),
  row(
    "strata's export",
    (text) =>
      [...listLines(bytes(text))].map(({ line }) => parseCopy(parseJson(Buffer.from(line).toString()))),
    isList(isOr(isRecord)),
    `{"v":1,"id":"decision/x","contents":${JSON.stringify(MEMORY)}}\n`,
  ),
  row(
    "Markdown",
    (text) => planDrafts(parseSections(text), { name: "x" }),
    isList(isRecord),
    "# a",
    `---\na: 1\n---\n# Decisions #\n<!-- c -->\n## Port ##\n8080\n\`\`\`sh\n# no heading\n\`\`\`\n~~~\nx\n~~~\n`,
  ),
  row(
    "exported message",
    (text) => isExportedMessage(parseJson(text)),
    isTruth,
    JSON.stringify(user("hello")),
  ),
  row(
    "command's template",
    (text) => createTemplateCheck([text])("Review src/a.ts, please: it is wrong."),
    isTruth,
    "Review $ARGUMENTS, please: $1 !`git diff`",
  ),
  row(
    "sync's format and paths",
    (text) => [findFormatFault(text, "project"), parseSegment(text)],
    isList(isAnything),
    '{"v":1,"scope":"project"}',
    "ledger/2026-11/abcdef01/0001.jsonl",
  ),
  row("git's configuration", (text) => listRemotes(text), isList(isRecord), REMOTES),
  row(
    "remote address",
    (text) => [nameRemote(text), formatAddress(text, PROJECT), withoutCredentials(text)],
    isList(isOr(isText)),
    "git@github.com:acme/shop.git",
    "https://u:p@github.com:8443/acme/shop.git/",
    "file:///srv/x.git",
  ),
  row("git log", (text) => readChanges(async () => text, ["HEAD"], "x"), isList(isRecord), LOG),
  ...[
    [
      "package.json",
      '{"name":"x","scripts":{"test":"vitest run"},"engines":{"node":">=20"},"workspaces":["a"],"dependencies":{"a":"^1"}}',
    ],
    [
      "pyproject.toml",
      '[project]\nname = "x"\nrequires-python = ">=3.10"\ndependencies = ["a>=1", "b"]\n[tool.poetry.scripts]\na = "b:c"\n',
    ],
    [
      "Cargo.toml",
      '[package]\nname = "x"\n[dependencies]\nserde = { version = "1", features = ["a"] }\n[[bin]]\nname = "y"\n',
    ],
    [
      "go.mod",
      "module example.com/x\n\ngo 1.22\n\nrequire (\n\tgithub.com/a/b v1.2.3\n\tc.d/e v0.1.0 // indirect\n)\n",
    ],
    ["Makefile", ".PHONY: test build\ntest: a b ## runs tests\n\tgo test \\\n  ./...\nbuild:\n"],
    [
      ".github/workflows/ci.yml",
      "name: CI\non: [push]\njobs:\n  test:\n    runs-on: linux\n    strategy:\n      matrix: { os: [a, b], node: [20, 22] }\n    steps:\n      - uses: x\n      - run: |\n          npm ci\n          npm test\n",
    ],
    [".gitlab-ci.yml", "image: node:20\ntest:\n  before_script: [npm ci]\n  script:\n    - npm test\n"],
    ["README.md", "# X\n\nDoes things. [![b](c)](d)\n\nInstall\n-------\n```sh\n$ npm i x\n# c\n```\n"],
    [
      "CLAUDE.md",
      "---\nglobs: src/**/*.ts,*.js\ndescription: x\nalwaysApply: true\n---\n# Rules\n- Use tabs.\n",
    ],
    [".cursor/rules/x.mdc", '---\nglobs: ["src/**"]\ndescription: x\n---\nUse tabs.\n'],
  ].map(([path = "", sample = ""]) =>
    row(
      `bootstrap: ${path}`,
      (text) => readFacts(createMemoryFiles({ [`${PROJECT}/${path}`]: text }), PROJECT, [path]),
      isRecord,
      sample,
    ),
  ),
];
