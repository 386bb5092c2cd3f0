// The phones at the table: who asks to join, who is paired, and what the host decides about them.
import { asked, fill, h, post, start, t, table, text, toast } from "./core.js";
import { dice } from "./dice.js";
import { button, dialog } from "./elements.js";
import { settle } from "./guard.js";

const HOST_MS = 5_000, PLAYER_MS = 15_000, ASK_MS = 1000;
const ask = () => asked("/api/phones");

/** Follow what this phone is; on the host's, show who asks to join, and whether somebody guesses the PIN. */
export function hosting() {
  if (!table.paired) return;
  const notes = h("section", { class: "panel stack wide", id: "hosting", role: "status", hidden: true });
  document.querySelector("main .page")?.prepend(notes);
  watch(notes);
}

async function watch(notes) {
  const told = document.hidden ? null : await ask();
  if (told && told.role !== (start.owner ? "owner" : "player")) return location.reload();
  if (told && start.owner) show(notes, told);
  setTimeout(watch, start.owner ? HOST_MS : PLAYER_MS, notes);
}

function show(notes, { asking, pin_rests_s: rests }) {
  const minutes = Math.ceil(rests / 60);
  notes.hidden = !asking.length && !rests;
  const changed = fill(notes, [asking, minutes], () => [
    rests
      ? h(
          "div",
          { class: "spread", id: "pin-rests" },
          h("p", {}, t("host.pin_rests", { count: minutes })),
          act("host.new_pin", "/api/phones/pin", {}, notes),
        )
      : null,
    ...asking.map((each) =>
      h(
        "div",
        { class: "spread asks" },
        h(
          "span",
          {},
          h("bdi", {}, each.name || t("control.a_phone")),
          " ",
          h("small", { class: "quiet" }, t(each.screen ? "host.asks_screen" : "host.asks")),
        ),
        dice(each.code),
        act("host.let_in", "/api/phones/let_in", { id: each.id }, notes, "main"),
      ),
    ),
  ]);
  if (changed) settle(notes); // a second tap must not let in who has moved up
}

/** Show the dice that tell this phone apart while it may be let in; return whether it was, else say so in `problem`. */
export async function letIn({ code }, box, row, problem) {
  box.hidden = false;
  row.replaceChildren(dice(code));
  let paired = false;
  while (code) {
    await new Promise((done) => setTimeout(done, ASK_MS));
    ({ code, paired } = (await ask()) ?? { code, paired });
  }
  box.hidden = true;
  problem.hidden = paired;
  text(problem, t("pair.nobody"));
  return paired;
}

function act(key, path, body, notes, kind = "") {
  const go = async () => {
    await post(path, body);
    const told = await ask();
    if (told) show(notes, told);
  };
  return button(t(key), go, { class: kind, "data-key": `${key}-${body.id ?? ""}` });
}

/** The dialog of the paired phones: the host changes them, any phone may give up. */
export async function phones() {
  const list = h("ul", { class: "stack phones" }), pin = h("p", {}),
    renew = button(t("host.new_pin"), () => change("/api/phones/pin", {}), { "data-key": "new-pin" });
  dialog(
    t("control.phones"),
    h("p", { class: "quiet" }, t(table.owner ? "control.phones_host" : "control.phones_how")),
    table.owner && h("div", { class: "spread" }, pin, renew),
    list,
  );
  const change = async (path, body, away = false) => {
    if (!(await post(path, body))) return;
    if (away) location.reload(); else await look();
  };
  const draw = (told) => {
    text(pin, told.pin ? t("control.pin", { pin: told.pin }) : "");
    const changed = fill(list, told, () =>
      told.phones.map((phone) =>
        h(
          "li",
          { class: "stack" },
          h(
            "span",
            {},
            h("bdi", {}, phone.name || t("control.phone", { id: phone.id })),
            " ",
            h("small", { class: "quiet" }, t(`role.${phone.role}`), phone.you ? ` · ${t("control.you")}` : ""),
          ),
          h("div", { class: "row" }, choices(phone, change)),
        ),
      ),
    );
    if (changed) settle(list); // nor remove the next phone
  };
  const look = async () => {
    const told = await ask();
    if (told) draw(told);
    else toast(t("error.network"));
  };
  await look();
}

function choices(phone, change) {
  const choice = (key, kind, onclick) => button(t(key), onclick, { class: kind, "data-key": `${key}-${phone.id}` });
  if (phone.you) return [choice("control.give_up", "danger", () => change("/api/phones/leave", {}, true))];
  if (!table.owner) return [];
  const make = (role) => choice(`host.make_${role}`, "", () => change("/api/phones/role", { id: phone.id, role }));
  return [
    phone.role === "player" ? make("owner") : make("player"),
    choice("control.take_away", "danger", () => change("/api/phones/remove", { id: phone.id })),
  ];
}
