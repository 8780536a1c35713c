/**
 * GitLab and GitHub instances that may be asked: gitlab.com, github.com, and those of the user's own configuration. No
 * request and no token goes anywhere else, whatever a repository names. Pure.
 */

import { join } from "node:path";
import { withoutMark } from "../../base/text.js";
import type { Config } from "../../config/schema.js";
import { type Files, readPlainText } from "../../io/files.js";
import { findGitFolder, listRemotes, nameRemote } from "../../memory/trust/git.js";
import type { EntityName } from "../../text/entities.js";
import { toSafeLine } from "../../text/secrets/secrets.js";

export interface Forge {
  kind: "gitlab" | "github";
  /** Without the port, which remotes over ssh do not name. */
  host: string;
  /** Base of the API, without a trailing slash. */
  api: string;
  /** Path of the folder with the instance's projects, such as `gitlab/`; usually empty. */
  folder: string;
  /** Environment variables that may hold its token, in this order. It never gets another forge's token. */
  tokenNames: readonly string[];
  /** Environment variables that name the tokens' instance; if one names another host, no token is sent. */
  hostNames?: readonly string[];
}

export interface LocatedEntity {
  forge: Forge;
  name: EntityName;
  /** Project, or the group of an epic, in lower case. */
  path: string;
}

export type Home = Pick<LocatedEntity, "forge" | "path">;

const USUAL: readonly Forge[] = [
  {
    ...{ kind: "github", host: "github.com", api: "https://api.github.com", folder: "" },
    tokenNames: ["GH_TOKEN", "GITHUB_TOKEN"],
  },
  {
    ...{ kind: "gitlab", host: "gitlab.com", api: "https://gitlab.com/api/v4", folder: "" },
    tokenNames: ["GITLAB_TOKEN"],
    // The variables of GitLab's command line, which uses one token for any instance.
    hostNames: ["GITLAB_HOST", "GL_HOST"],
  },
];

/** The user's own come first: they may give gitlab.com or github.com another variable. Skips invalid URLs. */
export function planForges(hosts: Config["recall"]["entities"]["hosts"]): Forge[] {
  const valid = hosts.filter(({ url }) => URL.canParse(url));
  const own = valid.map(({ kind, tokenEnv, url: given }): Forge => {
    const url = new URL(given);
    const folder = url.pathname.replace(/^\/+|\/+$/g, "");
    const base = `${url.origin}${folder === "" ? "" : `/${folder}`}`;
    const isGitHubCom = kind === "github" && url.host === "github.com";
    return {
      kind,
      host: url.hostname.toLowerCase(),
      api: isGitHubCom ? "https://api.github.com" : `${base}/api/${kind === "gitlab" ? "v4" : "v3"}`,
      folder: folder === "" ? "" : `${folder.toLowerCase()}/`,
      tokenNames: tokenEnv === undefined ? [] : [tokenEnv],
    };
  });
  return [...own, ...USUAL];
}

/** The project of a remote such as `github.com/acme/shop`; `undefined` if its host may not be asked. */
export function findHome(remote: string, forges: readonly Forge[]): Home | undefined {
  const forge = forges.find(({ host }) => remote.startsWith(`${host}/`));
  if (!forge) return undefined;
  const path = remote.slice(forge.host.length + 1);
  return { forge, path: path.startsWith(forge.folder) ? path.slice(forge.folder.length) : path };
}

const NO_HOME =
  "it names no host, and the project has no git remote on one that may be asked; write it as github.com/acme/shop#34";

/** Where to ask for the entity, or a sentence why it cannot be asked for. */
export function locateEntity(
  name: EntityName,
  { forges, home }: { forges: readonly Forge[]; home: Home | undefined },
): LocatedEntity | string {
  const { path: named, sign } = name;
  const first = named?.slice(0, named.indexOf("/")) ?? "";
  // A path without a host is on the project's own forge.
  const place = (named !== undefined && findHome(named, forges)) || home;
  if (first.includes(".") && (place === home || !place))
    return `${first} is not among the hosts that may be asked; recall.entities.hosts in your own configuration names more`;
  if (!place) return NO_HOME;
  const { forge } = place;
  let path = place === home && named !== undefined ? named : place.path;
  // GitLab reads `&5` as an epic of the project's own group.
  if (named === undefined && sign === "&") path = path.split("/").slice(0, -1).join("/");
  if (forge.kind === "github" && sign !== "#")
    return `${forge.host} has no ${sign === "!" ? "merge requests" : "epics"}`;
  const segments = path.split("/");
  // GitHub's projects have an owner and a name; GitLab's may be in nested groups.
  const isDepth = forge.kind === "github" ? segments.length === 2 : segments.length >= (sign === "&" ? 1 : 2);
  if (!isDepth || !segments.every((one) => /[^.]/.test(one)))
    return `${path} is no ${sign === "&" ? "group" : "project"} there`;
  return { forge, path, name };
}

export const formatLocated = ({ forge, name, path }: LocatedEntity): string =>
  `${forge.host}/${path}${name.sign}${name.number}`;

/* Finds the project on a forge from its git remotes, without running git. */

/** `undefined` if there is no repository, or no remote on these hosts. Rejects with the system's error. */
export async function readHome(
  files: Files,
  project: string,
  forges: readonly Forge[],
): Promise<Home | undefined> {
  const root = (await files.realPath(project)) ?? project;
  const git = await findGitFolder(files, root);
  if (typeof git === "string") return undefined;
  const remotes = listRemotes(await readPlainText(files, join(git.common, "config")));
  // A fork's issues are those of its upstream project.
  const rank = (name: string): number => (name === "upstream" ? 0 : name === "origin" ? 1 : 2);
  const sorted = remotes.toSorted((a, b) => rank(a.name) - rank(b.name));
  return sorted.flatMap(({ url }) => findHome(nameRemote(url) ?? "", forges) ?? [])[0];
}

/* What a forge says about an entity. Untrusted text: bounded, on one line, without secrets. */

export interface EntityFact {
  /** `github.com/acme/shop#34` */
  id: string;
  kind: EntityKind;
  /** "none": it does not exist, or the token may not see it. */
  state: EntityState;
  title: string;
  author?: string;
  labels: string[];
}

export type EntityKind = "issue" | "merge request" | "pull request" | "epic";
export type EntityState = "open" | "draft" | "merged" | "closed" | "not planned" | "duplicate" | "none";

const LONGEST_TITLE = 200;
const LONGEST_NAME = 60;
const MOST_LABELS = 10;

/** The fact with bounded texts of one line, without secrets. */
export const boundFact = ({ author, labels, title, ...fact }: EntityFact): EntityFact => ({
  ...fact,
  title: clean(title, LONGEST_TITLE),
  ...(author !== undefined && { author: clean(author, LONGEST_NAME) }),
  labels: labels.slice(0, MOST_LABELS).map((label) => clean(label, LONGEST_NAME)),
});

const clean = (text: string, limit: number): string => withoutMark(toSafeLine(text, limit));

/** `issue, open, by alice, labels bug, api: "Login fails"` */
export function formatFact({ author, kind, labels, state, title }: EntityFact): string {
  if (state === "none") return `${kind}, not there or not visible`;
  const by = author === undefined ? "" : `, by ${author}`;
  const labelled = labels.length === 0 ? "" : `, labels ${labels.join(", ")}`;
  return `${kind}, ${state}${by}${labelled}: ${JSON.stringify(title)}`;
}
