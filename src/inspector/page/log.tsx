import { useState } from "preact/hooks";
import type { LogPage } from "../answers.js";
import { useAnswer } from "./hooks.js";
import { Card, Empty, Heading, Loaded } from "./parts.js";
import { addressOf } from "./server.js";

const LEVELS = ["all", "warnings", "errors"] as const;
type Level = (typeof LEVELS)[number];

const SHOWN: Readonly<Record<Level, RegExp>> = {
  all: /./,
  warnings: /^(WARN|ERROR)$/,
  errors: /^ERROR$/,
};

export function LogView() {
  const [level, setLevel] = useState<Level>("all");
  const [words, setWords] = useState("");
  const answer = useAnswer<LogPage>(addressOf("log"));
  return (
    <>
      <Heading>Log</Heading>
      <search class="filters inline">
        <input
          type="search"
          value={words}
          placeholder="Filter"
          aria-label="Filter the log"
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <select
          aria-label="Level"
          value={level}
          onChange={(event) => setLevel(LEVELS.find((one) => one === event.currentTarget.value) ?? "all")}
        >
          {LEVELS.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </search>
      <Loaded answer={answer}>
        {({ entries, path }) => {
          const wanted = words.toLowerCase();
          const shown = entries.filter(
            (one) =>
              SHOWN[level].test(one.level) && `${one.source} ${one.message}`.toLowerCase().includes(wanted),
          );
          return (
            <Card>
              {shown.length === 0 && (
                <Empty>{entries.length === 0 ? "The log is empty." : "No matches."}</Empty>
              )}
              <ol class="log">
                {shown.map((entry, at) => (
                  <li key={`${entry.time} ${at}`} class={entry.level.toLowerCase()}>
                    <time dateTime={entry.time} title={new Date(entry.time).toLocaleString()}>
                      {entry.time.slice(5, 10)} {entry.time.slice(11, 19)}
                    </time>
                    <span class="level">{entry.level}</span>
                    <span class="source">{entry.source}</span>
                    <span class="message">{entry.message}</span>
                  </li>
                ))}
              </ol>
              <p class="fine">
                The last lines of <code>{path}</code>; times are UTC
              </p>
            </Card>
          );
        }}
      </Loaded>
    </>
  );
}
