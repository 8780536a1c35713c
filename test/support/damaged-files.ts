/** Every known kind of damage to memory files, and what `validate` says about it. */
import { byHand, type Damage, DECISION, edit, FOLDER, memory, SECRET } from "./sound-project.js";

export const damagedFiles: readonly Damage[] = [
  ...(
    [
      ["bad YAML", "---\ntitle: [a\n---\nx", /not valid YAML/],
      ["half a file", "---\ntitle: a\ncreated: 2026-", /does not end/],
      ["an empty file", "", /empty/],
      ["a binary file", Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]), /UTF-8|NUL/],
      ["invalid UTF-8", Uint8Array.from([0x61, 0xff, 0x62]), /UTF-8/],
      ["a conflict marker", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n", /conflict markers/],
      ["a file of 10 MB", "x".repeat(10_000_000), /10000000 bytes/],
    ] as const
  ).map(([what, contents, says]) => ({
    what,
    plant: memory("broken", contents),
    file: /decision\/broken\.md/,
    says,
  })),
  {
    what: "a link out of the folder",
    plant(files) {
      files.contents.set(`${FOLDER}/decision/link.md`, Buffer.from("theirs"));
      files.links.add(`${FOLDER}/decision/link.md`);
    },
    file: /decision\/link\.md/,
    says: /it is a link/,
  },
  {
    what: "CRLF",
    plant: memory("crlf", "one\r\ntwo\r\n"),
    file: /decision\/crlf\.md/,
    says: /lines end in CRLF/,
    mends: byHand,
  },
  {
    what: "a field of the wrong type",
    plant: memory("odd", "---\nimportance: high\nexpires: soon\n---\nx"),
    file: /decision\/odd\.md/,
    says: /field importance must be a number from 0 to 1, but is "high"/,
    mends: byHand,
  },
  {
    what: "names that differ only by case",
    plant: memory("Server-Listens-port-8080", "x"),
    file: /decision\/server-listens-port-8080\.md/,
    says: /differs only in case or accents/,
    mends: byHand,
  },
  {
    what: "the same id in the archive",
    plant: (files) => files.writeWhole(`${FOLDER}/archive/decision/server-listens-port-8080.md`, "x"),
    file: /decision\/server-listens-port-8080\.md/,
    says: /has the same id/,
    mends: [/\/ledger\/[^/]+\.jsonl$/],
  },
  {
    what: "a name that Windows reserves",
    plant: memory("con", "x"),
    file: /decision\/con\.md/,
    says: /not valid on Windows/,
    mends: [/MEMORY\.md$/],
  },
  {
    what: "a name that the ledger cannot contain",
    plant: memory("a\u2215b", "x"),
    file: /decision\/a\u2215b\.md/,
    says: /its name contains a character like a slash; it is read and used, but has no history/,
    mends: [/MEMORY\.md$/],
  },
  {
    what: "a name that is too long for a memory",
    plant: memory("n".repeat(250), "x"),
    file: /decision\/n+\.md/,
    says: /it is not a memory/,
  },
  {
    what: "a file edited by hand",
    plant: (files) => edit(files, DECISION, (text) => text.replace("port 8080\n", "port 9090\n")),
    file: /decision\/server-listens/,
    says: /edited by hand/,
    mends: byHand,
  },
  {
    what: "a file removed by hand",
    plant: (files) => files.remove(DECISION),
    file: /decision\/server-listens/,
    says: /removed by hand/,
    mends: byHand,
  },
  {
    what: "a record of an unresolved conflict",
    async plant(files) {
      const { fingerprint, formatConflict } = await import("../../src/memory/conflict.js");
      const content = "the server listens on port 8080";
      const standing = fingerprint({ title: content, content });
      const conflict = {
        v: 1 as const,
        id: "decision/server-listens-port-8080",
        title: content,
        standing,
        other: "0",
        found: "2026-11-20T09:00:00.000Z",
      };
      await files.writeWhole(`${FOLDER}/conflicts/x-12345678.md`, formatConflict(conflict, content, "9090"));
    },
    file: /conflicts\/x-12345678\.md/,
    says: /decision\/server-listens\S+ has two conflicting versions/,
  },
  {
    what: "a record of a conflict that does not exist",
    plant: (files) => files.writeWhole(`${FOLDER}/conflicts/x.md`, "<!-- strata-conflict {"),
    file: /conflicts\/x\.md/,
    says: /is not one/,
  },
  {
    what: "broken links",
    plant: memory("linked", "---\nlinks: [idea/nothing, somewhere]\nsupersededBy: plan/gone\n---\nx"),
    file: /decision\/linked\.md/,
    says: /its links names idea\/nothing, which does not exist/,
    mends: byHand,
  },
  {
    what: "a secret in a file written by hand",
    plant: memory("secret", `# the token is ${SECRET}`),
    file: /decision\/secret\.md/,
    says: /it holds a secret \(GitHub token\)/,
  },
  {
    what: "a secret in a file that cannot be read",
    plant: memory("secret", `---\ntitle: [\n---\n${SECRET}`),
    file: /decision\/secret\.md/,
    says: /it holds a secret/,
  },
  {
    what: "a mention of a private memory",
    plant: memory("hint", "see private/preference/short-answers"),
    file: /decision\/hint\.md/,
    says: /names the private memory private\/preference\/short-answers/,
    mends: byHand,
  },
  {
    what: "a folder that is not a type's",
    plant: (files) => files.writeWhole(`${FOLDER}/decisions/x.md`, "x"),
    file: /memory\/decisions/,
    says: /not the folder of a memory type/,
    isNote: true,
  },
];
