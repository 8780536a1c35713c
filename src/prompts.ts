/** The words given to a model: `prompts/<name>.md` of the package, so that people can read and judge them. */
import { fileURLToPath } from "node:url";
import { type Files, readText } from "./seams/files.js";

export interface Prompts {
  /** The text of a prompt, without space around it. Read once; throws when the package has no such file. */
  read(name: string): Promise<string>;
}

/** Beside `src/`, which lies in the package's root as it is developed and in `dist/` as it is published. */
const FOLDERS = ["../prompts/", "../../prompts/"] as const;

export function createPrompts(files: Files): Prompts {
  const known = new Map<string, string>();
  return {
    async read(name) {
      const text = known.get(name) ?? (await readPrompt(files, name));
      known.set(name, text);
      return text;
    },
  };
}

async function readPrompt(files: Files, name: string): Promise<string> {
  const paths = FOLDERS.map((folder) => fileURLToPath(new URL(`${folder}${name}.md`, import.meta.url)));
  for (const path of paths) {
    const text = await readText(files, path);
    if (text !== undefined) return text.trim();
  }
  throw new Error(
    `Expected the prompt "${name}" at ${paths.join(" or ")}; there is none. Install opencode-strata again.`,
  );
}
