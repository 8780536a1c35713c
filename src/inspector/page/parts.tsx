/** Components shared by all views. Texts are children, never markup. */
import type { ComponentChildren } from "preact";
import { formatAge } from "../../base/format.js";
import type { Answer } from "./hooks.js";
import { useNow } from "./hooks.js";

export function Heading({ children, more }: { children: ComponentChildren; more?: ComponentChildren }) {
  return (
    <header class="heading">
      <h1 id="heading" tabIndex={-1}>
        {children}
      </h1>
      {more}
    </header>
  );
}

interface CardProps {
  title?: ComponentChildren;
  more?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

export function Card({ children, class: name = "", more, title }: CardProps) {
  return (
    <section class={`card ${name}`}>
      {title !== undefined && (
        <div class="card-title">
          <h2>{title}</h2>
          {more}
        </div>
      )}
      {children}
    </section>
  );
}

export function Chip({ children, tone = "plain" }: { children: ComponentChildren; tone?: string }) {
  return <span class={`chip ${tone}`}>{children}</span>;
}

interface ButtonProps {
  onClick(): void;
  children: ComponentChildren;
  /** The key that does the same. */
  hint?: string;
  tone?: "plain" | "main" | "quiet";
  isOff?: boolean;
  isPressed?: boolean;
  label?: string;
}

export function Button({ children, hint, isOff, isPressed, label, onClick, tone = "plain" }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${tone}`}
      onClick={onClick}
      disabled={isOff === true}
      {...(hint !== undefined && { "aria-keyshortcuts": hint })}
      {...(isPressed !== undefined && { "aria-pressed": isPressed })}
      {...(label !== undefined && { "aria-label": label })}
    >
      {children}
      {hint !== undefined && <kbd>{hint}</kbd>}
    </button>
  );
}

interface CheckProps {
  isOn: boolean;
  onChange(isOn: boolean): void;
  children: ComponentChildren;
}

export function Check({ children, isOn, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {children}
    </label>
  );
}

interface EditorProps {
  /** Called by the submit button and by Ctrl+Enter. */
  onSave(): void;
  /** Called by Escape; `undefined` while there are unsaved changes. */
  onLeave: (() => void) | undefined;
  children: ComponentChildren;
}

export function Editor({ children, onLeave, onSave }: EditorProps) {
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onSave();
        else if (event.key === "Escape" && onLeave) onLeave();
        else return;
        event.preventDefault();
      }}
    >
      {children}
    </form>
  );
}

/** `children` are the rows. */
export function Table({
  children,
  head,
  label,
}: {
  children: ComponentChildren;
  head: readonly string[];
  label: string;
}) {
  return (
    <section class="scroll" aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

/** "5 minutes ago", with the exact time as a tooltip. */
export function Age({ at }: { at: string | number }) {
  const now = useNow();
  const timeMs = typeof at === "number" ? at : Date.parse(at);
  if (!Number.isFinite(timeMs) || timeMs <= 0) return null;
  const date = new Date(timeMs);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {formatAge(timeMs, now)}
    </time>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** Shows an answer, "Loading …" before it arrives, or an error above the last good answer. */
export function Loaded<T>({
  answer,
  children,
}: {
  answer: Answer<T>;
  children: (value: T) => ComponentChildren;
}) {
  const { error, value } = answer;
  return (
    <>
      {error !== undefined && (
        <p class="failure" role="alert">
          {error}
        </p>
      )}
      {value === undefined && error === undefined && <p class="empty reading">Loading …</p>}
      {value !== undefined && children(value)}
    </>
  );
}

export function Figure({ label, more, value }: { label: string; value: string; more?: string | undefined }) {
  return (
    <div class="figure">
      <dt>{label}</dt>
      <dd>
        {value}
        {more !== undefined && more !== "" && <small>{more}</small>}
      </dd>
    </div>
  );
}

/** Numbers as bars; the first is the largest. */
export function Counts({ rows }: { rows: readonly { name: string; number: number; text: string }[] }) {
  const most = rows[0]?.number ?? 1;
  return (
    <ul class="counts">
      {rows.map(({ name, number, text }) => (
        <li key={name}>
          <span>{name}</span>
          <span class="track">
            <span class="fill" style={{ width: `${(number / most) * 100}%` }} />
          </span>
          <b>{text}</b>
        </li>
      ))}
    </ul>
  );
}

/** Markdown source, with headings and lists styled. */
export function Prose({ text }: { text: string }) {
  return (
    <div class="prose">
      {text.split("\n").map((line, at) => {
        const [, marks, heading] = /^(#{1,6})\s+(.*)$/.exec(line) ?? [];
        if (heading !== undefined) return <p class={`line h${marks?.length ?? 1}`}>{heading}</p>;
        const [, indent = "", item] = /^(\s*)[-*]\s+(.*)$/.exec(line) ?? [];
        if (item !== undefined)
          return <p class={`line item deep${Math.min(3, indent.length >> 1)}`}>{item}</p>;
        if (line.trim() === "") return <p class="line gap" key={at} />;
        return <p class="line">{line}</p>;
      })}
    </div>
  );
}
