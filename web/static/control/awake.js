// A phone that plays keeps its screen on. Plain http has no wake lock: there a film without picture or sound plays.
import { $, h, start } from "../shared/core.js";

export function keepAwake() {
  if (navigator.wakeLock) {
    const hold = () => { if (!document.hidden) navigator.wakeLock.request("screen").catch(() => {}); };
    document.addEventListener("visibilitychange", hold);
    return hold();
  }
  // Browsers keep the screen on for a film that is not muted, has a sound track and is on the page; they let it begin
  // at a touch. WebKit lets the screen sleep under a film that loops: this one is set back before its end.
  // ffmpeg -f lavfi -i color=black:s=16x16:r=5 -f lavfi -i anullsrc=r=8000:cl=mono -t 4 -c:v libx264 
  //   -profile:v baseline -pix_fmt yuv420p -c:a aac -b:a 8k
  //   -map_metadata -1 -fflags +bitexact -movflags +faststart awake.mp4
  const film = h("video", {
    id: "awake",
    class: "awake",
    src: start.awake,
    playsinline: true,
    disableremoteplayback: true,
    "aria-hidden": "true",
    tabindex: -1,
  });
  const play = () => {
    if (!document.hidden && film.paused) film.play().catch(() => {});
  };
  film.addEventListener("timeupdate", () => {
    if (film.currentTime > film.duration / 2) film.currentTime = 0;
  });
  document.addEventListener("click", play);
  document.addEventListener("visibilitychange", play);
  $("main").append(film);
}
