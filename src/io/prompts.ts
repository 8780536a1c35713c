/** Prompts for models: `prompts/<name>.md` of the package, so that people can read and judge them. */
import { fileURLToPath } from "node:url";
import { type Files, readText } from "./files.js";

export type Prompts = ReturnType<typeof createPrompts>;

/** Beside `dist/` in the package, and beside `src/` in the repository. */
const FOLDERS = ["../prompts/", "../../prompts/"] as const;

export function createPrompts(files: Files) {
  const known = new Map<string, string>();
  return {
    /** Text of a prompt, trimmed. Read from disk once; throws if the package has no such file. */
    async read(name: string): Promise<string> {
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
  throw new Error(`Expected the prompt "${name}" at ${paths[0]}; it is missing. Reinstall opencode-strata.`);
}
