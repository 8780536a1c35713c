/** What is used of the packages that the host gives; they are not installed. */
declare module "solid-js" {
  export function createSignal<Value>(value: Value): [get: () => Value, set: (change: () => Value) => Value];
  export function onCleanup(run: () => void): void;
}

declare module "@opentui/solid/jsx-runtime" {
  export function jsx(type: string, props: object): unknown;
}
