/** Counts the tokens of a request and its answer as the scripted model reports them. */
import { type ModelRequest, tokensOfBytes } from "./model-request.js";
import type { PromptCache } from "./prompt-cache.js";
import type { CallsStep, SayStep } from "./steps.js";

/** Counts the prompt and its cached part, then stores the prompt in the cache. */
export function countPrompt(request: ModelRequest, cache: PromptCache, bytesPerToken?: number): void {
  request.promptTokens = tokensOfBytes(Buffer.byteLength(request.prompt), bytesPerToken);
  request.cachedTokens = tokensOfBytes(cache.read(request.prompt), bytesPerToken);
  cache.write(request.prompt);
}

/** Counts the answer; what the step reports of its own wins. */
export function countOutput(request: ModelRequest, step: SayStep | CallsStep, bytesPerToken?: number): void {
  const text = step.kind === "say" ? step.text : (step.text ?? "") + JSON.stringify(step.calls);
  request.outputTokens = tokensOfBytes(Buffer.byteLength(text), bytesPerToken);
  Object.assign(request, step.usage);
}
