import type { Snapshot } from "./server";

/** The JSON that the server puts into each page (`Pages.page`). */
export interface Start {
  snapshot: Snapshot;
  paired: boolean;
  owner: boolean;
  screen: boolean;
  hosted: boolean;
  hands: boolean;
  settings: boolean;
  voice: boolean;
  evening: boolean;
  replay: boolean;
  advice: boolean;
  house: string | null;
  titles: Record<string, string>;
  seat: { name: string; colour: number } | null;
  awake?: string;
  games?: any[];
}

/** An asked-for stream of snapshots: what stops it, and its answer. */
export interface AskedNews {
  stop: AbortController;
  answer: Promise<Response>;
}

declare global {
  /** What `early.js` leaves to the page's script. */
  interface Window {
    askForNews: () => AskedNews;
    early: { news: AskedNews; texts: Promise<Response> };
  }
}

/** The news of a snapshot: its new events, and whether an earlier event no longer holds. */
export interface News {
  events: import("./server").Event[];
  takenBack: boolean;
}

/** The virtual tray, from `/api/tray`: its dice, and its zones once they are known. */
export interface Tray {
  dice: TrayDie[];
  zones: TrayZones | null;
}

export interface TrayDie {
  id: number;
  x_mm: number;
  y_mm: number;
  place: "throw" | "keep" | "out";
  x_px: number;
  y_px: number;
  size_px: number;
}

export interface TrayZones {
  width_mm: number;
  height_mm: number;
  keep: [x: number, y: number, w: number, h: number];
  throw: [x: number, y: number, w: number, h: number];
  picture_wh: [w: number, h: number];
  mm_to_px: number[][];
}

/** What `h` and `s` append: falsy children are left out. */
export type Child = Node | string | number | null | undefined | false | Child[];

/** Attributes of an element for `h` and `s`; `on...` is a listener, `style` an object. */
export type Attributes = Record<string, any>;
