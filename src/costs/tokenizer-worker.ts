/** Worker thread that loads the tokenizer and counts tokens. Protocol in `tokens.ts`. */
import { parentPort } from "node:worker_threads";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { CountAnswer, CountRequest } from "./tokens.js";

// A tool result may contain "<|endoftext|>"; count it as plain text.
const options = { disallowedSpecial: new Set<string>() };

parentPort?.on("message", ({ id, pieces }: CountRequest) => {
  const tokens = pieces.map((piece) => countTokens(piece, options)).reduce((sum, count) => sum + count, 0);
  parentPort?.postMessage({ id, tokens } satisfies CountAnswer);
});
