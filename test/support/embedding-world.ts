import type { Config } from "../../src/config/schema.js";
import type { Post } from "../../src/io/post.js";
import { openEmbedder } from "../../src/models/open-embedder.js";
import { planFolders } from "../../src/project/folders.js";
import { createFakeClock } from "./fake-clock.js";
import { createFakeLog } from "./fake-log.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";
import { defaults } from "./settings.js";

export type EmbeddingWorld = ReturnType<typeof openEmbeddingWorld>;

interface EmbeddingWorldOptions {
  settings: Partial<Config["recall"]["embeddings"]>;
  background?: Partial<Config["background"]>;
  /** The disk of an earlier world. */
  files?: MemoryFiles;
  env?: Record<string, string>;
  post?: Post;
}

export const FOLDERS = planFolders("/project");

export function openEmbeddingWorld(options: EmbeddingWorldOptions) {
  const { background, env = {}, post, settings } = options;
  const clock = createFakeClock();
  const files = options.files ?? createMemoryFiles({}, clock.now);
  const log = createFakeLog();
  const embeddings = { ...defaults.recall.embeddings, model: "m", ...settings };
  const embedder = openEmbedder({
    config: {
      background: { ...defaults.background, ...background },
      recall: { ...defaults.recall, embeddings },
    },
    ...{ clock, files, log, post },
    folders: FOLDERS,
    instance: "one",
    readVariable: (name) => env[name],
  });
  if (!embedder) throw new Error(`expected an embedder; ${log.lines.join("\n")}`);
  return { embedder, clock, files, log };
}

/** A `post` that answers with one number per text, and notes the requests. */
export function createFakePost() {
  const sent: Parameters<Post>[0][] = [];
  const post: Post = async (request) => {
    sent.push(request);
    const input: string[] = JSON.parse(request.body).input;
    const embeddings = input.map(({ length }) => [1, length]);
    return { status: 200, headers: {}, text: JSON.stringify({ embeddings }) };
  };
  return { post, sent };
}

/** The texts of these requests. */
export const listInputs = (sent: readonly { body: string }[]): string[] =>
  sent.flatMap(({ body }) => JSON.parse(body).input);
