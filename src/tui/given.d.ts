/** What is used of the packages that the host gives; they are not installed. */
declare module "solid-js" {
  export function createSignal<Value>(value: Value): [get: () => Value, set: (value: Value) => unknown];
  export function onCleanup(run: () => void): void;
}

declare module "@opentui/solid/jsx-runtime" {
  export function jsx(type: string, props: object): unknown;
}
