import type { Snapshot } from "./server";

/** The JSON that the server puts into each page (`Pages.page`). */
export interface Start {
  snapshot: Snapshot;
  paired: boolean;
  owner: boolean;
  screen: boolean;
  hosted: boolean;
  hands: boolean;
  texts: string;
  settings: boolean;
  voice: boolean;
  evening: boolean;
  advice: boolean;
  titles: Record<string, string>;
  awake?: string;
  games?: any[];
}

/** The news of a snapshot: its new events, and whether an earlier event no longer holds. */
export interface News {
  events: import("./server").Event[];
  takenBack: boolean;
}

/** What `h` and `s` append: falsy children are left out. */
export type Child = Node | string | number | null | undefined | false | Child[];

/** Attributes of an element for `h` and `s`; `on...` is a listener, `style` an object. */
export type Attributes = Record<string, any>;
