/** What the inspector's API reads and refuses, as its page requests it. */
import { describe, expect, it } from "vitest";
import type {
  AgendaPage,
  Failure,
  LogPage,
  MemoryList,
  Overview,
  Projects,
  SessionPage,
  SessionRow,
  ViewAnswer,
  Waiting,
} from "../../src/inspector/answers.js";
import { parseLog } from "../../src/inspector/views.js";
import { createFakeClock } from "../support/fake-clock.js";
import { PROJECT } from "../support/fake-host.js";
import { openInspector } from "../support/inspected-project.js";
import { createMemoryFiles } from "../support/memory-files.js";
import { fc, runs } from "../support/property.js";
import { runStrata } from "../support/shell.js";
import { useInspector } from "../support/use-inspector.js";

const at = useInspector();
const { change, memory } = at;

describe("what the inspector reads", () => {
  it("the overview has the figures of status and stats", async () => {
    const overview = await at.inspector.get<Overview>("overview");
    const { out } = await runStrata(at.played.files, "status --json", { clock: at.played.clock });
    const status = JSON.parse(out);
    expect(overview.saved).toEqual(status.saved);
    expect(overview.memories).toEqual(status.memories);
    expect(overview.saved.project.share).toBeGreaterThan(0.5);
    expect(overview.days).toHaveLength(3);
    expect([overview.candidates, overview.conflicts]).toEqual([1, 1]);
    expect(overview.layers.every(({ isOn }) => isOn)).toBe(true);
    expect(overview.problems).toEqual([]);
  });

  it("sessions are sorted by last use, with title, phase and context", async () => {
    const rows = await at.inspector.get<SessionRow[]>("sessions");
    expect(rows.map(({ id, openTodos, phase, title }) => [id, title, phase, openTodos])).toEqual([
      ["ses_c", "Search for products by colour", "working", 1],
      ["ses_b", "Show prices in cents", "done", 0],
      ["ses_a", "Fix the order totals", "done", 0],
    ]);
    expect(rows[0]?.context?.without).toBeGreaterThan(rows[0]?.context?.now ?? Number.NaN);
  });

  it("a session has its requests, what each layer did and why, its context items and its notes", async () => {
    const page = await at.inspector.get<SessionPage>("session?id=ses_c");
    expect(page.requests).toHaveLength(14);
    expect(page.layerActions[0]).toMatchObject({
      layer: "micro-compact",
      event: "cleared",
      reason: "it pays back",
    });
    expect(page.layerActions.every(({ event }) => event !== "answer")).toBe(true);
    expect(page.freed.map(({ layer }) => layer).sort()).toEqual(["micro-compact", "tool-results"]);
    expect(page.items?.shown[0]?.tokens).toBeGreaterThan(100);
    expect(page.notes).toContain("Search for products by colour");
    expect(page.screen?.session).toBe("ses_c");
    expect(page.screen?.warnings).toEqual(["1 memory came with the repository: /memory-trust lists them"]);
  });

  it("an unknown session, memory, view or project is answered with 404 and a sentence", async () => {
    for (const path of [
      "session?id=ses_x",
      "session?id=../../x",
      "memory?id=decision/none",
      "nothing",
      "__proto__",
    ]) {
      const response = await at.inspector.fetch(
        new Request(`http://localhost/api/${at.inspector.id}/${path}`),
      );
      expect([path, response.status]).toEqual([path, 404]);
      expect(((await response.json()) as Failure).error).toMatch(/\w{3,} \w+/);
    }
    const other = await at.inspector.fetch(new Request("http://localhost/api/00000000/overview"));
    expect(other.status).toBe(404);
  });

  it("projects whose folders share a name are distinguished by their parent folders", async () => {
    const others = ["/projects/shop", "/home/shop", "/home/api", "/srv/home/shop"];
    for (const folder of others) await at.played.files.writeWhole(`${folder}/.git/HEAD`, "x");
    const several = await openInspector(at.played.files, at.played.clock, { others });
    const answer = await several.fetch(new Request("http://localhost/api/projects"));
    const { projects } = (await answer.json()) as Projects;
    expect(projects.map(({ name }) => name)).toEqual([
      "project",
      "projects/shop",
      "/home/shop",
      "api",
      "srv/home/shop",
    ]);
  });

  it("memories are sorted by last change; a search returns the best hits first, from memories and earlier sessions", async () => {
    const all = await at.inspector.get<MemoryList>("memories");
    expect(all.memories[0]?.id).toBe("decision/mail-2");
    expect(all.memories.some(({ sensitivity }) => sensitivity === "private")).toBe(true);
    const found = await at.inspector.get<MemoryList>(
      "memories?words=which%20port%20does%20the%20server%20use",
    );
    expect(found.memories[0]).toMatchObject({ id: "decision/port", why: expect.stringContaining("port") });
    const past = await at.inspector.get<MemoryList>("memories?words=show%20prices%20in%20cents");
    expect(past.past.some(({ session }) => session === "ses_b")).toBe(true);
  });

  it("reading a memory does not count as a use of it", async () => {
    await memory("decision/port");
    await memory("decision/port");
    expect((await memory("decision/port")).uses).toBe(0);
  });

  it("the waiting view has the candidates and both texts of each conflict", async () => {
    const waiting = await at.inspector.get<Waiting>("waiting");
    expect(waiting.candidates?.map(({ text }) => text)).toEqual(["Invoices are numbered by the tax office."]);
    expect(waiting.conflicts).toMatchObject([
      { title: "Mail", this: { id: "decision/mail" }, that: { id: "decision/mail-2" } },
    ]);
  });

  it("an agent's shell gets no candidates and cannot keep or drop one", async () => {
    const agents = await openInspector(at.played.files, at.played.clock, { env: { OPENCODE: "1" } });
    const waiting = await agents.get<Waiting>("waiting");
    expect(waiting.candidates).toBeUndefined();
    expect(waiting.candidatesWhy).toContain("this shell is an agent's");
    expect((await agents.post("keep", { ids: ["abcdef"] })).status).toBe(403);
  });

  it("the agenda has the open items of all sessions", async () => {
    const { items } = await at.inspector.get<AgendaPage>("agenda");
    expect(items.map(({ kind }) => kind)).toEqual(["request", "todo", "blocker", "conflict"]);
  });

  it("the log is sorted newest first, without lines in another format", async () => {
    const { entries } = await at.inspector.get<LogPage>("log");
    expect(entries[0]?.source).toBe("micro-compact");
    expect(entries.at(-1)?.message).toContain("opencode-strata");
    expect(parseLog("rest of a line\n2026-11-21 07:30:12.123 WARN  dream         it is late\n")).toEqual([
      { time: "2026-11-21T07:30:12.123Z", level: "WARN", source: "dream", message: "it is late" },
    ]);
  });
});

describe("several views at once", () => {
  const read = (query: string, tag?: string | null) =>
    at.inspector.fetch(
      new Request(`http://localhost/api/${at.inspector.id}/views?${query}`, {
        headers: tag ? { "if-none-match": tag } : {},
      }),
    );
  const query = "watch=sessions&watch=memory%3Fid%3Ddecision%2Fport&watch=session%3Fid%3Dses_x";

  it("are each answered under their address, and one that fails with its reason", async () => {
    const answers = (await (await read(query)).json()) as ViewAnswer[];
    expect(answers).toEqual([
      { address: "sessions", value: await at.inspector.get("sessions") },
      { address: "memory?id=decision/port", value: await memory("decision/port") },
      { address: "session?id=ses_x", error: expect.stringContaining("session ses_x is unknown") },
    ]);
  });

  it("are sent again only after a file or the day has changed, whoever changed it", async () => {
    const { clock, files } = at.played;
    // The first reading may take in what was edited by hand.
    await read(query);
    let tag = (await read(query)).headers.get("etag");
    const isSame = async (): Promise<boolean> => {
      const response = await read(query, tag);
      tag = response.headers.get("etag");
      return response.status === 304 && (await response.text()) === "";
    };
    expect([await isSame(), await isSame()]).toEqual([true, true]);
    clock.advance(1_000);
    const path = `${PROJECT}/.opencode/memory/decision/port.md`;
    await files.writeWhole(path, (files.text(path) ?? "").replace("8080", "7070"));
    expect(await isSame()).toBe(false);
    await read(query);
    tag = (await read(query)).headers.get("etag");
    await files.appendLine(`${PROJECT}/.opencode/strata/strata.log`, "later");
    expect([await isSame(), await isSame()]).toEqual([false, true]);
    clock.advance(86_400_000);
    expect(await isSame()).toBe(false);
  });
});

describe("what the inspector refuses", () => {
  const ask = (path: string, init: RequestInit) =>
    at.inspector.fetch(new Request(`http://localhost/api/${at.inspector.id}/${path}`, init));

  it("a body of another type, size or shape is refused before anything is opened", async () => {
    const form = {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: '{"id":"decision/port"}',
    };
    expect((await ask("archive", form)).status).toBe(400);
    const json = { "content-type": "application/json" };
    expect((await ask("archive", { method: "POST", headers: json, body: "{" })).status).toBe(400);
    const large = JSON.stringify({ content: "x".repeat(300_000) });
    expect((await ask("remember", { method: "POST", headers: json, body: large })).status).toBe(413);
    for (const body of [null, [], 1, "x", {}, { id: 1 }, { id: null }, { run: 1 }])
      for (const name of ["edit", "pin", "archive", "restore", "remember"])
        expect((await change(name, body)).status).toBe(400);
    expect((await memory("decision/port")).memory.status).toBe("active");
  });

  it("an unknown change and a change by GET are not found", async () => {
    for (const name of ["delete", "toString", "files/read", "constructor/name"])
      expect((await change(name, {})).status).toBe(404);
    expect((await ask("archive", { method: "GET" })).status).toBe(404);
  });

  it("no view, too many of them, and too long addresses are refused", async () => {
    const nine = Array.from({ length: 9 }, () => "watch=log").join("&");
    for (const query of ["", nine, `watch=${"x".repeat(2_001)}`])
      expect((await ask(`views?${query}`, {})).status).toBe(400);
  });

  it("no URL leads out of the page's files", async () => {
    const encoded = [
      "..%2fpackage.json",
      "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
      "page.js%00",
      "constructor",
      "__proto__",
    ];
    for (const name of encoded)
      expect((await at.inspector.fetch(new Request(`http://localhost/assets/${name}`))).status).toBe(404);
  });

  it("every request is answered, and never with a server error", async () => {
    const files = createMemoryFiles({ [`${PROJECT}/.git/HEAD`]: "x" });
    const empty = await openInspector(files, createFakeClock());
    const paths = fc.oneof(
      fc.webPath(),
      fc
        .tuple(
          fc.constantFrom(
            "overview",
            "session",
            "memory",
            "memories",
            "waiting",
            "agenda",
            "steps",
            "log",
            "views",
          ),
          fc.webQueryParameters(),
        )
        .map(([view, query]) => `/api/${empty.id}/${view}?${query}`),
    );
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const response = await empty.fetch(new Request(`http://localhost${path}`));
        await response.body?.cancel();
        expect(response.status === 503 || response.status < 500).toBe(true);
      }),
      { numRuns: runs(60, 1_000, "addresses") },
    );
  });
});
