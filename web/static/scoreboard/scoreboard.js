// The scoreboard: what everyone in the pub looks at. A paired phone is sent on to the controls by a button.
import { goLive, ready } from "../shared/core.js";
import { everything } from "./everything.js";

await ready;
everything();
goLive();
