/** Components shared by all views. Texts are children, never markup. */
import type { ComponentChildren, Ref } from "preact";
import { useState } from "preact/hooks";
import { formatAge, formatCount } from "../../base/format.js";
import { type Answer, useNow } from "./hooks.js";

interface ViewProps<T> {
  title: ComponentChildren;
  more?: ComponentChildren;
  answer: Answer<T>;
  children: (value: T) => ComponentChildren;
}

/** A heading, and below it what the server has answered. */
export const View = <T,>({ answer, children, more, title }: ViewProps<T>) => (
  <>
    <Heading more={more}>{title}</Heading>
    <Loaded answer={answer}>{children}</Loaded>
  </>
);

interface ListProps<T> {
  rows: readonly T[];
  children: (row: T) => ComponentChildren;
  /** Without it, rows are told apart by their place. */
  keyOf?: (row: T) => string;
  class?: string;
  /** Number of rows shown until more are asked for. */
  first?: number;
  /** Said instead of no rows. */
  empty?: ComponentChildren;
  /** Number of rows left out, and what they are: "older memories not shown". */
  more?: number;
  left?: string;
}

export function List<T>(props: ListProps<T>) {
  const { children, class: name = "rows", empty, first, keyOf, left, more = 0, rows } = props;
  const [isWhole, setIsWhole] = useState(false);
  const folded = isWhole || first === undefined ? 0 : Math.max(0, rows.length - first);
  return (
    <>
      {rows.length === 0 && empty !== undefined && <Empty>{empty}</Empty>}
      <ul class={name}>
        {rows.slice(0, rows.length - folded).map((row, at) => (
          <li key={keyOf?.(row) ?? at}>{children(row)}</li>
        ))}
      </ul>
      {folded > 0 && <Button tone="quiet" onClick={() => setIsWhole(true)} name={`Show ${folded} more`} />}
      {folded === 0 && more > 0 && (
        <p class="fine">
          {formatCount(more)} {left}
        </p>
      )}
    </>
  );
}

interface FieldProps {
  label: string;
  value: string;
  onChange(value: string): void;
  placeholder?: string;
  /** Of lines; one without. */
  rows?: number;
}

/** A text of the user's; one of several lines has the focus at once. */
export function Field({ label, onChange, rows, ...props }: FieldProps) {
  if (rows === undefined)
    return (
      <label>
        {label}
        <input {...props} onInput={(event) => onChange(event.currentTarget.value)} />
      </label>
    );
  return (
    <label>
      {label}
      <textarea {...props} rows={rows} ref={focus} onInput={(event) => onChange(event.currentTarget.value)} />
    </label>
  );
}

const focus: Ref<HTMLTextAreaElement> = (element) => element?.focus();

export function Select({
  label,
  names,
  onChange,
  value,
}: {
  label: string;
  /** By value. */
  names: Readonly<Record<string, string>>;
  value: string;
  onChange(value: string): void;
}) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {Object.entries(names).map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  );
}

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
  /** What it says. */
  name: string;
  /** What it is about, said to a screen reader behind the name. */
  of?: string;
  onClick(): void;
  /** The key that does the same. */
  hint?: string | undefined;
  tone?: "plain" | "main" | "quiet";
  isOff?: boolean;
  isPressed?: boolean;
  /** Instead of the name, for a screen reader. */
  label?: string | undefined;
}

export function Button({ hint, isOff, isPressed, label, name, of, onClick, tone = "plain" }: ButtonProps) {
  const said = label ?? (of === undefined ? undefined : `${name}: ${of}`);
  return (
    <button
      type="button"
      class={`button ${tone}`}
      onClick={onClick}
      disabled={isOff === true}
      {...(hint !== undefined && { "aria-keyshortcuts": hint })}
      {...(isPressed !== undefined && { "aria-pressed": isPressed })}
      {...(said !== undefined && { "aria-label": said })}
    >
      {name}
      {hint !== undefined && <kbd data-key={hint} />}
    </button>
  );
}

interface CheckProps {
  label: string;
  isOn: boolean;
  onChange(isOn: boolean): void;
}

export function Check({ isOn, label, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
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
    <table aria-label={label}>
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

export const Failed = ({ children }: { children: ComponentChildren }) => (
  <p class="failure" role="alert">
    {children}
  </p>
);

/** Shows an answer, "Loading …" before it arrives, or an error above the last good answer. */
export function Loaded<T>({ answer, children }: Pick<ViewProps<T>, "answer" | "children">) {
  const { error, value } = answer;
  const isAwaited = value === undefined && error === undefined;
  return (
    <>
      {error !== undefined && <Failed>{error}</Failed>}
      {isAwaited && (
        <p class="empty reading" role="status">
          Loading …
        </p>
      )}
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
export function Counts({
  format,
  rows,
}: {
  rows: readonly (readonly [name: string, number: number])[];
  format: (number: number) => string;
}) {
  const most = rows[0]?.[1] ?? 1;
  return (
    <List rows={rows} class="counts" keyOf={([name]) => name}>
      {([name, number]) => (
        <>
          <span>{name}</span>
          <span class="track">
            <span class="fill" style={{ width: `${(number / most) * 100}%` }} />
          </span>
          <b>{format(number)}</b>
        </>
      )}
    </List>
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
