/**
 * Tells commands that only look (at files, at history, at the state of a run) from those that do something. The notes
 * count the former. A command that this does not understand does something.
 */

/** Programs that change nothing, whatever their arguments. */
const LOOKERS = new Set(
  `ls cat head tail grep egrep rg find fd wc pwd echo printf which type sed awk sort uniq cut tr jq yq tree stat file du df
  ps date env printenv whoami uname sleep true test [ diff cmp nl less more column tac rev basename dirname realpath readlink
  md5sum sha1sum sha256sum cd export set wait jobs lsof top free history watch xxd od strings hexdump git-log`.split(
    /\s+/,
  ),
);
/** Of programs that also change things, what only looks. */
const LOOKING_PARTS: Readonly<Record<string, RegExp>> = {
  git: /^(?:(?:-C|-c) \S+ |--no-pager )*(?:status|log|diff|show|blame|ls-files|ls-remote|ls-tree|rev-parse|rev-list|describe|grep|shortlog|reflog|cat-file|merge-base|for-each-ref|name-rev|whatchanged|branch(?: (?:-[avr]+|--show-current|--list|--all|--contains)\b.*)?$|remote(?: -v| show\b.*| get-url\b.*)?$|stash list|worktree list|tag(?: -l\b.*| --list\b.*)?$|config --get)/,
  gh: /^(?:(?:pr|issue|run|release|repo|workflow|label|search|gist) (?:view|list|checks|diff|status|watch|issues|prs|code|repos)\b|auth status|status\b|api\b(?!.* (?:-X|--method|-f|-F|--field|--raw-field|--input)\b))/,
  glab: /^(?:mr|issue|ci|pipeline) (?:view|list|status|get|trace|diff)\b/,
  npm: /^(?:ls|view|outdated|root|prefix|bin|list|why|explain|config (?:get|list))\b/,
  docker: /^(?:ps|images|logs|inspect|compose (?:ps|logs))\b/,
  kubectl: /^(?:get|describe|logs|top)\b/,
  curl: /^(?!(?:.* )?(?:-X|--request|-d|--data|-o|-O|--output|-T|-F))/,
};
/** It changes the file that it names, or writes one. */
const WRITES =
  /(?:^|[^<>0-9&-])>{1,2}(?!\s*(?:\/dev\/null|&))\s*\S|\d>{1,2}(?!\s*(?:\/dev\/null|&))|\bsed\s+(?:-\w+\s+)*-\w*i|\bfind\b.*\s-(?:delete|exec)|\btee\b|\bxargs\b/;
/** Also one that a cut has left open. */
const QUOTED = /'[^']*(?:'|$)|"(?:[^"\\]|\\.)*(?:"|$)/g;
const LOOKED_AT = 1_000;
const BETWEEN = /&&|\|\||[;|\n()]|\$\(|`|\b(?:do|done|then|else|fi|if|while|for \w+ in [^;]*)\b/;
const ASSIGNED = /^(?:[A-Za-z_]\w*=\S*\s+)+/;

export function isLooking(command: string): boolean {
  const bare = command.slice(0, LOOKED_AT).replace(QUOTED, '""');
  if (WRITES.test(bare)) return false;
  const parts = bare.split(BETWEEN).map((part) =>
    part
      .replace(ASSIGNED, "")
      .replace(/[&!{}\s]+/g, " ")
      .trim(),
  );
  const said = parts.filter((part) => part !== "" && part !== '""' && !/^[A-Za-z_]\w*=\S*$/.test(part));
  return said.length > 0 && said.every(looks);
}

function looks(part: string): boolean {
  const [name = "", ...rest] = part.replace(/^(?:sudo|time|timeout \S+|command|exec) /, "").split(" ");
  return LOOKERS.has(name) || LOOKING_PARTS[name]?.test(rest.join(" ")) === true;
}

/** Files that a looking command names, as it spells them. */
export function findLookedAt(command: string): string[] {
  const words =
    command.slice(0, LOOKED_AT).match(/(?:[\w@.~-]*\/)*[\w@.-]*\w\.[A-Za-z]\w{0,5}(?=$|[\s"';|)])/g) ?? [];
  return [...new Set(words)].filter((word) => word.includes("/") && !/^\d+\.\d/.test(word));
}

const SUBJECT =
  /[A-Za-z_$][\w$]*(?:[a-z\d][A-Z]|_[A-Za-z\d])[\w$]*|\b[a-z][a-z\d]*(?:[-.][a-z\d]+){2,}\b|(?<![\w.,-])(?:#?\d{3,}|\d+\.\d+\.\d+|(?=[\da-f]*\d)[\da-f]{7,40})(?![\w.,-]*\w)/g;
const LONGEST_SUBJECT = 60;

/** Names, and numbers by which something is found again: hashes, versions, issues; in order, each once. */
export function findSubjects(text: string): string[] {
  const found = text.slice(0, LOOKED_AT).match(SUBJECT) ?? [];
  return [...new Set(found)].filter((one) => one.length <= LONGEST_SUBJECT);
}
