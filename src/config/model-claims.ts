/**
 * What the configuration files say about models. The host accepts a model and its provider's address from a project's
 * file as well as from the user's own. Where Strata sends text is for the user alone to decide.
 */
import { isRecord } from "../base/records.js";
import type { Models } from "../io/host.js";
import type { ParsedFile } from "./config-files.js";

export interface ModelClaims {
  /** From the user's own files. */
  users: Models;
  /** From all files merged; the host may know better. */
  all: Models;
  /** From files of the project, strongest last. */
  project: readonly Claim[];
}

/** A setting about models in a file of the project. */
export interface Claim {
  /** `model`, `small_model`, `provider.acme`, `providers.acme`, … as written in the file. */
  key: string;
  file: string;
}

/** The model that writes titles: OpenCode 2 has no other small one. */
const TITLE_MODEL = "agents.title.model";
/** Where OpenCode 1 and 2 have their providers. */
const PROVIDERS = ["provider", "providers"];
/** Keys by which the host chooses a model, in addition to each provider's. */
const CHOOSING = ["model", "small_model", "enabled_providers", "disabled_providers"];

export const NO_CLAIMS: ModelClaims = { users: {}, all: {}, project: [] };

/** Takes the files weakest first. */
export function findModelClaims(parsed: readonly ParsedFile[]): ModelClaims {
  const project = parsed.filter(({ origin }) => origin === "project");
  return {
    users: readModels(parsed.filter(({ origin }) => origin === "user")),
    all: readModels(parsed),
    project: project.flatMap(({ contents, path: file }) => [
      ...CHOOSING.filter((key) => contents[key] !== undefined).map((key) => ({ key, file })),
      ...(findTitleModel(contents) === undefined ? [] : [{ key: TITLE_MODEL, file }]),
      ...PROVIDERS.flatMap((key) => {
        const providers = contents[key];
        return isRecord(providers) ? Object.keys(providers).map((id) => ({ key: `${key}.${id}`, file })) : [];
      }),
    ]),
  };
}

function readModels(parsed: readonly ParsedFile[]): Models {
  const main = findText(parsed, "model");
  const small =
    findText(parsed, "small_model") ??
    parsed.map(({ contents }) => findTitleModel(contents)).findLast(Boolean);
  return { ...(main !== undefined && { main }), ...(small !== undefined && { small }) };
}

function findText(parsed: readonly ParsedFile[], key: string): string | undefined {
  const value = parsed.findLast(({ contents }) => contents[key] !== undefined)?.contents[key];
  return typeof value === "string" ? value : undefined;
}

function findTitleModel({ agents }: ParsedFile["contents"]): string | undefined {
  const title = isRecord(agents) ? agents.title : undefined;
  const model = isRecord(title) ? title.model : undefined;
  return typeof model === "string" ? model : undefined;
}

/** A chosen model; without one the host chooses among all that it knows. */
export interface Chosen {
  model?: string;
  /** The key that named it, if the value is not the user's own. */
  key?: "model" | "small_model";
}

/** What the project contributed to the choice: the model's name or the provider's address. */
export function findClaimOn({ key, model }: Chosen, { project }: ModelClaims): Claim | undefined {
  if (model === undefined) return project.at(-1);
  const provider = model.split("/")[0];
  const find = (...wanted: (string | undefined)[]) => project.findLast((claim) => wanted.includes(claim.key));
  const named = key === "small_model" ? find(key, TITLE_MODEL) : find(key);
  return named ?? find(...PROVIDERS.map((of) => `${of}.${provider}`));
}
