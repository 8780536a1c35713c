/**
 * The data of the story: ten pieces of work on this repository, each told in four turns. What the agent does in the
 * first, second, third and fourth turn of a chapter stands in story.ts; here is on what.
 */
import { facts } from "./facts.js";

export interface Chapter {
  /** In the agent's words. */
  topic: string;
  /** The folder that it is about. */
  folder: string;
  /** What the agent searches for. */
  pattern: string;
  /** Files of this repository that are read whole; the first is changed. */
  own: readonly [string, string, string];
  /** Files of packages, most of them large, under node_modules. */
  theirs: readonly [string, string, string, string, string, string];
  /** What the user says, a turn each. */
  says: readonly [string, string, string, string];
}

/** In order; what is a fact to be kept is said in the first two. */
export const chapters: readonly Chapter[] = [
  {
    topic: "settings",
    folder: "src/config",
    pattern: "safeParse",
    own: ["src/config/check.ts", "src/config/schema.ts", "test/unit/config.test.ts"],
    theirs: [
      "zod/v4/classic/schemas.d.ts",
      "zod/v4/core/util.js",
      "zod/v4/core/json-schema-processors.js",
      "zod/src/v4/classic/tests/error.test.ts",
      "zod/v4/core/checks.js",
      "zod/v4/core/api.d.ts",
    ],
    says: [
      `I want better messages for wrong settings. Look around first. ${facts.constraint}`,
      `Does zod tell us enough about what was expected? ${facts.decision}`,
      `Then mark the place where the message is made, and see what the checks say. ${facts.path}`,
      `${facts.correction} Is it recorded anywhere else?`,
    ],
  },
  {
    topic: "the disk",
    folder: "src/io",
    pattern: "rename",
    own: ["src/io/node-files.ts", "src/io/files.ts", "test/unit/files.test.ts"],
    theirs: [
      "@types/node/fs/promises.d.ts",
      "@types/node/stream.d.ts",
      "write-file-atomic/lib/index.js",
      "@types/node/events.d.ts",
      "@types/node/buffer.d.ts",
      "@types/node/child_process.d.ts",
    ],
    says: [
      `Now the disk: how do we write so that a crash leaves no half file? ${facts["exit code"]}`,
      `What does node promise about a rename? ${facts.todo}`,
      "Mark where the temporary file is made, and run the checks again.",
      "And what does the tracker say about lost files?",
    ],
  },
  {
    topic: "the queue of writes",
    folder: "src/io",
    pattern: "queue",
    own: ["src/io/log.ts", "src/io/json-lines.ts", "test/unit/record.test.ts"],
    theirs: [
      "p-queue/dist/index.js",
      "p-queue/readme.md",
      "p-queue/dist/index.d.ts",
      "@types/node/crypto.d.ts",
      "@types/node/worker_threads.d.ts",
      "@types/node/v8.d.ts",
    ],
    says: [
      "Writes go through a queue. Show me how events and log use it.",
      "Can the queue lose a write when one of them fails?",
      "Say so in a comment, and check the lines.",
      "Is there a test for two instances that write at once?",
    ],
  },
  {
    topic: "previews",
    folder: "layers/1-tool-results",
    pattern: "preview",
    own: [
      "layers/1-tool-results/preview.ts",
      "layers/1-tool-results/decide-results.ts",
      "test/unit/preview.test.ts",
    ],
    theirs: [
      "@types/node/url.d.ts",
      "zod/src/v4/classic/from-json-schema.ts",
      "undici-types/dispatcher.d.ts",
      "zod/v4/mini/schemas.d.ts",
      "@types/node/perf_hooks.d.ts",
      "zod/src/v4/classic/tests/template-literal.test.ts",
    ],
    says: [
      "Next are the previews. Which lines are picked, and why those?",
      "How do others cut a text without splitting a character?",
      "Mark the place where the limit is kept, and see whether anything complains.",
      "Show me what a preview looks like for a large answer of the tracker.",
    ],
  },
  {
    topic: "the host's hooks",
    folder: "src/host",
    pattern: "hook",
    own: ["src/host/1/hooks.ts", "src/host/2/setup.ts", "test/unit/opencode-adapter.test.ts"],
    theirs: [
      "@opencode-ai/sdk/dist/gen/types.gen.d.ts",
      "@opencode-ai/sdk/dist/v2/gen/types.gen.d.ts",
      "@opencode-ai/plugin/dist/index.d.ts",
      "@opencode-ai/sdk/dist/gen/sdk.gen.js",
      "@types/node/http2.d.ts",
      "@opencode-ai/sdk/dist/v2/gen/sdk.gen.d.ts",
    ],
    says: [
      "Which of OpenCode's hooks do we answer?",
      "What do their types say about the messages?",
      "Note at the top which ones are bound, and check.",
      "Did the tracker have anything about hooks that throw?",
    ],
  },
  {
    topic: "counting tokens",
    folder: "src/io",
    pattern: "token",
    own: ["src/costs/prices.ts", "src/context/request.ts", "src/context/context-size.ts"],
    theirs: [
      "gpt-tokenizer/src/GptEncoding.ts",
      "gpt-tokenizer/esm/models.js",
      "gpt-tokenizer/README.md",
      "gpt-tokenizer/src/models.ts",
      "gpt-tokenizer/src/BytePairEncodingCore.ts",
      "gpt-tokenizer/cjs/models.d.ts",
    ],
    says: [
      "How are tokens counted, and what does that cost?",
      "Which encodings does the tokenizer know?",
      "Mark the estimate as an estimate where it is made.",
      "Compare with the sizes that the build log gives.",
    ],
  },
  {
    topic: "settings files with comments",
    folder: "src/config",
    pattern: "parse",
    own: ["src/config/plugin-entries.ts", "src/config/check.ts", "src/config/schema.ts"],
    theirs: [
      "jsonc-parser/lib/esm/impl/parser.js",
      "@types/node/zlib.d.ts",
      "jsonc-parser/README.md",
      "jsonc-parser/lib/umd/impl/parser.js",
      "jsonc-parser/lib/esm/main.d.ts",
      "zod/src/v4/classic/tests/from-json-schema.test.ts",
    ],
    says: [
      "Somebody has a comment in opencode.json. Where do we read that file?",
      "What does the parser do with a comma too many?",
      "Mark where errors of the parser are passed on, and run the checks.",
      "Look whether an issue says which editors write such files.",
    ],
  },
  {
    topic: "MCP results",
    folder: "layers/1-tool-results",
    pattern: "content",
    own: [
      "layers/1-tool-results/decide-results.ts",
      "layers/1-tool-results/preview.ts",
      "test/unit/plan-spill.test.ts",
    ],
    theirs: [
      "@modelcontextprotocol/sdk/dist/esm/server/mcp.js",
      "@modelcontextprotocol/sdk/dist/esm/shared/protocol.js",
      "@modelcontextprotocol/sdk/dist/esm/client/index.js",
      "@modelcontextprotocol/sdk/dist/esm/client/auth.js",
      "@modelcontextprotocol/sdk/dist/esm/types.js",
      "@modelcontextprotocol/sdk/dist/esm/server/webStandardStreamableHttp.js",
    ],
    says: [
      "Results of MCP tools have another shape. Where is that dealt with?",
      "What may such a server send, by its own protocol?",
      "Mark the place where images are passed over.",
      "Fetch a large list and tell me what became of it.",
    ],
  },
  {
    topic: "the dispatcher",
    folder: "src/kernel",
    pattern: "deadline",
    own: ["src/kernel/dispatcher.ts", "src/kernel/layer.ts", "test/unit/dispatcher.test.ts"],
    theirs: [
      "@types/node/http.d.ts",
      "vite/dist/node/cli.js",
      "@types/node/tls.d.ts",
      "vite/dist/node/index.d.ts",
      "@types/node/assert.d.ts",
      "vite/dist/node/module-runner.js",
    ],
    says: [
      "What happens when a layer takes too long?",
      "Which of the tools around us do it in the same way?",
      "Mark the one place that catches, and check the lines.",
      "What does the last build say about slow hooks?",
    ],
  },
  {
    topic: "the view of the messages",
    folder: "src/context",
    pattern: "decision",
    own: ["src/context/decisions.ts", "src/io/message.ts", "test/unit/view.test.ts"],
    theirs: [
      "@types/node/vm.d.ts",
      "zod/src/v4/core/to-json-schema.ts",
      "fast-check/README.md",
      "@types/node/net.d.ts",
      "@types/node/util.d.ts",
      "zod/src/v4/mini/tests/index.test.ts",
    ],
    says: [
      "Last: how is a decision found again after a restart?",
      "Could we test that with a property instead of examples?",
      "Mark the key of a decision as what it is, and check everything.",
      "Sum up: what have we marked, and what is left to do?",
    ],
  },
];
